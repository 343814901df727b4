package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"aos.invalid/tool/internal/runtime/config"
	"aos.invalid/tool/internal/runtime/confirm"
	"aos.invalid/tool/internal/runtime/credentials"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/output"
	"aos.invalid/tool/internal/runtime/redact"
	"aos.invalid/tool/internal/runtime/rest"
	"aos.invalid/tool/internal/runtime/self"
)

// app is what the commands of one run share.
type app struct {
	tool     *Tool
	config   *config.Config
	printer  *output.Printer
	redactor *redact.Redactor
	store    *credentials.Store
	gate     *confirm.Gate
	upstream Upstream
	who      *rest.Account
}

// load reads the set-up; commands that need none run without.
func (a *app) load() error {
	if a.config != nil {
		return nil
	}
	loaded, err := config.Load(a.tool.BaseURL)
	if err != nil {
		return err
	}
	a.config = loaded
	a.store = credentials.Open(loaded, a.redactor, a.renewer(), a.tool.Keys)
	a.gate = &confirm.Gate{Directory: loaded.Home, Now: time.Now, Shorter: loaded.ConfirmLifetime}
	return nil
}

// renewer is nil in a tool whose credential does not expire.
func (a *app) renewer() credentials.Renewer {
	if a.tool.Renew == nil {
		return nil
	}
	return func(ctx context.Context, refreshToken string) (credentials.Credential, error) {
		connection, err := a.connection(nil)
		if err != nil {
			return credentials.Credential{}, err
		}
		return a.tool.Renew(connection)(ctx, refreshToken)
	}
}

func (a *app) connection(source rest.Credentials) (rest.Connection, error) {
	base, err := a.config.Upstream()
	if err != nil {
		return rest.Connection{}, err
	}
	return rest.Connection{Base: base, Credentials: source, Timeout: a.config.Timeout, UserAgent: self.UserAgent()}, nil
}

func (a *app) client() (Upstream, error) {
	if a.upstream != nil {
		return a.upstream, nil
	}
	connection, err := a.connection(a.store.Source())
	if err != nil {
		return nil, err
	}
	a.upstream = a.tool.Connect(connection)
	return a.upstream, nil
}

// clientWith makes a client that uses one credential; the caller closes it.
func (a *app) clientWith(credential credentials.Credential) (Upstream, error) {
	connection, err := a.connection(a.store.Given(credential))
	if err != nil {
		return nil, err
	}
	return a.tool.Connect(connection), nil
}

func (a *app) account(ctx context.Context) (rest.Account, error) {
	if a.who != nil {
		return *a.who, nil
	}
	upstream, err := a.client()
	if err != nil {
		return rest.Account{}, err
	}
	who, err := upstream.Account(ctx)
	if err != nil {
		return rest.Account{}, err
	}
	a.who = &who
	return who, nil
}

func (a *app) close() {
	if a.upstream != nil {
		a.upstream.Close()
	}
}

// ClientOf returns the client that Tool.Connect made, as the type that the tool gave it.
func ClientOf[Client Upstream](call *Call) (Client, error) {
	var none Client
	upstream, err := call.app.client()
	if err != nil {
		return none, err
	}
	client, ok := upstream.(Client)
	if !ok {
		return none, fmt.Errorf("the function Connect of the tool returned a client of type %T", upstream)
	}
	return client, nil
}

// PlanFor plans a write of an account that may do it, so that a write that could not be carried out gets no token. With
// an empty permission the API decides by itself.
func PlanFor[Client Upstream](call *Call, permission string, plan func(Client) (*Plan, error)) (*Plan, error) {
	upstream, err := ClientOf[Client](call)
	if err != nil {
		return nil, err
	}
	account, err := call.Account()
	if err != nil {
		return nil, err
	}
	if permission != "" && !slices.Contains(account.Permissions, permission) {
		return nil, fault.New(fault.Forbidden, "the account `%s` lacks the permission %s", account.ID, permission).
			WithFix("Ask for the permission, or use an account that has it").With("permission", permission)
	}
	planned, err := plan(upstream)
	if err != nil {
		return nil, err
	}
	planned.Account = account
	return planned, nil
}
