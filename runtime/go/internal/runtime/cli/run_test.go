package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"aos.invalid/tool/internal/runtime/config"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/output"
	"aos.invalid/tool/internal/runtime/redact"
	"aos.invalid/tool/internal/runtime/self"
)

// call runs one command that is not registered.
func call(t *testing.T, command *Command, arguments ...string) (string, *fault.Error) {
	t.Helper()
	t.Setenv(self.Env(config.EnvHome), t.TempDir())
	var stdout, stderr bytes.Buffer
	printer := &output.Printer{
		Out: &stdout, Err: &stderr, Format: output.JSON, Redactor: &redact.Redactor{}, Started: time.Now(),
	}
	app := &app{tool: &Tool{Commands: []*Command{command}}, printer: printer, redactor: printer.Redactor}
	failed := run(context.Background(), app, append(strings.Fields(command.Path), arguments...))
	if failed != nil {
		printer.Failure(failed)
	}
	if !json.Valid(stdout.Bytes()) {
		t.Errorf("stdout is no document: %q", stdout.String())
	}
	return stdout.String(), failed
}

func TestAProgramThatPanicsAnswersWithAnEnvelope(t *testing.T) {
	_, failed := call(t, &Command{Path: "thing break", Run: func(*Call) (any, error) { panic("out of order") }})
	if failed == nil || failed.Code != fault.Unknown || !strings.Contains(failed.Message, "out of order") {
		t.Errorf("the failure is %v", failed)
	}
}

func TestAnAnswerThatCannotBeEncodedIsAFailure(t *testing.T) {
	_, failed := call(t, &Command{Path: "thing get", Run: func(*Call) (any, error) { return func() {}, nil }})
	if failed == nil || failed.Code != fault.Unknown {
		t.Errorf("the failure is %v", failed)
	}
}

func TestAWriteIsPlannedAgainWhenItIsConfirmed(t *testing.T) {
	planned, applied := 0, 0
	command := &Command{Path: "thing put", Confirm: Always, Plan: func(*Call) (*Plan, error) {
		planned++
		return &Plan{
			Preview: Preview{Changes: []Change{{Action: "put", Resource: "thing", ID: "1"}}},
			Apply: func(context.Context, string) (any, error) {
				applied++
				return map[string]bool{"done": true}, nil
			},
		}, nil
	}}
	_, failed := call(t, command)
	if failed == nil || failed.Code != fault.ConfirmationRequired || planned != 1 || applied != 0 {
		t.Errorf("planned %d, applied %d, %v", planned, applied, failed)
	}
	if failed.Detail("confirm_token") != nil {
		t.Error("a refusal gives a token")
	}
	text, _ := call(t, command, "--dry-run")
	token := regexp.MustCompile(`ct_[\w-]+`).FindString(text)
	// The token belongs to another directory of state by now, so it is refused; the plan was made anew before.
	_, failed = call(t, command, "--confirm", token)
	if token == "" || failed == nil || failed.Code != fault.Conflict || planned != 3 || applied != 0 {
		t.Errorf("planned %d, applied %d, %v", planned, applied, failed)
	}
}

func TestAnAnswerKeepsItsOrderAndItsNumbers(t *testing.T) {
	type data struct {
		Zulu  int64   `json:"zulu"`
		Alpha float64 `json:"alpha"`
		Text  string  `json:"text"`
	}
	text, failed := call(t, &Command{Path: "thing get", Run: func(*Call) (any, error) {
		return data{Zulu: 9007199254740993, Alpha: 0.1, Text: "<a & b>"}, nil
	}}, "--compact")
	if failed != nil || !strings.Contains(text, `"data": {
    "zulu": 9007199254740993,
    "alpha": 0.1,
    "text": "<a & b>"
  }`) {
		t.Errorf("%v: %s", failed, text)
	}
}

// groups is a table of two groups that notes which one was asked for.
type groups struct{ asked []string }

func (g *groups) Groups() map[string]string {
	return map[string]string{"thing": "Work with things", "other": "Work with others"}
}

func (g *groups) Group(name string) ([]*Command, []Schema) {
	g.asked = append(g.asked, name)
	done := func(*Call) (any, error) { return map[string]bool{"done": true}, nil }
	return []*Command{{Path: name + " list", Output: name, Run: done}}, []Schema{{Name: name, Names: []string{"done"}}}
}

func TestACallMakesOnlyTheCommandsOfItsGroup(t *testing.T) {
	t.Setenv(self.Env(config.EnvHome), t.TempDir())
	table := &groups{}
	tool := &Tool{Table: table}
	var stdout, stderr bytes.Buffer
	for _, words := range []string{"thing list", "thing list --fields done"} {
		if exit := tool.Main(strings.Fields(words), &stdout, &stderr); exit != 0 {
			t.Errorf("%s ends with %d\n%s", words, exit, stdout.String())
		}
	}
	stdout.Reset()
	if exit := tool.Main([]string{"nothing"}, &stdout, &stderr); exit != 2 || !strings.Contains(stdout.String(), "other") {
		t.Errorf("exit %d, %s", exit, stdout.String())
	}
	if slices.Contains(table.asked, "other") {
		t.Errorf("asked for %v", table.asked)
	}
	if found := len(tool.OwnCommands()); found != 2 {
		t.Errorf("the tool has %d commands", found)
	}
}

func TestAToolOfAnUpstreamWithoutCredentialsAsksForNone(t *testing.T) {
	t.Parallel()
	for _, anonymous := range []bool{false, true} {
		told, err := json.Marshal((&Tool{Anonymous: anonymous}).reference())
		asks := strings.Contains(string(told), self.Env(config.EnvToken)) || strings.Contains(string(told), "auth login")
		if err != nil || asks == anonymous {
			t.Errorf("anonymous %v: %s", anonymous, told)
		}
	}
}
