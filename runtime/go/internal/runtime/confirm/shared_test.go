package confirm

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aos.invalid/tool/internal/fixtures"
	"aos.invalid/tool/internal/runtime/fault"
)

type tokens struct {
	About string
	Known struct {
		Secret  string
		Expires int64
		Binding string
		Token   string
	}
	After [][2]any
	Early [][2]any
	Forms []string
	Calls []any
}

// known is a gate with the secret of the fixture, at a time after the expiry of its token.
func (s tokens) known(t *testing.T, after time.Duration) *Gate {
	t.Helper()
	secret, err := hex.DecodeString(s.Known.Secret)
	if err != nil {
		t.Fatal(err)
	}
	directory := filepath.Join(t.TempDir(), "state")
	if err := os.Mkdir(directory, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(directory, secretFile), secret, 0o600); err != nil {
		t.Fatal(err)
	}
	now := time.Unix(s.Known.Expires, 0).Add(after)
	return &Gate{Directory: directory, Now: func() time.Time { return now }}
}

func (s tokens) wants(t *testing.T, name string, good bool, after time.Duration, text, binding string) {
	t.Helper()
	_, err := s.known(t, after).Redeem(text, []byte(binding))
	if good && err != nil || !good && fault.From(err).Code != fault.Conflict {
		t.Errorf("%s: %v", name, err)
	}
}

func TestTokensAreThoseOfEveryLanguage(t *testing.T) {
	t.Parallel()
	shared := fixtures.Read[tokens](t, "confirm_tokens.json")
	token, binding := shared.Known.Token, shared.Known.Binding
	shared.wants(t, "another binding", false, -time.Second, token, binding+" ")
	for _, row := range shared.After {
		shared.wants(t, "after", row[1] == true, seconds(row[0]), token, binding)
	}
	for _, row := range shared.Early {
		shared.wants(t, "early", row[1] == true, -Lifetime-seconds(row[0]), token, binding)
	}
	for _, form := range shared.Forms {
		body := strings.TrimPrefix(token, prefix)
		text := strings.NewReplacer("{token}", token, "{body}", body).Replace(form)
		shared.wants(t, form, false, -time.Second, text, binding)
	}
}

func seconds(number any) time.Duration {
	count, _ := number.(float64)
	return time.Duration(count) * time.Second
}
