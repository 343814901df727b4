package redact

import (
	"strings"
	"testing"
)

func TestASecretIsMaskedInEachSpelling(t *testing.T) {
	t.Parallel()
	redactor := &Redactor{}
	redactor.Add("s3cret/with+signs", "short")
	for _, text := range []string{
		"s3cret/with+signs", "a=s3cret%2Fwith%2Bsigns", "czNjcmV0L3dpdGgrc2lnbnM=", "czNjcmV0L3dpdGgrc2lnbnM",
		"7333637265742f776974682b7369676e73",
	} {
		if masked := redactor.Text("x " + text + " y"); strings.Contains(masked, text) || !strings.Contains(masked, Mask) {
			t.Errorf("%q became %q", text, masked)
		}
	}
	if text := redactor.Text("in short, no"); text != "in short, no" {
		t.Errorf("an ordinary word became %q", text)
	}
}

func TestSecretsAreFoundByTheirForm(t *testing.T) {
	t.Parallel()
	redactor := &Redactor{}
	for text, secret := range map[string]string{
		"Authorization: Basic dXNlcjpwYXNz":          "dXNlcjpwYXNz",
		"Bearer abcdefghijklmnopqrstuvwxyz":          "abcdefghijklmnopqrstuvwxyz",
		"https://user:password1@example.com/x":       "password1",
		"https://example.com/?a=1&access_token=abcd": "abcd",
		"token ghp_0123456789abcdefghijklmn":         "ghp_0123456789abcdefghijklmn",
		"Set-Cookie: session=abcdef; Path=/":         "abcdef",
	} {
		if masked := redactor.Text(text); strings.Contains(masked, secret) {
			t.Errorf("%q became %q", text, masked)
		}
	}
	for _, text := range []string{"basic authentication", "the confirm token has expired", "https://example.com/?limit=5"} {
		if masked := redactor.Text(text); masked != text {
			t.Errorf("%q became %q", text, masked)
		}
	}
}

func TestMembersWithTellingNamesAreMasked(t *testing.T) {
	t.Parallel()
	redactor := &Redactor{}
	for _, name := range []string{"password", "client_secret", "access-token", "api_key", "Authorization", "apikey"} {
		if redactor.Member(name, "abc") != Mask {
			t.Errorf("%s is shown", name)
		}
	}
	for _, name := range []string{"confirm_token", "title", "tokens_used", "secretary"} {
		if redactor.Member(name, "abc") != "abc" {
			t.Errorf("%s is masked", name)
		}
	}
}
