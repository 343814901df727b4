package described

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"aos.invalid/tool/internal/runtime/cli"
	"aos.invalid/tool/internal/runtime/credentials"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/output"
	"aos.invalid/tool/internal/runtime/rest"
	"aos.invalid/tool/internal/runtime/strictjson"
)

// Caller is what commands need of a client.
type Caller interface {
	cli.Upstream
	// Reply returns the document of a reply and its header Link; nil without a document.
	Reply(ctx context.Context, request rest.Request) (document any, link string, err error)
	// Below returns path and query of a link of this API; one to another server is refused.
	Below(link string) (string, error)
	Unusable(format string, values ...any) *fault.Error
}

// Client calls the operations of a table.
type Client struct {
	*rest.Client
	table *Table
}

// New makes a client; it does not connect.
func New(connection rest.Connection, table *Table, conventions rest.Conventions) *Client {
	if conventions.Authorize == nil {
		conventions.Authorize = table.Auth.authorize
	}
	if conventions.Refusal == nil {
		conventions.Refusal = refusal
	}
	return &Client{rest.New(connection, conventions), table}
}

// Account is a fingerprint of the credential, after a request that needs it.
func (c *Client) Account(ctx context.Context) (rest.Account, error) {
	if c.table.Auth.Form == "none" {
		return rest.Account{ID: "public"}, nil
	}
	if c.table.Health != "" {
		if _, _, err := c.Reply(ctx, rest.Request{Method: http.MethodGet, Target: c.table.Health}); err != nil {
			return rest.Account{}, err
		}
	}
	token, err := c.Token(ctx)
	sum := sha256.Sum256([]byte(token))
	return rest.Account{ID: fmt.Sprintf("credential-%x", sum[:8])}, err
}

// Reply implements Caller.
func (c *Client) Reply(ctx context.Context, request rest.Request) (document any, link string, err error) {
	answer, err := c.Answer(ctx, request)
	if err != nil {
		return nil, "", err
	}
	link = answer.Header.Get("Link")
	if len(strings.TrimSpace(string(answer.Content))) == 0 {
		return nil, link, nil
	}
	kind, _, _ := strings.Cut(strings.ToLower(answer.Header.Get("Content-Type")), ";")
	kind = strings.TrimSpace(kind)
	if strings.HasPrefix(kind, "text/") && strings.HasPrefix(request.Accept, "text/") {
		return strings.ToValidUTF8(string(answer.Content), "\uFFFD"), link, nil
	}
	if !strings.HasSuffix(kind, "json") {
		return nil, "", c.Unusable("its response is not JSON but `%s`", fault.Brief(kind))
	}
	if err := strictjson.Check(answer.Content, strictjson.Exact); err != nil {
		return nil, "", c.Unusable("its response is refused, because %v", err)
	}
	document, err = output.Parse(answer.Content)
	if err != nil {
		return nil, "", c.Unusable("its response is not the expected JSON")
	}
	return document, link, nil
}

// Below implements Caller.
func (c *Client) Below(link string) (string, error) {
	base := c.Base()
	target, err := url.Parse(link)
	if err != nil {
		return "", c.Unusable("a link in it cannot be used")
	}
	target = base.ResolveReference(target)
	if target.Scheme != base.Scheme || target.Host != base.Host || target.User != nil {
		return "", c.Unusable("a link in it leads to another server")
	}
	return target.RequestURI(), nil
}

func (a Auth) authorize(request *http.Request, token string) {
	switch a.Form {
	case "keys":
		keys := credentials.Keys(token)
		for _, key := range a.Keys {
			Auth{Form: key.Form, Name: key.Name}.authorize(request, keys[key.Variable])
		}
	case "bearer":
		request.Header.Set("Authorization", "Bearer "+token)
	case "basic":
		user, password, _ := strings.Cut(token, ":")
		request.SetBasicAuth(user, password)
	case "header":
		request.Header.Set(a.Name, token)
	case "query":
		key := percent(a.Name, "") + "=" + percent(token, "")
		if request.URL.RawQuery != "" {
			key = request.URL.RawQuery + "&" + key
		}
		request.URL.RawQuery = key
	}
}

// refusal reads code and message in the shapes that are common.
func refusal(body []byte) (code, message string) {
	var document map[string]any
	if json.Unmarshal(body, &document) != nil {
		return "", ""
	}
	inner := document
	switch found := document["error"].(type) {
	case string:
		message, _ = document["error_description"].(string)
		return found, message
	case map[string]any:
		inner = found
	}
	if list, isList := document["errors"].([]any); isList && len(list) > 0 {
		if first, isObject := list[0].(map[string]any); isObject {
			inner = first
		}
	}
	if code, _ = inner["code"].(string); code == "" {
		code, _ = inner["type"].(string)
	}
	for _, name := range []string{"message", "detail", "error_description", "description", "title", "reason"} {
		if text, isText := inner[name].(string); isText {
			return code, text
		}
	}
	return code, ""
}
