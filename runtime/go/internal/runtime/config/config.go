// Package config says where this tool keeps its files and how it is set up: environment first, then config.json.
//
// No secret is ever read from or written to config.json; the package credentials keeps those.
package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/self"
	"aos.invalid/tool/internal/runtime/strictjson"
)

// Names of environment variables, without the prefix of the tool.
const (
	EnvHome      = "HOME"           // directory of state, ~/.<tool> without it
	EnvBaseURL   = "BASE_URL"       // address of the upstream
	EnvToken     = "TOKEN"          // credential, when none is stored
	EnvTimeout   = "TIMEOUT"        // seconds that one request to the upstream may take
	EnvKeyring   = "KEYRING"        // "off" keeps away from the keyring of the system
	EnvUpdateAPI = "UPDATE_API_URL" // address of the API that lists releases
)

// Names of environment variables that shorten a time limit and never lengthen it, in seconds.
const (
	EnvConfirmLifetime = "CONFIRM_LIFETIME" // how long a confirm token is good
	EnvUpdateTimeout   = "UPDATE_TIMEOUT"   // how long the host of releases may be silent
)

// Names of environment variables for a credential that expires; a tool without one does not read them.
const (
	EnvRefreshToken = "REFRESH_TOKEN"    // renews the credential
	EnvExpiresAt    = "TOKEN_EXPIRES_AT" // when the credential expires, RFC 3339
)

const (
	defaultTimeout = 30
	maxTimeout     = 300
	maxLifetime    = 600 * time.Second
	maxConfigSize  = 64 * 1024
	maxAddress     = 2048
)

// Config is the set-up in effect.
type Config struct {
	// Home is the directory of state.
	Home string
	// BaseURL is the upstream; nil when none is configured.
	BaseURL *url.URL
	// Timeout is the limit of one request to the upstream.
	Timeout time.Duration
	// ConfirmLifetime is how long a confirm token is good.
	ConfirmLifetime time.Duration
	// UseKeyring reports whether the keyring of the system may be used.
	UseKeyring bool
	// Problem is what is wrong with the set-up; commands that need an upstream fail with it.
	Problem *fault.Error
}

type document struct {
	BaseURL string `json:"base_url"`
	Timeout *int   `json:"timeout_s"`
}

// Load reads the environment and config.json; without an address in either, the upstream is at defaultBaseURL, which may
// be empty. It fails only when there is no directory for the state, with E_CONFIG.
func Load(defaultBaseURL string) (*Config, error) {
	home, err := stateDirectory()
	if err != nil {
		return nil, err
	}
	config := &Config{
		Home: home, Timeout: defaultTimeout * time.Second, UseKeyring: self.Getenv(EnvKeyring) != "off",
	}
	config.Problem = config.read(defaultBaseURL)
	return config, nil
}

// Path is a file in the directory of state.
func (c *Config) Path(name string) string {
	return filepath.Join(c.Home, name)
}

// Upstream returns the address of the upstream, or why there is none.
func (c *Config) Upstream() (*url.URL, error) {
	if c.Problem != nil {
		return nil, c.Problem
	}
	if c.BaseURL == nil {
		return nil, fault.New(fault.Config, "no upstream is configured").
			WithFix("Set %s, or base_url in %s", self.Env(EnvBaseURL), c.Path("config.json"))
	}
	return c.BaseURL, nil
}

