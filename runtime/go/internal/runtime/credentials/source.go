package credentials

import (
	"context"
	"time"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/fault"
)

// Source returns tokens to the client of the upstream.
type Source struct {
	store *Store
	now   func() time.Time

	credential Credential
	storage    Storage
}

// Token returns the token in effect.
func (s *Source) Token(ctx context.Context) (string, error) {
	if s.storage == "" {
		credential, storage, err := s.store.Find()
		if err != nil {
			return "", err
		}
		s.credential, s.storage = credential, storage
	}
	if s.storage == None {
		return "", fault.New(fault.Auth, "there is no credential for the upstream").
			WithFix("Run `%s auth login`, or set %s", about.Tool, Variables(s.store.keys))
	}
	if s.credential.expired(s.now()) {
		if err := s.refresh(ctx); err != nil {
			return "", err
		}
	}
	return s.credential.Token, nil
}
