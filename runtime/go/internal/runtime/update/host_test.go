package update

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	"aos.invalid/tool/internal/about"
)

func address(t *testing.T, text string) *url.URL {
	t.Helper()
	parsed, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestATokenIsForTheHostsOfGitHubAlone(t *testing.T) {
	t.Parallel()
	host := &host{token: "token"}
	for text, wanted := range map[string]string{
		"https://api.github.com/repos/x":             "token",
		"https://github.com/x/releases/download/y":   "token",
		"http://api.github.com/repos/x":              "",
		"https://api.github.com.example.com/":        "",
		"https://objects.githubusercontent.com/file": "",
		"https://api.github.com:8443/":               "",
		"http://127.0.0.1/":                          "",
	} {
		if found := host.tokenFor(address(t, text)); found != wanted {
			t.Errorf("%s: %q", text, found)
		}
	}
}

func TestARefusedTokenIsLeftOutOnce(t *testing.T) {
	t.Parallel()
	var seen []string
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header.Get("Authorization"))
		if r.Header.Get("Authorization") != "" {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	t.Cleanup(server.Close)
	// The name of GitHub, with the address of the test server behind it.
	client := server.Client()
	transport, _ := client.Transport.(*http.Transport)
	transport.TLSClientConfig.ServerName = "example.com"
	transport.DialContext = dialer(server.Listener.Addr().String())
	host := &host{api: address(t, "https://api.github.com"), client: client, token: "token", now: time.Now}
	response, err := host.get(t.Context(), address(t, "https://api.github.com/x"), "*/*", "it")
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if len(seen) != 2 || seen[0] != "Bearer token" || seen[1] != "" {
		t.Errorf("the requests had %q", seen)
	}
}

func TestOnlyEncryptedAddressesAreOpened(t *testing.T) {
	t.Parallel()
	public, local := &host{api: address(t, "https://api.github.com")}, &host{api: address(t, "http://127.0.0.1:1")}
	for text, wanted := range map[string][2]bool{
		"https://example.com/x":   {true, true},
		"http://example.com/x":    {false, false},
		"http://127.0.0.1/x":      {false, true},
		"file:///etc/passwd":      {false, false},
		"https://a:b@example.com": {false, false},
		"/x":                      {false, false},
	} {
		if public.allows(address(t, text)) != wanted[0] || local.allows(address(t, text)) != wanted[1] {
			t.Errorf("%s", text)
		}
	}
}

func TestGoOwnsWhatItInstalled(t *testing.T) {
	directory := t.TempDir()
	real, err := filepath.EvalSymlinks(directory)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOBIN", directory)
	installed := &debug.BuildInfo{Main: debug.Module{Path: about.Module, Version: "v1.2.3"}}
	path := filepath.Join(real, about.Tool)
	if !goOwns(path, installed) {
		t.Error("an installed program is not recognised")
	}
	if goOwns(filepath.Join(real, "sub", about.Tool), installed) {
		t.Error("another directory is taken for that of Go")
	}
	for _, other := range []*debug.BuildInfo{
		nil,
		{Main: debug.Module{Path: about.Module, Version: "(devel)"}},
		{Main: debug.Module{Path: "example.com/other", Version: "v1.2.3"}},
		{Main: installed.Main, Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}}},
	} {
		if goOwns(path, other) {
			t.Errorf("%v is taken for an installed program", other)
		}
	}
	found := installation{method: byGo, program: "go", arguments: []string{"install", about.Module + "/cmd/" + about.Tool + "@v%v"}}
	if command := found.command("1.2.3"); command != "go install "+about.Module+"/cmd/"+about.Tool+"@v1.2.3" {
		t.Errorf("the command is %q", command)
	}
}

func TestTheTrustRootIsTheOneThatWasLookedAt(t *testing.T) {
	t.Parallel()
	// A new trust root changes whom this program believes: compare it with the one that Sigstore publishes first.
	const lookedAt = "6494e21ea73fa7ee769f85f57d5a3e6a08725eae1e38c755fc3517c9e6bc0b66"
	if found := digestOfText(embeddedTrustRoot); found != lookedAt {
		t.Errorf("the digest is %s", found)
	}
}

func TestAProgramInANodeModulesOfAProjectIsNotGlobal(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	path := filepath.Join(root, "node_modules", about.NPMPackage+"-x", "bin", about.Tool)
	manifest := filepath.Join(filepath.Dir(filepath.Dir(path)), "package.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(manifest, []byte(`{"name":"`+about.NPMPackage+`-x"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "package.json"), []byte(`{}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if found := detect(path); found.method != byOther {
		t.Errorf("the method is %s", found.method)
	}
}

// dialer connects to one address, whatever is asked for.
func dialer(to string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, network, to)
	}
}
