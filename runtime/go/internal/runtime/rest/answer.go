package rest

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/strictjson"
	"aos.invalid/tool/internal/runtime/transport"
)

func (c *Client) read(response *http.Response, limit int64) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err != nil {
		return nil, transport.ErrorFault(c.connection.Base.Host, err)
	}
	if int64(len(content)) > limit {
		return nil, c.Unusable("its response is larger than %d bytes", limit)
	}
	return content, nil
}

func (c *Client) decode(header http.Header, content []byte, result any) error {
	kind, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	if kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return c.Unusable("its response is not JSON but `%s`", fault.Brief(kind))
	}
	if err := strictjson.Check(content, strictjson.Exact); err != nil {
		return c.Unusable("its response is refused, because %v", err)
	}
	if err := json.Unmarshal(content, result); err != nil {
		return c.Unusable("its response is not the expected JSON").Because(err)
	}
	return nil
}

// refusal turns an answer without success into a fault. The status decides, or the typed code of the API; the words of a
// message never do.
func (c *Client) refusal(response *http.Response) error {
	var said, message string
	if content, err := io.ReadAll(io.LimitReader(response.Body, maxErrorAnswer)); err == nil {
		said, message = c.conventions.Refusal(content)
	}
	code, typed := c.conventions.Codes[said]
	if !typed {
		code = transport.StatusCode(response.StatusCode, response.Header)
	}
	failed := transport.StatusFault(c.connection.Base.Host, code, response.StatusCode, response.Header, time.Now())
	var untrusted []string
	for _, member := range []struct{ name, text string }{{"upstream_code", said}, {"upstream_message", message}} {
		if member.text != "" {
			failed.With(member.name, fault.Brief(member.text))
			untrusted = append(untrusted, member.name)
		}
	}
	if untrusted != nil {
		failed.With("_untrusted", untrusted)
	}
	return failed
}

// errorObject reads {"error": {"code", "message"}}; an answer of another form adds nothing to its status.
func errorObject(body []byte) (code, message string) {
	var document struct {
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	_ = json.Unmarshal(body, &document)
	return document.Error.Code, document.Error.Message
}

func mediaTypeOf(header http.Header) string {
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil || len(kind) > 100 {
		return "application/octet-stream"
	}
	return kind
}
