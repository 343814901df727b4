package cli

import (
	"reflect"
	"slices"
	"strings"

	"aos.invalid/tool/internal/contract"
)

// Schema describes the data of commands. Its fields come from the type that is encoded, so they cannot drift.
type Schema struct {
	Name string
	// Sample has the type of the data.
	Sample any
	// Names are the fields where no type has them: those of a table of operations.
	Names []string
	// Items names the schema of the entries of a page.
	Items string
	// Untrusted are the fields that other people write.
	Untrusted []string
}

// fields returns the members of the data in their order.
func (s Schema) fields() []string {
	if s.Names != nil {
		return s.Names
	}
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

// kinds returns `name: kind` for each field that has a kind of the contract; tags before v1.2.0 have no kinds.
func (s Schema) kinds() []string {
	kinds := []string{}
	for _, name := range s.fields() {
		switch {
		case slices.Contains(s.Untrusted, name):
			kinds = append(kinds, name+": untrusted")
		case fits(contract.IdFieldNames, name):
			kinds = append(kinds, name+": id")
		case fits(contract.TimeFieldNames, name):
			kinds = append(kinds, name+": time")
		}
	}
	return kinds
}

// fits reports whether a name is one of these; `*` matches any prefix.
func fits(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		end, isEnd := strings.CutPrefix(pattern, "*")
		return name == pattern || isEnd && strings.HasSuffix(name, end)
	})
}

// knownFields are those that --fields may name: of an entry when the data is a page.
func (t *Tool) knownFields(command *Command) []string {
	schemas := t.schemasInCode()
	group, _, _ := strings.Cut(command.Path, " ")
	if _, described := t.tableGroups()[group]; described {
		_, more := t.Table.Group(group)
		schemas = append(schemas, more...)
	}
	found := schema(schemas, command.Output)
	if found.Items != "" {
		found = schema(schemas, found.Items)
	}
	return found.fields()
}

func schema(all []Schema, name string) Schema {
	for _, candidate := range all {
		if candidate.Name == name {
			return candidate
		}
	}
	return Schema{Name: name, Sample: struct{}{}}
}
