// Package transport says what an answer over HTTP, or the lack of one, means. The client of the upstream and the
// updater both ask here, so that status, code and exit cannot drift apart.
package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"aos.invalid/tool/internal/contract"
	"aos.invalid/tool/internal/runtime/fault"
)

// MaxRetryAfter bounds what a server may ask to wait.
const MaxRetryAfter = time.Hour

// StatusCode returns the error code of a status. The contract names the common ones; the rest follow their meaning.
func StatusCode(status int, header http.Header) string {
	if status == http.StatusForbidden && isRateLimit(header) {
		return fault.RateLimited
	}
	if code, known := contract.CodeForStatus(status); known {
		return code
	}
	switch status {
	case http.StatusGone:
		return fault.NotFound
	case http.StatusPreconditionFailed, http.StatusPreconditionRequired, http.StatusLocked:
		return fault.Conflict
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return fault.Validation
	}
	if status >= 300 && status <= 399 {
		return fault.Config
	}
	return fault.Unknown
}

// StatusFault says what an answer without success means.
func StatusFault(host, code string, status int, header http.Header, now time.Time) *fault.Error {
	failed := fault.New(code, "%s", sentence(host, code, status)).With("status", status)
	switch code {
	case fault.Auth:
		failed.WithFix("Check the credential with `doctor`; log in again if it is no longer valid")
	case fault.Forbidden:
		failed.WithFix("Ask for the permission, or use an account that has it")
	case fault.NotFound:
		failed.WithFix("Check the id; a list command shows what exists")
	case fault.Conflict:
		failed.WithFix("Read the state again, then repeat the call with a new dry run")
	case fault.Validation:
		failed.WithFix("Correct the arguments; details has the response of the server")
	case fault.Config:
		failed.WithFix("Set the address to which the server has moved")
	case fault.RateLimited:
		seconds := RetryAfter(header, now)
		failed.With("retry_after_s", seconds).WithFix("Wait %d s, then run the command again", seconds)
	default:
		if failed.Retryable() {
			failed.WithFix("Wait a moment, then run the command again")
		} else {
			failed.WithFix("Report the status together with the command")
		}
	}
	return failed
}

func sentence(host, code string, status int) string {
	answered := "`" + host + "` responded with status " + strconv.Itoa(status)
	switch code {
	case fault.Auth:
		return answered + ": the credential is not accepted"
	case fault.Forbidden:
		return answered + ": the account is not allowed to do this"
	case fault.NotFound:
		return answered + ": it does not exist"
	case fault.Conflict:
		return answered + ": the state has changed"
	case fault.Validation:
		return answered + ": a value was refused"
	case fault.RateLimited:
		return answered + ": too many requests"
	case fault.Timeout:
		return answered + ": it took too long"
	case fault.Server:
		return answered + ": it has a server error"
	case fault.Config:
		return answered + ": it redirects the request, which is not followed"
	}
	return answered
}

// ErrorFault says what it means that no answer came.
func ErrorFault(host string, err error) *fault.Error {
	var address *url.Error
	if errors.As(err, &address) {
		// The text of the outer error repeats the whole address.
		err = address.Err
	}
	var timeout net.Error
	switch {
	case errors.Is(err, context.Canceled):
		return fault.Cancelled()
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return fault.New(fault.Timeout, "`%s` took too long", host).
			WithFix("Wait a moment, then run the command again").Because(err)
	case isUntrusted(err):
		return fault.New(fault.Config, "the certificate of `%s` is not trusted: %s", host, fault.Brief(err.Error())).
			WithFix("Install the CA certificates of the system, or point SSL_CERT_FILE to those of your network").Because(err)
	}
	if proxy := refusingProxy(err); proxy != "" {
		return fault.New(fault.Network, "the proxy `%s` in front of `%s` cannot be reached", proxy, host).
			WithFix("Correct HTTPS_PROXY, HTTP_PROXY or NO_PROXY, then run the command again").
			With("proxy", proxy).Because(err)
	}
	// A server can make the text of an error as long as it likes.
	return fault.New(fault.Network, "`%s` cannot be reached: %s", host, fault.Brief(err.Error())).
		WithFix("Check the network and the proxy settings, then run the command again").Because(err)
}

// RetryAfter returns the seconds that a server asks to wait, at least one and within bounds.
func RetryAfter(header http.Header, now time.Time) int {
	wait := time.Minute
	if text := header.Get("Retry-After"); text != "" {
		if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
			wait = time.Duration(min(max(seconds, 0), int64(MaxRetryAfter/time.Second))) * time.Second
		} else if date, err := http.ParseTime(text); err == nil {
			wait = date.Sub(now)
		}
	} else if reset, err := strconv.ParseInt(header.Get("X-RateLimit-Reset"), 10, 64); err == nil {
		wait = time.Unix(reset, 0).Sub(now)
	}
	wait = min(max(wait, time.Second), MaxRetryAfter)
	return int((wait + time.Second - 1) / time.Second)
}

func isRateLimit(header http.Header) bool {
	return header.Get("X-RateLimit-Remaining") == "0" || header.Get("Retry-After") != ""
}

// refusingProxy returns the address of a proxy that does not answer; empty when it is not about a proxy.
func refusingProxy(err error) string {
	var outer, inner *net.OpError
	if errors.As(err, &outer) && outer.Op == "proxyconnect" && errors.As(outer.Err, &inner) && inner.Addr != nil {
		return inner.Addr.String()
	}
	return ""
}

func isUntrusted(err error) bool {
	var (
		authority x509.UnknownAuthorityError
		hostname  x509.HostnameError
		invalid   x509.CertificateInvalidError
		roots     x509.SystemRootsError
		verify    *tls.CertificateVerificationError
	)
	return errors.As(err, &authority) || errors.As(err, &hostname) || errors.As(err, &invalid) ||
		errors.As(err, &roots) || errors.As(err, &verify)
}
