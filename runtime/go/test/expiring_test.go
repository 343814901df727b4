package test

import (
	"strings"
	"testing"
	"time"

	"aos.invalid/tool/internal/mock"
	"aos.invalid/tool/internal/runtime/self"
	"aos.invalid/tool/internal/runtime/testkit"
)

// expiring returns a sandbox whose credential ends after some time, with a refresh token or without.
func expiring(t *testing.T, left time.Duration, refresh string) *tool {
	t.Helper()
	tool := newTool(t)
	tool.Env[self.Env("TOKEN_EXPIRES_AT")] = time.Now().Add(left).UTC().Format(time.RFC3339)
	tool.Env[self.Env("REFRESH_TOKEN")] = refresh
	return tool
}

func shownCredential(t *testing.T, tool *tool) map[string]any {
	t.Helper()
	return testkit.Member(t, tool.Run("context").OK(), "credentials")
}

func TestContextSaysHowLongACredentialIsGood(t *testing.T) {
	t.Parallel()
	tool := expiring(t, time.Hour, mock.RefreshAlice)
	shown := shownCredential(t, tool)
	if shown["valid"] != true || shown["refreshable"] != true || shown["expires_at"] != tool.Env[self.Env("TOKEN_EXPIRES_AT")] {
		t.Errorf("the credential is %v", shown)
	}
	gone := shownCredential(t, expiring(t, -time.Hour, ""))
	if gone["configured"] != true || gone["valid"] != false || gone["refreshable"] != false {
		t.Errorf("the credential is %v", gone)
	}
	if forever := shownCredential(t, newTool(t)); forever["valid"] != true || forever["expires_at"] != nil {
		t.Errorf("the credential is %v", forever)
	}
}

func TestDoctorWarnsBeforeACredentialExpires(t *testing.T) {
	t.Parallel()
	for left, wanted := range map[time.Duration]string{time.Hour: "pass", 5 * time.Minute: "warn", -time.Minute: "fail"} {
		found := check(t, expiring(t, left, ""), "credentials")
		if found["status"] != wanted || wanted != "pass" && !strings.Contains(toText(found["fix"]), "auth login") {
			t.Errorf("%v: %v", left, found)
		}
	}
}

func TestAnExpiredCredentialThatCannotBeRenewedNeedsALogin(t *testing.T) {
	t.Parallel()
	for _, tool := range []*tool{expiring(t, -time.Minute, ""), expiring(t, -time.Minute, "demo-refresh-unknown")} {
		ended := tool.Run("item", "list")
		if details := ended.Fails("E_AUTH"); details["login_required"] != true {
			t.Errorf("the details are %v", details)
		}
		if strings.Contains(ended.Stdout+ended.Stderr, "demo-refresh") {
			t.Error("the refresh token got out")
		}
	}
}

func TestAnExpiredCredentialIsRenewedWithoutAWord(t *testing.T) {
	t.Parallel()
	tool := expiring(t, -time.Minute, mock.RefreshAlice)
	tool.Run("item", "list").OK()
	used := tool.API.Requests()
	if last := used[len(used)-1].Header.Get("Authorization"); !strings.HasPrefix(last, "Bearer demo-token-renewed") {
		t.Errorf("the request had %q", last)
	}
}

func TestAStoredCredentialIsRenewedAndStoredAgain(t *testing.T) {
	t.Parallel()
	tool := expiring(t, time.Hour, mock.RefreshAlice)
	tool.Run("auth", "login").OK()
	for _, name := range []string{"TOKEN", "REFRESH_TOKEN", "TOKEN_EXPIRES_AT"} {
		delete(tool.Env, self.Env(name))
	}
	// The upstream takes the token back before its time.
	tool.API.Revoke(mock.TokenAlice)
	tool.Run("item", "list").OK()
	shown := shownCredential(t, tool)
	expires, err := time.Parse(time.RFC3339, toText(shown["expires_at"]))
	if err != nil || time.Until(expires) < time.Hour || shown["storage"] != "encrypted-file" {
		t.Errorf("the credential is %v", shown)
	}
	before := len(tool.API.Requests())
	tool.Run("item", "list").OK()
	if after := len(tool.API.Requests()); after != before+1 {
		t.Errorf("%d requests", after-before)
	}
	noFileHolds(t, tool.Home, "demo-refresh")
}

func TestAServerThatCannotRenewNowIsTransient(t *testing.T) {
	t.Parallel()
	tool := expiring(t, -time.Minute, mock.RefreshAlice)
	tool.API.Hook(failPosts)
	tool.Run("item", "list").Fails("E_SERVER")
}

func TestATimeThatIsNoTimeIsNamed(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	tool.Env[self.Env("TOKEN_EXPIRES_AT")] = "tomorrow"
	tool.Run("item", "list").Fails("E_CONFIG")
}
