package test

import (
	"encoding/json"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	repository "aos.invalid/tool"
	"aos.invalid/tool/internal/about"
	"aos.invalid/tool/internal/runtime/changelog"
	"aos.invalid/tool/internal/runtime/self"
	"aos.invalid/tool/internal/runtime/testkit"
)

func TestReferenceDescribesEveryCommandForPrograms(t *testing.T) {
	t.Parallel()
	data := newTool(t).Run("reference").OK()
	for _, name := range []string{"tool", "version", "risk_tier", "release_readiness", "commands", "schemas", "exit_codes", "error_codes"} {
		if data[name] == nil {
			t.Errorf("%s is missing", name)
		}
	}
	if !slices.Contains([]string{"T0", "T1", "T2"}, toText(data["risk_tier"])) {
		t.Errorf("the tier is %v", data["risk_tier"])
	}
	schemas := testkit.Member(t, data, "schemas")
	for _, command := range testkit.List(t, data, "commands") {
		path := toText(command["path"])
		for _, name := range []string{"path", "type", "description", "params", "output_schema", "examples"} {
			if command[name] == nil || toText(command[name]) == "" {
				t.Errorf("%s: %s is missing", path, name)
			}
		}
		shape := testkit.Member(t, schemas, toText(command["output_schema"]))
		fields := testkit.Texts(shape["fields"])
		if shape["shape"] != "object" && shape["shape"] != "array" || len(fields) == 0 {
			t.Errorf("%s: the schema is %v", path, shape)
		}
		for _, name := range testkit.Texts(shape["untrusted_fields"]) {
			if !slices.Contains(fields, name) {
				t.Errorf("%s: %s is untrusted and no field", path, name)
			}
		}
		for _, param := range testkit.List(t, command, "params") {
			for _, name := range []string{"name", "type", "required", "multiple"} {
				if param[name] == nil {
					t.Errorf("%s: a parameter lacks %s", path, name)
				}
			}
		}
		checkExamples(t, command, path)
	}
}

func checkExamples(t *testing.T, command map[string]any, path string) {
	t.Helper()
	examples := testkit.Texts(command["examples"])
	if len(examples) == 0 {
		t.Errorf("%s has no example", path)
	}
	for _, example := range examples {
		if !strings.HasPrefix(example, about.Tool+" "+path) {
			t.Errorf("%s: the example %q is of another command", path, example)
		}
		if command["dangerous"] == true && !strings.Contains(example, "--dangerous") {
			t.Errorf("%s: the example %q lacks --dangerous", path, example)
		}
	}
	if command["type"] == "write" {
		if !slices.Contains([]string{"always", "when_lossy", "exempt"}, toText(command["confirm"])) {
			t.Errorf("%s: confirm is %v", path, command["confirm"])
		}
		all := strings.Join(examples, "\n")
		if command["confirm"] != "exempt" && (!strings.Contains(all, "--dry-run") || !strings.Contains(all, "--confirm")) {
			t.Errorf("%s: the examples do not show both steps", path)
		}
	}
}

func TestEveryExampleIsACallThatParses(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	tool.Derived = true
	for _, command := range testkit.List(t, tool.Run("reference").OK(), "commands") {
		if command["path"] == "update" {
			continue
		}
		for _, example := range testkit.Texts(command["examples"]) {
			words := split(strings.TrimPrefix(example, about.Tool+" "))
			if ended := tool.Run(words...); ended.Exit == 2 {
				t.Errorf("%s\n%s", example, ended.Stdout)
			}
		}
	}
}

// split cuts a line as a shell does, as far as examples need it.
func split(line string) []string {
	var words []string
	for _, found := range regexp.MustCompile(`'[^']*'|\S+`).FindAllString(line, -1) {
		words = append(words, strings.Trim(found, "'"))
	}
	return words
}

func TestTheDataHasOnlyDeclaredFields(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	data := tool.Run("reference").OK()
	schemas := testkit.Member(t, data, "schemas")
	calls := map[string][]string{}
	for path, call := range queries {
		calls[path] = append(strings.Fields(path), call[1:]...)
	}
	delete(calls, "item watch")
	for path, call := range calls {
		if prepare := prepared[path]; prepare != nil {
			prepare(tool)
		}
		for _, command := range testkit.List(t, data, "commands") {
			if command["path"] != path {
				continue
			}
			fields := testkit.Texts(testkit.Member(t, schemas, toText(command["output_schema"]))["fields"])
			for _, name := range testkit.Keys(tool.Run(call...).OK()) {
				if !slices.Contains(fields, name) {
					t.Errorf("%s gives %s, which is not declared", path, name)
				}
			}
		}
	}
}

