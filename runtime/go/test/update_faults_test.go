//go:build !windows

package test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/fixtures"
	"aos.invalid/tool/internal/runtime/self"
	"aos.invalid/tool/internal/runtime/testkit/sigstore"
)

// faulty is an update that must fail: where, with which code, and what is wrong. One member after Target is there.
type faulty struct {
	Case, Stage, Code, Target string
	Answer                    *struct {
		At      string
		Status  int
		Headers map[string]string
		Body    string
		Times   int
	}
	Raw         *struct{ At, Bytes string }
	Does        *struct{ At, What string }
	Description *struct {
		Remove, Drop, Address string
		Set                   map[string]any
		Twice                 bool
	}
	Signing *struct {
		Fault, Issuer string
		Identity      []string
	}
	AfterSigning *struct {
		ListEndsWith     string `json:"list_ends_with"`
		Foreign          bool
		BundleBeginsWith string `json:"bundle_begins_with"`
	} `json:"after_signing"`
	List    *string
	Line    *string
	Program *changedEntry
	Entry   *changedEntry
	Bytes   *struct {
		Cut          int
		Text, Append string
		Member       bool
	}
	NotIn []string `json:"not_in"`
}

// changedEntry is an entry of an archive; what it does not say stays.
type changedEntry struct {
	Name, Content, Kind, Link string
	Times                     int
	Missing                   bool
}

var names = strings.NewReplacer(
	"{version}", newerVersion, "{repository}", about.Repository, "{tool}", about.Tool, "{TOOL}", strings.ToUpper(about.Tool),
)

func (c *changedEntry) entry(from entry) entry {
	if c.Name != "" {
		from.name = names.Replace(c.Name)
	}
	if c.Content != "" || c.Kind != "" {
		from.content = []byte(names.Replace(c.Content))
	}
	if c.Kind != "" {
		from.kind, from.link = c.Kind[0], names.Replace(c.Link)
	}
	return from
}

// spoil makes the one thing wrong.
func (f faulty) spoil(r *releases) {
	switch {
	case f.Answer != nil:
		body := strings.Repeat(names.Replace(f.Answer.Body), max(f.Answer.Times, 1))
		r.on(at(f.Answer.At), answer(f.Answer.Status, f.Answer.Headers, body))
	case f.Raw != nil:
		r.on(at(f.Raw.At), raw(f.Raw.Bytes))
	case f.Does != nil:
		r.on(at(f.Does.At), deeds[f.Does.What])
	case f.Description != nil:
		document := f.describe(r.description())
		r.on("api", answer(200, map[string]string{"Content-Type": "application/json"}, string(encode(r.t, document))))
	case f.Signing != nil:
		f.sign(&r.how)
		r.publish()
	case f.AfterSigning != nil:
		f.changeSigned(r)
	case f.List != nil:
		r.checksum(*f.List)
	case f.Line != nil:
		r.checksum(f.listed(r.checksums()))
	case f.Program != nil && f.Program.Missing:
		r.entries = r.entries[1:]
		r.publish()
	case f.Program != nil:
		r.entries[0] = f.Program.entry(r.entries[0])
		r.publish()
	case f.Entry != nil:
		for number := range max(f.Entry.Times, 1) {
			added := f.Entry.entry(entry{})
			added.name = strings.ReplaceAll(added.name, "{n}", toText(number))
			r.entries = append(r.entries, added)
		}
		r.publish()
	case f.Bytes != nil:
		r.files[archive] = f.packed(r.files[archive])
		r.checksum(r.checksums())
	}
}

func (f faulty) describe(document map[string]any) map[string]any {
	change := f.Description
	delete(document, change.Remove)
	for name, value := range change.Set {
		document[name] = value
	}
	var kept []any
	listed, _ := document["assets"].([]any)
	for _, found := range listed {
		asset, _ := found.(map[string]any)
		if asset["name"] == at(change.Drop) {
			continue
		}
		if change.Address != "" {
			asset["browser_download_url"] = change.Address
		}
		kept = append(kept, asset)
		if change.Twice {
			kept = append(kept, asset)
		}
	}
	if listed != nil {
		document["assets"] = kept
	}
	return document
}

func (f faulty) sign(how *sigstore.Signing) {
	how.Fault = f.Signing.Fault
	if f.Signing.Issuer != "" {
		how.Issuer = f.Signing.Issuer
	}
	if pair := f.Signing.Identity; len(pair) == 2 {
		how.Identity = strings.Replace(how.Identity, names.Replace(pair[0]), names.Replace(pair[1]), 1)
	}
}

func (f faulty) changeSigned(r *releases) {
	const bundle = "checksums.txt.sigstore.json"
	r.files["checksums.txt"] = append(r.files["checksums.txt"], f.AfterSigning.ListEndsWith...)
	if f.AfterSigning.Foreign {
		r.files[bundle] = sigstore.New().Sign(r.files["checksums.txt"], r.how)
	}
	if start := f.AfterSigning.BundleBeginsWith; start != "" {
		r.files[bundle] = []byte(strings.Replace(string(r.files[bundle]), "{", start, 1))
	}
}

// listed is the list of checksums with another line for the archive.
func (f faulty) listed(list string) string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSpace(list), "\n") {
		if digest, name, _ := strings.Cut(line, "  "); name == archive {
			line = strings.NewReplacer("{digest}", digest, "{short}", digest[2:], "{name}", name).Replace(*f.Line)
		}
		lines = append(lines, line)
	}
	return strings.TrimSpace(strings.Join(lines, "\n")) + "\n"
}

