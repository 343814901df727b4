package test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/testkit/sigstore"
)

// releases is a host of releases with one release, its newest.
type releases struct {
	t       *testing.T
	server  *httptest.Server
	signer  *sigstore.Sigstore
	version string
	how     sigstore.Signing
	entries []entry

	mutex    sync.Mutex
	files    map[string][]byte
	sizes    map[string]int
	hooks    map[string]http.HandlerFunc
	requests []Request
}

// Request is one request as it arrived.
type Request struct {
	Path   string
	Header http.Header
}

// entry is one entry of an archive.
type entry struct {
	name    string
	content []byte
	kind    byte
	link    string
}

func archiveName(version string) string {
	return fmt.Sprintf("%s-%s-%s-%s.tar.gz", about.Tool, version, runtime.GOOS, runtime.GOARCH)
}

func programName() string {
	if runtime.GOOS == "windows" {
		return about.Tool + ".exe"
	}
	return about.Tool
}

// newReleases publishes a version whose program can say its version and nothing else.
func newReleases(t *testing.T, version string) *releases {
	t.Helper()
	r := &releases{
		t: t, signer: sigstore.New(), version: version, how: sigstore.Release(version),
		files: map[string][]byte{}, sizes: map[string]int{}, hooks: map[string]http.HandlerFunc{},
	}
	script := "#!/bin/sh\necho " + about.Tool + " " + version + "\n"
	r.entries = append([]entry{{name: programName(), content: []byte(script)}}, skillEntries(t)...)
	r.entries = append(r.entries, entry{name: "CHANGELOG.md", content: []byte("# Changelog\n\n## [" + version + "] - 2001-01-01\n\n### Added\n\n- More.\n")})
	r.server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(func() {
		r.server.CloseClientConnections()
		r.server.Close()
	})
	r.publish()
	return r
}

