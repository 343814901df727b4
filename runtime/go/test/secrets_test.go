package test

import (
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/mock"
	"aos.invalid/tool/internal/runtime/self"
	"aos.invalid/tool/internal/runtime/testkit"
)

func TestASecretThatTheUpstreamRepeatsDoesNotGetOut(t *testing.T) {
	t.Parallel()
	canary := mock.TokenAlice
	spellings := []string{
		canary, base64.StdEncoding.EncodeToString([]byte(canary)), "Bearer " + canary,
		"https://user:hunter-two@example.com/?access_token=abcdefgh", "ghp_0123456789abcdefghij",
	}
	tool := newTool(t)
	tool.API.Touch(1, strings.Join(spellings, " | "))
	answering(tool, 400, nil, "application/json", `{"error":{"code":"c `+canary+`","message":"`+canary+` Authorization: Bearer `+canary+`"}}`)
	healthy := newTool(t)
	healthy.API.Touch(1, strings.Join(spellings, " | "))
	for _, ended := range []*testkit.Result{
		tool.Run("item", "get", "--id", "1"), tool.Run("item", "list", "--format", "text"),
		healthy.Run("item", "get", "--id", "1"), healthy.Run("item", "get", "--id", "1", "--format", "text"),
		healthy.Run("item", "list", "--limit", "2"), healthy.Run("item", "delete", "--id", "1", "--dangerous", "--dry-run"),
		healthy.Run("item", "watch", "--after", "129", "--max-events", "3", "--duration", "1"),
		healthy.Run("item", "create", "--project", "atlas", "--title", canary, "--dry-run"),
		healthy.Run("item", "get", "--id", canary), healthy.Run("item", "list", canary), healthy.Run(canary),
		healthy.Run("item", "list", "--"+canary), healthy.Run("item", "list", "--fields", canary),
		healthy.Run("reference"), healthy.Run("context"), healthy.Run("doctor"),
	} {
		for _, part := range []string{canary, spellings[1], "hunter-two", "abcdefgh", "ghp_0123456789abcdefghij"} {
			if strings.Contains(ended.Stdout, part) || strings.Contains(ended.Stderr, part) {
				t.Errorf("%s: %q got out:\n%s%s", ended.Call, part, ended.Stdout, ended.Stderr)
			}
		}
	}
	for _, sandbox := range []string{tool.Home, healthy.Home} {
		noFileHolds(t, sandbox, canary)
	}
}

// noFileHolds looks for a secret in everything that the program wrote.
func noFileHolds(t *testing.T, directory, secret string) {
	t.Helper()
	err := filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if strings.Contains(read(t, path), secret) {
			t.Errorf("%s holds the secret", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func auditLines(t *testing.T, tool *tool) []map[string]any {
	t.Helper()
	var lines []map[string]any
	for line := range strings.Lines(read(t, tool.State("audit.jsonl"))) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, entry)
	}
	return lines
}

func TestEachAttemptToWriteLeavesALine(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	update := []string{"item", "update", "--id", "2", "--title", "Bearer " + mock.TokenAlice, "--quiet"}
	tool.Run(update...).Fails("E_CONFIRMATION_REQUIRED")
	token := tool.Token(update...)
	tool.Run(append(update, "--confirm="+token)...).OK()
	tool.Run(append(update, "--confirm", token)...).Fails("E_CONFLICT")
	tool.Run("item", "update", "--title", "x").Fails("E_USAGE")
	tool.Run("item", "get", "--id", "1").OK()
	lines := auditLines(t, tool)
	wanted := [][2]string{{"call", "5"}, {"dry_run", "0"}, {"confirm", "0"}, {"confirm", "6"}}
	if len(lines) != len(wanted) {
		t.Fatalf("%d lines: %v", len(lines), lines)
	}
	for index, line := range lines {
		account := "acc_alice"
		if index == len(lines)-1 {
			// A used token is refused before the account is looked up.
			account = ""
		}
		if line["command"] != "item update" || line["account"] != account || line["step"] != wanted[index][0] || toText(line["exit"]) != wanted[index][1] {
			t.Errorf("line %d is %v", index, line)
		}
		moment, err := time.Parse(time.RFC3339, toText(line["time"]))
		if err != nil || !strings.HasSuffix(toText(line["time"]), "Z") || time.Since(moment) > time.Hour {
			t.Errorf("the time is %v", line["time"])
		}
		if _, there := line["duration_ms"]; !there {
			t.Error("there is no duration")
		}
	}
	text := read(t, tool.State("audit.jsonl"))
	if strings.Contains(text, token) || strings.Contains(text, mock.TokenAlice) {
		t.Error("the log holds a secret")
	}
	information, err := os.Stat(tool.State("audit.jsonl"))
	if err != nil || runtime.GOOS != "windows" && information.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v", information.Mode())
	}
}

