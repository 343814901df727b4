//go:build !windows

package test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/self"
	"aos.invalid/tool/internal/runtime/testkit"
)

// unreachable wants an update that ends in the search for a release and changes nothing.
func unreachable(t *testing.T, tool *installed, code string) (message string, details map[string]any) {
	t.Helper()
	ended := tool.Run("update")
	details = ended.Fails(code)
	if details["stage"] != "discover" || details["binary_replaced"] != false || details["current_version"] != self.Version() {
		t.Errorf("the details are %v", details)
	}
	tool.untouched(code)
	return ended.Message(), details
}

func TestAHostThatIsNotThereIsANetworkFault(t *testing.T) {
	t.Parallel()
	tool := install(t, newReleases(t, newerVersion))
	tool.releases.server.Close()
	unreachable(t, tool, "E_NETWORK")
	tool.With("UPDATE_API_URL", "https://host.invalid")
	unreachable(t, tool, "E_NETWORK")
}

func TestAHostOfReleasesThatIsSilentIsATimeout(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	tool := newTool(t).With("UPDATE_API_URL", "http://"+silent.Addr().String(), "UPDATE_TIMEOUT", "1")
	tool.Run("update", "--check").Fails("E_TIMEOUT")
	// The variable shortens the wait alone.
	for _, text := range []string{"0", "31", "soon"} {
		tool.With("UPDATE_TIMEOUT", text).Run("update", "--check").Fails("E_CONFIG")
	}
}

func TestACertificateThatIsNotTrustedIsAMatterOfTheSetUp(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	tool := install(t, newReleases(t, newerVersion))
	tool.With("UPDATE_API_URL", server.URL)
	_, details := unreachable(t, tool, "E_CONFIG")
	if fix := toText(details["fix"]); !strings.Contains(fix, "SSL_CERT_FILE") {
		t.Errorf("the fix is %q", fix)
	}
}

func TestAProxyThatIsNotThereIsNamedWithoutItsPassword(t *testing.T) {
	t.Parallel()
	tool := install(t, newReleases(t, newerVersion))
	tool.With("UPDATE_API_URL", "https://releases.example.com")
	tool.Env["HTTPS_PROXY"] = "http://user:hunter2hunter2@127.0.0.1:1"
	message, details := unreachable(t, tool, "E_NETWORK")
	if details["proxy"] != "127.0.0.1:1" || strings.Contains(message+toText(details["fix"]), "hunter2") {
		t.Errorf("%s: %v", message, details)
	}
}

func TestAReleaseForOtherSystemsNamesWhatThereIs(t *testing.T) {
	t.Parallel()
	host := newReleases(t, newerVersion)
	host.files["other.tar.gz"] = host.files[archive]
	delete(host.files, archive)
	_, details := unreachable(t, install(t, host), "E_NOT_FOUND")
	if details["wanted"] != archive || !strings.Contains(strings.Join(testkit.Texts(details["available"]), " "), "other.tar.gz") {
		t.Errorf("the details are %v", details)
	}
}

func TestADirectoryForTemporaryFilesOnAnotherDiskIsFine(t *testing.T) {
	t.Parallel()
	other, err := os.MkdirTemp("/dev/shm", about.Tool+"-test-*")
	if err != nil {
		t.Skip("there is no other disk")
	}
	t.Cleanup(func() { _ = os.RemoveAll(other) })
	tool := install(t, newReleases(t, newerVersion))
	tool.Env["TMPDIR"] = other
	tool.Run("update").OK()
	tool.clean("another disk")
}

func TestAReaderThatLeftDoesNotStopAnUpdate(t *testing.T) {
	t.Parallel()
	host := newReleases(t, newerVersion)
	tool := install(t, host)
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = reader.Close()
	command := tool.Command(t.Context(), "update")
	command.Stdout, command.Stderr = writer, writer
	_ = command.Run()
	_ = writer.Close()
	if exit := command.ProcessState.ExitCode(); exit != 0 || read(t, tool.path) != string(host.entries[0].content) {
		t.Errorf("exit %d", exit)
	}
	tool.clean("no reader")
}
