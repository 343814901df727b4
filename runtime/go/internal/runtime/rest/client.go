// Package rest is a client for REST APIs over JSON. It holds the rules that every tool needs: limits of size and time,
// redirects that never take a credential to another host, one renewal of a refused token, and a fault with a code for
// each way in which a response can be missing or wrong. The requests of a particular API belong to the tool.
package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/transport"
)

const (
	maxAnswer      = 16 * 1024 * 1024
	maxErrorAnswer = 64 * 1024
	maxRedirects   = 5
)

// Credentials give the token of each request.
type Credentials interface {
	// Token returns a token that is good now.
	Token(ctx context.Context) (string, error)
	// Refused is asked once when the API refused a token: another token, or none.
	Refused(ctx context.Context, token string) (string, error)
}

// Connection has the facts that a client needs: the address, the credential, and the time limit of a request.
type Connection struct {
	Base        *url.URL
	Credentials Credentials
	Timeout     time.Duration
	UserAgent   string
}

// Conventions are what differs from API to API. The zero value holds for an API with bearer tokens that refuses with
// {"error": {"code": "…", "message": "…"}}.
type Conventions struct {
	// Authorize puts the token into a request; nil sets the header `Authorization: Bearer TOKEN`.
	Authorize func(request *http.Request, token string)
	// Refusal reads code and message from the body of an error response; both may be empty.
	Refusal func(body []byte) (code, message string)
	// Codes are the error codes of the API that are more specific than their status, each with the code of the contract.
	Codes map[string]string
}

// Account is the caller as the API knows it. Confirm tokens are bound to both.
type Account struct {
	ID          string
	Permissions []string
}

// Request is one request.
type Request struct {
	Method string
	// Path has a segment for each element; segments are escaped.
	Path   []string
	Query  url.Values
	Header map[string]string
	// Body is sent as JSON; nil sends none.
	Body any
	// Accept is application/json when it is empty.
	Accept string
	// Target is the encoded path and query below the base address, instead of Path and Query.
	Target string
	// Whole means that the target begins at the root of the server.
	Whole bool
	// Data is an encoded body, instead of Body.
	Data *Data
	// Public means that no credential is sent.
	Public bool
}

// Data is a body with its media type.
type Data struct {
	Type    string
	Content []byte
}

// Answer is an answer as it came.
type Answer struct {
	Content []byte
	Header  http.Header
}

// Outcome is the result for one target of a bulk request; Failed is nil when it succeeded.
type Outcome struct {
	Target string
	Failed *fault.Error
}

// Client is a connection to one API.
type Client struct {
	connection  Connection
	conventions Conventions
	http        *http.Client
}

// New makes a client; it does not connect.
func New(connection Connection, conventions Conventions) *Client {
	usual, _ := http.DefaultTransport.(*http.Transport)
	if conventions.Authorize == nil {
		conventions.Authorize = bearer
	}
	if conventions.Refusal == nil {
		conventions.Refusal = errorObject
	}
	return &Client{
		connection:  connection,
		conventions: conventions,
		http:        &http.Client{Transport: usual.Clone(), CheckRedirect: followAtHome},
	}
}

// Close closes idle connections.
func (c *Client) Close() {
	c.http.CloseIdleConnections()
}

// Do sends a request and decodes the JSON answer into result, which may be nil.
func (c *Client) Do(ctx context.Context, request Request, result any) error {
	ctx, cancel := context.WithTimeout(ctx, c.connection.Timeout)
	defer cancel()
	response, err := c.open(ctx, request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := c.read(response, maxAnswer)
	if err != nil || result == nil {
		return err
	}
	return c.decode(response.Header, content, result)
}

// Bytes sends a request and returns the bytes of the response, with its media type.
func (c *Client) Bytes(ctx context.Context, request Request) (content []byte, mediaType string, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.connection.Timeout)
	defer cancel()
	response, err := c.open(ctx, request)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = response.Body.Close() }()
	content, err = c.read(response, maxAnswer)
	return content, mediaTypeOf(response.Header), err
}

// Answer sends a request and returns the unchanged response, with its headers.
func (c *Client) Answer(ctx context.Context, request Request) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, c.connection.Timeout)
	defer cancel()
	response, err := c.open(ctx, request)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := c.read(response, maxAnswer)
	return Answer{Content: content, Header: response.Header}, err
}

// Base is the address of the API.
func (c *Client) Base() *url.URL {
	return c.connection.Base
}

