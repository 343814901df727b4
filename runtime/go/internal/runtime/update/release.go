package update

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strings"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/changelog"
	"aos.invalid/tool/internal/runtime/config"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/strictjson"
)

const (
	maxRelease   = 4 * 1024 * 1024
	maxArchive   = 200 * 1024 * 1024
	maxAssets    = 1000
	changelogRef = "CHANGELOG.md"
)

// release is what the host says about a release. Only the version is believed, and only until the signature is there.
type release struct {
	version string
	page    string
	assets  map[string]asset
}

type asset struct {
	address *url.URL
	// size is 0 when the host does not say it.
	size int64
}

// find asks for the newest release, or for that of a version.
func (h *host) find(ctx context.Context, version string) (*release, error) {
	path, what := []string{"latest"}, "a published release of "+about.Repository
	if version != "" {
		path, what = []string{"tags", "v" + version}, "the release v"+version+" of "+about.Repository
	}
	owner, name, _ := strings.Cut(about.Repository, "/")
	address := h.api.JoinPath(append([]string{"repos", owner, name, "releases"}, path...)...)
	response, err := h.get(ctx, address, "application/vnd.github+json", what)
	if err != nil {
		return nil, err
	}
	if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind == "text/html" {
		_ = response.Body.Close()
		return nil, fault.New(fault.Network, "`%s` returned a web page, so the network may require a login", address.Host).
			With("cause", "captive_portal")
	}
	text, err := h.read(ctx, response, maxRelease, "the list of files of the release")
	if err != nil {
		return nil, err
	}
	found, err := h.parseRelease(text)
	if err != nil {
		return nil, integrity("the description of the release is malformed: %v", err)
	}
	if version != "" && found.version != version {
		return nil, integrity("the release v%s was requested, but v%s was returned", version, found.version)
	}
	return found, nil
}

func (h *host) parseRelease(text []byte) (*release, error) {
	var document struct {
		Tag    string `json:"tag_name"`
		Page   string `json:"html_url"`
		Assets []struct {
			Name    string `json:"name"`
			Size    int64  `json:"size"`
			Address string `json:"browser_download_url"`
		} `json:"assets"`
	}
	if err := strictjson.Check(text, strictjson.Folded); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, errors.New("it is not the expected JSON")
	}
	version, found := strings.CutPrefix(document.Tag, "v")
	if !found || !changelog.IsVersion(version) || strings.HasPrefix(version, "v") {
		return nil, errors.New("its tag is not a version")
	}
	if document.Assets == nil {
		return nil, errors.New("it has no list of files")
	}
	if len(document.Assets) > maxAssets {
		return nil, errors.New("it has too many files")
	}
	parsed := &release{version: version, page: page(document.Page), assets: map[string]asset{}}
	for _, listed := range document.Assets {
		if _, twice := parsed.assets[listed.Name]; twice {
			return nil, errors.New("it lists a file twice")
		}
		address, err := url.Parse(listed.Address)
		if err != nil || !h.allows(address) || listed.Size < 0 {
			return nil, errors.New("it lists a file that cannot be downloaded safely")
		}
		parsed.assets[listed.Name] = asset{address: address, size: listed.Size}
	}
	return parsed, nil
}

// page keeps the address of the page of a release when it is one of this repository.
func page(text string) string {
	prefix := "https://github.com/" + about.Repository + "/releases/"
	if rest, found := strings.CutPrefix(text, prefix); found && len(rest) < 200 && !strings.ContainsAny(rest, " \"'<>\\") {
		return text
	}
	return ""
}

// archiveName is that of the archive for this platform. It names the version, so that the signed list of checksums is
// that of one release.
func archiveName(version string) string {
	return fmt.Sprintf("%s-%s-%s-%s.tar.gz", about.Tool, version, runtime.GOOS, runtime.GOARCH)
}

// complete checks that a release has what an update needs, before anything is downloaded.
func (r *release) complete() error {
	archive := archiveName(r.version)
	switch {
	case !r.has(checksumsName):
		return at(stageVerifyChecksum, integrity("the release v%s has no %s", r.version, checksumsName))
	case !r.has(bundleName):
		return at(stageVerifySignature, integrity("the release v%s is not signed: it has no %s", r.version, bundleName))
	case !r.has(archive):
		var names []string
		for name := range r.assets {
			names = append(names, name)
		}
		slices.Sort(names)
		return at(stageDiscover, fault.New(fault.NotFound, "the release v%s has no `%s`, so it is not built for this platform", r.version, archive).
			WithFix("Install a version that is built for %s on %s, or build it from source", runtime.GOOS, runtime.GOARCH).
			With("wanted", archive).With("available", names))
	}
	return nil
}

func (r *release) has(name string) bool {
	_, found := r.assets[name]
	return found
}

// text downloads a small file of a release.
func (h *host) text(ctx context.Context, release *release, name string, limit int64) ([]byte, error) {
	listed := release.assets[name]
	response, err := h.get(ctx, listed.address, "application/octet-stream", "`"+name+"`")
	if err != nil {
		return nil, err
	}
	text, err := h.read(ctx, response, sizeLimit(listed.size, limit), "`"+name+"`")
	if err != nil {
		return nil, err
	}
	return text, short(name, int64(len(text)), listed.size, response.Header.Get("Content-Type"))
}

// download puts a file of a release into a local file.
func (h *host) download(ctx context.Context, release *release, name, path string) error {
	listed := release.assets[name]
	response, err := h.get(ctx, listed.address, "application/octet-stream", "`"+name+"`")
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		_ = response.Body.Close()
		return localFault(path, err)
	}
	received, err := h.copy(ctx, file, response, sizeLimit(listed.size, maxArchive), "`"+name+"`")
	if closeError := file.Close(); err == nil && closeError != nil {
		err = &localError{closeError}
	}
	var local *localError
	if errors.As(err, &local) {
		return localFault(path, local.cause)
	}
	if err != nil {
		return err
	}
	return short(name, received, listed.size, response.Header.Get("Content-Type"))
}

// sizeLimit is what the host said, or the limit when it said nothing or too much.
func sizeLimit(size, limit int64) int64 {
	if size > 0 && size < limit {
		return size
	}
	return limit
}

// short is a file that ended early, or something else in its place.
func short(name string, received, size int64, kind string) error {
	if size == 0 || received == size {
		return nil
	}
	failed := fault.New(fault.Network, "`%s` ended after %d of %d bytes", name, received, size)
	if strings.HasPrefix(kind, "text/html") {
		failed.With("cause", "captive_portal")
	}
	return failed
}

// localFault is trouble with a file of this machine, never a verdict on the release.
func localFault(path string, err error) error {
	return config.WriteFault(path, err)
}
