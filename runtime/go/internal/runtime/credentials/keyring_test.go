package credentials

import (
	"errors"
	"os"
	"testing"

	"github.com/zalando/go-keyring"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/config"
	"aos.invalid/tool/internal/runtime/redact"
	"aos.invalid/tool/internal/runtime/self"
)

func store(t *testing.T) *Store {
	t.Helper()
	t.Setenv(self.Env(config.EnvHome), t.TempDir())
	t.Setenv(self.Env(config.EnvToken), "")
	loaded, err := config.Load("")
	if err != nil {
		t.Fatal(err)
	}
	return Open(loaded, &redact.Redactor{}, nil, nil)
}

func TestTheKeyringComesFirst(t *testing.T) {
	keyring.MockInit()
	store := store(t)
	storage, err := store.Save(Credential{Token: "first-token"})
	if err != nil || storage != Keyring {
		t.Fatalf("%v %v", storage, err)
	}
	t.Setenv(self.Env(config.EnvToken), "other-token")
	found, storage, err := store.Find()
	if err != nil || storage != Keyring || found.Token != "first-token" {
		t.Errorf("%v %v", storage, err)
	}
	if _, err := os.Stat(store.config.Path(dataFile)); err == nil {
		t.Error("there is a file as well")
	}
	if err := store.Remove(); err != nil {
		t.Fatal(err)
	}
	if found, storage, err := store.Find(); err != nil || storage != Environment || found.Token != "other-token" {
		t.Errorf("%v %v", storage, err)
	}
}

func TestAKeyringThatIsNotThereLeavesTheFile(t *testing.T) {
	keyring.MockInitWithError(errors.New("no keyring"))
	store := store(t)
	storage, err := store.Save(Credential{Token: "first-token"})
	if err != nil || storage != EncryptedFile {
		t.Fatalf("%v %v", storage, err)
	}
	if found, storage, err := store.Find(); err != nil || storage != EncryptedFile || found.Token != "first-token" {
		t.Errorf("%v %v", storage, err)
	}
	if err := store.Remove(); err != nil {
		t.Fatal(err)
	}
	if _, storage, err := store.Find(); err != nil || storage != None {
		t.Errorf("%v %v", storage, err)
	}
}

func TestAKeyringEntryThatIsNotOursIsNamed(t *testing.T) {
	keyring.MockInit()
	store := store(t)
	if err := keyring.Set(about.Tool, store.name, "no JSON"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := store.Find(); err == nil {
		t.Error("it was accepted")
	}
}
