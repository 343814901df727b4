package mockkit

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Entries is how many entries each list has.
const Entries = 3

// revision is a member that an object gets when it is changed, like the version in an API.
const revision = "mock_revision"

// Exchanges are a described API in memory. They were made from the description and not from the table that the tool sends
// by, so that the two are held against each other.
type Exchanges struct {
	Auth Auth       `json:"auth"`
	All  []Exchange `json:"exchanges"`
	// served are the operations by method and path.
	served  map[string]Exchange
	changed map[string]map[string]any
	gone    map[string]bool
	writes  int
}

// Auth is where a request has its credential.
type Auth struct {
	Form string `json:"form"`
	Name string `json:"name"`
	// Keys are those of an API that takes several at once.
	Keys []struct {
		Auth
		Variable string `json:"variable"`
	} `json:"keys"`
}

// Exchange is one operation: a call of the tool, the request that it makes, and the reply.
type Exchange struct {
	Command     string      `json:"command"`
	Arguments   []string    `json:"arguments"`
	Writes      bool        `json:"writes"`
	Dangerous   bool        `json:"dangerous"`
	Public      bool        `json:"public"`
	Method      string      `json:"method"`
	Paths       []string    `json:"paths"`
	Query       [][2]string `json:"query"`
	Headers     [][2]string `json:"headers"`
	ContentType string      `json:"content_type"`
	Body        any         `json:"body"`
	Reply       string      `json:"reply"`
	Sample      any         `json:"sample"`
	List        *Paging     `json:"list"`
}

// Paging is where the entries of a list are, and how its pages follow each other.
type Paging struct {
	Items    string `json:"items"`
	ItemID   string `json:"item_id"`
	Style    string `json:"style"`
	Limit    string `json:"limit"`
	Position string `json:"position"`
	Next     string `json:"next"`
	More     string `json:"more"`
	Total    string `json:"total"`
	// Place is `body` if the size and the position of a page are members of the body.
	Place string `json:"place"`
}

// MustReadExchanges reads what is embedded in the mock.
func MustReadExchanges(text []byte) *Exchanges {
	exchanges := &Exchanges{}
	if err := json.Unmarshal(text, exchanges); err != nil {
		panic(fmt.Sprintf("exchanges.json cannot be read: %v", err))
	}
	exchanges.served = map[string]Exchange{}
	for _, exchange := range exchanges.All {
		for _, path := range exchange.Paths {
			// The first one answers.
			if _, taken := exchanges.served[exchange.Method+" "+path]; !taken {
				exchanges.served[exchange.Method+" "+path] = exchange
			}
		}
	}
	return exchanges.Fresh()
}

// Fresh is the same API with nothing changed yet.
func (e *Exchanges) Fresh() *Exchanges {
	return &Exchanges{
		Auth: e.Auth, All: e.All, served: e.served, changed: map[string]map[string]any{}, gone: map[string]bool{},
	}
}

// Words are the call, with every flag of the operation.
func (e Exchange) Words() []string {
	words := append(strings.Fields(e.Command), e.Arguments...)
	if e.Dangerous {
		words = append(words, "--dangerous")
	}
	return words
}

// IsPaged reports whether the operation gives a list page by page.
func (e Exchange) IsPaged() bool {
	return e.List != nil && e.List.Style != "none"
}

// Serve answers the described requests of an API.
func (e *Exchanges) Serve(api *API) {
	api.TokenBy(e.Auth.token)
	api.anonymous = e.Auth.Form == "none"
	api.fallback = func(w http.ResponseWriter, r *http.Request) bool {
		path := r.URL.EscapedPath()
		exchange, served := e.served[r.Method+" "+path]
		if !served || e.gone[path] {
			return false
		}
		if !exchange.Public {
			if _, ok := api.authorised(w, r, ""); !ok {
				return true
			}
		}
		e.answer(w, r, exchange, path)
		return true
	}
}

func (a Auth) token(r *http.Request) string {
	authorization := r.Header.Get("Authorization")
	switch a.Form {
	case "keys":
		lines := make([]string, len(a.Keys))
		for index, key := range a.Keys {
			lines[index] = key.Variable + "=" + key.token(r)
		}
		return strings.Join(lines, "\n")
	case "header":
		return r.Header.Get(a.Name)
	case "query":
		return r.URL.Query().Get(a.Name)
	case "basic":
		text, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(authorization, "Basic "))
		return string(text)
	}
	return strings.TrimPrefix(authorization, "Bearer ")
}