func TestHelpNamesEveryCommandOfReferenceAndNoOther(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	leaves := map[string]bool{}
	for _, command := range testkit.List(t, tool.Run("reference").OK(), "commands") {
		leaves[toText(command["path"])] = true
	}
	found := map[string]bool{}
	for _, group := range helpCommands(tool) {
		below := helpCommands(tool, group)
		if len(below) == 0 {
			found[group] = true
		}
		for _, name := range below {
			found[group+" "+name] = true
		}
	}
	if len(found) != len(leaves) {
		t.Errorf("help has %v, reference %v", found, leaves)
	}
	for path := range leaves {
		if !found[path] {
			t.Errorf("help lacks %s", path)
		}
		if ended := tool.Run(append(strings.Fields(path), "--help")...); ended.Exit != 0 || !strings.Contains(ended.Stdout, "--format") {
			t.Errorf("%s --help: exit %d", path, ended.Exit)
		}
	}
}

func helpCommands(tool *tool, group ...string) []string {
	text := tool.Run(append(group, "--help")...).Stdout
	_, after, found := strings.Cut(text, "Available Commands:\n")
	if !found {
		return nil
	}
	section, _, _ := strings.Cut(after, "\n\n")
	var names []string
	for line := range strings.Lines(section) {
		names = append(names, strings.Fields(line)[0])
	}
	return names
}

func TestReadinessIsWhatItSaysAndNotMore(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	readiness := testkit.Member(t, tool.Run("reference").OK(), "release_readiness")
	for _, name := range []string{"fcc_status", "mock_upstream_status", "live_smoke_status"} {
		status := toText(readiness[name])
		if !slices.Contains([]string{"verified", "missing", "not_applicable", "unknown"}, status) {
			t.Errorf("%s is %s", name, status)
		}
		if readiness["level"] == "stable" && (status == "missing" || status == "unknown") {
			t.Errorf("stable with %s %s", name, status)
		}
	}
	for _, path := range testkit.Texts(readiness["required_evidence"]) {
		read(t, "../"+path)
	}
	wanted := map[string]string{"stable": "pass", "beta": "warn", "unpublishable": "fail"}[toText(readiness["level"])]
	if status := check(t, tool, "release_readiness")["status"]; status != wanted {
		t.Errorf("doctor says %v and the level is %v", status, readiness["level"])
	}
}

// check returns one check of doctor.
func check(t *testing.T, tool *tool, name string) map[string]any {
	t.Helper()
	for _, found := range testkit.List(t, tool.Run("doctor").OK(), "checks") {
		if found["check"] == name {
			return found
		}
	}
	t.Fatalf("doctor has no check %s", name)
	return nil
}

func TestDoctorSaysHowToRepairWhatIsWrong(t *testing.T) {
	t.Parallel()
	sound := newTool(t)
	broken := newTool(t).With("BASE_URL", "").As("")
	for _, tool := range []*tool{sound, broken} {
		for _, found := range testkit.List(t, tool.Run("doctor").OK(), "checks") {
			if !slices.Contains([]string{"pass", "warn", "fail"}, toText(found["status"])) {
				t.Errorf("the status is %v", found)
			}
			fix, there := found["fix"]
			if !there || (fix == nil) != (found["status"] == "pass") {
				t.Errorf("the fix does not fit: %v", found)
			}
		}
	}
	for _, name := range []string{"config", "credentials", "upstream"} {
		if status := check(t, sound, name)["status"]; status != "pass" {
			t.Errorf("%s is %v", name, status)
		}
		if status := check(t, broken, name)["status"]; status != "fail" {
			t.Errorf("%s is %v without a set-up", name, status)
		}
	}
	unreachable := newTool(t)
	unreachable.Server.Close()
	if status := check(t, unreachable, "upstream")["status"]; status != "fail" {
		t.Errorf("upstream is %v", status)
	}
	if status := check(t, sound, "min_version")["status"]; status != "pass" {
		t.Errorf("min_version is %v", status)
	}
	write(t, sound.Home+"/.agents/skills/"+about.Tool+"/SKILL.md",
		"---\nmetadata: {\"requires\": {\"min_version\": \"99.0.0\"}}\n---\n", 0o600)
	if status := check(t, sound, "min_version")["status"]; status != "fail" {
		t.Errorf("min_version is %v with a newer Skill", status)
	}
}

// trap is a host that must not be asked.
func trap(t *testing.T) (address string, asked func() int) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	count := make(chan struct{}, 100)
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			count <- struct{}{}
			_ = connection.Close()
		}
	}()
	t.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().String(), func() int { return len(count) }
}

func TestOnlyCommandsThatMustUseTheNetwork(t *testing.T) {
	t.Parallel()
	address, asked := trap(t)
	quiet := newTool(t).With("BASE_URL", "http://"+address, "UPDATE_API_URL", "http://"+address)
	for _, call := range [][]string{{"context"}, {"reference"}, {"changelog"}, {"--help"}, {"--version"}, {"item", "get"}} {
		quiet.Run(call...)
	}
	if asked() != 0 {
		t.Errorf("%d connections", asked())
	}
	// Business commands talk to their upstream and never look for a new version.
	busy := newTool(t).With("UPDATE_API_URL", "http://"+address)
	busy.Run("item", "list").OK()
	busy.Confirm("item", "close", "--ids", "1").OK()
	busy.Run("doctor").OK()
	if asked() != 0 {
		t.Errorf("%d connections", asked())
	}
}

