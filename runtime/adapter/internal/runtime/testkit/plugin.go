package testkit

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The actions of a host with a plugin: it loads it and gives it one event.
const busHost = `
const plugin = await loaded.AgentOrchestrator({ directory: "." });
await plugin.event({ event: { type: "unknown", properties: {} } });
await plugin.event({});
await plugin.event({ event: { type: native, properties: helper } });
await plugin.event({ event: { type: native, properties } });
`

const emitterHost = `
const handlers = {};
loaded.default({ on: (name, handler) => { handlers[name] = handler; } });
await handlers[native]({ ...properties, session_id: "n-1" });
`

// plugin returns a host in Node for each event. The plugin is run as an ordinary module.
func (d Delivery) plugin(t *testing.T, daemon *daemon, file string) map[string][]string {
	t.Helper()
	node, found := nodeOn(daemon)
	if !found {
		t.Skip("the plugin needs Node to run")
	}
	directory := t.TempDir()
	write(t, filepath.Join(directory, "plugin.mjs"), read(t, file))
	hooks := map[string][]string{}
	for _, event := range d.Events {
		properties, err := json.Marshal(propertiesFor(event, ""))
		if err != nil {
			t.Fatal(err)
		}
		helper, err := json.Marshal(propertiesFor(event, "parent"))
		if err != nil {
			t.Fatal(err)
		}
		host := busHost
		if d.Family == Emitter {
			host = emitterHost
		}
		source := "import * as loaded from \"./plugin.mjs\";\nconst native = \"" + event.Native + "\";\n" +
			"const properties = " + string(properties) + ";\nconst helper = " + string(helper) + ";\n" + host
		name := filepath.Join(directory, strings.ReplaceAll(event.Native, ".", "-")+"-"+event.Name+".mjs")
		write(t, name, source)
		hooks[event.Native+"\x00"+event.Matcher] = []string{node, name}
	}
	return hooks
}

// propertiesFor are the properties of an event that its matcher accepts.
func propertiesFor(event Event, parent string) map[string]any {
	properties := map[string]any{"sessionID": "n-1"}
	info := map[string]any{"id": "n-1"}
	if path, value, found := strings.Cut(event.Matcher, "="); found {
		outer, inner, nested := strings.Cut(path, ".")
		switch {
		case nested && outer == "info":
			info = map[string]any{"id": "m-1", "sessionID": "n-1", inner: value}
		case nested:
			properties[outer] = map[string]any{inner: value}
		default:
			properties[path] = value
		}
	}
	if parent != "" {
		info["parentID"] = parent
	}
	properties["info"] = info
	return properties
}

func nodeOn(daemon *daemon) (string, bool) {
	for _, variable := range daemon.environment {
		if path, found := strings.CutPrefix(variable, "PATH="); found {
			for _, directory := range filepath.SplitList(path) {
				if node, err := exec.LookPath(filepath.Join(directory, "node")); err == nil {
					return node, true
				}
			}
		}
	}
	return "", false
}