func (f faulty) packed(content []byte) []byte {
	switch {
	case f.Bytes.Text != "":
		return []byte(f.Bytes.Text)
	case f.Bytes.Member:
		return append(content, pack(&testing.T{}, []entry{{name: "x", content: []byte("x")}})...)
	}
	return append(content[:len(content)-f.Bytes.Cut], f.Bytes.Append...)
}

// expect runs an update that must leave everything as it was.
func (f faulty) expect(t *testing.T) {
	t.Helper()
	host := newReleases(t, newerVersion)
	f.spoil(host)
	tool := install(t, host)
	call := []string{"update"}
	if f.Target != "" {
		call = append(call, "--target-version", f.Target)
	}
	ended := tool.Run(call...)
	details := ended.Fails(f.Code)
	if details["stage"] != f.Stage || details["binary_replaced"] != false || details["current_version"] != self.Version() || details["skill_sync_status"] != "not_run" {
		t.Errorf("the details are %v", details)
	}
	message := ended.Message()
	switch {
	case f.Code == "E_INTEGRITY":
		if !strings.Contains(message, "do not try again") {
			t.Errorf("the message is %q", message)
		}
	case independentCodes[f.Code].Retryable && !strings.Contains(message, "can safely be run again"):
		t.Errorf("the message is %q", message)
	}
	if !strings.Contains(message, self.Version()+" is still installed") {
		t.Errorf("the message does not name the version: %q", message)
	}
	tool.untouched(f.Case)
	ended.Document()
}

// deeds are what a host does that never ends its answer.
var deeds = map[string]http.HandlerFunc{
	"hang": hang,
	"stall": func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("abc"))
		_ = http.NewResponseController(w).Flush()
		hang(w, r)
	},
	"drip": func(w http.ResponseWriter, r *http.Request) {
		for range 200 {
			_, _ = w.Write([]byte("a"))
			_ = http.NewResponseController(w).Flush()
			pause(r, 100*time.Millisecond)
		}
	},
	"endless": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		for range 2000 {
			if _, err := w.Write(make([]byte, 64*1024)); err != nil {
				return
			}
		}
	},
}

func answer(status int, header map[string]string, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func raw(response string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		connection, _, err := w.(http.Hijacker).Hijack() //nolint:forcetypeassert // always one in tests
		if err == nil {
			_, _ = connection.Write([]byte(response))
			reset(connection)
		}
	}
}

func hang(_ http.ResponseWriter, r *http.Request) {
	pause(r, 30*time.Second)
}

var archive = archiveName(newerVersion)

// at is the name of a file of the release; that of the archive depends on the platform.
func at(name string) string {
	if name == "archive" {
		return archive
	}
	return name
}

func TestAReleaseWithAFaultIsNotInstalled(t *testing.T) {
	t.Parallel()
	shared := fixtures.Read[struct {
		About  string
		Groups map[string][]faulty
	}](t, "update_faults.json")
	for group, faults := range shared.Groups {
		for _, found := range faults {
			if slices.Contains(found.NotIn, "go") {
				continue
			}
			t.Run(group+" "+found.Case, func(t *testing.T) {
				t.Parallel()
				found.expect(t)
			})
		}
	}
}

// A bomb is too large for a fixture.
func TestAnArchiveThatGrowsWithoutEndIsNotInstalled(t *testing.T) {
	t.Parallel()
	host := newReleases(t, newerVersion)
	host.entries = append(host.entries, entry{name: "zeros", content: make([]byte, 513<<20)})
	host.publish()
	tool := install(t, host)
	if details := tool.Run("update").Fails("E_INTEGRITY"); details["stage"] != "replace" {
		t.Errorf("the details are %v", details)
	}
	tool.untouched("bomb")
}

func TestTheListOfChecksumsMayBeWrittenInOtherWays(t *testing.T) {
	t.Parallel()
	host := newReleases(t, newerVersion)
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSpace(host.checksums()), "\n") {
		digest, name, _ := strings.Cut(line, "  ")
		lines = append(lines, strings.ToUpper(digest)+" *"+name+"\r\n")
	}
	host.checksum(strings.Join(lines, ""))
	install(t, host).Run("update").OK()
}

func TestADirectoryThatIsClosedIsSeenBeforeTheDownload(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	tool := install(t, newReleases(t, newerVersion))
	directory := filepath.Dir(tool.path)
	if err := os.Chmod(directory, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(directory, 0o700) })
	details := tool.Run("update").Fails("E_FORBIDDEN")
	if details["stage"] != "replace" || details["binary_replaced"] != false {
		t.Errorf("the details are %v", details)
	}
	for _, request := range tool.releases.seen() {
		if strings.HasPrefix(request.Path, "/files/") {
			t.Errorf("%s was downloaded", request.Path)
		}
	}
}

func TestTheDirectoryForTemporaryFilesMayRefuse(t *testing.T) {
	t.Parallel()
	tool := install(t, newReleases(t, newerVersion))
	write(t, filepath.Join(tool.Home, "file"), "", 0o600)
	tool.WithSystem("TMPDIR", filepath.Join(tool.Home, "file"))
	details := tool.Run("update").Fails("E_IO")
	if details["stage"] != "download" {
		t.Errorf("the details are %v", details)
	}
}
