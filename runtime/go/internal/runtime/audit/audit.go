// Package audit keeps a line for each attempt to write: who tried what, with which arguments, and how it ended.
package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"aos.invalid/tool/internal/runtime/config"
	"aos.invalid/tool/internal/runtime/lock"
	"aos.invalid/tool/internal/runtime/redact"
)

const (
	fileName  = "audit.jsonl"
	maxSize   = 5 * 1024 * 1024
	lockLimit = 2 * time.Second
)

// Entry is one attempt.
type Entry struct {
	Time       time.Time         `json:"time"`
	Command    string            `json:"command"`
	Step       string            `json:"step"`
	Arguments  map[string]string `json:"arguments"`
	Account    string            `json:"account"`
	BaseURL    string            `json:"base_url"`
	Code       string            `json:"code"`
	Exit       int               `json:"exit"`
	DurationMS int64             `json:"duration_ms"`
	Version    string            `json:"version"`
}

// Append writes one line, readable by this user alone. The log is bounded: a full one is set aside, once.
func Append(directory string, redactor *redact.Redactor, entry Entry) error {
	entry.Time = entry.Time.UTC()
	entry.Account = redactor.Text(entry.Account)
	arguments := map[string]string{}
	for name, value := range entry.Arguments {
		arguments[name] = redactor.Member(name, value)
		if name == "confirm" {
			arguments[name] = redact.Mask
		}
	}
	entry.Arguments = arguments
	line, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	if err := config.MakePrivate(directory); err != nil {
		return err
	}
	path := filepath.Join(directory, fileName)
	held, err := lock.Wait(path+".lock", lockLimit)
	if err != nil {
		return err
	}
	defer held.Free()
	if err := config.CheckRegular(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("`%s` cannot be used: %w", path, err)
	}
	if information, err := os.Stat(path); err == nil && information.Size() > maxSize {
		if err := os.Rename(path, path+".1"); err != nil {
			return err
		}
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	// Another program may have created the log with a mode that lets other users read it.
	if err = file.Chmod(0o600); err == nil || runtime.GOOS == "windows" {
		_, err = file.Write(append(line, '\n'))
	}
	if closeError := file.Close(); err == nil {
		err = closeError
	}
	return err
}