func TestALogThatCannotBeWrittenDoesNotStopTheCommand(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	if err := os.MkdirAll(tool.State("audit.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	ended := tool.Run("item", "close", "--ids", "1", "--dry-run")
	ended.OK()
	if !strings.Contains(ended.Stderr, "audit log") {
		t.Errorf("stderr is %q", ended.Stderr)
	}
}

func TestTheLogIsBounded(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	write(t, tool.State("audit.jsonl"), strings.Repeat("x", 6<<20), 0o600)
	tool.Run("item", "close", "--ids", "1", "--dry-run").OK()
	if size := len(read(t, tool.State("audit.jsonl"))); size > 10_000 {
		t.Errorf("the log has %d bytes", size)
	}
}

func TestACredentialIsStoredEncryptedAndForgottenAgain(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	login := []string{"auth", "login"}
	// Nothing is lost by the first one, so it needs no token.
	data := tool.Run(login...).OK()
	if data["stored"] != true || data["storage"] != "encrypted-file" || data["account"] != "acc_alice" {
		t.Fatalf("the data is %v", data)
	}
	noFileHolds(t, tool.Home, mock.TokenAlice)
	tool.As("")
	shown := tool.Run("context").OK()
	if stored := testkit.Member(t, shown, "credentials"); stored["storage"] != "encrypted-file" || shown["account"] != "acc_alice" {
		t.Errorf("the context is %v", shown)
	}
	tool.Run("item", "list").OK()

	// Another one replaces it, which needs a token.
	file := filepath.Join(tool.Home, "token.txt")
	write(t, file, mock.TokenBob+"\n", 0o600)
	replace := []string{"auth", "login", "--token-file", file}
	tool.Run(replace...).Fails("E_CONFIRMATION_REQUIRED")
	if data := tool.Confirm(replace...).OK(); data["account"] != "acc_bob" {
		t.Errorf("the data is %v", data)
	}
	noFileHolds(t, tool.State(""), mock.TokenBob)

	logout := []string{"auth", "logout"}
	tool.Run(logout...).Fails("E_CONFIRMATION_REQUIRED")
	if data := tool.Confirm(logout...).OK(); data["stored"] != false {
		t.Errorf("the data is %v", data)
	}
	tool.Run("item", "list").Fails("E_AUTH")
	tool.Run(logout...).OK()
}

func TestACredentialIsTriedBeforeItIsStored(t *testing.T) {
	t.Parallel()
	tool := newTool(t).As("not-a-known-token")
	tool.Run("auth", "login").Fails("E_AUTH")
	tool.As("").Run("auth", "login").Fails("E_AUTH")
	tool.Run("auth", "login", "--token-file", filepath.Join(tool.Home, "missing")).Fails("E_VALIDATION")
	write(t, filepath.Join(tool.Home, "short"), "abc", 0o600)
	tool.Run("auth", "login", "--token-file", filepath.Join(tool.Home, "short")).Fails("E_VALIDATION")
	tool.As("two words in it").Run("item", "list").Fails("E_CONFIG")
}

func TestADamagedCredentialIsNamedAndNeverUsed(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*tool){
		"changed": func(tool *tool) {
			text := []byte(read(t, tool.State("credentials.enc")))
			text[len(text)-1] ^= 1
			write(t, tool.State("credentials.enc"), string(text), 0o600)
		},
		"cut":       func(tool *tool) { write(t, tool.State("credentials.enc"), "x", 0o600) },
		"other key": func(tool *tool) { write(t, tool.State("credentials.key"), strings.Repeat("k", 32), 0o600) },
		"no key":    func(tool *tool) { _ = os.Remove(tool.State("credentials.key")) },
		"open key":  func(tool *tool) { _ = os.Chmod(tool.State("credentials.key"), 0o644) },
	} {
		if name == "open key" && runtime.GOOS == "windows" {
			continue
		}
		tool := newTool(t)
		tool.Run("auth", "login").OK()
		spoil(tool)
		if code := tool.Run("item", "list").Failure()["code"]; code != "E_CONFIG" {
			t.Errorf("%s: %v", name, code)
		}
		if check(t, tool, "credentials")["status"] != "fail" {
			t.Errorf("%s: doctor does not see it", name)
		}
		tool.Run("context").OK()
	}
}

func TestAStoredCredentialThatHidesAnotherIsPointedOut(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	tool.Run("auth", "login").OK()
	found := check(t, tool.As(mock.TokenBob), "credentials")
	if found["status"] != "warn" || !strings.Contains(toText(found["fix"]), self.Env("TOKEN")) {
		t.Errorf("the check is %v", found)
	}
}

func TestACredentialGoesToItsUpstreamAlone(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	tool.Run("auth", "login").OK()
	tool.As("")
	other := newTool(t)
	tool.With("BASE_URL", other.Server.URL).Run("item", "list").Fails("E_AUTH")
	if len(other.API.Requests()) != 0 {
		t.Error("the other upstream was asked")
	}
}

func TestEveryRequestSaysWhoAsks(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	tool.Run("item", "list").OK()
	header := tool.API.Requests()[0].Header
	if header.Get("User-Agent") != about.Tool+"/"+self.Version() || header.Get("Authorization") != "Bearer "+mock.TokenAlice {
		t.Errorf("the header is %v", header)
	}
}
