package skill

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"aos.invalid/tool/internal/runtime/config"
)

// A copy that an installer wrote, but that does not match the signed files, is replaced by the verified files or by the
// earlier copy. A journal records the earlier copies, so that the next sync can repair one that was killed.

const (
	journalName    = "skill-sync.json"
	quarantineName = "skill-quarantine"
	maxJournal     = 1024 * 1024
)

// The files that agents now read instead of a foreign copy.
const (
	Verified = "verified"
	Previous = "previous"
	Absent   = "absent"
	Foreign  = "foreign"
)

// Repair is a copy that was not the signed one, and what is there now.
type Repair struct {
	Path       string `json:"path"`
	Live       string `json:"live"`
	Quarantine string `json:"quarantine,omitempty"`
}

// entry is what a copy was before the installer ran.
type entry struct {
	Fingerprint string `json:"fingerprint"`
	Kept        string `json:"kept"`
}

type journal map[string]entry

func (r Request) journalPath() string {
	return filepath.Join(r.State, journalName)
}

// loadJournal returns what a killed sync left. One that cannot be read knows no copy, so that none is trusted.
func (r Request) loadJournal() (journal, bool) {
	if _, err := os.Lstat(r.journalPath()); err != nil {
		return nil, false
	}
	found := journal{}
	content, err := config.ReadBounded(r.journalPath(), maxJournal)
	if err == nil && json.Unmarshal(content, &found) != nil {
		found = journal{}
	}
	return found, true
}

func (r Request) saveJournal(before journal) error {
	content, err := json.Marshal(before)
	if err != nil {
		return err
	}
	return config.WritePrivate(r.journalPath(), content)
}

// journalOf is what the copies are now; kept names the directories where copies of the user are kept.
func journalOf(copies []Copy, kept map[string]string) journal {
	before := journal{}
	for _, copy := range copies {
		before[copy.Path] = entry{fingerprint(copy.place), kept[copy.Path]}
	}
	return before
}

// isForeign reports whether an installer changed this copy since the journal, to files that are not the verified ones.
func (r Request) isForeign(copy Copy, before journal) bool {
	old, known := before[copy.Path]
	if known && old.Fingerprint == fingerprint(copy.place) {
		return false
	}
	// A link may lead to the right files today and to others tomorrow.
	return copy.place.isLink || !isExact(copy.place.real, r.Expected)
}

// isLeftAlone reports whether the user made or changed this copy, in a directory where no installer writes.
func (c Copy) isLeftAlone() bool {
	managed := c.place.isCanonical || len(c.place.writers(older)) > 0 || len(c.place.writers(newer)) > 0
	return !managed && (c.State == Modified || c.State == Unreadable)
}

// repair puts the verified files wherever a copy is wrong or gone. Of a writer that was stopped, a part of the files is
// no sign of anything.
func (r *Report) repair(request Request, places places, before journal, stopped bool) {
	for path := range before {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) && filepath.IsAbs(path) && request.Files != nil {
			// The notes say why it failed.
			_, _ = r.put(request, place{path: path, real: path}, request.Files, false)
		}
	}
	var tried []string
	// A link that is replaced may uncover another one, so each round looks again.
	for {
		r.Copies = places.examine(request.Expected, request.Known)
		index := slices.IndexFunc(r.Copies, func(copy Copy) bool {
			wrong := copy.State != Current && copy.State != Developer && !copy.isLeftAlone() && request.Files != nil
			return !slices.Contains(tried, copy.Path) && (wrong || request.isForeign(copy, before))
		})
		if index < 0 {
			return
		}
		copy := r.Copies[index]
		tried = append(tried, copy.Path)
		foreign := request.isForeign(copy, before)
		if !foreign || stopped && !copy.place.isLink && request.hasBegun(copy.place.real) {
			_, _ = r.put(request, copy.place, request.Files, false)
			continue
		}
		files, live := request.Files, Verified
		if kept := before[copy.Path].Kept; kept != "" && filepath.Dir(kept) == filepath.Join(request.State, backupsName) {
			if own, err := read(kept); err == nil {
				files, live = own, Previous
			}
		}
		quarantine, err := r.put(request, copy.place, files, true)
		switch {
		case quarantine == "":
			live = Foreign
		case err != nil:
			live = Absent
		}
		r.Repairs = append(r.Repairs, Repair{Path: copy.Path, Live: live, Quarantine: quarantine})
	}
}

// live is what agents read now: the worst of all repairs.
func (r Report) live() string {
	for _, live := range []string{Foreign, Absent, Previous, Verified} {
		if slices.ContainsFunc(r.Repairs, func(repair Repair) bool { return repair.Live == live }) {
			return live
		}
	}
	return Previous
}