func (c *Config) read(defaultBaseURL string) *fault.Error {
	file, problem := c.readFile()
	if problem != nil {
		return problem
	}
	address := firstOf(self.Getenv(EnvBaseURL), file.BaseURL, defaultBaseURL)
	if address != "" {
		base, err := ParseAddress(address)
		if err != nil {
			return fault.New(fault.Config, "the address of the upstream cannot be used: %v", err).
				WithFix("Set %s to an https address; plain http is for this machine only", self.Env(EnvBaseURL))
		}
		c.BaseURL = base
	}
	lifetime, problem := AtMost(EnvConfirmLifetime, maxLifetime)
	if problem != nil {
		return problem
	}
	c.ConfirmLifetime = lifetime
	seconds := file.Timeout
	if text := self.Getenv(EnvTimeout); text != "" {
		number, err := strconv.Atoi(text)
		if err != nil {
			number = 0
		}
		seconds = &number
	}
	if seconds == nil {
		return nil
	}
	if *seconds < 1 || *seconds > maxTimeout {
		return fault.New(fault.Config, "the time limit of requests is not a number of seconds from 1 to %d", maxTimeout).
			WithFix("Change %s, or timeout_s in %s", self.Env(EnvTimeout), c.Path("config.json"))
	}
	c.Timeout = time.Duration(*seconds) * time.Second
	return nil
}

// AtMost returns a limit that a variable may shorten and never lengthen.
func AtMost(name string, limit time.Duration) (time.Duration, *fault.Error) {
	text := self.Getenv(name)
	if text == "" {
		return limit, nil
	}
	most := int(limit / time.Second)
	seconds, err := strconv.Atoi(text)
	if err != nil || seconds < 1 || seconds > most {
		return 0, fault.New(fault.Config, "%s is not a number of seconds from 1 to %d", self.Env(name), most).
			WithFix("Change or unset %s", self.Env(name))
	}
	return time.Duration(seconds) * time.Second, nil
}

func (c *Config) readFile() (document, *fault.Error) {
	var file document
	path := c.Path("config.json")
	text, err := ReadBounded(path, maxConfigSize)
	if errors.Is(err, fs.ErrNotExist) {
		return file, nil
	}
	if err == nil {
		err = strictjson.Check(text, strictjson.Folded)
	}
	if err == nil {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		err = decoder.Decode(&file)
	}
	if err != nil {
		return file, fault.New(fault.Config, "`%s` cannot be used: %v", path, err).
			WithFix("Correct or remove the file; it may have base_url and timeout_s").Because(err)
	}
	return file, nil
}

// ParseAddress reads the address of a server: https, or http on this machine, without user, query and fragment.
func ParseAddress(text string) (*url.URL, error) {
	if len(text) > maxAddress {
		return nil, errors.New("it is too long")
	}
	address, err := url.Parse(text)
	switch {
	case err != nil:
		// The error of the parser would contain the address, and with it a password in the address.
		return nil, errors.New("it is not an address")
	case address.User != nil:
		return nil, errors.New("it contains a user name; credentials are stored separately")
	case address.RawQuery != "" || address.Fragment != "":
		return nil, errors.New("it contains a query or fragment")
	case address.Hostname() == "":
		return nil, errors.New("it has no host")
	case !isPort(address.Port()):
		return nil, errors.New("its port is not a number from 1 to 65535")
	case address.Scheme == "https":
	case address.Scheme == "http" && IsLoopback(address.Hostname()):
	default:
		return nil, errors.New("it is neither https nor http on this machine")
	}
	return address, nil
}

func isPort(text string) bool {
	number, err := strconv.Atoi(text)
	return text == "" || err == nil && number >= 1 && number <= 65535
}

// IsLoopback reports whether a host is this machine.
func IsLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	address := net.ParseIP(host)
	return address != nil && address.IsLoopback()
}

func stateDirectory() (string, error) {
	if home := self.Getenv(EnvHome); home != "" {
		if !filepath.IsAbs(home) {
			return "", fault.New(fault.Config, "%s is not an absolute path", self.Env(EnvHome)).
				WithFix("Set %s to an absolute path, or unset it", self.Env(EnvHome))
		}
		return filepath.Clean(home), nil
	}
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return "", fault.New(fault.Config, "there is no home directory").
			WithFix("Set %s to an absolute path", self.Env(EnvHome))
	}
	return filepath.Join(home, "."+about.Tool), nil
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
