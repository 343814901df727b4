package credentials

import (
	"errors"
	"slices"
	"testing"

	"github.com/zalando/go-keyring"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/config"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/redact"
	"aos.invalid/tool/internal/runtime/self"
)

const both = "APP_ID=77\nSECRET=first=secret-key"

func storeOfKeys(t *testing.T, keys ...string) *Store {
	t.Helper()
	keyring.MockInitWithError(errors.New("no keyring"))
	return Open(store(t).config, &redact.Redactor{}, nil, keys)
}

func set(t *testing.T, pairs ...string) {
	t.Helper()
	for index := 0; index < len(pairs); index += 2 {
		t.Setenv(self.Env(pairs[index]), pairs[index+1])
	}
}

func TestSeveralKeysAreOneCredential(t *testing.T) {
	store := storeOfKeys(t, "APP_ID", "SECRET")
	set(t, "APP_ID", " 77 ", "SECRET", "first=secret-key")
	found, storage, err := store.Find()
	if err != nil || storage != Environment || found.Token != both {
		t.Fatalf("%q %v %v", found.Token, storage, err)
	}
	if shown := store.redactor.Text("of 77: first=secret-key"); shown != "of 77: "+redact.Mask {
		t.Error(shown)
	}
	if storage, err := store.Save(found); err != nil || storage != EncryptedFile {
		t.Fatalf("%v %v", storage, err)
	}
	set(t, "APP_ID", "", "SECRET", "")
	if found, storage, err := store.Find(); err != nil || storage != EncryptedFile || found.Token != both {
		t.Errorf("%q %v %v", found.Token, storage, err)
	}
	// The API takes other keys now.
	for _, keys := range [][]string{nil, {"APP_ID", "OTHER"}, {"APP_ID"}} {
		_, _, err := Open(store.config, store.redactor, nil, keys).Find()
		if fault.From(err).Code != fault.Config {
			t.Errorf("%v: %v", keys, err)
		}
	}
}

func TestAKeyThatIsMissingIsNamed(t *testing.T) {
	store := storeOfKeys(t, "APP_ID", "SECRET")
	if _, storage, err := store.Find(); err != nil || storage != None {
		t.Errorf("%v %v", storage, err)
	}
	set(t, "APP_ID", "77")
	_, _, err := store.Find()
	failed := fault.From(err)
	if failed.Code != fault.Auth || failed.Message != "the API takes several keys at once, and "+self.Env("SECRET")+" is not set" {
		t.Error(failed.Code, failed.Message)
	}
	set(t, "SECRET", "two words")
	if _, _, err := store.Find(); fault.From(err).Code != fault.Config {
		t.Error(err)
	}
}

func TestAShortKeyIsMaskedAsAWordAndAShorterSecretIsRefused(t *testing.T) {
	store := storeOfKeys(t, "APP_ID", "SECRET")
	set(t, "APP_ID", "77", "SECRET", "open")
	if _, _, err := store.Find(); err != nil {
		t.Fatal(err)
	}
	shown := store.redactor.Text(`{"a":"open","b":"reopened"}?key=open`)
	if shown != `{"a":"`+redact.Mask+`","b":"reopened"}?key=`+redact.Mask {
		t.Error(shown)
	}
	set(t, "SECRET", "abc")
	_, _, err := store.Find()
	failed := fault.From(err)
	if failed.Code != fault.Config || failed.Message != self.Env("SECRET")+" is not between 4 and 4096 characters long" {
		t.Error(failed.Code, failed.Message)
	}
}

func TestAFileHasALineForEachKey(t *testing.T) {
	store := storeOfKeys(t, "APP_ID", "SECRET")
	for _, text := range []string{both, "\nSECRET = first=secret-key\r\n" + about.EnvPrefix + "_APP_ID=77\n"} {
		if found, err := store.Parse(text); err != nil || found.Token != both {
			t.Errorf("%q %v", found.Token, err)
		}
	}
	for _, text := range []string{"", "APP_ID=77", "APP_ID=77\nSECRET=", both + "\nOTHER=1", "APP_ID=77\nSECRET=a b"} {
		if _, err := store.Parse(text); fault.From(err).Code != fault.Validation {
			t.Errorf("%q: %v", text, err)
		}
	}
	// An API with one key takes no lines.
	single := storeOfKeys(t)
	if _, err := single.Parse(both); fault.From(err).Code != fault.Validation {
		t.Error(err)
	}
	set(t, config.EnvToken, both)
	if _, _, err := single.Find(); fault.From(err).Code != fault.Config {
		t.Error(err)
	}
}

func TestKeysAreThoseOfALine(t *testing.T) {
	if names := Variables([]string{"A", "B"}); names != self.Env("A")+" and "+self.Env("B") {
		t.Error(names)
	}
	if keys := Keys("a=b"); len(keys) != 1 || keys[config.EnvToken] != "a=b" {
		t.Error(keys)
	}
	if secrets := (Credential{Token: both}).Secrets(); !slices.Equal(secrets, []string{"77", "first=secret-key"}) {
		t.Error(secrets)
	}
}
