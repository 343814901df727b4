//go:build !windows

package test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"aos.invalid/tool/internal/about"
)

func TestLeftoversAreSweptAndNeverUsed(t *testing.T) {
	t.Parallel()
	tool := install(t, newReleases(t, newerVersion))
	directory := filepath.Dir(tool.path)
	for _, name := range []string{"." + about.Tool + ".0011.new", "." + about.Tool + ".0011.old"} {
		write(t, filepath.Join(directory, name), "left", 0o755)
	}
	tool.Run("update").OK()
	tool.clean("leftovers")
}

func TestTwoUpdatesDoNotMeet(t *testing.T) {
	t.Parallel()
	tool := install(t, newReleases(t, newerVersion))
	tool.releases.on("api", hang)
	ctx, cancel := context.WithCancel(context.Background())
	first := tool.Command(ctx, "update")
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	for len(tool.releases.seen()) == 0 {
		time.Sleep(5 * time.Millisecond)
	}
	details := tool.Run("update").Fails("E_CONFLICT")
	if details["stage"] != "replace" || toText(details["holder_pid"]) != toText(first.Process.Pid) {
		t.Errorf("the details are %v", details)
	}
	cancel()
	_ = first.Wait()
	tool.releases.on("api", nil)
	// The lock went with its process.
	tool.Run("update").OK()
}

func (r *releases) seen() []Request {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return append([]Request(nil), r.requests...)
}

func TestASignalLeavesAnUpdateUndoneOrDone(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		for _, point := range []string{"discover", "download", "verify_signature", "verify_checksum", "replace", "swap", "swapped", "skill_sync"} {
			t.Run(fmt.Sprint(signal, " at ", point), func(t *testing.T) {
				t.Parallel()
				tool := install(t, newReleases(t, newerVersion))
				stopped := filepath.Join(tool.Home, "stopped")
				tool.With("TEST_STOP_AT", point, "TEST_STOPPED", stopped)
				ended := tool.Interrupt(signal, func() bool {
					_, err := os.Stat(stopped)
					return err == nil
				}, "update")
				details := ended.Fails("E_INTERRUPTED")
				ended.Document()
				switch point {
				case "swapped", "skill_sync":
					if details["stage"] != "skill_sync" || details["binary_replaced"] != true || details["current_version"] != newerVersion || details["skill_sync_command"] == nil {
						t.Errorf("the details are %v", details)
					}
					tool.clean(point)
				case "swap":
					// The rename is under way: what is there counts.
					if replaced := read(t, tool.path) != read(t, program); details["binary_replaced"] != replaced {
						t.Errorf("the details are %v", details)
					}
				default:
					if details["stage"] != point || details["binary_replaced"] != false || !strings.Contains(ended.Message(), "nothing was changed") {
						t.Errorf("%s: %v", ended.Message(), details)
					}
					tool.untouched(point)
				}
			})
		}
	}
}

func TestAKillLeavesTheOldOrTheNewProgram(t *testing.T) {
	t.Parallel()
	host := newReleases(t, newerVersion)
	tool := install(t, host)
	for round := range 20 {
		write(t, tool.path+".fresh", read(t, program), 0o755)
		if err := os.Rename(tool.path+".fresh", tool.path); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		command := tool.Command(ctx, "update")
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(round*round) * time.Millisecond / 2)
		cancel()
		_ = command.Wait()
		if found := read(t, tool.path); found != read(t, program) && found != string(host.entries[0].content) {
			t.Fatalf("round %d: the program is neither the old nor the new one", round)
		}
	}
	if err := os.Remove(tool.path); err != nil {
		t.Fatal(err)
	}
	write(t, tool.path, read(t, program), 0o755)
	tool.Run("update").OK()
}
