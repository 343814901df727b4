package test

import (
	"errors"
	"net/http"
	"os/exec"

	"aos.invalid/tool/internal/runtime/mockkit"
)

func touchBeforePatch(tool *tool) mockkit.Hook {
	return func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPatch {
			tool.API.Touch(2, "in between")
		}
		return false
	}
}

func failPosts(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodPost {
		return false
	}
	w.WriteHeader(http.StatusBadGateway)
	return true
}

func errorsOf(errs ...error) error {
	return errors.Join(errs...)
}

func newProgram(path string) *exec.Cmd {
	return exec.Command(path, "--version")
}
