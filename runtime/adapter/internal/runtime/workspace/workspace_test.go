package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aoagents/agent-orchestrator/backend/internal/adapters/agent/hookutil"
)

func at(t *testing.T, root, path string) File {
	t.Helper()
	file, err := At(root, path)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestAPathOutsideOfTheRootIsRefused(t *testing.T) {
	for _, path := range []string{"", ".", "..", "../x", "a/../../x", "/etc/passwd"} {
		if _, err := At(t.TempDir(), path); err == nil {
			t.Errorf("%q was accepted", path)
		}
	}
	if _, err := At(" ", "a"); err == nil {
		t.Error("an empty root was accepted")
	}
}

func TestAFileThatIsTooLargeIsRefused(t *testing.T) {
	root := t.TempDir()
	file := at(t, root, "a")
	write(t, file.Path(), strings.Repeat("x", MaxSize+1))
	if _, err := file.Read(); err == nil || !strings.Contains(err.Error(), "`"+file.Path()+"`") {
		t.Errorf("%v", err)
	}
	write(t, file.Path(), strings.Repeat("x", MaxSize))
	if content, err := file.Read(); err != nil || len(content.Text) != MaxSize {
		t.Errorf("%d bytes, %v", len(content.Text), err)
	}
}

func TestWhatIsNoRegularFileIsRefused(t *testing.T) {
	root, elsewhere := t.TempDir(), t.TempDir()
	write(t, filepath.Join(elsewhere, "f"), "text")
	if err := os.Symlink(elsewhere, filepath.Join(root, "link")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if err := os.Symlink(filepath.Join(elsewhere, "f"), filepath.Join(root, "f")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(elsewhere, "none"), filepath.Join(root, "dangling")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(root, "directory"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "plain"), "x")
	for _, path := range []string{"link/f", "f", "dangling", "directory", "plain/f"} {
		file := at(t, root, path)
		if _, err := file.Read(); err == nil {
			t.Errorf("%s was read", path)
		}
		if err := file.Write([]byte("new"), 0o600); err == nil {
			t.Errorf("%s was written", path)
		}
		if err := file.Remove(); err == nil {
			t.Errorf("%s was removed", path)
		}
	}
	if text, err := os.ReadFile(filepath.Join(elsewhere, "f")); err != nil || string(text) != "text" {
		t.Errorf("behind the link: %q, %v", text, err)
	}
}

func TestTheIgnoreFileCoversEveryFileAndGoesWithTheLast(t *testing.T) {
	root := t.TempDir()
	one, two := at(t, root, "d/e/one"), at(t, root, "d/e/two")
	for _, file := range []File{one, two} {
		if err := file.Write([]byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ignore := filepath.Join(root, "d", "e", ".gitignore")
	text, err := os.ReadFile(ignore)
	if want := hookutil.GitignoreSentinel + "\n/.gitignore\n/one\n/two\n"; err != nil || string(text) != want {
		t.Errorf("%q, %v; want %q", text, err, want)
	}
	if err := one.Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(ignore); err != nil {
		t.Errorf("the .gitignore went with the first file: %v", err)
	}
	if err := two.Remove(); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(root); err != nil || len(entries) > 0 {
		t.Errorf("there is %v, %v", entries, err)
	}
}

func TestFilesOfTheUserStayBesideOurs(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "d", ".gitignore"), "*.log\n")
	write(t, filepath.Join(root, "d", "own"), "x")
	file := at(t, root, "d/one")
	if err := file.Write([]byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := file.Remove(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(root, "d", ".gitignore")); err != nil || string(text) != "*.log\n" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(root, "d", "own")); err != nil {
		t.Error(err)
	}
}

func TestAPrivateFileIsForItsOwnerAlone(t *testing.T) {
	root := t.TempDir()
	file := at(t, root, "d/secret")
	if err := file.WritePrivate([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(filepath.Join(root, "d")); err != nil || len(entries) != 1 {
		t.Errorf("there is %v, %v", entries, err)
	}
	if content, err := file.Read(); err != nil || !content.Found || string(content.Text) != "x" {
		t.Errorf("%+v, %v", content, err)
	}
}

func TestAFileThatIsGivenBackIsNoLongerIgnored(t *testing.T) {
	root := t.TempDir()
	mine, other := at(t, root, ".agent/mine"), at(t, root, ".agent/other")
	write(t, mine.Path(), "mine")
	ignore := filepath.Join(root, ".agent", ".gitignore")
	for _, file := range []File{mine, other} {
		if err := file.Write([]byte("changed"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := mine.GiveBack([]byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	names, owned := ignored(ignore)
	if !owned || len(names) != 1 || names[0] != "other" {
		t.Errorf("the .gitignore covers %q", names)
	}
	if err := other.GiveBack([]byte("other"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(ignore); !os.IsNotExist(err) {
		t.Errorf("the .gitignore is still there: %v", err)
	}
	write(t, ignore, "of the user\n")
	if err := mine.GiveBack([]byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(ignore); err != nil || string(text) != "of the user\n" {
		t.Errorf("the .gitignore of the user is %q, %v", text, err)
	}
}
