package mockkit

import (
	"fmt"
	"net/http"
	"time"
)

// TokenLifetime is how long a renewed token is good for.
const TokenLifetime = 2 * time.Hour

const tokenPath = "/oauth/"

// Renewable lets a refresh token renew the credential of an account, at POST /oauth/token. Each refresh token works once.
func (a *API) Renewable(refreshToken, token string) {
	if len(a.refreshes) == 0 {
		a.Open("POST "+tokenPath+"token", a.renew)
	}
	a.refreshes[refreshToken] = token
}

func (a *API) renew(w http.ResponseWriter, r *http.Request) {
	var wanted struct {
		RefreshToken string `json:"refresh_token"`
	}
	if _, ok := Decode(w, r, &wanted); !ok {
		return
	}
	token, known := a.refreshes[wanted.RefreshToken]
	if !known {
		Fail(w, http.StatusBadRequest, "invalid_grant", "the refresh token is not good any more")
		return
	}
	delete(a.refreshes, wanted.RefreshToken)
	number := len(a.accounts)
	renewed, refresh := fmt.Sprintf("demo-token-renewed-%d", number), fmt.Sprintf("demo-refresh-renewed-%d", number)
	a.accounts[renewed] = a.accounts[token]
	a.refreshes[refresh] = renewed
	Reply(w, http.StatusOK, map[string]any{
		"access_token": renewed, "refresh_token": refresh, "expires_in": int(TokenLifetime.Seconds()),
	})
}

// Revoke makes the API forget that a token is good; its refresh token stays good.
func (a *API) Revoke(token string) {
	a.Do(func() {
		who := a.accounts[token]
		delete(a.accounts, token)
		for refresh, other := range a.refreshes {
			if other == token {
				renewable := "revoked " + token
				a.accounts[renewable] = who
				a.refreshes[refresh] = renewable
			}
		}
	})
}
