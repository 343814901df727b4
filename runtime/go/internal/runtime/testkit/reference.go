package testkit

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"aos.invalid/tool/internal/about"
)

// CheckReference holds the reference against the tool: each command is described with schema, parameters and examples,
// each example parses, help has the same commands, and the evidence of the readiness exists.
func CheckReference[API http.Handler](tool *Tool[API]) {
	t := tool.T
	t.Helper()
	tool.Derived = true
	data := tool.Run("reference").OK()
	schemas := Member(t, data, "schemas")
	leaves, examples := []string{}, []string{}
	for _, command := range List(t, data, "commands") {
		path := fmt.Sprint(command["path"])
		leaves = append(leaves, path)
		checkDescription(t, command, path)
		checkSchema(t, Member(t, schemas, fmt.Sprint(command["output_schema"])), path)
		checkExamples(t, command, path)
		if path != "update" {
			examples = append(examples, Texts(command["examples"])...)
		}
	}
	forEach(examples, func(example string) {
		words := split(strings.TrimPrefix(example, about.Tool+" "))
		if ended := tool.Run(words...); ended.Exit == 2 {
			t.Errorf("%s\n%s", example, ended.Stdout)
		}
	})
	slices.Sort(leaves)
	if found := helpLeaves(tool); !slices.Equal(found, leaves) {
		t.Errorf("help has %v, reference %v", found, leaves)
	}
	for _, path := range Texts(Member(t, data, "release_readiness")["required_evidence"]) {
		if _, err := os.Stat(filepath.Join(Root(t), filepath.FromSlash(path))); err != nil {
			t.Errorf("the evidence `%s` does not exist", path)
		}
	}
}

func checkDescription(t *testing.T, command map[string]any, path string) {
	t.Helper()
	for _, name := range []string{"path", "type", "description", "params", "output_schema", "examples"} {
		if command[name] == nil || fmt.Sprint(command[name]) == "" {
			t.Errorf("%s: %s is missing", path, name)
		}
	}
	for _, param := range List(t, command, "params") {
		for _, name := range []string{"name", "type", "required", "multiple"} {
			if param[name] == nil {
				t.Errorf("%s: a parameter lacks %s", path, name)
			}
		}
	}
}

func checkSchema(t *testing.T, schema map[string]any, path string) {
	t.Helper()
	fields := Texts(schema["fields"])
	if schema["shape"] != "object" && schema["shape"] != "array" || len(fields) == 0 {
		t.Errorf("%s: the schema is %v", path, schema)
	}
	for _, name := range Texts(schema["untrusted_fields"]) {
		if !slices.Contains(fields, name) {
			t.Errorf("%s: %s is untrusted and not a field", path, name)
		}
	}
}

func checkExamples(t *testing.T, command map[string]any, path string) {
	t.Helper()
	examples := Texts(command["examples"])
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
	if command["type"] != "write" {
		return
	}
	if !slices.Contains([]string{"always", "when_lossy", "exempt"}, fmt.Sprint(command["confirm"])) {
		t.Errorf("%s: confirm is %v", path, command["confirm"])
	}
	all := strings.Join(examples, "\n")
	if command["confirm"] != "exempt" && (!strings.Contains(all, "--dry-run") || !strings.Contains(all, "--confirm")) {
		t.Errorf("%s: the examples do not show both steps", path)
	}
}

// helpLeaves are the commands that help leads to, in order.
func helpLeaves[API http.Handler](tool *Tool[API]) []string {
	tool.T.Helper()
	var leaves []string
	var mutex sync.Mutex
	forEach(helpCommands(tool), func(group string) {
		below := helpCommands(tool, group)
		mutex.Lock()
		defer mutex.Unlock()
		if len(below) == 0 {
			leaves = append(leaves, group)
		}
		for _, name := range below {
			leaves = append(leaves, group+" "+name)
		}
	})
	slices.Sort(leaves)
	return leaves
}

// forEach does something for each of several texts, a few at a time.
func forEach(texts []string, do func(string)) {
	const workers = 8
	left := make(chan string, len(texts))
	for _, text := range texts {
		left <- text
	}
	close(left)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for text := range left {
				do(text)
			}
		})
	}
	group.Wait()
}

func helpCommands[API http.Handler](tool *Tool[API], group ...string) []string {
	tool.T.Helper()
	_, after, found := strings.Cut(tool.Run(append(group, "--help")...).Stdout, "Available Commands:\n")
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

// split cuts a line as a shell does, as far as examples need it.
func split(line string) []string {
	var words []string
	for _, found := range regexp.MustCompile(`'[^']*'|\S+`).FindAllString(line, -1) {
		words = append(words, strings.Trim(found, "'"))
	}
	return words
}
