//go:build !windows

package process

import (
	"os/exec"
	"syscall"
)

// tree is a program and everything it starts.
type tree struct {
	group int
}

// start begins a session of its own: no terminal to ask on, and one group to end.
func start(child *exec.Cmd) (*tree, error) {
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := child.Start(); err != nil {
		return nil, err
	}
	return &tree{group: child.Process.Pid}, nil
}

func (t *tree) ask() {
	_ = syscall.Kill(-t.group, syscall.SIGTERM)
}

func (t *tree) end() {
	_ = syscall.Kill(-t.group, syscall.SIGKILL)
}
