// Package mockkit is a mock of a REST API in memory: credentials that are checked, a record of each request, hooks that
// fail in place of the API, and 404 for every other address. The routes and the data belong to the tool.
package mockkit

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

const maxBody = 1 << 20

// Account is one account of the API, as GET /account may answer it.
type Account struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Permissions []string `json:"permissions"`
}

// Request is one request as it arrived.
type Request struct {
	Method string
	Path   string
	Query  string
	Header http.Header
	Body   string
	// Target is the path as it travelled.
	Target string
}

// Hook may respond to a request instead of the API; it returns true if it did.
type Hook func(http.ResponseWriter, *http.Request) bool

// Handler answers a request of an account.
type Handler func(w http.ResponseWriter, r *http.Request, who Account)

// API is one API with its own data.
type API struct {
	mutex    sync.Mutex
	mux      *http.ServeMux
	accounts map[string]Account
	requests []Request
	hooks    []Hook
	// refreshes are refresh tokens, with the tokens whose account they renew.
	refreshes map[string]string
	token     func(*http.Request) string
	// anonymous is set when no route asks for a credential.
	anonymous bool
	// fallback answers what no route does; it returns whether it did.
	fallback func(http.ResponseWriter, *http.Request) bool
}

// New makes an API without routes. The keys of accounts are their tokens.
func New(accounts map[string]Account) *API {
	api := &API{mux: http.NewServeMux(), accounts: accounts, refreshes: map[string]string{}, token: bearer}
	api.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		api.mutex.Lock()
		defer api.mutex.Unlock()
		if api.fallback != nil && api.fallback(w, r) {
			return
		}
		Fail(w, http.StatusNotFound, "no_such_route", "there is no such address")
	})
	return api
}

// TokenBy says where a request has its token; without it, in the header `Authorization: Bearer TOKEN`.
func (a *API) TokenBy(token func(*http.Request) string) {
	a.token = token
}

// Anonymous reports whether no route asks for a credential.
func (a *API) Anonymous() bool {
	return a.anonymous
}

// Handle serves a route to accounts with a permission, one request at a time, so that handlers share data without locks.
// The pattern is one of http.ServeMux: `GET /v1/items/{id}`. An empty permission lets every account in.
func (a *API) Handle(pattern, permission string, serve Handler) {
	a.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		a.mutex.Lock()
		defer a.mutex.Unlock()
		if who, ok := a.authorised(w, r, permission); ok {
			serve(w, r, who)
		}
	})
}

// Stream serves a route whose answer takes its time: like Handle, but other requests go on. Its handler reads shared data
// inside Do.
func (a *API) Stream(pattern, permission string, serve Handler) {
	a.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		a.mutex.Lock()
		who, ok := a.authorised(w, r, permission)
		a.mutex.Unlock()
		if ok {
			serve(w, r, who)
		}
	})
}

// Open serves a route that needs no credential.
func (a *API) Open(pattern string, serve http.HandlerFunc) {
	a.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		a.mutex.Lock()
		defer a.mutex.Unlock()
		serve(w, r)
	})
}

// Do runs a function while no request is served.
func (a *API) Do(change func()) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	change()
}

// Hook puts a hook before the API.
func (a *API) Hook(hook Hook) {
	a.Do(func() { a.hooks = append(a.hooks, hook) })
}

// Requests returns all requests so far.
func (a *API) Requests() []Request {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return slices.Clone(a.requests)
}

// Mutations counts the requests that change something; renewals of credentials do not.
func (a *API) Mutations() int {
	count := 0
	for _, request := range a.Requests() {
		if request.Method != http.MethodGet && !strings.HasPrefix(request.Path, tokenPath) {
			count++
		}
	}
	return count
}

// ServeHTTP implements http.Handler.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := readBody(r)
	if err != nil {
		Fail(w, http.StatusRequestEntityTooLarge, "too_large", "the body is too large")
		return
	}
	a.mutex.Lock()
	a.requests = append(a.requests, Request{r.Method, r.URL.Path, r.URL.RawQuery, r.Header.Clone(), body, r.URL.EscapedPath()})
	hooks := slices.Clone(a.hooks)
	a.mutex.Unlock()
	for _, hook := range hooks {
		if hook(w, r) {
			return
		}
	}
	a.mux.ServeHTTP(w, r)
}

func (a *API) authorised(w http.ResponseWriter, r *http.Request, permission string) (Account, bool) {
	who, known := a.accounts[a.token(r)]
	if !known {
		Fail(w, http.StatusUnauthorized, "invalid_token", "the token is not known")
		return Account{}, false
	}
	if permission != "" && !slices.Contains(who.Permissions, permission) {
		Fail(w, http.StatusForbidden, "insufficient_scope", "the account lacks "+permission)
		return Account{}, false
	}
	return who, true
}

func bearer(r *http.Request) string {
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}

// Reply answers with a JSON document.
func Reply(w http.ResponseWriter, status int, document any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(document)
}

// Fail refuses a request with {"error": {"code", "message"}}.
func Fail(w http.ResponseWriter, status int, code, message string) {
	Reply(w, status, map[string]any{"error": map[string]string{"code": code, "message": message}})
}

// Decode reads the JSON body of a request; it returns the body, and false after it has refused the request.
func Decode(w http.ResponseWriter, r *http.Request, into any) (body string, ok bool) {
	body, err := readBody(r)
	if err != nil || json.Unmarshal([]byte(body), into) != nil {
		Fail(w, http.StatusBadRequest, "invalid_body", "the body is not the expected JSON")
		return "", false
	}
	return body, true
}

func readBody(r *http.Request) (string, error) {
	content, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBody))
	r.Body = io.NopCloser(bytes.NewReader(content))
	return string(content), err
}

// Post sends a request without a credential and returns the status of the answer: what a person does in an app of the API.
func (a *API) Post(path string) int {
	answer := httptest.NewRecorder()
	a.mux.ServeHTTP(answer, httptest.NewRequestWithContext(context.Background(), http.MethodPost, path, nil))
	return answer.Code
}
