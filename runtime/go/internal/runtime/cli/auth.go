package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"aos.invalid/tool/internal/runtime/config"
	"aos.invalid/tool/internal/runtime/credentials"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/rest"
)

const maxTokenFile = 64 * 1024

// credentialChange is what became of the stored credential.
type credentialChange struct {
	Stored  bool                `json:"stored"`
	Storage credentials.Storage `json:"storage"`
	Account string              `json:"account"`
}

func authCommands(keys []string) []*Command {
	file := "File that contains the credential; the default is the environment variable"
	if len(keys) > 0 {
		file = "File that contains a line NAME=KEY for each key; the default is the environment variables"
	}
	return []*Command{
		{
			Path:    "auth login",
			Summary: "Store the credential for the upstream",
			Detail: "Takes it from " + credentials.Variables(keys) + " or from a file, never from a flag, and asks the upstream " +
				"whether it is good. A stored one is replaced only with a confirm token.",
			Params: []Param{
				{Name: "token-file", Kind: Text, Help: file},
			},
			Output:   "credential_change",
			Confirm:  WhenLossy,
			Examples: []string{"auth login --dry-run", "auth login --confirm ct_TOKEN"},
			Plan:     planLogin,
		},
		{
			Path:     "auth logout",
			Summary:  "Remove the stored credential for the upstream",
			Output:   "credential_change",
			Confirm:  WhenLossy,
			Examples: []string{"auth logout --dry-run", "auth logout --confirm ct_TOKEN"},
			Plan:     planLogout,
		},
	}
}

func planLogin(call *Call) (*Plan, error) {
	credential, err := newCredential(call)
	if err != nil {
		return nil, err
	}
	call.app.redactor.Add(credential.Secrets()...)
	upstream, err := call.app.clientWith(credential)
	if err != nil {
		return nil, err
	}
	defer upstream.Close()
	account, err := upstream.Account(call.Context)
	if err != nil {
		return nil, err
	}
	call.app.who = &account
	before, err := storedState(call)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(credential.Token))
	return &Plan{
		Preview: Preview{Changes: []Change{{
			Action: "store", Resource: "credential", ID: call.app.upstreamName(),
			Before: before, After: map[string]any{"stored": true, "account": account.ID},
		}}},
		Payload: hex.EncodeToString(sum[:]),
		Account: account,
		Lossy:   before != nil,
		Apply: func(context.Context, string) (any, error) {
			credential.Account = account.ID
			storage, err := call.app.store.Save(credential)
			return credentialChange{Stored: true, Storage: storage, Account: account.ID}, err
		},
	}, nil
}

func planLogout(call *Call) (*Plan, error) {
	before, err := storedState(call)
	if err != nil {
		return nil, err
	}
	changes := []Change{}
	if before != nil {
		changes = append(changes, Change{Action: "forget", Resource: "credential", ID: call.app.upstreamName(), Before: before})
	}
	return &Plan{
		Preview: Preview{Changes: changes},
		Account: rest.Account{},
		Lossy:   before != nil,
		Apply: func(context.Context, string) (any, error) {
			return credentialChange{Stored: false, Storage: credentials.None}, call.app.store.Remove()
		},
	}, nil
}

func newCredential(call *Call) (credentials.Credential, error) {
	if path := call.Text("token-file"); path != "" {
		text, err := config.ReadBounded(path, maxTokenFile)
		if err != nil {
			return credentials.Credential{}, fault.New(fault.Validation, "--token-file cannot be read: %v", err).
				WithFix("Pass a file that contains only the credential")
		}
		return call.app.store.Parse(string(text))
	}
	credential, err := call.app.store.FromEnvironment()
	if err == nil && credential.Token == "" {
		err = fault.New(fault.Auth, "there is no credential to store").
			WithFix("Set %s, or pass --token-file", credentials.Variables(call.app.tool.Keys))
	}
	return credential, err
}

// storedState says what is stored, without saying the credential; nil when nothing is.
func storedState(call *Call) (any, error) {
	_, storage, err := call.app.store.Find()
	if err != nil {
		// A credential that cannot be read is lost by a new login as well.
		return map[string]any{"stored": true, "storage": "unreadable", "reason": fault.From(err).Message}, nil
	}
	if storage != credentials.Keyring && storage != credentials.EncryptedFile {
		return nil, nil
	}
	return map[string]any{"stored": true, "storage": storage}, nil
}

func (a *app) upstreamName() string {
	if a.config.BaseURL == nil {
		return "default"
	}
	return a.config.BaseURL.String()
}
