// Package credentials keeps the credential for an upstream: in the keyring of the system, else in an encrypted file,
// else it takes the one of the environment. Nothing here prints, and no error repeats a value.
package credentials

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/zalando/go-keyring"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/config"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/redact"
	"aos.invalid/tool/internal/runtime/self"
)

// Storage names where a credential comes from.
type Storage string

// The locations of a credential.
const (
	None          Storage = "none"
	Keyring       Storage = "keyring"
	EncryptedFile Storage = "encrypted-file"
	Environment   Storage = "env"
)

const (
	maxLength      = 4096
	keyringTimeout = 3 * time.Second
)

// Credential is what the upstream wants to see.
type Credential struct {
	// Token is the key, or a line for each key (see Keys).
	Token string `json:"token"`
	// Both are empty when the upstream did not say, and in a tool whose credential does not expire.
	RefreshToken string    `json:"refresh_token,omitempty"`
	ExpiresAt    time.Time `json:"expires_at,omitzero"`
	// Account is whose it is, as the upstream said when it was stored.
	Account string `json:"account,omitempty"`
}

// Store finds and keeps the credential of one upstream.
type Store struct {
	config   *config.Config
	redactor *redact.Redactor
	// name distinguishes upstreams.
	name string
	// renew gets a new credential; nil in a tool whose credential does not expire.
	renew Renewer
	// keys are the names of the keys of an API that takes several at once; otherwise there are none.
	keys []string
	// silent: the keyring did not answer in time, so it is not asked again.
	silent bool
}

// Open makes a store. It reads nothing yet. A tool whose credential does not expire has no renewer, and a tool whose API
// takes one key has no names of keys.
func Open(config *config.Config, redactor *redact.Redactor, renew Renewer, keys []string) *Store {
	name := "default"
	if config.BaseURL != nil {
		name = config.BaseURL.String()
	}
	return &Store{config: config, redactor: redactor, name: name, renew: renew, keys: keys}
}

// Find returns the credential in effect and where it comes from; None when there is none.
func (s *Store) Find() (Credential, Storage, error) {
	found, storage, err := s.find()
	if err == nil && storage != None {
		s.redactor.Add(found.Secrets()...)
	}
	return found, storage, err
}

func (s *Store) find() (Credential, Storage, error) {
	found, err := s.stored()
	if err != nil || found.storage != None {
		return found.credential, found.storage, err
	}
	credential, err := s.FromEnvironment()
	if err != nil || credential.Token == "" {
		return Credential{}, None, err
	}
	return credential, Environment, nil
}

type stored struct {
	credential Credential
	storage    Storage
}

func (s *Store) stored() (stored, error) {
	found, err := s.kept()
	if err == nil && found.storage != None && !s.hasKeys(found.credential) {
		return stored{}, fault.New(fault.Config, "the stored credential does not have the keys that the API takes").
			WithFix("Run `auth login` with %s", Variables(s.keys))
	}
	return found, err
}

func (s *Store) kept() (stored, error) {
	if text, err := s.fromKeyring(); err == nil {
		var credential Credential
		if json.Unmarshal([]byte(text), &credential) != nil || credential.check() != nil {
			return stored{}, fault.New(fault.Config, "the credential in the keyring cannot be read").
				WithFix("Run `auth logout`, then `auth login`")
		}
		return stored{credential, Keyring}, nil
	}
	credential, found, err := s.fromFile()
	if err != nil || !found {
		return stored{storage: None}, err
	}
	return stored{credential, EncryptedFile}, nil
}

// Save keeps a credential: in the keyring when there is one, else in the encrypted file.
func (s *Store) Save(credential Credential) (Storage, error) {
	s.redactor.Add(credential.Secrets()...)
	text, err := json.Marshal(credential)
	if err != nil {
		return None, err
	}
	if s.toKeyring(string(text)) == nil {
		// An older copy in the file would come back one day.
		return Keyring, s.removeFromFile()
	}
	return EncryptedFile, s.toFile(credential)
}

// Remove forgets the stored credential, wherever it is.
func (s *Store) Remove() error {
	if err := s.removeFromKeyring(); err != nil && !errors.Is(err, keyring.ErrNotFound) && s.config.UseKeyring {
		if _, found := s.fromKeyring(); found == nil {
			return fault.New(fault.IO, "the keyring does not release the credential").
				WithFix("Unlock the keyring of the system, then run the command again")
		}
	}
	return s.removeFromFile()
}

