// Package redact keeps secrets out of everything that leaves the program: answers, notes, previews, the audit log.
//
// A secret is recognized by its value, in each encoding that a text can contain, and by its position: members and
// options with names of secrets, Authorization headers, user names in addresses, tokens of known services.
package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Mask stands where a secret stood.
const Mask = "[redacted]"

const (
	// MinSecret is how many characters make a value a secret that is masked inside words, too.
	MinSecret = 8
	// MinWord is how many characters make a value a secret that is masked as a whole word.
	MinWord = 4
)

// patterns find secrets by their position. A text without one of the signs is not searched.
var patterns = []struct {
	signs []string
	find  *regexp.Regexp
	put   string
}{
	{[]string{"bearer", "basic"}, regexp.MustCompile(`(?i)\b(bearer|basic)[ \t]+[A-Za-z0-9._~+/=-]{20,}`), "$1 " + Mask},
	{[]string{"authorization", "cookie", "x-api-key"}, regexp.MustCompile(`(?i)\b(authorization|proxy-authorization|cookie|set-cookie|x-api-key)\s*[:=]\s*[^\r\n"']+`), "$1: " + Mask},
	{[]string{"://"}, regexp.MustCompile(`://[^/?#\s"']*@`), "://" + Mask + "@"},
	{[]string{"?", "&", ";"}, regexp.MustCompile(`(?i)([?&;](?:access_token|refresh_token|token|api_key|apikey|secret|password|signature)=)[^&#\s"']+`), "${1}" + Mask},
	{[]string{"gh", "github_pat_", "npm_", "pypi-"}, regexp.MustCompile(`\b(?:gh[pousr]_|github_pat_|npm_|pypi-)[A-Za-z0-9_-]{16,}`), Mask},
}

// escapes are the bytes in an address that are spelled in hex.
var escapes = regexp.MustCompile(`%[0-9A-F]{2}`)

var secretName = regexp.MustCompile(`(?i)^(?:.*[_-])?(?:password|passwd|secret|token|authorization|cookie|credential|api[_-]?key|private[_-]?key)$`)

// allowed are names that only look like those of secrets.
var allowed = []string{"confirm_token"}

// Redactor knows the secrets of one run.
type Redactor struct {
	mutex  sync.RWMutex
	values []string
	// words are masked only where no letter or digit touches them.
	words []string
}

// Add makes a value known as a secret, in all its spellings. The password of `user:password` is a secret by itself.
func (r *Redactor) Add(secrets ...string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, secret := range secrets {
		if _, password, isPair := strings.Cut(strings.TrimSpace(secret), ":"); isPair {
			secrets = append(secrets, password)
		}
	}
	for _, secret := range secrets {
		secret = strings.TrimSpace(secret)
		if utf8.RuneCountInString(secret) < MinWord {
			continue
		}
		for _, spelling := range spellings(secret) {
			known := &r.values
			if utf8.RuneCountInString(spelling) < MinSecret {
				known = &r.words
			}
			if !slices.Contains(*known, spelling) {
				*known = append(*known, spelling)
			}
		}
	}
	slices.SortFunc(r.values, longestFirst)
	slices.SortFunc(r.words, longestFirst)
}

// longestFirst is the order of spellings: one may hold another one.
func longestFirst(a, b string) int {
	if len(a) != len(b) {
		return len(b) - len(a)
	}
	return strings.Compare(a, b)
}

// spellings are the forms in which a text can hold a secret: addresses, JSON, base64 and hex.
func spellings(secret string) []string {
	raw := []byte(secret)
	query := url.QueryEscape(secret)
	percent := strings.ReplaceAll(query, "+", "%20")
	escaped := []string{query, percent, strings.ReplaceAll(percent, "%2F", "/"), url.PathEscape(secret)}
	found := append([]string{
		secret,
		base64.StdEncoding.EncodeToString(raw),
		base64.URLEncoding.EncodeToString(raw),
		base64.RawStdEncoding.EncodeToString(raw),
		base64.RawURLEncoding.EncodeToString(raw),
		hex.EncodeToString(raw),
		strings.ToUpper(hex.EncodeToString(raw)),
	}, escaped...)
	for _, spelling := range escaped {
		found = append(found, escapes.ReplaceAllStringFunc(spelling, strings.ToLower))
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(secret); err == nil {
		inner := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(text.String()), `"`), `"`)
		found = append(found, inner, inASCII(inner))
	}
	return found
}

// inASCII spells every other character as JSON does in ASCII.
func inASCII(text string) string {
	var spelled strings.Builder
	for _, symbol := range text {
		if symbol < utf8.RuneSelf {
			spelled.WriteRune(symbol)
			continue
		}
		for _, unit := range utf16.Encode([]rune{symbol}) {
			_, _ = fmt.Fprintf(&spelled, "\\u%04x", unit)
		}
	}
	return spelled.String()
}

// Text masks the secrets in a text.
func (r *Redactor) Text(text string) string {
	r.mutex.RLock()
	for _, value := range r.values {
		text = strings.ReplaceAll(text, value, Mask)
	}
	for _, word := range r.words {
		text = withoutWord(text, word)
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

// withoutWord masks a word where it is not a part of another one.
func withoutWord(text, word string) string {
	isPart := func(symbol rune) bool { return unicode.IsLetter(symbol) || unicode.IsNumber(symbol) }
	var masked strings.Builder
	from := 0
	for {
		found := strings.Index(text[from:], word)
		if found < 0 {
			masked.WriteString(text[from:])
			return masked.String()
		}
		start, end := from+found, from+found+len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		masked.WriteString(text[from:start])
		if isPart(before) || isPart(after) {
			_, size := utf8.DecodeRuneInString(text[start:])
			end = start + size
			masked.WriteString(text[start:end])
		} else {
			masked.WriteString(Mask)
		}
		from = end
	}
}

// Member masks the value of a member or option: all of it when the name says that it is a secret.
func (r *Redactor) Member(name, value string) string {
	if IsSecretName(name) && value != "" {
		return Mask
	}
	return r.Text(value)
}

// IsSecretName reports whether a member or option of this name holds a secret.
func IsSecretName(name string) bool {
	return secretName.MatchString(name) && !slices.Contains(allowed, name)
}