func (e *Exchanges) answer(w http.ResponseWriter, r *http.Request, exchange Exchange, path string) {
	read, isRead := e.served[http.MethodGet+" "+path]
	switch {
	case r.Method == http.MethodDelete:
		e.gone[path] = true
	case r.Method == http.MethodPut, r.Method == http.MethodPatch, r.Method == http.MethodPost && isRead && read.List == nil:
		body, _ := readBody(r)
		if e.changed[path] == nil {
			e.changed[path] = map[string]any{}
		}
		maps.Copy(e.changed[path], sent(exchange, body))
		e.writes++
		e.changed[path][revision] = e.writes
	}
	status := http.StatusOK
	switch {
	case exchange.Reply == "empty":
		w.WriteHeader(http.StatusNoContent)
		return
	case exchange.Reply == "text":
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("text"))
		return
	case exchange.Reply == "accepted":
		status = http.StatusAccepted
	case exchange.List != nil:
		page(w, r, exchange)
		return
	}
	sample, isObject := exchange.Sample.(map[string]any)
	if !isObject {
		Reply(w, status, exchange.Sample)
		return
	}
	sample = maps.Clone(sample)
	for name, value := range e.changed[path] {
		if _, known := sample[name]; known || name == revision {
			sample[name] = value
		}
	}
	Reply(w, status, sample)
}

func page(w http.ResponseWriter, r *http.Request, exchange Exchange) {
	list, query := exchange.List, r.URL.Query()
	if list.Place == "body" {
		body, _ := readBody(r)
		for name, value := range sent(exchange, body) {
			query.Set(name, fmt.Sprint(value))
		}
	}
	size, start := Entries, 0
	if list.Limit != "" && query.Get(list.Limit) != "" {
		size, _ = strconv.Atoi(query.Get(list.Limit))
	}
	position := ""
	if list.Position != "" {
		position = query.Get(list.Position)
	}
	switch {
	case query.Has("mock_start"):
		start, _ = strconv.Atoi(query.Get("mock_start"))
	case list.Style == "page" && position != "":
		number, _ := strconv.Atoi(position)
		start = (number - 1) * size
	case position != "" && isByEntry(list):
		for start < Entries && fmt.Sprint(at(entry(exchange.Sample, list.ItemID, start), list.ItemID)) != position {
			start++
		}
		start++
	case position != "":
		start, _ = strconv.Atoi(strings.Trim(position, "~/"))
	}
	if list.Style == "none" {
		start, size = 0, Entries
	}
	entries := []any{}
	for index := start; index < min(start+size, Entries); index++ {
		entries = append(entries, entry(exchange.Sample, list.ItemID, index))
	}
	after := start + size
	isMore := after < Entries
	document := map[string]any{}
	link := fmt.Sprintf("%s?mock_start=%d", r.URL.EscapedPath(), after)
	if list.Limit != "" {
		link += fmt.Sprintf("&%s=%d", list.Limit, size)
	}
	optional := func(value any) any {
		if isMore {
			return value
		}
		return nil
	}
	switch {
	case list.Style == "link" && list.Next == "" && isMore:
		w.Header().Set("Link", "<"+link+`>; rel="next"`)
	case list.Style == "link" && list.Next != "":
		put(document, list.Next, optional(link))
	case list.Style == "cursor" && !isByEntry(list):
		put(document, list.Next, optional(fmt.Sprintf("~%d/", after)))
	}
	if list.More != "" {
		put(document, list.More, isMore)
	}
	if list.Total != "" {
		put(document, list.Total, Entries)
	}
	if list.Items == "" {
		Reply(w, http.StatusOK, entries)
		return
	}
	put(document, list.Items, entries)
	Reply(w, http.StatusOK, document)
}

func entry(sample any, path string, index int) any {
	object, isObject := sample.(map[string]any)
	if !isObject || index == 0 {
		return sample
	}
	object = clone(object)
	switch value := at(object, path).(type) {
	case float64:
		put(object, path, value+float64(index))
	case string:
		put(object, path, fmt.Sprintf("%s-%d", value, index))
	}
	return object
}

func clone(object map[string]any) map[string]any {
	object = maps.Clone(object)
	for name, value := range object {
		if inner, isObject := value.(map[string]any); isObject {
			object[name] = clone(inner)
		}
	}
	return object
}

func at(document any, path string) any {
	for key := range strings.SplitSeq(path, ".") {
		object, _ := document.(map[string]any)
		document = object[key]
	}
	return document
}

// isByEntry says whether a page begins after the last entry of the one before it.
func isByEntry(list *Paging) bool {
	return strings.Contains(list.Next, ".-1.")
}

