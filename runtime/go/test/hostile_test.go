package test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"aos.invalid/tool/internal/runtime/testkit"
)

// anItem is an item as the upstream sends it; members that are given replace its own.
func anItem(members ...string) string {
	item := []string{
		`"id":1`, `"project":"atlas"`, `"title":"x"`, `"state":"open"`, `"labels":[]`, `"version":"r1"`,
		`"created_at":"2024-03-01T09:00:00+02:00"`, `"updated_at":"2024-03-01T09:00:00+02:00"`,
	}
	for _, member := range members {
		name, _, _ := strings.Cut(member, ":")
		for index := range item {
			if strings.HasPrefix(item[index], name+":") {
				item[index] = member
			}
		}
	}
	return "{" + strings.Join(item, ",") + "}"
}

// numbers are the ids from 1 to a last one, separated by commas.
func numbers(last int) string {
	ids := make([]string, last)
	for index := range ids {
		ids[index] = strconv.Itoa(index + 1)
	}
	return strings.Join(ids, ",")
}

func TestAnAnswerThatMakesNoSenseIsTroubleOfTheServer(t *testing.T) {
	t.Parallel()
	get, list := []string{"item", "get", "--id", "1"}, []string{"item", "list", "--cursor", "here"}
	page := func(items, cursor string) string { return `{"items":[` + items + `],"next_cursor":"` + cursor + `"}` }
	for name, lie := range map[string]struct {
		call []string
		body string
	}{
		"another item":             {get, anItem(`"id":2`)},
		"an id that is a fraction": {get, anItem(`"id":1.0`)},
		"an id that is no id":      {get, anItem(`"id":-1`)},
		"an endless id":            {get, anItem(`"id":1` + strings.Repeat("0", 5000))},
		"no times":                 {get, `{"id":1,"version":"r1"}`},
		"a version with a newline": {get, anItem(`"version":"r1\r\nX-Admin: 1"`)},
		"a member twice":           {get, strings.Replace(anItem(), "{", `{"title":"first",`, 1)},
		"deep nesting":             {get, strings.Repeat("[", 100_000)},
		"a list that is not there": {list, `{}`},
		"a list of nothing":        {list, `null`},
		"more than was asked for":  {append(list, "--limit", "1"), page(anItem()+","+anItem(`"id":2`), "")},
		"an item twice":            {list, page(anItem()+","+anItem(), "")},
		"a page that leads back":   {list, page("", "here")},
		"an endless cursor":        {list, page("", strings.Repeat("x", 5000))},
	} {
		tool := newTool(t)
		answering(tool, 200, nil, "application/json", lie.body)
		ended := tool.Run(lie.call...)
		if ended.Failure()["code"] != "E_SERVER" || len(ended.Stdout) > 2000 {
			t.Errorf("%s: %.500s", name, ended.Stdout)
		}
	}
}

func TestAnAnswerAboutAnotherItemIsNeverWrittenTo(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	answering(tool, 200, nil, "application/json", anItem(`"id":2`))
	tool.Run("item", "delete", "--id", "1", "--dangerous", "--dry-run").Fails("E_SERVER")
	if tool.API.Mutations() != 0 {
		t.Error("something was written")
	}
}

