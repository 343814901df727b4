package test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"aos.invalid/tool/internal/mock"
	"aos.invalid/tool/internal/runtime/testkit"
)

// answering makes the upstream answer requests for items with a status.
func answering(tool *tool, status int, header map[string]string, kind, body string) {
	tool.API.Hook(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasPrefix(r.URL.Path, "/v1/items") && !strings.HasPrefix(r.URL.Path, "/v1/jobs") {
			return false
		}
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
		return true
	})
}

func TestEachStatusOfTheUpstreamHasItsCode(t *testing.T) {
	t.Parallel()
	for status, code := range map[int]string{
		400: "E_VALIDATION", 401: "E_AUTH", 403: "E_FORBIDDEN", 404: "E_NOT_FOUND", 408: "E_TIMEOUT", 409: "E_CONFLICT",
		410: "E_NOT_FOUND", 412: "E_CONFLICT", 418: "E_UNKNOWN", 422: "E_VALIDATION", 429: "E_RATE_LIMITED",
		500: "E_SERVER", 502: "E_SERVER", 503: "E_SERVER", 504: "E_SERVER",
	} {
		tool := newTool(t)
		// The words of a message decide nothing.
		answering(tool, status, nil, "application/json", `{"error":{"code":"x","message":"item not found, connection refused, timeout"}}`)
		details := tool.Run("item", "get", "--id", "1").Fails(code)
		if toText(details["status"]) != toText(status) {
			t.Errorf("%d: the details are %v", status, details)
		}
	}
}

func TestARefusalForTooManyRequestsIsARateLimit(t *testing.T) {
	t.Parallel()
	for _, header := range []map[string]string{
		{"X-RateLimit-Remaining": "0"}, {"Retry-After": "7"}, {"Retry-After": "-5"}, {"Retry-After": "99999999999999999"},
		{"Retry-After": time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat)},
	} {
		tool := newTool(t)
		answering(tool, 403, header, "application/json", `{}`)
		details := tool.Run("item", "list").Fails("E_RATE_LIMITED")
		var seconds int
		if _, err := fmt.Sscan(toText(details["retry_after_s"]), &seconds); err != nil || seconds < 1 || seconds > 3600 {
			t.Errorf("%v: retry_after_s is %v", header, details["retry_after_s"])
		}
	}
}

func TestAnAnswerThatIsNotTheAPIIsTroubleOfTheServer(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string][2]string{
		"a web page":         {"text/html", "<html>log in</html>"},
		"broken JSON":        {"application/json", `{"id": 1,`},
		"JSON of other form": {"application/json", `["a"]`},
		"two documents":      {"application/json", `{"id":1,"version":"1"} {"id":2}`},
		"no id":              {"application/json", `{"title":"x"}`},
		"nothing":            {"application/json", ``},
		"too much":           {"application/json", `{"title":"` + strings.Repeat("x", 17<<20) + `"}`},
	} {
		tool := newTool(t)
		answering(tool, 200, nil, answer[0], answer[1])
		ended := tool.Run("item", "get", "--id", "1")
		if ended.Failure()["code"] != "E_SERVER" {
			t.Errorf("%s: %s", name, ended.Stdout)
		}
	}
}

func TestAServerThatIsNotThereIsANetworkFault(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	tool.Server.Close()
	tool.Run("item", "list").Fails("E_NETWORK")
	newTool(t).With("BASE_URL", "https://host.invalid").Run("item", "list").Fails("E_NETWORK")
}

func TestAConnectionThatBreaksIsANetworkFault(t *testing.T) {
	t.Parallel()
	for name, response := range map[string]string{
		"no answer":  "",
		"cut body":   "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{\"id\":",
		"not HTTP":   "SSH-2.0-OpenSSH\r\n",
		"bad length": "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
	} {
		tool := newTool(t)
		tool.API.Hook(func(w http.ResponseWriter, r *http.Request) bool {
			connection, _, err := w.(http.Hijacker).Hijack() //nolint:forcetypeassert // always one in tests
			if err == nil {
				_, _ = connection.Write([]byte(response))
				reset(connection)
			}
			return true
		})
		if code := tool.Run("item", "get", "--id", "1").Failure()["code"]; code != "E_NETWORK" {
			t.Errorf("%s: %v", name, code)
		}
	}
}

func reset(connection net.Conn) {
	if tcp, ok := connection.(*net.TCPConn); ok {
		time.Sleep(20 * time.Millisecond)
		_ = tcp.SetLinger(0)
	}
	_ = connection.Close()
}