func put(document map[string]any, path string, value any) {
	keys := strings.Split(path, ".")
	for _, key := range keys[:len(keys)-1] {
		inner, isObject := document[key].(map[string]any)
		if !isObject {
			inner = map[string]any{}
			document[key] = inner
		}
		document = inner
	}
	document[keys[len(keys)-1]] = value
}

// sent are the members of a body.
func sent(exchange Exchange, body string) map[string]any {
	members := map[string]any{}
	if strings.HasSuffix(exchange.ContentType, "json") {
		_ = json.Unmarshal([]byte(body), &members)
		return members
	}
	values, _ := url.ParseQuery(body)
	for name := range values {
		members[name] = values.Get(name)
	}
	return members
}

// Differences lists how the last request differs from the described one.
func (a *API) Differences(exchanges *Exchanges, exchange Exchange) []string {
	requests := a.Requests()
	if len(requests) == 0 {
		return []string{"no request arrived"}
	}
	request := requests[len(requests)-1]
	found := []string{}
	compare := func(what string, theirs, ours any) {
		if !reflect.DeepEqual(theirs, ours) {
			found = append(found, fmt.Sprintf("%s: %v and not %v", what, theirs, ours))
		}
	}
	ignored := []string{}
	if exchanges.Auth.Form == "query" {
		ignored = append(ignored, exchanges.Auth.Name)
	}
	for _, key := range exchanges.Auth.Keys {
		if key.Form == "query" {
			ignored = append(ignored, key.Name)
		}
	}
	if exchange.List != nil {
		ignored = append(ignored, exchange.List.Limit, exchange.List.Position)
	}
	compare("method", request.Method, exchange.Method)
	compare("path", request.Target, exchange.Paths[0])
	compare("query", flat(request.Query, ignored), sorted(exchange.Query))
	for _, header := range exchange.Headers {
		compare("header "+header[0], request.Header.Get(header[0]), header[1])
	}
	theirs, ours := bodies(exchange, request)
	compare("body", theirs, ours)
	return found
}

func flat(query string, ignored []string) [][2]string {
	found := [][2]string{}
	values, _ := url.ParseQuery(query)
	for name, texts := range values {
		for _, text := range texts {
			if !slices.Contains(ignored, name) {
				found = append(found, [2]string{name, text})
			}
		}
	}
	return sorted(found)
}

func sorted(pairs [][2]string) [][2]string {
	found := append([][2]string{}, pairs...)
	slices.SortFunc(found, func(one, other [2]string) int {
		return slices.Compare(one[:], other[:])
	})
	return found
}

// bodies are the body of a request and the described one, in the same form.
func bodies(exchange Exchange, request Request) (theirs, ours any) {
	kind, parameters, _ := mime.ParseMediaType(request.Header.Get("Content-Type"))
	switch {
	case strings.HasSuffix(exchange.ContentType, "json") && request.Body != "":
		_ = json.Unmarshal([]byte(request.Body), &theirs)
		if members, isObject := theirs.(map[string]any); isObject && exchange.List != nil && exchange.List.Place == "body" {
			delete(members, exchange.List.Limit)
			delete(members, exchange.List.Position)
		}
		return theirs, exchange.Body
	case exchange.ContentType == "application/x-www-form-urlencoded":
		return flat(request.Body, nil), described(exchange.Body)
	case exchange.ContentType == "multipart/form-data" && kind == exchange.ContentType:
		form, err := multipart.NewReader(strings.NewReader(request.Body), parameters["boundary"]).ReadForm(maxBody)
		if err != nil {
			return err, nil
		}
		found := [][2]string{}
		for name, texts := range form.Value {
			for _, text := range texts {
				found = append(found, [2]string{name, text})
			}
		}
		for name, files := range form.File {
			for _, file := range files {
				found = append(found, [2]string{name, content(file)})
			}
		}
		return sorted(found), described(exchange.Body)
	case request.Body == "":
		return nil, exchange.Body
	}
	return request.Body, exchange.Body
}

func content(file *multipart.FileHeader) string {
	opened, err := file.Open()
	if err != nil {
		return ""
	}
	defer func() { _ = opened.Close() }()
	text := make([]byte, file.Size)
	_, _ = opened.Read(text)
	return string(text)
}

func described(body any) [][2]string {
	found := [][2]string{}
	list, _ := body.([]any)
	for _, each := range list {
		if pair, isPair := each.([]any); isPair && len(pair) == 2 {
			found = append(found, [2]string{fmt.Sprint(pair[0]), fmt.Sprint(pair[1])})
		}
	}
	return sorted(found)
}
