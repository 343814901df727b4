package test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"aos.invalid/tool/internal/fixtures"
	"aos.invalid/tool/internal/mock"
	"aos.invalid/tool/internal/runtime/testkit"
)

// writes are all writes that ask for a token, with arguments that the upstream accepts.
var writes = [][]string{
	{"item", "create", "--project", "atlas", "--title", "New", "--labels", "a,b", "--content", "text"},
	{"item", "update", "--id", "2", "--title", "Changed", "--state", "closed", "--labels", "c"},
	{"item", "delete", "--id", "3", "--dangerous"},
	{"item", "close", "--ids", "4,5"},
	{"export", "start", "--project", "atlas"},
	{"item", "publish", "--id", "6"},
}

func TestAWriteWithoutATokenIsRefusedAndShowsItsPreview(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	for _, call := range writes {
		details := tool.Run(call...).Fails("E_CONFIRMATION_REQUIRED")
		if len(testkit.List(t, testkit.Member(t, details, "preview"), "changes")) == 0 || details["confirm_token"] != nil || !strings.Contains(toText(details["fix"]), "--dry-run") {
			t.Errorf("%v: the details are %v", call, details)
		}
	}
	if tool.API.Mutations() != 0 {
		t.Error("something was changed")
	}
}

func TestADryRunChangesNothingAndGivesATokenThatExpires(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	for _, call := range writes {
		data := tool.Run(append(call, "--dry-run")...).OK()
		testkit.SameKeys(t, toText(call), data, []string{"preview", "confirm_token", "expires_at"})
		expires, err := time.Parse(time.RFC3339, toText(data["expires_at"]))
		if err != nil || !expires.After(time.Now()) || !strings.HasSuffix(toText(data["expires_at"]), "Z") {
			t.Errorf("%v: expires_at is %v", call, data["expires_at"])
		}
	}
	if tool.API.Mutations() != 0 {
		t.Error("something was changed")
	}
}

func TestATokenWorksOnce(t *testing.T) {
	t.Parallel()
	for _, call := range writes {
		tool := newTool(t)
		token := tool.Token(call...)
		first := tool.Run(append(call, "--confirm", token)...)
		first.Document()
		changed := tool.API.Mutations()
		if changed != 1 {
			t.Errorf("%v: %d changes", call, changed)
		}
		second := tool.Run(append(call, "--confirm", token)...)
		second.Fails("E_CONFLICT")
		if !strings.Contains(second.Message(), "already used") || tool.API.Mutations() != changed {
			t.Errorf("%v: the second use gave %q", call, second.Message())
		}
	}
	tool := newTool(t)
	create := writes[0]
	token := tool.Token(create...)
	tool.Run(append(create, "--confirm", token)...).OK()
	ended := tool.Run(append(create, "--confirm", token)...)
	ended.Fails("E_CONFLICT")
	if !strings.Contains(ended.Message(), "already used") {
		t.Errorf("the message is %q", ended.Message())
	}
}

func TestARefusalGivesATokenThatWorks(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	token := tool.Token(writes[0]...)
	tool.Run(append(writes[0], "--confirm", token)...).OK()
}

func TestATokenIsForOneCall(t *testing.T) {
	t.Parallel()
	shared := fixtures.Read[struct {
		About               string
		Known               any
		After, Early, Forms []any
		Calls               []struct {
			Case          string
			First, Second []string
			Good          bool
		}
	}](t, "confirm_tokens.json")
	for _, row := range shared.Calls {
		t.Run(row.Case, func(t *testing.T) {
			t.Parallel()
			tool := newTool(t)
			ended := tool.Run(append(row.Second, "--confirm", tool.Token(row.First...))...)
			if row.Good {
				ended.OK()
				return
			}
			ended.Fails("E_CONFLICT")
			if tool.API.Mutations() != 0 {
				t.Error("something was changed")
			}
		})
	}
}

func TestATokenIsForOneAccount(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	update := []string{"item", "update", "--id", "2", "--title", "Changed"}
	token := tool.Token(update...)
	tool.As(mock.TokenBob).Run(append(update, "--confirm", token)...).Fails("E_CONFLICT")
	tool.As(mock.TokenAlice)
	if tool.API.Mutations() != 0 {
		t.Fatal("something was changed")
	}
	tool.Run(append(update, "--confirm", token)...).OK()
}

