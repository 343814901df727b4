package mock

import (
	"fmt"
	"net/http"
	"time"
)

// RefreshAlice renews the credential of Alice; each refresh token works once.
const RefreshAlice = "demo-refresh-alice"

// TokenLifetime is how long a renewed token is good for.
const TokenLifetime = 2 * time.Hour

func (u *Upstream) tokenRoutes() {
	u.refreshes = map[string]string{RefreshAlice: TokenAlice}
	u.mux.HandleFunc("POST /oauth/token", func(w http.ResponseWriter, r *http.Request) {
		u.mutex.Lock()
		defer u.mutex.Unlock()
		var wanted struct {
			RefreshToken string `json:"refresh_token"`
		}
		if _, ok := decode(w, r, &wanted); !ok {
			return
		}
		token, known := u.refreshes[wanted.RefreshToken]
		if !known {
			fail(w, http.StatusBadRequest, "invalid_grant", "the refresh token is not good any more")
			return
		}
		delete(u.refreshes, wanted.RefreshToken)
		number := len(u.accounts)
		renewed, refresh := fmt.Sprintf("demo-token-renewed-%d", number), fmt.Sprintf("demo-refresh-renewed-%d", number)
		u.accounts[renewed] = u.accounts[token]
		u.refreshes[refresh] = renewed
		reply(w, http.StatusOK, map[string]any{
			"access_token": renewed, "refresh_token": refresh, "expires_in": int(TokenLifetime.Seconds()),
		})
	})
}

// Revoke makes the upstream forget that a token is good; its refresh token stays good.
func (u *Upstream) Revoke(token string) {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	who := u.accounts[token]
	delete(u.accounts, token)
	for refresh, other := range u.refreshes {
		if other == token {
			renewable := "revoked " + token
			u.accounts[renewable] = who
			u.refreshes[refresh] = renewable
		}
	}
}
