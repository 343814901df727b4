package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"aos.invalid/tool/internal/contract"
)

// contractIdentity is the contract that the tool was built from.
type contractIdentity struct {
	Tag    string `json:"tag"`
	Digest string `json:"digest"`
}

func identity() contractIdentity {
	digest := sha256.Sum256([]byte(contract.Text()))
	return contractIdentity{contract.SpecTag, "sha256:" + hex.EncodeToString(digest[:])}
}

// capabilities is what the tool can do, in the words of the contract; tags before v1.2.0 have no words for it.
func (t *Tool) capabilities() []string {
	any := func(test func(*Command) bool) bool { return slices.ContainsFunc(t.commands(), test) }
	field := func(test func(string) bool) bool {
		return slices.ContainsFunc(t.schemas(), func(s Schema) bool { return slices.ContainsFunc(s.fields(), test) })
	}
	named := func(path string) bool { return any(func(c *Command) bool { return c.Path == path }) }
	needsPerson := false
	for _, spec := range contract.Codes {
		needsPerson = needsPerson || spec.Exit == contract.HumanActionExit
	}
	shown := map[string]bool{
		"upstream":    true,
		"credentials": named("auth login"),
		"writes":      any(func(c *Command) bool { return c.writes() && c.Confirm != Exempt }),
		"dangerous":   any(func(c *Command) bool { return c.Dangerous }),
		"lists":       slices.ContainsFunc(t.schemas(), func(s Schema) bool { return s.Items != "" }),
		"scopes":      field(func(name string) bool { return strings.HasSuffix(name, "_errors") }),
		"streams":     any(func(c *Command) bool { return c.Stream }),
		"batch":       any(func(c *Command) bool { return c.Batch }),
		// Jobs of the API itself have no field that says how to ask for them.
		"jobs": slices.ContainsFunc(t.schemas(), func(s Schema) bool {
			fields := s.fields()
			return slices.Contains(fields, "poll") && (slices.Contains(fields, "job_id") || slices.Contains(fields, "operation_id"))
		}),
		"human_action": needsPerson,
		"update":       named("update"),
	}
	found := []string{}
	for _, word := range contract.Capabilities {
		if shown[word] {
			found = append(found, word)
		}
	}
	return found
}
