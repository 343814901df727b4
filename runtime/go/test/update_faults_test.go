//go:build !windows

package test

import (
	"archive/tar"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/self"
	"aos.invalid/tool/internal/runtime/testkit/sigstore"
)

// faulty is an update that must fail: where, and with which code.
type faulty struct {
	name   string
	stage  string
	code   string
	target string
	spoil  func(*releases)
}

// expect runs an update that must leave everything as it was.
func (f faulty) expect(t *testing.T) {
	t.Helper()
	host := newReleases(t, newerVersion)
	f.spoil(host)
	tool := install(t, host)
	call := []string{"update"}
	if f.target != "" {
		call = append(call, "--target-version", f.target)
	}
	ended := tool.Run(call...)
	details := ended.Fails(f.code)
	if details["stage"] != f.stage || details["binary_replaced"] != false || details["current_version"] != self.Version() || details["skill_sync_status"] != "not_run" {
		t.Errorf("the details are %v", details)
	}
	message := ended.Message()
	switch {
	case f.code == "E_INTEGRITY":
		if !strings.Contains(message, "do not try again") {
			t.Errorf("the message is %q", message)
		}
	case independentCodes[f.code].Retryable && !strings.Contains(message, "can safely be run again"):
		t.Errorf("the message is %q", message)
	}
	if !strings.Contains(message, self.Version()+" is still installed") {
		t.Errorf("the message does not name the version: %q", message)
	}
	tool.untouched(f.name)
	ended.Document()
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

func apiFault(name, code string, handler http.HandlerFunc) faulty {
	return faulty{name, "discover", code, "", func(r *releases) { r.on("api", handler) }}
}

func description(name, code, stage string, change func(r *releases, document map[string]any)) faulty {
	return faulty{name, stage, code, "", func(r *releases) {
		document := r.description()
		change(r, document)
		r.on("api", answer(200, map[string]string{"Content-Type": "application/json"}, string(encode(r.t, document))))
	}}
}

func without(name, code, stage, file string) faulty {
	return description(name, code, stage, func(_ *releases, document map[string]any) {
		var kept []any
		assets, _ := document["assets"].([]any)
		for _, listed := range assets {
			if asset, _ := listed.(map[string]any); asset["name"] != file {
				kept = append(kept, listed)
			}
		}
		document["assets"] = kept
	})
}

var archive = archiveName(newerVersion)

func file(name, code, path string, handler http.HandlerFunc) faulty {
	return faulty{name, "download", code, "", func(r *releases) { r.on(path, handler) }}
}

// discoverFaults are those of the search for a release.
func discoverFaults() []faulty {
	html := map[string]string{"Content-Type": "text/html"}
	reset := fmt.Sprint(time.Now().Add(time.Minute).Unix())
	return []faulty{
		apiFault("no release", "E_NOT_FOUND", answer(404, nil, "{}")),
		{"unknown version", "discover", "E_NOT_FOUND", "90.5.0", func(*releases) {}},
		apiFault("rate limit", "E_RATE_LIMITED", answer(403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": reset}, "{}")),
		apiFault("secondary rate limit", "E_RATE_LIMITED", answer(403, map[string]string{"Retry-After": "99999999999999999999"}, "{}")),
		apiFault("too many requests", "E_RATE_LIMITED", answer(429, map[string]string{"Retry-After": "-1"}, "{}")),
		apiFault("forbidden", "E_FORBIDDEN", answer(403, nil, "{}")),
		apiFault("unauthorised", "E_AUTH", answer(401, nil, "{}")),
		apiFault("server trouble", "E_SERVER", answer(500, nil, "not found")),
		apiFault("gateway", "E_SERVER", answer(503, nil, "")),
		apiFault("request timeout", "E_TIMEOUT", answer(408, nil, "")),
		apiFault("hang-up", "E_NETWORK", raw("")),
		apiFault("not HTTP", "E_NETWORK", raw("SSH-2.0-x\r\n")),
		apiFault("bad length", "E_NETWORK", raw("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n")),
		apiFault("no answer", "E_TIMEOUT", hang),
		apiFault("redirect loop", "E_NETWORK", answer(302, map[string]string{"Location": "/repos/again"}, "")),
		apiFault("redirect to a file", "E_INTEGRITY", answer(302, map[string]string{"Location": "file:///etc/passwd"}, "")),
		apiFault("redirect to plain http", "E_INTEGRITY", answer(302, map[string]string{"Location": "http://example.com/"}, "")),
		apiFault("no content", "E_NETWORK", answer(204, nil, "")),
		apiFault("web page", "E_NETWORK", answer(200, html, "<html>log in</html>")),
		apiFault("large web page", "E_NETWORK", answer(200, html, strings.Repeat(" ", 5<<20))),
		apiFault("no JSON", "E_INTEGRITY", answer(200, nil, "{")),
		apiFault("a member twice", "E_INTEGRITY", answer(200, nil, `{"tag_name":"v1.0.0","Tag_Name":"v`+newerVersion+`","assets":[]}`)),
		apiFault("deep nesting", "E_INTEGRITY", answer(200, nil, strings.Repeat("[", 200_000))),
		apiFault("endless", "E_INTEGRITY", answer(200, nil, strings.Repeat(" ", 5<<20))),
		description("no tag", "E_INTEGRITY", "discover", func(_ *releases, document map[string]any) { delete(document, "tag_name") }),
		description("strange tag", "E_INTEGRITY", "discover", func(_ *releases, document map[string]any) { document["tag_name"] = "v1.2; rm" }),
		description("a file twice", "E_INTEGRITY", "discover", func(_ *releases, document map[string]any) {
			assets, _ := document["assets"].([]any)
			document["assets"] = append(assets, assets[0])
		}),
		description("plain http", "E_INTEGRITY", "discover", func(_ *releases, document map[string]any) {
			document["assets"] = []any{map[string]any{"name": archive, "size": 1, "browser_download_url": "http://example.com/x"}}
		}),
		{"another version", "discover", "E_INTEGRITY", "90.0.1", func(r *releases) {
			r.on("api", answer(200, nil, string(encode(r.t, r.description()))))
		}},
		without("other platforms only", "E_NOT_FOUND", "discover", archive),
		without("no checksums", "E_INTEGRITY", "verify_checksum", "checksums.txt"),
		without("not signed", "E_INTEGRITY", "verify_signature", "checksums.txt.sigstore.json"),
	}
}

// downloadFaults are those of the way to this machine.
func downloadFaults() []faulty {
	return []faulty{
		file("archive missing", "E_NOT_FOUND", archive, answer(404, nil, "")),
		file("archive rate limit", "E_RATE_LIMITED", archive, answer(429, nil, "")),
		file("archive server trouble", "E_SERVER", archive, answer(502, nil, "")),
		file("bundle server trouble", "E_SERVER", "checksums.txt.sigstore.json", answer(500, nil, "")),
		file("bundle hangs", "E_TIMEOUT", "checksums.txt.sigstore.json", hang),
		file("cut body", "E_NETWORK", archive, raw("HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\nabc")),
		file("cut chunk", "E_NETWORK", archive, raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n")),
		file("short without a length", "E_NETWORK", archive, raw("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc")),
		file("stall", "E_TIMEOUT", archive, func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte("abc"))
			_ = http.NewResponseController(w).Flush()
			hang(w, r)
		}),
		file("drops", "E_TIMEOUT", archive, func(w http.ResponseWriter, r *http.Request) {
			for range 200 {
				_, _ = w.Write([]byte("a"))
				_ = http.NewResponseController(w).Flush()
				pause(r, 100*time.Millisecond)
			}
		}),
		file("web page", "E_NETWORK", archive, answer(200, map[string]string{"Content-Type": "text/html"}, "<html>")),
		file("endless", "E_INTEGRITY", archive, func(w http.ResponseWriter, _ *http.Request) {
			for range 100 {
				if _, err := w.Write(make([]byte, 64*1024)); err != nil {
					return
				}
			}
		}),
		file("partial content", "E_NETWORK", archive, answer(206, nil, "abc")),
		file("redirect to plain http", "E_INTEGRITY", archive, answer(302, map[string]string{"Location": "http://example.com/"}, "")),
		{"bundle listed and missing", "verify_signature", "E_INTEGRITY", "", func(r *releases) {
			r.on("checksums.txt.sigstore.json", answer(404, nil, ""))
		}},
	}
}

// signatureFaults are those of the signature.
func signatureFaults() []faulty {
	var faults []faulty
	for _, name := range []string{
		"expired certificate", "foreign authority", "not for code", "two names", "no certificate log",
		"promise for another certificate", "foreign certificate log", "bad signature", "no log entry", "two log entries",
		"old media type", "no media type", "old format of cosign", "two contents", "no JSON", "entry of another file",
		"foreign log", "entry from the future", "bad inclusion proof", "bad checkpoint", "bad promise", "no inclusion proof",
	} {
		faults = append(faults, signed(name, func(how *sigstore.Signing) { how.Fault = name }))
	}
	tag := sigstore.Release(newerVersion).Identity
	for name, identity := range map[string]string{
		"other repository": strings.Replace(tag, about.Repository, "somebody/else", 1),
		"other workflow":   strings.Replace(tag, "release.yml", "ci.yml", 1),
		"branch":           strings.Replace(tag, "refs/tags/v"+newerVersion, "refs/heads/main", 1),
		"older tag":        strings.Replace(tag, newerVersion, "90.0.9", 1),
		"longer tag":       tag + "-rc.1",
		"prefix":           "https://example.com/" + tag,
		"case":             strings.Replace(tag, "github.com", "GitHub.com", 1),
	} {
		faults = append(faults, signed(name, func(how *sigstore.Signing) { how.Identity = identity }))
	}
	faults = append(faults, signed("other issuer", func(how *sigstore.Signing) { how.Issuer = "https://accounts.example.com" }))
	return append(faults,
		faulty{"changed after signing", "verify_signature", "E_INTEGRITY", "", func(r *releases) {
			r.files["checksums.txt"] = append(r.files["checksums.txt"], "\n"...)
		}},
		faulty{"foreign Sigstore", "verify_signature", "E_INTEGRITY", "", func(r *releases) {
			r.files["checksums.txt.sigstore.json"] = sigstore.New().Sign(r.files["checksums.txt"], r.how)
		}},
		faulty{"member twice", "verify_signature", "E_INTEGRITY", "", func(r *releases) {
			text := string(r.files["checksums.txt.sigstore.json"])
			r.files["checksums.txt.sigstore.json"] = []byte(strings.Replace(text, "{", `{"mediaType":"x",`, 1))
		}},
	)
}

func signed(name string, change func(*sigstore.Signing)) faulty {
	return faulty{name, "verify_signature", "E_INTEGRITY", "", func(r *releases) {
		change(&r.how)
		r.publish()
	}}
}

// checksumFaults are those of the list of checksums, which is well signed.
func checksumFaults() []faulty {
	var faults []faulty
	for name, change := range map[string]func(line string) string{
		"other file":   func(line string) string { return strings.Repeat("0", 64) + line[64:] },
		"not listed":   func(line string) string { return strings.Replace(line, archive, archive+".bak", 1) },
		"listed twice": func(line string) string { return line + "\n" + strings.Repeat("0", 64) + line[64:] },
		"short":        func(line string) string { return line[2:] },
		"not hex":      func(line string) string { return "zz" + line[2:] },
	} {
		faults = append(faults, faulty{name, "verify_checksum", "E_INTEGRITY", "", func(r *releases) {
			var lines []string
			for line := range strings.SplitSeq(strings.TrimSpace(r.checksums()), "\n") {
				if strings.HasSuffix(line, archive) {
					line = change(line)
				}
				lines = append(lines, line)
			}
			r.checksum(strings.Join(lines, "\n") + "\n")
		}})
	}
	return faults
}

// archiveFaults are those of an archive that is well signed.
func archiveFaults() []faulty {
	replaced := func(name, code string, change func(*releases)) faulty {
		return faulty{name, "replace", code, "", func(r *releases) {
			change(r)
			r.publish()
		}}
	}
	added := func(name string, extra entry) faulty {
		return replaced(name, "E_INTEGRITY", func(r *releases) { r.entries = append(r.entries, extra) })
	}
	rewritten := func(name string, change func([]byte) []byte) faulty {
		return faulty{name, "replace", "E_INTEGRITY", "", func(r *releases) {
			r.files[archive] = change(r.files[archive])
			r.checksum(r.checksums())
		}}
	}
	script := func(text string) func(*releases) {
		return func(r *releases) { r.entries[0].content = []byte("#!/bin/sh\n" + text + "\n") }
	}
	return []faulty{
		replaced("no program", "E_INTEGRITY", func(r *releases) { r.entries = r.entries[1:] }),
		replaced("program below a directory", "E_INTEGRITY", func(r *releases) { r.entries[0].name = "bin/" + about.Tool }),
		replaced("program is a link", "E_INTEGRITY", func(r *releases) {
			r.entries[0] = entry{name: about.Tool, kind: tar.TypeSymlink, link: "/bin/sh"}
		}),
		replaced("program is a directory", "E_INTEGRITY", func(r *releases) {
			r.entries[0] = entry{name: about.Tool + "/", kind: tar.TypeDir}
		}),
		added("program twice", entry{name: about.Tool, content: []byte("x")}),
		added("traversal", entry{name: "../outside", content: []byte("x")}),
		added("traversal inside", entry{name: "skills/../../outside", content: []byte("x")}),
		added("absolute", entry{name: "/outside", content: []byte("x")}),
		added("backslash", entry{name: "a\\b", content: []byte("x")}),
		added("drive", entry{name: "c:x", content: []byte("x")}),
		added("symbolic link", entry{name: "link", kind: tar.TypeSymlink, link: "/etc"}),
		added("hard link", entry{name: "link", kind: tar.TypeLink, link: about.Tool}),
		added("device", entry{name: "device", kind: tar.TypeChar}),
		replaced("too many entries", "E_INTEGRITY", func(r *releases) {
			for number := range 1100 {
				r.entries = append(r.entries, entry{name: fmt.Sprint("file-", number)})
			}
		}),
		rewritten("cut", func(content []byte) []byte { return content[:len(content)-20] }),
		rewritten("no archive", func([]byte) []byte { return []byte("plain text") }),
		rewritten("trailing bytes", func(content []byte) []byte { return append(content, "more"...) }),
		rewritten("second member", func(content []byte) []byte {
			return append(content, pack(&testing.T{}, []entry{{name: "x", content: []byte("x")}})...)
		}),
		replaced("bomb", "E_INTEGRITY", func(r *releases) {
			r.entries = append(r.entries, entry{name: "zeros", content: make([]byte, 513<<20)})
		}),
		replaced("does not start", "E_CONFIG", func(r *releases) { r.entries[0].content = []byte("\x7fELF of another machine") }),
		replaced("does not end well", "E_CONFIG", script("exit 3")),
		replaced("hangs", "E_CONFIG", script("exec sleep 60")),
		replaced("other version", "E_INTEGRITY", script("echo "+about.Tool+" 90.0.9")),
		replaced("other tool", "E_INTEGRITY", script("echo other "+newerVersion)),
	}
}

func TestAReleaseWithAFaultIsNotInstalled(t *testing.T) {
	t.Parallel()
	for group, faults := range map[string][]faulty{
		"discover": discoverFaults(), "download": downloadFaults(), "signature": signatureFaults(), "checksum": checksumFaults(),
		"archive": archiveFaults(),
	} {
		for _, found := range faults {
			t.Run(group+" "+found.name, func(t *testing.T) {
				t.Parallel()
				found.expect(t)
			})
		}
	}
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
