// Package redact keeps secrets out of everything that leaves the program: answers, notes, previews, the audit log.
//
// A secret is found by its value, in each spelling that a text can hold it in, and by the place it stands in:
// members and options with telling names, Authorization headers, user names in addresses, tokens of known services.
package redact

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Mask stands where a secret stood.
const Mask = "[redacted]"

// MinSecret is the length from which a value counts as a secret; shorter ones would mask ordinary words.
const MinSecret = 8

// patterns find secrets by the place they stand in. A text without one of the signs needs no search.
var patterns = []struct {
	signs []string
	find  *regexp.Regexp
	put   string
}{
	{[]string{"bearer", "basic"}, regexp.MustCompile(`(?i)\b(bearer|basic)[ \t]+[A-Za-z0-9._~+/=-]{20,}`), "$1 " + Mask},
	{[]string{"authorization", "cookie", "x-api-key"}, regexp.MustCompile(`(?i)\b(authorization|proxy-authorization|cookie|set-cookie|x-api-key)\s*[:=]\s*[^\r\n"']+`), "$1: " + Mask},
	{[]string{"://"}, regexp.MustCompile(`(?i)([a-z][a-z0-9+.-]*://)[^/?#\s"'@]*@`), "${1}" + Mask + "@"},
	{[]string{"?", "&", ";"}, regexp.MustCompile(`(?i)([?&;](?:access_token|refresh_token|token|api_key|apikey|secret|password|signature)=)[^&#\s"']+`), "${1}" + Mask},
	{[]string{"gh", "npm_"}, regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|npm_[A-Za-z0-9]{16,})`), Mask},
}

var secretName = regexp.MustCompile(`(?i)^(?:.*[_-])?(?:password|passwd|secret|token|authorization|cookie|credential|api[_-]?key|private[_-]?key)$`)

// allowed are names that only look like those of secrets.
var allowed = []string{"confirm_token"}

// Redactor knows the secrets of one run.
type Redactor struct {
	mutex  sync.RWMutex
	values []string
}

// Add makes a value known as a secret, in all its spellings.
func (r *Redactor) Add(secrets ...string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, secret := range secrets {
		secret = strings.TrimSpace(secret)
		if len(secret) < MinSecret {
			continue
		}
		spellings := []string{
			secret,
			url.QueryEscape(secret),
			url.PathEscape(secret),
			base64.StdEncoding.EncodeToString([]byte(secret)),
			base64.URLEncoding.EncodeToString([]byte(secret)),
			base64.RawStdEncoding.EncodeToString([]byte(secret)),
			base64.RawURLEncoding.EncodeToString([]byte(secret)),
			hex.EncodeToString([]byte(secret)),
		}
		for _, spelling := range spellings {
			if !slices.Contains(r.values, spelling) {
				r.values = append(r.values, spelling)
			}
		}
	}
	// The longest first: a spelling may hold another one.
	slices.SortFunc(r.values, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
}

// Text masks the secrets in a text.
func (r *Redactor) Text(text string) string {
	r.mutex.RLock()
	for _, value := range r.values {
		text = strings.ReplaceAll(text, value, Mask)
	}
	r.mutex.RUnlock()
	lower := strings.ToLower(text)
	for _, pattern := range patterns {
		if slices.ContainsFunc(pattern.signs, func(sign string) bool { return strings.Contains(lower, sign) }) {
			text = pattern.find.ReplaceAllString(text, pattern.put)
		}
	}
	return text
}

// Member masks the value of a member or option: all of it when the name says that it is a secret.
func (r *Redactor) Member(name, value string) string {
	if IsSecretName(name) && value != "" {
		return Mask
	}
	return r.Text(value)
}

// IsSecretName tells whether a member or option of this name holds a secret.
func IsSecretName(name string) bool {
	return secretName.MatchString(name) && !slices.Contains(allowed, name)
}