// Token is the credential in effect.
func (c *Client) Token(ctx context.Context) (string, error) {
	return c.connection.Credentials.Token(ctx)
}

// Unusable is the fault of an answer that makes no sense: E_SERVER.
func (c *Client) Unusable(format string, values ...any) *fault.Error {
	return fault.New(fault.Server, "`%s` sent an unusable response: %s", c.connection.Base.Host, fmt.Sprintf(format, values...)).
		WithFix("Check that the address of the upstream is right; if it is, wait and run the command again")
}

// StatusFault is the fault of a status that the API reports inside an answer, for one entry of a bulk request.
func (c *Client) StatusFault(status int) *fault.Error {
	return transport.StatusFault(c.connection.Base.Host, transport.StatusCode(status, nil), status, nil, time.Now())
}

// followAtHome follows a redirect only to the same server, so that no credential goes anywhere else.
func followAtHome(request *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) > maxRedirects || request.URL.Host != first.URL.Host || request.URL.Scheme != first.URL.Scheme ||
		first.Method != http.MethodGet {
		return http.ErrUseLastResponse
	}
	return nil
}

// open sends a request and returns a successful response; the caller reads and closes it.
func (c *Client) open(ctx context.Context, request Request) (*http.Response, error) {
	token := ""
	if !request.Public {
		var err error
		if token, err = c.connection.Credentials.Token(ctx); err != nil {
			return nil, err
		}
	}
	response, err := c.attempt(ctx, request, token)
	if err != nil {
		return nil, err
	}
	if response.StatusCode == http.StatusUnauthorized && token != "" {
		other, err := c.connection.Credentials.Refused(ctx, token)
		if err != nil {
			_ = response.Body.Close()
			return nil, err
		}
		if other != "" {
			_ = response.Body.Close()
			if response, err = c.attempt(ctx, request, other); err != nil {
				return nil, err
			}
		}
	}
	if response.StatusCode >= 200 && response.StatusCode <= 299 {
		return response, nil
	}
	defer func() { _ = response.Body.Close() }()
	return nil, c.refusal(response)
}

func (c *Client) attempt(ctx context.Context, wanted Request, token string) (*http.Response, error) {
	var body io.Reader
	if wanted.Body != nil {
		content, err := json.Marshal(wanted.Body)
		if err != nil {
			return nil, fmt.Errorf("the request cannot be encoded: %w", err)
		}
		body = bytes.NewReader(content)
	}
	kind := "application/json"
	if wanted.Data != nil {
		body, kind = bytes.NewReader(wanted.Data.Content), wanted.Data.Type
	}
	address, err := c.address(wanted)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, wanted.Method, address.String(), body)
	if err != nil {
		return nil, fmt.Errorf("the request cannot be made: %w", err)
	}
	request.Header.Set("Accept", "application/json")
	if wanted.Accept != "" {
		request.Header.Set("Accept", wanted.Accept)
	}
	request.Header.Set("User-Agent", c.connection.UserAgent)
	if body != nil {
		request.Header.Set("Content-Type", kind)
	}
	if token != "" {
		c.conventions.Authorize(request, token)
	}
	for name, value := range wanted.Header {
		request.Header.Set(name, value)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, transport.ErrorFault(c.connection.Base.Host, err)
	}
	return response, nil
}

// address is where a request goes.
func (c *Client) address(wanted Request) (*url.URL, error) {
	if wanted.Target == "" {
		address := c.connection.Base.JoinPath(escape(wanted.Path)...)
		address.RawQuery = wanted.Query.Encode()
		return address, nil
	}
	target, err := url.Parse(wanted.Target)
	if err != nil || target.IsAbs() || target.Host != "" {
		return nil, c.Unusable("an address in it cannot be used")
	}
	base := *c.connection.Base
	before := ""
	if !wanted.Whole {
		before = strings.TrimRight(base.EscapedPath(), "/")
	}
	base.RawPath = before + target.EscapedPath()
	if base.Path, err = url.PathUnescape(base.RawPath); err != nil {
		return nil, c.Unusable("an address in it cannot be used")
	}
	base.RawQuery = target.RawQuery
	return &base, nil
}

func bearer(request *http.Request, token string) {
	request.Header.Set("Authorization", "Bearer "+token)
}

func escape(segments []string) []string {
	escaped := make([]string, len(segments))
	for index, segment := range segments {
		escaped[index] = url.PathEscape(segment)
	}
	return escaped
}