func TestContextShowsNoCredential(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	ended := tool.Run("context")
	shown := testkit.Member(t, ended.OK(), "credentials")
	if shown["configured"] != true || shown["storage"] != "env" || strings.Contains(ended.Stdout, "demo-token") {
		t.Errorf("the credentials are %v", shown)
	}
	if _, there := ended.OK()["notices"]; there {
		t.Error("there are notices without any")
	}
	tool.As("")
	if shown := testkit.Member(t, tool.Run("context").OK(), "credentials"); shown["configured"] != false || shown["storage"] != "none" {
		t.Errorf("the credentials are %v", shown)
	}
}

func TestTheChangelogIsTheFile(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	data := tool.Run("changelog").OK()
	if data["current_version"] != self.Version() {
		t.Errorf("the version is %v", data["current_version"])
	}
	if _, there := data["since"]; there {
		t.Error("since is there without --since")
	}
	wanted, err := json.Marshal(changelog.Parse(repository.ChangelogMarkdown))
	if err != nil {
		t.Fatal(err)
	}
	found, err := json.Marshal(data["entries"])
	if err != nil || len(testkit.List(t, data, "entries")) == 0 || !sameJSON(t, found, wanted) {
		t.Errorf("the entries are %s", found)
	}
	newer := tool.Run("changelog", "--since", self.Version()).OK()
	if newer["since"] != self.Version() || len(testkit.List(t, newer, "entries")) != 0 {
		t.Errorf("since the running version: %v", newer)
	}
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var left, right any
	if json.Unmarshal(a, &left) != nil || json.Unmarshal(b, &right) != nil {
		t.Fatal("no JSON")
	}
	x, _ := json.Marshal(left)
	y, _ := json.Marshal(right)
	return string(x) == string(y)
}

func TestACachedNoticeIsShownWhileItHolds(t *testing.T) {
	t.Parallel()
	tool := newTool(t)
	notice := func(latest, at string) string {
		text, _ := json.Marshal(map[string]any{"highest": latest, "checked_at": at, "target": latest, "notice": map[string]any{
			"type": "update_available", "severity": "info", "current_version": "1.0.0", "latest_version": latest,
			"install_method": "standalone", "recommended_command": about.Tool + " update", "checked_at": at,
			"next_steps": []string{about.Tool + " update"},
		}})
		return string(text)
	}
	now := time.Now().UTC()
	at := func(age time.Duration) string { return now.Add(-age).Format(time.RFC3339) }
	for name, text := range map[string]string{
		"reached":    notice(self.Version(), at(time.Hour)),
		"old":        notice("99.0.0", at(30*24*time.Hour)),
		"future":     notice("99.0.0", at(-2*time.Hour)),
		"broken":     `{"notice": {`,
		"no version": notice("soon", at(time.Hour)),
	} {
		write(t, tool.State("notices.json"), text, 0o600)
		if _, there := testkit.Member(t, tool.Run("item", "get", "--id", "1").Document(), "meta")["notices"]; there {
			t.Errorf("%s: the notice is shown", name)
		}
	}
	write(t, tool.State("notices.json"), notice("99.0.0", at(time.Hour)), 0o600)
	for _, call := range [][]string{{"item", "get", "--id", "1"}, {"item", "get", "--id", "99999"}, {"context"}, {"doctor"}} {
		shown := testkit.List(t, testkit.Member(t, tool.Run(call...).Document(), "meta"), "notices")
		for _, name := range []string{
			"type", "severity", "current_version", "latest_version", "install_method", "recommended_command", "checked_at", "next_steps",
		} {
			if shown[0][name] == nil {
				t.Errorf("%v: the notice lacks %s", call, name)
			}
		}
	}
	if len(testkit.List(t, tool.Run("context").OK(), "notices")) != 1 || len(testkit.List(t, tool.Run("doctor").OK(), "notices")) != 1 {
		t.Error("context and doctor show no notice")
	}
}

func TestTheVersionNeedsNothing(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	program := newProgram(released)
	program.Dir, program.Env = home, []string{"HOME=" + home}
	said, err := program.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(said), about.Tool+" ") || strings.Count(string(said), "\n") != 1 {
		t.Errorf("%v: %q", err, said)
	}
	if left, err := os.ReadDir(home); err != nil || len(left) != 0 {
		t.Errorf("%v: it leaves %v", err, left)
	}
}

// BenchmarkTheProgramStarts measures the start of the program, which every call pays.
func BenchmarkTheProgramStarts(b *testing.B) {
	for b.Loop() {
		if err := newProgram(released).Run(); err != nil {
			b.Fatal(err)
		}
	}
}