func TestTheLifeOfATokenCanBeShortenedAlone(t *testing.T) {
	t.Parallel()
	tool := newTool(t).With("CONFIRM_LIFETIME", "1")
	create := []string{"item", "create", "--project", "atlas", "--title", "x"}
	token := tool.Token(create...)
	time.Sleep(2100 * time.Millisecond)
	// Whoever confirms has no say in it any more.
	tool.With("CONFIRM_LIFETIME", "").Run(append(create, "--confirm", token)...).Fails("E_CONFLICT")
	if tool.API.Mutations() != 0 {
		t.Error("something was changed")
	}
}

func TestATokenThatIsNotGenuineIsAConflict(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	update := []string{"item", "update", "--id", "2", "--title", "Changed"}
	token := tool.Token(update...)
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(token, "ct_"))
	if err != nil {
		t.Fatal(err)
	}
	flipped := append([]byte(nil), raw...)
	flipped[len(flipped)-1] ^= 1
	later := append([]byte(nil), raw...)
	later[6]++
	standard := base64.StdEncoding.EncodeToString(raw) + "=="
	for _, forged := range []string{
		"", "ct_", "ct_51c0", token[:len(token)-1], token + "A", token + "=", strings.TrimPrefix(token, "ct_"), "CT" + token[2:],
		"ct_" + standard, "ct_" + base64.RawURLEncoding.EncodeToString(flipped),
		"ct_" + base64.RawURLEncoding.EncodeToString(later), " " + token, strings.Repeat("A", 90_000),
	} {
		if code := tool.Run(append(update, "--confirm", forged)...).Failure()["code"]; code != "E_CONFLICT" {
			t.Errorf("%.80q: %v", forged, code)
		}
	}
	other := newTool(t)
	other.With("BASE_URL", tool.Server.URL)
	other.Run(append(update, "--confirm", token)...).Fails("E_CONFLICT")
	if tool.API.Mutations() != 0 {
		t.Error("something was changed")
	}
}

func TestATokenDoesNotOutliveTheStateOfItsTarget(t *testing.T) {
	t.Parallel()
	for _, call := range writes[1:4] {
		tool := newTool(t)
		token := tool.Token(call...)
		for id := 2; id < 6; id++ {
			tool.API.Touch(id, "somebody else was here")
		}
		tool.Run(append(call, "--confirm", token)...).Fails("E_CONFLICT")
		if tool.API.Mutations() != 0 {
			t.Errorf("%v: something was changed", call)
		}
	}
}

func TestTheUpstreamHasTheLastWordAboutVersions(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	update := []string{"item", "update", "--id", "2", "--title", "Changed"}
	token := tool.Token(update...)
	// Another writer changes the item between the last read and the write.
	tool.API.Hook(touchBeforePatch(tool))
	tool.Run(append(update, "--confirm", token)...).Fails("E_CONFLICT")
	if data := tool.Run("item", "get", "--id", "2").OK(); data["title"] != "in between" {
		t.Errorf("the item is %v", data)
	}
}

func TestADangerousWriteNeedsBothTheFlagAndTheToken(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	safe := []string{"item", "delete", "--id", "3"}
	tool.Run(safe...).Fails("E_CONFIRMATION_REQUIRED")
	tool.Run(append(safe, "--dry-run")...).Fails("E_CONFIRMATION_REQUIRED")
	token := tool.Token(append(safe, "--dangerous")...)
	tool.Run(append(safe, "--confirm", token)...).Fails("E_CONFIRMATION_REQUIRED")
	if tool.API.Mutations() != 0 {
		t.Fatal("something was changed")
	}
	if data := tool.Run(append(safe, "--dangerous", "--confirm", token)...).OK(); data["deleted"] != true {
		t.Errorf("the data is %v", data)
	}
	tool.Run("item", "get", "--id", "3").Fails("E_NOT_FOUND")
}

func TestAMissingTargetGetsNoToken(t *testing.T) {
	t.Parallel()
	newTool(t).Run("item", "delete", "--id", "99999", "--dangerous", "--dry-run").Fails("E_NOT_FOUND")
}

