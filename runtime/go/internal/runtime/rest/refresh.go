package rest

import (
	"context"
	"net/http"
	"time"

	"aos.invalid/tool/internal/runtime/credentials"
)

// maxLifetime is the longest time that a renewed credential is believed to be good.
const maxLifetime = 366 * 24 * 60 * 60

// RefreshGrant renews credentials with the refresh grant of OAuth 2.0 (RFC 6749, section 6), sent as JSON to the address
// that path names below the base of the API.
func RefreshGrant(path ...string) func(Connection) credentials.Renewer {
	return func(connection Connection) credentials.Renewer {
		return func(ctx context.Context, refreshToken string) (credentials.Credential, error) {
			connection.Credentials = anonymous{}
			client := New(connection, Conventions{})
			defer client.Close()
			var document struct {
				AccessToken  string `json:"access_token"`
				RefreshToken string `json:"refresh_token"`
				ExpiresIn    int    `json:"expires_in"`
			}
			err := client.Do(ctx, Request{
				Method: http.MethodPost,
				Path:   path,
				Body:   map[string]string{"grant_type": "refresh_token", "refresh_token": refreshToken},
			}, &document)
			if err != nil {
				return credentials.Credential{}, err
			}
			renewed := credentials.Credential{Token: document.AccessToken, RefreshToken: document.RefreshToken}
			if document.ExpiresIn > 0 {
				renewed.ExpiresAt = time.Now().Add(time.Duration(min(document.ExpiresIn, maxLifetime)) * time.Second).UTC()
			}
			return renewed, nil
		}
	}
}

// anonymous has no token: a refresh token speaks for itself.
type anonymous struct{}

func (anonymous) Token(context.Context) (string, error) {
	return "", nil
}

func (anonymous) Refused(context.Context, string) (string, error) {
	return "", nil
}