// put replaces what is at a place; a link is replaced itself, never what it leads to. A foreign copy goes to the
// quarantine, where no agent looks.
func (r *Report) put(request Request, place place, files map[string][]byte, foreign bool) (quarantine string, err error) {
	defer func() {
		if err != nil {
			r.Notes = append(r.Notes, err.Error())
		} else if !foreign {
			r.direct = true
		}
	}()
	target := place.real
	if place.isLink {
		target = place.path
	}
	staged, failed := stage(request.State, files)
	if failed != nil && !foreign {
		return "", failed
	}
	away, err := aside(target, request)
	if err != nil {
		_ = os.RemoveAll(staged)
		return "", err
	}
	if failed == nil {
		failed = moveIn(staged, target, files)
	}
	switch {
	case foreign:
		return away, failed
	case failed != nil && away != "":
		_ = os.Rename(away, target)
	case away != "":
		// Files that the user changed were backed up before.
		_ = os.RemoveAll(away)
	}
	return "", failed
}

func unique() string {
	random := make([]byte, 8)
	_, _ = rand.Read(random)
	return hex.EncodeToString(random)
}

func stage(directory string, files map[string][]byte) (string, error) {
	if files == nil {
		return "", errors.New("the verified files are not known to this program")
	}
	if err := config.MakePrivate(directory); err != nil {
		return "", err
	}
	staged := filepath.Join(directory, unfinished+unique())
	for name, content := range files {
		if err := writeFile(filepath.Join(staged, filepath.FromSlash(name)), content); err != nil {
			_ = os.RemoveAll(staged)
			return "", err
		}
	}
	return staged, nil
}

func writeFile(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	mode := os.FileMode(0o644)
	if isScript(content) {
		mode = 0o755
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Sync(), file.Close())
}

// aside moves what is at a path out of the sight of agents.
func aside(target string, request Request) (string, error) {
	if _, err := os.Lstat(target); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	name := request.Name + "-" + unique()
	directory := filepath.Join(request.State, quarantineName)
	away := filepath.Join(directory, name)
	if config.MakePrivate(directory) == nil && os.Rename(target, away) == nil {
		return away, nil
	}
	// The state may be on another file system: then beside the directory that agents read.
	away = filepath.Join(filepath.Dir(filepath.Dir(target)), "."+quarantineName+"-"+name)
	return away, os.Rename(target, away)
}

func moveIn(staged, target string, files map[string][]byte) error {
	err := os.MkdirAll(filepath.Dir(target), 0o700)
	if err == nil {
		err = os.Rename(staged, target)
	}
	if err == nil {
		return nil
	}
	_ = os.RemoveAll(staged)
	staged, err = stage(filepath.Dir(filepath.Dir(target)), files)
	if err == nil {
		if err = os.Rename(staged, target); err != nil {
			_ = os.RemoveAll(staged)
		}
	}
	return err
}

// clearStages removes what killed syncs were writing.
func (r Request) clearStages() {
	entries, _ := os.ReadDir(r.State)
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), unfinished) {
			_ = os.RemoveAll(filepath.Join(r.State, entry.Name()))
		}
	}
}

// tree is everything at a path, never through links: the content of files, and what is neither file nor directory.
type tree struct {
	files   map[string][]byte
	list    []string
	strange bool
	// isExecutable: a file may be executed and is no script.
	isExecutable bool
}

func treeOf(directory string) tree {
	found := tree{files: map[string][]byte{}}
	var size int64
	_ = filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel(directory, path)
		if err != nil || len(found.list) > maxFiles {
			found.strange = true
			found.list = append(found.list, "unreadable "+name)
			if len(found.list) > maxFiles {
				return fs.SkipAll
			}
			return nil
		}
		information, err := entry.Info()
		switch {
		case err == nil && entry.IsDir():
			found.list = append(found.list, "directory "+name)
		case err == nil && information.Mode().IsRegular() && size+information.Size() <= maxBytes:
			size += information.Size()
			content, err := os.ReadFile(path)
			if err != nil {
				found.strange = true
			}
			executable := information.Mode()&0o111 != 0 && !isScript(content)
			found.isExecutable = found.isExecutable || executable
			found.files[filepath.ToSlash(name)] = content
			found.list = append(found.list, fmt.Sprintf("file %s %s %t", name, digest(content), executable))
		default:
			link, _ := os.Readlink(path)
			found.strange = true
			found.list = append(found.list, "other "+name+" "+link)
		}
		return nil
	})
	return found
}

func isScript(content []byte) bool {
	return bytes.HasPrefix(content, []byte("#!"))
}

// fingerprint is another one after any change of a place.
func fingerprint(place place) string {
	return digest([]byte(place.real + "\n" + strings.Join(treeOf(place.real).list, "\n")))
}

// isExact reports whether a directory holds the expected files, nothing else, and no link.
func isExact(directory, expected string) bool {
	found := treeOf(directory)
	all := Manifest{}
	for name, content := range found.files {
		all[name] = digest(content)
	}
	return expected != "" && !found.strange && !found.isExecutable && all.Digest() == expected
}

// hasBegun reports whether a directory is what an installer leaves that was stopped: some of the files, some of them cut.
func (r Request) hasBegun(directory string) bool {
	found := treeOf(directory)
	if found.strange || found.isExecutable || r.Files == nil {
		return false
	}
	for name, content := range found.files {
		if whole, known := r.Files[name]; !known || !bytes.HasPrefix(whole, content) {
			return false
		}
	}
	return true
}
