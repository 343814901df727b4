package update

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/config"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/self"
	"aos.invalid/tool/internal/runtime/transport"
)

const (
	defaultAPI   = "https://api.github.com"
	maxRedirects = 5
	headerLimit  = 30 * time.Second
	// A download has no limit of time, which would fail slow links; it must bring so many bytes in each window.
	windowLimit = 30 * time.Second
	windowBytes = 16 * 1024
	tokenName   = "GITHUB_TOKEN"
)

// host is where releases are published.
type host struct {
	api    *url.URL
	client *http.Client
	token  string
	window time.Duration
	now    func() time.Time
}

func newHost(now func() time.Time) (*host, error) {
	address := defaultAPI
	if text := self.Getenv(config.EnvUpdateAPI); text != "" {
		address = text
	}
	api, err := config.ParseAddress(address)
	if err != nil {
		return nil, fault.New(fault.Config, "%s cannot be used: %v", self.Env(config.EnvUpdateAPI), err).
			WithFix("Unset it, or set it to the https address of an API like that of GitHub")
	}
	limit, problem := config.AtMost(config.EnvUpdateTimeout, headerLimit)
	if problem != nil {
		return nil, problem
	}
	limit = patience(limit)
	base, _ := http.DefaultTransport.(*http.Transport)
	transport := base.Clone()
	// The bytes on the wire are those that are hashed.
	transport.DisableCompression = true
	transport.ResponseHeaderTimeout = limit
	transport.TLSHandshakeTimeout = limit
	transport.DialContext = (&net.Dialer{Timeout: limit}).DialContext
	client := &http.Client{
		Transport: transport,
		// Redirects are followed by hand, so that each address is checked.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	window := min(limit, patience(windowLimit))
	return &host{api: api, client: client, token: os.Getenv(tokenName), window: window, now: now}, nil
}

// get opens an address and gives the answer of status 200. what names it in messages.
func (h *host) get(ctx context.Context, address *url.URL, accept, what string) (*http.Response, error) {
	token := h.tokenFor(address)
	response, err := h.follow(ctx, address, accept, token)
	if err == nil && response.StatusCode == http.StatusUnauthorized && token != "" {
		// A token in the environment is often an old one; a public release needs none.
		_ = response.Body.Close()
		response, err = h.follow(ctx, address, accept, "")
	}
	if err != nil {
		return nil, err
	}
	if response.StatusCode == http.StatusOK {
		return response, nil
	}
	defer func() { _ = response.Body.Close() }()
	return nil, h.refusal(response, address.Host, what)
}

func (h *host) follow(ctx context.Context, address *url.URL, accept, token string) (*http.Response, error) {
	for range maxRedirects + 1 {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
		if err != nil {
			return nil, err
		}
		request.Header.Set("Accept", accept)
		request.Header.Set("User-Agent", about.Tool+"/"+self.Version())
		if token != "" {
			request.Header.Set("Authorization", "Bearer "+token)
		}
		response, err := h.client.Do(request)
		if err != nil {
			return nil, transport.ErrorFault(address.Host, err)
		}
		location := response.Header.Get("Location")
		if response.StatusCode < 300 || response.StatusCode > 399 || location == "" {
			return response, nil
		}
		_ = response.Body.Close()
		next, err := address.Parse(location)
		if err != nil || !h.allows(next) {
			return nil, integrity("`%s` redirects the download to an address that is not encrypted", address.Host).
				With("cause", "insecure_redirect")
		}
		// A redirect never carries the token.
		address, token = next, ""
	}
	return nil, fault.New(fault.Network, "`%s` redirects more than %d times", address.Host, maxRedirects)
}

// allows reports whether an address may be opened: https, or this machine when the API is on it.
func (h *host) allows(address *url.URL) bool {
	local := config.IsLoopback(h.api.Hostname()) && config.IsLoopback(address.Hostname())
	return address.Host != "" && address.User == nil && (address.Scheme == "https" || address.Scheme == "http" && local)
}

// tokenFor returns the token for an address: to the hosts of GitHub it belongs to, encrypted, and to no other.
func (h *host) tokenFor(address *url.URL) string {
	if address.Scheme == "https" && (address.Host == "api.github.com" || address.Host == "github.com") {
		return h.token
	}
	return ""
}

func (h *host) refusal(response *http.Response, name, what string) error {
	status := response.StatusCode
	if status < 400 {
		return fault.New(fault.Network, "`%s` sent an unusable response for %s (status %d)", name, what, status).
			With("status", status)
	}
	failed := transport.StatusFault(name, transport.StatusCode(status, response.Header), status, response.Header, h.now())
	switch failed.Code {
	case fault.NotFound:
		failed.Message = what + " was not found at `" + name + "`"
		failed.Fix = "Check the version; the releases are listed at https://github.com/" + about.Repository + "/releases"
	case fault.Auth:
		failed.Fix = "Unset " + tokenName + ", or set it to a valid token"
	case fault.RateLimited:
		failed.Fix += "; with " + tokenName + " set the limit is higher"
	}
	return failed
}

// read reads an answer of at most limit bytes.
func (h *host) read(ctx context.Context, response *http.Response, limit int64, what string) ([]byte, error) {
	var text strings.Builder
	_, err := h.copy(ctx, &text, response, limit, what)
	return []byte(text.String()), err
}

// copy passes an answer on, as long as it keeps coming and is not too large.
func (h *host) copy(ctx context.Context, to io.Writer, response *http.Response, limit int64, what string) (int64, error) {
	defer func() { _ = response.Body.Close() }()
	name := response.Request.URL.Host
	var received, seen atomic.Int64
	slow := make(chan struct{})
	done := make(chan struct{})
	defer close(done)
	go func() {
		ticks := time.NewTicker(h.window)
		defer ticks.Stop()
		for {
			select {
			case <-done:
				return
			case <-ctx.Done():
				_ = response.Body.Close()
				return
			case <-ticks.C:
				if received.Load()-seen.Load() < windowBytes {
					close(slow)
					_ = response.Body.Close()
					return
				}
				seen.Store(received.Load())
			}
		}
	}()
	buffer := make([]byte, 64*1024)
	for {
		count, err := response.Body.Read(buffer)
		if received.Add(int64(count)) > limit {
			return received.Load(), integrity("%s is larger than %d bytes", what, limit)
		}
		if _, err := to.Write(buffer[:count]); err != nil {
			return received.Load(), &localError{err}
		}
		if errors.Is(err, io.EOF) {
			return received.Load(), nil
		}
		if err != nil {
			select {
			case <-slow:
				err = context.DeadlineExceeded
			case <-ctx.Done():
				err = context.Canceled
			default:
			}
			return received.Load(), transport.ErrorFault(name, err)
		}
	}
}

// localError is trouble with a local file in the middle of a download.
type localError struct {
	cause error
}

func (l *localError) Error() string {
	return l.cause.Error()
}

func (l *localError) Unwrap() error {
	return l.cause
}