func TestAServerThatIsTooSlowIsATimeout(t *testing.T) {
	t.Parallel()
	for name, wait := range map[string]func(http.ResponseWriter, *http.Request){
		"no answer": func(_ http.ResponseWriter, r *http.Request) { pause(r, 20*time.Second) },
		"drops": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for range 200 {
				_, _ = w.Write([]byte(" "))
				_ = http.NewResponseController(w).Flush()
				pause(r, 100*time.Millisecond)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool := newTool(t).With("TIMEOUT", "1")
			tool.API.Hook(func(w http.ResponseWriter, r *http.Request) bool {
				wait(w, r)
				return true
			})
			tool.Run("item", "get", "--id", "1").Fails("E_TIMEOUT")
		})
	}
}

func pause(r *http.Request, wait time.Duration) {
	select {
	case <-r.Context().Done():
	case <-time.After(wait):
	}
}

func TestARedirectToAnotherHostIsNotFollowedAndCarriesNoCredential(t *testing.T) {
	t.Parallel()
	reached := make(chan http.Header, 8)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached <- r.Header.Clone()
	}))
	t.Cleanup(elsewhere.Close)
	for _, status := range []int{301, 302, 307, 308} {
		tool := newTool(t)
		answering(tool, status, map[string]string{"Location": elsewhere.URL + "/v1/items/1"}, "text/plain", "")
		tool.Run("item", "get", "--id", "1").Fails("E_CONFIG")
	}
	if len(reached) != 0 {
		t.Errorf("the other host was asked, with %v", <-reached)
	}
}

func TestARedirectOnTheSameHostIsFollowed(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	answering(tool, 308, map[string]string{"Location": "/moved"}, "text/plain", "")
	tool.API.Hook(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/moved" {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(anItem(`"title":"moved"`)))
		return true
	})
	if data := tool.Run("item", "get", "--id", "1").OK(); data["title"] != "moved" {
		t.Errorf("the data is %v", data)
	}
}

func TestWithoutACredentialNothingIsAsked(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	tool.As("")
	tool.Run("item", "list").Fails("E_AUTH")
	tool.Run("item", "delete", "--id", "1", "--dry-run").Fails("E_AUTH")
	if len(tool.API.Requests()) != 0 {
		t.Errorf("requests: %v", tool.API.Requests())
	}
}

func TestAWrongSetUpIsNamedWithItsRepair(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"BASE_URL", ""}, {"BASE_URL", "ftp://example.com"}, {"BASE_URL", "http://example.com"},
		{"BASE_URL", "https://user:pass-word-1@example.com"}, {"BASE_URL", "https://example.com/?a=b"},
		{"TIMEOUT", "0.5"}, {"TIMEOUT", "99999"}, {"HOME", "relative"},
		{"CONFIRM_LIFETIME", "0"}, {"CONFIRM_LIFETIME", "601"},
	} {
		tool := newTool(t).With(pair[0], pair[1])
		ended := tool.Run("item", "list")
		ended.Fails("E_CONFIG")
		if strings.Contains(ended.Stdout+ended.Stderr, "pass-word-1") {
			t.Error("the address is repeated with its password")
		}
	}
	tool := newTool(t)
	write(t, tool.State("config.json"), `{"base_url": "https://example.com", "token": "x"}`, 0o600)
	tool.Run("item", "list").Fails("E_CONFIG")
}

func TestTheConfigFileIsReadAndTheEnvironmentWins(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	write(t, tool.State("config.json"), `{"base_url": "`+tool.Server.URL+`", "timeout_s": 9}`, 0o600)
	tool.With("BASE_URL", "", "TIMEOUT", "")
	setup := testkit.Member(t, tool.Run("context").OK(), "config")
	if setup["base_url"] != tool.Server.URL || toText(setup["timeout_s"]) != "9" {
		t.Errorf("the set-up is %v", setup)
	}
	tool.With("TIMEOUT", "11")
	if setup := testkit.Member(t, tool.Run("context").OK(), "config"); toText(setup["timeout_s"]) != "11" {
		t.Errorf("the set-up is %v", setup)
	}
}

func TestAnAccountWithoutPermissionIsRefusedAlreadyInTheDryRun(t *testing.T) {
	t.Parallel()
	tool := newTool(t).As(mock.TokenReader)
	tool.Run("item", "list").OK()
	for _, call := range [][]string{
		{"item", "create", "--project", "atlas", "--title", "x"}, {"item", "update", "--id", "1", "--title", "x"},
		{"item", "delete", "--id", "1", "--dangerous"}, {"item", "close", "--ids", "1"},
	} {
		tool.Run(append(call, "--dry-run")...).Fails("E_FORBIDDEN")
	}
	if tool.API.Mutations() != 0 {
		t.Error("something was changed")
	}
}

func TestAFileSystemThatRefusesIsNotTroubleOfTheUpstream(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	write(t, tool.Home+"/file", "", 0o600)
	tool.With("HOME", tool.Home+"/file/state")
	tool.Run("item", "delete", "--id", "1", "--dangerous", "--dry-run").Fails("E_IO")
}
