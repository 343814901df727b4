package cli

import (
	"reflect"
	"strings"
)

// Schema describes the data of commands. Its fields come from the type that is encoded, so they cannot drift.
type Schema struct {
	Name string
	// Sample has the type of the data.
	Sample any
	// Items names the schema of the entries of a page.
	Items string
	// Untrusted are the fields that other people write.
	Untrusted []string
}

// fields gives the members of the data in their order.
func (s Schema) fields() []string {
	names := []string{}
	kind := reflect.TypeOf(s.Sample)
	for index := range kind.NumField() {
		name, _, _ := strings.Cut(kind.Field(index).Tag.Get("json"), ",")
		if name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

func schema(name string) Schema {
	for _, candidate := range Schemas() {
		if candidate.Name == name {
			return candidate
		}
	}
	return Schema{Name: name, Sample: struct{}{}}
}

// knownFields are those that --fields may name: of an entry when the data is a page.
func knownFields(command *Command) []string {
	found := schema(command.Output)
	if found.Items != "" {
		found = schema(found.Items)
	}
	return found.fields()
}
