package credentials

import (
	"context"
	"time"
)

// Source makes a source of tokens.
func (s *Store) Source() *Source {
	return &Source{store: s, now: time.Now}
}

// Given makes a source of one token that is not stored yet.
func (s *Store) Given(credential Credential) *Source {
	source := s.Source()
	source.credential, source.storage = credential, Environment
	return source
}

// Refused has no other token to offer: the credential does not change by itself.
func (s *Source) Refused(context.Context, string) (string, error) {
	return "", nil
}
