package credentials

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"time"

	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/config"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/lock"
)

const (
	dataFile    = "credentials.enc"
	keyFile     = "credentials.key"
	keySize     = 32
	maxDataSize = 1024 * 1024
	lockLimit   = 5 * time.Second
	fileVersion = "credentials v1"
)

// fromFile reads the credential of this upstream from the encrypted file.
func (s *Store) fromFile() (Credential, bool, error) {
	all, err := s.readAll()
	if err != nil {
		return Credential{}, false, err
	}
	credential, found := all[s.name]
	return credential, found, nil
}

func (s *Store) toFile(credential Credential) error {
	return s.change(func(all map[string]Credential) bool {
		all[s.name] = credential
		return true
	})
}

func (s *Store) removeFromFile() error {
	if _, err := os.Lstat(s.config.Path(dataFile)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return s.change(func(all map[string]Credential) bool {
		_, found := all[s.name]
		delete(all, s.name)
		return found
	})
}

// change rewrites the file while no other process does.
func (s *Store) change(edit func(map[string]Credential) bool) error {
	if err := s.config.MakeHome(); err != nil {
		return err
	}
	held, err := lock.Wait(s.config.Path(dataFile+".lock"), lockLimit)
	if errors.Is(err, lock.ErrHeld) {
		return fault.New(fault.Conflict, "another process is changing the credentials").
			WithFix("Run the command again when it is done")
	}
	if err != nil {
		return config.WriteFault(s.config.Path(dataFile), err)
	}
	defer held.Free()
	all, err := s.readAll()
	if err != nil {
		return err
	}
	if !edit(all) {
		return nil
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	sealer, err := s.cipher(true)
	if err != nil {
		return err
	}
	nonce := make([]byte, sealer.NonceSize())
	_, _ = rand.Read(nonce)
	return config.WritePrivate(s.config.Path(dataFile), sealer.Seal(nonce, nonce, text, bound()))
}

func (s *Store) readAll() (map[string]Credential, error) {
	all := map[string]Credential{}
	sealed, err := config.ReadBounded(s.config.Path(dataFile), maxDataSize)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, s.unreadable(err)
	}
	opener, err := s.cipher(false)
	if err != nil {
		return nil, err
	}
	if len(sealed) < opener.NonceSize() {
		return nil, s.unreadable(errors.New("it is truncated"))
	}
	nonce, sealed := sealed[:opener.NonceSize()], sealed[opener.NonceSize():]
	text, err := opener.Open(nil, nonce, sealed, bound())
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		// The cause could quote what was decrypted.
		return nil, s.unreadable(errors.New("it is damaged, or was written with another key"))
	}
	return all, nil
}

func (s *Store) cipher(create bool) (cipher.AEAD, error) {
	key, err := s.key(create)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// key reads the key of this machine. It is beside the file, so the encryption protects a copy of the file alone, for
// example in a backup. It does not protect against a program that runs as the same user.
func (s *Store) key(create bool) ([]byte, error) {
	path := s.config.Path(keyFile)
	information, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) && create {
		key := make([]byte, keySize)
		_, _ = rand.Read(key)
		return key, config.WritePrivate(path, key)
	}
	if err != nil {
		return nil, s.unreadable(errors.New("its key is missing"))
	}
	if !information.Mode().IsRegular() || runtime.GOOS != "windows" && information.Mode().Perm()&0o077 != 0 {
		return nil, fault.New(fault.Config, "`%s` cannot be trusted: others can read it", path).
			WithFix("Run `chmod 600` on it if you know that nobody has read it; otherwise log in again")
	}
	key, err := config.ReadBounded(path, 1024)
	if err != nil || len(key) != keySize {
		return nil, s.unreadable(errors.New("its key cannot be used"))
	}
	return key, nil
}

func (s *Store) unreadable(cause error) error {
	path := s.config.Path(dataFile)
	return fault.New(fault.Config, "`%s` cannot be read: %v", path, cause).
		WithFix("Remove `%s` and `%s`, then run `auth login`", path, s.config.Path(keyFile)).Because(cause)
}

// bound ties the content to this tool and this layout.
func bound() []byte {
	return []byte(about.Tool + " " + fileVersion)
}
