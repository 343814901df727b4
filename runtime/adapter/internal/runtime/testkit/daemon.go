package testkit

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
)

// arrival is a report that the stand-in for the daemon got.
type arrival struct {
	path string
	report
}

// daemon is a stand-in for the daemon of the orchestrator.
type daemon struct {
	mu       sync.Mutex
	arrivals []arrival
	// environment is what a session has.
	environment []string
}

// newDaemon starts the daemon and puts `ao` on the PATH of a session.
func newDaemon(t *testing.T) *daemon {
	t.Helper()
	d := &daemon{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var got arrival
		body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		if err != nil || r.Method != http.MethodPost || json.Unmarshal(body, &got.report) != nil {
			http.Error(w, "not a report", http.StatusBadRequest)
			return
		}
		got.path = r.URL.Path
		d.mu.Lock()
		defer d.mu.Unlock()
		d.arrivals = append(d.arrivals, got)
	}))
	t.Cleanup(server.Close)
	address, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	directory := t.TempDir()
	running := filepath.Join(directory, "running.json")
	port, err := strconv.Atoi(address.Port())
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]int{"pid": os.Getpid(), "port": port})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(running, text, 0o600); err != nil {
		t.Fatal(err)
	}
	programs := standIn(t)
	for _, name := range []string{"sh", "node"} {
		if path, err := exec.LookPath(name); err == nil {
			programs += string(os.PathListSeparator) + filepath.Dir(path)
		}
	}
	d.environment = []string{
		"PATH=" + programs, "HOME=" + directory, "AO_SESSION_ID=s-1", "AO_RUN_FILE=" + running, "AO_DATA_DIR=" + directory,
	}
	for _, name := range []string{"SystemRoot", "TEMP", "TMPDIR"} {
		if value := os.Getenv(name); value != "" {
			d.environment = append(d.environment, name+"="+value)
		}
	}
	return d
}

// standIn returns a directory with the test program as `ao`.
func standIn(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	directory := t.TempDir()
	if runtime.GOOS != "windows" {
		if err := os.Symlink(self, filepath.Join(directory, "ao")); err != nil {
			t.Fatal(err)
		}
		return directory
	}
	bytes, err := os.ReadFile(self)
	if err == nil {
		err = os.WriteFile(filepath.Join(directory, "ao.exe"), bytes, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	return directory
}

// taken returns what arrived since the last call.
func (d *daemon) taken() []arrival {
	d.mu.Lock()
	defer d.mu.Unlock()
	arrivals := d.arrivals
	d.arrivals = nil
	return arrivals
}