func TestTheSecretOfTheTokensIsMadeForThisUserAlone(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	tool.Token(writes[0]...)
	secret := tool.State("confirm.secret")
	information, err := os.Stat(secret)
	if err != nil || information.Size() < 32 {
		t.Fatalf("the secret: %v", err)
	}
	if runtime.GOOS != "windows" {
		directory, err := os.Stat(filepath.Dir(secret))
		if err != nil || information.Mode().Perm() != 0o600 || directory.Mode().Perm() != 0o700 {
			t.Errorf("the modes are %v and %v", information.Mode(), directory.Mode())
		}
	}
	for name, spoil := range map[string]func() error{
		"short":     func() error { return os.WriteFile(secret, []byte("short"), 0o600) },
		"empty":     func() error { return os.WriteFile(secret, nil, 0o600) },
		"open":      func() error { return os.Chmod(secret, 0o644) },
		"directory": func() error { return errorsOf(os.Remove(secret), os.Mkdir(secret, 0o700)) },
	} {
		if name == "open" && runtime.GOOS == "windows" {
			continue
		}
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if code := tool.Run(append(writes[0], "--dry-run")...).Failure()["code"]; code != "E_CONFIG" {
			t.Errorf("%s: %v", name, code)
		}
		_ = os.RemoveAll(secret)
		tool.Token(writes[0]...)
	}
}

func TestOneTokenInManyProcessesWritesOnce(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	create := writes[0]
	token := tool.Token(create...)
	codes := make(chan string, 8)
	var running sync.WaitGroup
	for range cap(codes) {
		running.Go(func() {
			ended := tool.Run(append(create, "--confirm", token)...)
			if ended.Exit == 0 {
				codes <- "ok"
				return
			}
			codes <- toText(ended.Failure()["code"])
		})
	}
	running.Wait()
	close(codes)
	count := map[string]int{}
	for code := range codes {
		count[code]++
	}
	if count["ok"] != 1 || count["E_CONFLICT"] != 7 || tool.API.Mutations() != 1 {
		t.Errorf("the answers are %v, with %d changes", count, tool.API.Mutations())
	}
}

func TestManyFirstUsesAgreeOnOneSecret(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	tokens := make(chan string, 6)
	var running sync.WaitGroup
	for range cap(tokens) {
		running.Go(func() { tokens <- tool.Token(writes[0]...) })
	}
	running.Wait()
	close(tokens)
	for token := range tokens {
		tool.Run(append(writes[0], "--confirm", token)...).OK()
	}
}

func TestATokenWhoseUseCannotBeRecordedStillWrites(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	token := tool.Token(writes[0]...)
	write(t, tool.State("confirm-consumed"), "a file in the way", 0o600)
	ended := tool.Run(append(writes[0], "--confirm", token)...)
	ended.OK()
	if !strings.Contains(ended.Stderr, "could not be recorded") {
		t.Errorf("stderr is %q", ended.Stderr)
	}
}

func TestAnIdempotencyKeyReachesTheUpstreamAndMakesOneItem(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	create := []string{"item", "create", "--project", "atlas", "--title", "Once", "--idempotency-key", "order-4711"}
	first, second := tool.Confirm(create...).OK(), tool.Confirm(create...).OK()
	if first["id"] != second["id"] {
		t.Errorf("the ids are %v and %v", first["id"], second["id"])
	}
	var sent []string
	for _, request := range tool.API.Requests() {
		if request.Method == "POST" {
			sent = append(sent, request.Header.Get("Idempotency-Key"))
		}
	}
	if len(sent) != 2 || sent[0] != "order-4711" || sent[1] != "order-4711" {
		t.Errorf("the keys are %v", sent)
	}
	other := []string{"item", "create", "--project", "atlas", "--title", "Other", "--idempotency-key", "order-4711"}
	tool.Confirm(other...).Fails("E_CONFLICT")
}

func TestAWriteThatMayHaveHappenedSaysSo(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	token := tool.Token(writes[0]...)
	tool.API.Hook(failPosts)
	details := tool.Run(append(writes[0], "--confirm", token)...).Fails("E_SERVER")
	if details["confirm_token_used"] != true || !strings.Contains(toText(details["fix"]), "--dry-run") {
		t.Errorf("the details are %v", details)
	}
}

func TestWritesDoWhatTheyPreviewed(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	created := tool.Confirm(writes[0]...).OK()
	if created["title"] != "New" || len(testkit.Texts(created["labels"])) != 2 {
		t.Errorf("created: %v", created)
	}
	updated := tool.Confirm(writes[1]...).OK()
	if updated["title"] != "Changed" || updated["state"] != "closed" {
		t.Errorf("updated: %v", updated)
	}
}