// Expires reports whether credentials of this tool can expire and be renewed.
func (s *Store) Expires() bool {
	return s.renew != nil
}

// FromEnvironment reads the credential of the environment; its token is empty when there is none.
func (s *Store) FromEnvironment() (Credential, error) {
	if len(s.keys) > 0 {
		return s.keysFromEnvironment()
	}
	credential := Credential{Token: strings.TrimSpace(self.Getenv(config.EnvToken))}
	if credential.Token == "" {
		return Credential{}, nil
	}
	if err := s.readExpiry(&credential); err != nil {
		return Credential{}, err
	}
	if err := credential.checkKey(); err != nil {
		return Credential{}, fault.New(fault.Config, "%s %v", self.Env(config.EnvToken), err).
			WithFix("Set it to the credential exactly as you received it")
	}
	return credential, nil
}

// readExpiry reads how long the credential of the environment is good, and what renews it.
func (s *Store) readExpiry(credential *Credential) error {
	if !s.Expires() {
		return nil
	}
	credential.RefreshToken = strings.TrimSpace(self.Getenv(config.EnvRefreshToken))
	text := self.Getenv(config.EnvExpiresAt)
	if text == "" {
		return nil
	}
	expires, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return fault.New(fault.Config, "%s is not a time in RFC 3339", self.Env(config.EnvExpiresAt)).
			WithFix("Write it as 2030-01-31T12:00:00Z, or unset it")
	}
	credential.ExpiresAt = expires
	return nil
}

// Secrets returns the values that must never be printed.
func (c Credential) Secrets() []string {
	secrets := slices.Sorted(maps.Values(Keys(c.Token)))
	if c.RefreshToken != "" {
		secrets = append(secrets, c.RefreshToken)
	}
	return secrets
}

// Parse makes a credential of a text, for example of a file.
func (s *Store) Parse(text string) (Credential, error) {
	if len(s.keys) > 0 {
		return s.parseKeys(text)
	}
	credential := Credential{Token: strings.TrimSpace(text)}
	if err := credential.checkKey(); err != nil {
		return Credential{}, fault.New(fault.Validation, "the credential %v", err).
			WithFix("Pass the credential exactly as you received it")
	}
	return credential, nil
}

// checkKey is check for an API that takes one key.
func (c Credential) checkKey() error {
	if strings.Contains(c.Token, "\n") {
		return errors.New("has a character that no credential has")
	}
	return c.check()
}

func (c Credential) check() error {
	for name, key := range Keys(c.Token) {
		least := redact.MinSecret
		// One of several keys may be the name of an application, which can be short.
		if strings.Contains(c.Token, "\n") {
			least = 1
			if redact.IsSecretName(name) {
				least = redact.MinWord
			}
		}
		if err := checkSecret(key, least); err != nil {
			return err
		}
	}
	if c.RefreshToken == "" {
		return nil
	}
	return checkSecret(c.RefreshToken, redact.MinSecret)
}

func checkSecret(secret string, least int) error {
	if len(secret) < least || len(secret) > maxLength {
		return fmt.Errorf("is not between %d and %d characters long", least, maxLength)
	}
	for _, symbol := range secret {
		if symbol <= ' ' || symbol > '~' {
			return errors.New("has a character that is not allowed in a credential")
		}
	}
	return nil
}

var errNoKeyring = errors.New("the keyring is not used")

func (s *Store) fromKeyring() (string, error) {
	return s.askKeyring(func() (string, error) { return keyring.Get(about.Tool, s.name) })
}

func (s *Store) toKeyring(text string) error {
	_, err := s.askKeyring(func() (string, error) { return "", keyring.Set(about.Tool, s.name, text) })
	return err
}

func (s *Store) removeFromKeyring() error {
	_, err := s.askKeyring(func() (string, error) { return "", keyring.Delete(about.Tool, s.name) })
	return err
}

// askKeyring has a time limit, because a locked keyring may wait for a person.
func (s *Store) askKeyring(ask func() (string, error)) (string, error) {
	if !s.config.UseKeyring || s.silent {
		return "", errNoKeyring
	}
	type answer struct {
		text string
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		text, err := ask()
		answers <- answer{text, err}
	}()
	select {
	case given := <-answers:
		return given.text, given.err
	case <-time.After(keyringTimeout):
		s.silent = true
		return "", errNoKeyring
	}
}