func TestASummaryWithHolesIsAnErrorOfItsProject(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{}`, `{"project":"atlas","open":-1,"closed":1}`, `{"project":"vault","open":1,"closed":1}`} {
		tool := newTool(t)
		tool.API.Hook(func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.HasSuffix(r.URL.Path, "/summary") {
				return false
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(body))
			return true
		})
		data := tool.Run("project", "overview", "--projects", "atlas").OK()
		if errors := testkit.List(t, data, "project_errors"); len(errors) != 1 || errors[0]["code"] != "E_SERVER" {
			t.Errorf("%s: %v", body, data)
		}
	}
}

func TestAStreamThatTurnsBackIsEnded(t *testing.T) {
	t.Parallel()
	line := func(sequence int) string {
		return fmt.Sprintf(`{"sequence":%d,"kind":"updated","item_id":1,"title":"x","at":"2024-03-01T09:00:00Z"}`, sequence) + "\n"
	}
	for name, stream := range map[string]string{
		"again": line(5) + line(5), "back": line(5) + line(4), "no item": `{"sequence":5,"at":"2024-03-01T09:00:00Z"}` + "\n",
		"known": line(3), "not JSON": "<html>\n", "endless": strings.Repeat("x", 2<<20),
	} {
		tool := newTool(t)
		tool.API.Hook(func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/v1/events" {
				return false
			}
			_, _ = w.Write([]byte(stream))
			return true
		})
		ended := tool.Run("item", "watch", "--after", "3", "--duration", "5", "--compact")
		lines := ended.Lines()
		last, _ := lines[len(lines)-1]["error"].(map[string]any)
		if last["code"] != "E_SERVER" || ended.Exit != 7 {
			t.Errorf("%s: exit %d\n%s", name, ended.Exit, ended.Stdout)
		}
	}
}

func TestTheWordsOfAServerAreCutShort(t *testing.T) {
	t.Parallel()
	endless := strings.Repeat("A", 3<<20)
	for name, response := range map[string]string{
		"a header": "HTTP/1.1 200 OK\r\n" + endless + "\r\n\r\n",
		"a status": "HTTP/1.1 " + strings.Repeat("2", 100_000) + " OK\r\n\r\n",
	} {
		tool := newTool(t)
		tool.API.Hook(func(w http.ResponseWriter, r *http.Request) bool {
			connection, _, err := w.(http.Hijacker).Hijack() //nolint:forcetypeassert // always one in tests
			if err == nil {
				_, _ = connection.Write([]byte(response))
				_ = connection.Close()
			}
			return true
		})
		ended := tool.Run("item", "get", "--id", "1")
		if ended.Failure()["code"] != "E_NETWORK" || len(ended.Stdout) > 2000 {
			t.Errorf("%s: %.500s", name, ended.Stdout)
		}
	}
	tool := newTool(t)
	body := `{"error":{"code":"` + strings.Repeat("c", 9000) + `","message":"` + strings.Repeat("m", 9000) + `"}}`
	answering(tool, 500, nil, "application/json", body)
	if ended := tool.Run("item", "get", "--id", "1"); len(ended.Stdout) > 2000 {
		t.Errorf("a refusal: %d bytes", len(ended.Stdout))
	}
}

func TestTheWordsOfACallAreCutShort(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	huge := strings.Repeat("x", 120_000)
	for _, call := range [][]string{
		{huge}, {"item", huge}, {"item", "get", "--" + huge}, {"item", "get", "--id", huge}, {"item", "get", huge},
		{"item", "list", "--fields", huge[:90_000]}, {"item", "close", "--ids", numbers(20_000)},
		{"item", "delete", "--id", "1", "--confirm", huge}, {"item", "list", "--limit", huge},
		{"update", "--target-version", huge}, {"changelog", "--since", huge},
	} {
		if ended := tool.Run(call...); ended.Exit != 2 || len(ended.Stdout) > 2000 {
			t.Errorf("%.60v: exit %d, %d bytes", call, ended.Exit, len(ended.Stdout))
		}
	}
	with := newTool(t).With("BASE_URL", "https://"+huge)
	if ended := with.Run("item", "list"); len(ended.Stdout) > 2000 || ended.Failure()["code"] != "E_CONFIG" {
		t.Errorf("an address: %d bytes", len(ended.Stdout))
	}
}

func TestAnArgumentThatNobodyAskedForIsNotRepeated(t *testing.T) {
	t.Parallel()
	ended := newTool(t).Run("auth", "login", "hunter2hunter2")
	ended.Fails("E_USAGE")
	if strings.Contains(ended.Stdout+ended.Stderr, "hunter2") {
		t.Errorf("it is repeated:\n%s", ended.Stdout)
	}
}

func TestContentThatIsNotTextLeavesAsBytesAlone(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	answering(tool, 200, nil, "application/octet-stream", "\x00\xff\xfe\x80")
	if fix := toText(tool.Run("item", "content", "--id", "1").Fails("E_VALIDATION")["fix"]); !strings.Contains(fix, "--format raw") {
		t.Errorf("the fix is %q", fix)
	}
	if raw := tool.Run("item", "content", "--id", "1", "--format", "raw"); raw.Exit != 0 || raw.Stdout != "\x00\xff\xfe\x80" {
		t.Errorf("exit %d, %q", raw.Exit, raw.Stdout)
	}
}
