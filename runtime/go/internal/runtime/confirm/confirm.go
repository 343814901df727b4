// Package confirm makes and checks confirm tokens.
//
// A token is keyed with a secret of this machine, bound to everything that makes the operation what it is, expires,
// and works once, also when several processes use it at the same moment.
package confirm

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"aos.invalid/tool/internal/runtime/config"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/lock"
)

// Lifetime is how long a token is good for.
const Lifetime = 10 * time.Minute

const (
	prefix       = "ct_"
	version      = 1
	nonceSize    = 16
	headSize     = 1 + 8 + nonceSize
	tokenSize    = headSize + sha256.Size
	secretSize   = 32
	secretFile   = "confirm.secret"
	consumedName = "confirm-consumed"
	lockLimit    = 5 * time.Second
	// slack is how far a clock may be set back between the two steps.
	slack = time.Minute
	keep  = 24 * time.Hour
)

// Gate makes and checks tokens with the secret in one directory.
type Gate struct {
	Directory string
	Now       func() time.Time
	// Shorter is a life of tokens that is shorter than Lifetime; zero for none.
	Shorter time.Duration
}

// Token is a new token and the time until which it is good.
type Token struct {
	Text    string
	Expires time.Time
}

// Issue makes a token for a binding.
func (g *Gate) Issue(binding []byte) (Token, error) {
	secret, err := g.secret()
	if err != nil {
		return Token{}, err
	}
	life := Lifetime
	if g.Shorter > 0 {
		life = min(life, g.Shorter)
	}
	expires := g.Now().Add(life).UTC().Truncate(time.Second)
	head := make([]byte, headSize)
	head[0] = version
	binary.BigEndian.PutUint64(head[1:], uint64(expires.Unix()))
	// Read never fails.
	_, _ = rand.Read(head[9:])
	body := append(head, seal(secret, head, binding)...)
	return Token{Text: prefix + base64.RawURLEncoding.EncodeToString(body), Expires: expires}, nil
}

// Spent refuses a token that was used, whatever it is given for and whatever became of the target since.
func (g *Gate) Spent(text string) error {
	body, expires, err := parse(text)
	if err != nil {
		return nil //nolint:nilerr // A text that is not a token was never used; Redeem says so.
	}
	if _, err := os.Lstat(filepath.Join(g.Directory, consumedName, record(body, expires))); err == nil {
		return alreadyUsed()
	}
	return nil
}

// Redeem checks a token for a binding and uses it up. The warning is not empty when its use could not be recorded;
// the write may go on then.
func (g *Gate) Redeem(text string, binding []byte) (warning string, err error) {
	secret, err := g.secret()
	if err != nil {
		return "", err
	}
	body, expires, err := parse(text)
	if err != nil {
		return "", err
	}
	head, mac := body[:headSize], body[headSize:]
	if !hmac.Equal(mac, seal(secret, head, binding)) {
		return "", refused("the confirm token is not for this call: the arguments, the account, the target or its version differ")
	}
	if now := g.Now(); !now.Before(expires) || expires.Sub(now) > Lifetime+slack {
		return "", refused("the confirm token has expired")
	}
	return g.consume(body, expires)
}

// parse reads a token; its seal is not looked at.
func parse(text string) (body []byte, expires time.Time, err error) {
	body, err = base64.RawURLEncoding.Strict().DecodeString(strings.TrimPrefix(text, prefix))
	// The decoder passes over line breaks; a token has one spelling.
	if err != nil || prefix+base64.RawURLEncoding.EncodeToString(body) != text || len(body) != tokenSize || body[0] != version {
		return nil, time.Time{}, refused("the confirm token was not issued by this tool")
	}
	return body, time.Unix(int64(binary.BigEndian.Uint64(body[1:])), 0), nil
}

// record is the name under which the use of a token is kept.
func record(body []byte, expires time.Time) string {
	sum := sha256.Sum256(body)
	return fmt.Sprintf("%d-%s", expires.Unix(), hex.EncodeToString(sum[:]))
}

func alreadyUsed() *fault.Error {
	return refused("the confirm token was already used")
}

// Fingerprint names a token without giving it away.
func Fingerprint(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

func seal(secret, head, binding []byte) []byte {
	digest := sha256.Sum256(binding)
	mac := hmac.New(sha256.New, secret)
	mac.Write(head)
	mac.Write(digest[:])
	return mac.Sum(nil)
}

func refused(message string) *fault.Error {
	return fault.New(fault.Conflict, "%s", message).
		WithFix("Run the command with --dry-run again, look at the preview, and use the new token")
}

// consume records that a token was used, before the write begins. Exactly one process can create the record.
func (g *Gate) consume(body []byte, expires time.Time) (warning string, err error) {
	directory := filepath.Join(g.Directory, consumedName)
	name := record(body, expires)
	if err := config.MakePrivate(directory); err != nil {
		return notRecorded(err), nil
	}
	file, err := os.OpenFile(filepath.Join(directory, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return "", alreadyUsed()
	}
	if err != nil {
		return notRecorded(err), nil
	}
	_ = file.Close()
	g.forget(directory)
	return "", nil
}

func notRecorded(err error) string {
	return "the use of the confirm token could not be recorded: " + err.Error()
}

// forget removes the records of tokens that have expired long ago: a clock that is set back must not revive one.
func (g *Gate) forget(directory string) {
	entries, err := os.ReadDir(directory)
	if err != nil {
		return
	}
	for _, entry := range entries {
		expires, _, found := strings.Cut(entry.Name(), "-")
		seconds, err := strconv.ParseInt(expires, 10, 64)
		if found && err == nil && g.Now().Unix() > seconds+int64(keep/time.Second) {
			_ = os.Remove(filepath.Join(directory, entry.Name()))
		}
	}
}

// secret reads the key of this machine, or makes it at the first use. If the key cannot be
// trusted, the call fails; no option changes that.
func (g *Gate) secret() ([]byte, error) {
	path := filepath.Join(g.Directory, secretFile)
	if err := config.MakePrivate(g.Directory); err != nil {
		return nil, err
	}
	if secret, err := readSecret(path); !errors.Is(err, fs.ErrNotExist) {
		return secret, secretFault(path, err)
	}
	held, err := lock.Wait(path+".lock", lockLimit)
	if err != nil && !errors.Is(err, lock.ErrHeld) {
		return nil, config.WriteFault(path+".lock", err)
	}
	if err != nil {
		return nil, fault.New(fault.Conflict, "another process is creating `%s`", path).
			WithFix("Run the command again").Because(err)
	}
	defer held.Free()
	if secret, err := readSecret(path); !errors.Is(err, fs.ErrNotExist) {
		return secret, secretFault(path, err)
	}
	secret := make([]byte, secretSize)
	_, _ = rand.Read(secret)
	return secret, config.WritePrivate(path, secret)
}

func readSecret(path string) ([]byte, error) {
	information, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !information.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	if runtime.GOOS != "windows" && information.Mode().Perm()&0o077 != 0 {
		return nil, errors.New("others can read it")
	}
	secret, err := config.ReadBounded(path, 1024)
	if err == nil && len(secret) < secretSize {
		return nil, errors.New("it is too short")
	}
	return secret, err
}

func secretFault(path string, err error) error {
	if err == nil {
		return nil
	}
	return fault.New(fault.Config, "`%s` cannot be trusted: %v", path, err).
		WithFix("Remove the file; a new one is created, and issued confirm tokens become invalid").Because(err)
}
