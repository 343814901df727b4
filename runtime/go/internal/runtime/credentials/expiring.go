package credentials

import (
	"context"
	"errors"
	"time"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/lock"
)

// early is how long before its end a token counts as expired, so that it does not end on the way.
const early = 30 * time.Second

// Renewer gets a new credential for a refresh token. A fault that is retryable is passed on to the caller; after any
// other one the user has to log in again.
type Renewer func(ctx context.Context, refreshToken string) (Credential, error)

// Source makes a source of tokens; it renews them when the tool can.
func (s *Store) Source() *Source {
	return &Source{store: s, now: time.Now}
}

// Given makes a source of one token that is not stored yet.
func (s *Store) Given(credential Credential) *Source {
	return &Source{store: s, now: time.Now, credential: credential, storage: Environment}
}

// Validity says how a credential stands.
type Validity struct {
	Valid       bool
	Refreshable bool
	ExpiresAt   *time.Time
}

// Validity says how the credential stands at a time, without asking anybody.
func (c Credential) Validity(now time.Time) Validity {
	validity := Validity{Valid: c.ExpiresAt.IsZero() || now.Before(c.ExpiresAt), Refreshable: c.RefreshToken != ""}
	if !c.ExpiresAt.IsZero() {
		expires := c.ExpiresAt.UTC()
		validity.ExpiresAt = &expires
	}
	return validity
}

// Refused renews the credential when the upstream no longer takes the token.
func (s *Source) Refused(ctx context.Context, token string) (string, error) {
	if s.credential.RefreshToken == "" || !s.store.Expires() {
		return "", nil
	}
	if s.credential.Token != token {
		return s.credential.Token, nil
	}
	if err := s.refresh(ctx); err != nil {
		return "", err
	}
	return s.credential.Token, nil
}

func (c Credential) expired(now time.Time) bool {
	return !c.ExpiresAt.IsZero() && !now.Add(early).Before(c.ExpiresAt)
}

// refresh renews the credential while no other process does: a refresh token may work only once.
func (s *Source) refresh(ctx context.Context) error {
	if s.credential.RefreshToken == "" || !s.store.Expires() {
		return loginNeeded("the credential has expired and cannot be renewed")
	}
	if s.storage != Environment {
		held, err := lock.Wait(s.store.config.Path("refresh.lock"), lockLimit)
		if err != nil {
			return fault.New(fault.Conflict, "another process is renewing the credential").
				WithFix("Run the command again").Because(err)
		}
		defer held.Free()
		if current, storage, err := s.store.Find(); err == nil && storage == s.storage &&
			current.Token != s.credential.Token && !current.expired(s.now()) {
			s.credential = current
			return nil
		}
	}
	s.store.redactor.Add(s.credential.Secrets()...)
	renewed, err := s.store.renew(ctx, s.credential.RefreshToken)
	if err != nil {
		var failed *fault.Error
		if errors.As(err, &failed) && failed.Retryable() {
			return err
		}
		return loginNeeded("the credential has expired and the upstream did not renew it").Because(err)
	}
	if renewed.RefreshToken == "" {
		renewed.RefreshToken = s.credential.RefreshToken
	}
	renewed.Account = s.credential.Account
	if err := renewed.check(); err != nil {
		return fault.New(fault.Server, "the upstream renewed the credential with one that %v", err).
			WithFix("Run `%s auth login`", about.Tool)
	}
	s.store.redactor.Add(renewed.Secrets()...)
	s.credential = renewed
	if s.storage == Environment {
		return nil
	}
	_, err = s.store.Save(renewed)
	return err
}

func loginNeeded(message string) *fault.Error {
	return fault.New(fault.Auth, "%s", message).
		WithFix("Log in again with `%s auth login`", about.Tool).
		With("login_required", true)
}