// skillEntries is the Skill as the release has it.
func skillEntries(t *testing.T) []entry {
	t.Helper()
	var entries []entry
	root := filepath.Join("..", "skills", about.Tool)
	err := filepath.WalkDir(root, func(path string, found fs.DirEntry, err error) error {
		if err != nil || found.IsDir() {
			return err
		}
		relative, err := filepath.Rel("..", path)
		entries = append(entries, entry{name: filepath.ToSlash(relative), content: []byte(read(t, path))})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// publish makes the archive, the list of checksums and its signature.
func (r *releases) publish() {
	r.files[archiveName(r.version)] = pack(r.t, r.entries)
	for _, found := range r.entries {
		if found.name == "CHANGELOG.md" {
			r.files["CHANGELOG.md"] = found.content
		}
	}
	r.checksum(r.checksums())
}

func (r *releases) checksums() string {
	var lines []string
	for name, content := range r.files {
		if !strings.HasPrefix(name, "checksums.txt") {
			lines = append(lines, digest(content)+"  "+name+"\n")
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// checksum publishes a list of checksums with its signature.
func (r *releases) checksum(text string) {
	r.files["checksums.txt"] = []byte(text)
	r.files["checksums.txt.sigstore.json"] = r.signer.Sign([]byte(text), r.how)
}

func encode(t *testing.T, document any) []byte {
	t.Helper()
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

func pack(t *testing.T, entries []entry) []byte {
	t.Helper()
	var packed bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewWriter(compressed)
	for _, found := range entries {
		if found.kind == 0 {
			found.kind = tar.TypeReg
		}
		header := &tar.Header{
			Name: found.name, Typeflag: found.kind, Linkname: found.link, Mode: 0o755, Size: int64(len(found.content)),
			ModTime: time.Unix(0, 0), Format: tar.FormatPAX,
		}
		if err := archive.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write(found.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := errorsOf(archive.Close(), compressed.Close()); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// on answers a path in a way of its own: the API, or the name of a file.
func (r *releases) on(name string, handler http.HandlerFunc) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.hooks[name] = handler
}

// change edits the release while a program may be asking for it.
func (r *releases) change(edit func()) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	edit()
}

func (r *releases) serve(w http.ResponseWriter, request *http.Request) {
	r.mutex.Lock()
	r.requests = append(r.requests, Request{request.URL.Path, request.Header.Clone()})
	name := strings.TrimPrefix(request.URL.Path, "/files/")
	if strings.HasPrefix(request.URL.Path, "/repos/") {
		name = "api"
	}
	hook, content, known := r.hooks[name], r.files[name], r.files[name] != nil
	r.mutex.Unlock()
	switch {
	case hook != nil:
		hook(w, request)
	case name == "api":
		r.describe(w, request)
	case known:
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write(content)
	default:
		http.NotFound(w, request)
	}
}

func (r *releases) describe(w http.ResponseWriter, request *http.Request) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	base := "/repos/" + about.Repository + "/releases/"
	if request.URL.Path != base+"latest" && request.URL.Path != base+"tags/v"+r.version {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(encode(r.t, r.description()))
}

func (r *releases) description() map[string]any {
	assets := []any{}
	for name, content := range r.files {
		size := len(content)
		if other, known := r.sizes[name]; known {
			size = other
		}
		assets = append(assets, map[string]any{
			"name": name, "size": size, "browser_download_url": r.server.URL + "/files/" + name,
		})
	}
	return map[string]any{
		"tag_name": "v" + r.version,
		"html_url": "https://github.com/" + about.Repository + "/releases/tag/v" + r.version,
		"assets":   assets,
	}
}

// installed is the program in a directory of its own, with a host of releases.
type installed struct {
	*tool
	path     string
	releases *releases
	shims    string
}

// install puts the program where an update can replace it, with an npx that installs the Skill of the release.
func install(t *testing.T, releases *releases) *installed {
	t.Helper()
	// The server serves the files as the test has changed them so far.
	releases.change(func() {})
	tool := newTool(t)
	path := filepath.Join(tool.Home, "bin", programName())
	write(t, path, read(t, program), 0o755)
	tool.Program = path
	root := filepath.Join(tool.Home, "trust-root.json")
	write(t, root, string(releases.signer.TrustRoot()), 0o600)
	shims := filepath.Join(tool.Home, "shims")
	tool.With("UPDATE_API_URL", releases.server.URL, "TEST_TRUST_ROOT", root, "TEST_PATIENCE_MS", "5000")
	found := &installed{tool: tool, path: path, releases: releases, shims: shims}
	found.shim("node", "echo v22.20.0")
	found.shim("git", "exit 0")
	found.shim("npx", found.copySkill())
	tool.Env["PATH"] = shims + string(os.PathListSeparator) + "/usr/bin" + string(os.PathListSeparator) + "/bin"
	return found
}

// shim puts a script in place of another program; each call leaves a line.
func (i *installed) shim(name, script string) {
	i.T.Helper()
	log := filepath.Join(i.shims, name+".log")
	write(i.T, filepath.Join(i.shims, name), "#!/bin/sh\necho \"$@\" >> '"+log+"'\n"+script+"\n", 0o755)
}

func (i *installed) unshim(name string) {
	_ = os.Remove(filepath.Join(i.shims, name))
}

// calls returns the lines that a shim left.
func (i *installed) calls(name string) []string {
	text, err := os.ReadFile(filepath.Join(i.shims, name+".log"))
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// copySkill is a script that does what the installer does.
func (i *installed) copySkill() string {
	source, err := filepath.Abs(filepath.Join("..", "skills", about.Tool))
	if err != nil {
		i.T.Fatal(err)
	}
	return "mkdir -p \"$HOME/.agents/skills\" && rm -rf \"$HOME/.agents/skills/" + about.Tool + "\" && cp -R '" + source + "' \"$HOME/.agents/skills/" + about.Tool + "\""
}

// untouched wants the program as it was and nothing left beside it or in the directory for temporary files.
func (i *installed) untouched(call string) {
	i.T.Helper()
	if read(i.T, i.path) != read(i.T, program) {
		i.T.Errorf("%s: the program was changed", call)
	}
	i.clean(call)
}

func (i *installed) clean(call string) {
	i.T.Helper()
	entries, err := os.ReadDir(filepath.Dir(i.path))
	if err != nil || len(entries) != 1 {
		i.T.Errorf("%s: there is more than the program: %v", call, entries)
	}
	left, err := os.ReadDir(i.Env["TMPDIR"])
	if err != nil || len(left) != 0 {
		i.T.Errorf("%s: temporary files stay: %v", call, left)
	}
}
