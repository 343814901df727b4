package output

import (
	"slices"
	"strings"

	"aos.invalid/tool/internal/contract"
	"aos.invalid/tool/internal/runtime/fault"
)

// Fields keeps the named members of an object, or of each item of a page. The name list of untrusted fields stays
// for the fields that remain, and a page keeps what a caller needs to go on.
func Fields(tree any, wanted, known []string) (any, error) {
	for _, name := range wanted {
		if !slices.Contains(known, name) {
			return nil, fault.New(fault.Validation, "there is no field `%s` here", fault.Brief(name)).
				WithFix("Use one of: %s", strings.Join(known, ", ")).
				With("unknown_field", fault.Brief(name)).
				With("fields", known)
		}
	}
	object, ok := tree.(Object)
	if !ok {
		return tree, nil
	}
	items, _ := object.Get("items")
	if _, isList := items.([]any); isList {
		page := make(Object, len(object))
		for index, member := range object {
			page[index] = member
			if items, ok := member.Value.([]any); ok && member.Key == "items" {
				page[index].Value = projectAll(items, wanted)
			}
		}
		return page, nil
	}
	return project(object, wanted), nil
}

func projectAll(items []any, wanted []string) []any {
	kept := make([]any, len(items))
	for index, item := range items {
		kept[index] = item
		if object, ok := item.(Object); ok {
			kept[index] = project(object, wanted)
		}
	}
	return kept
}

func project(object Object, wanted []string) Object {
	kept := Object{}
	for _, member := range object {
		if slices.Contains(wanted, member.Key) {
			kept = append(kept, member)
			continue
		}
		if member.Key != contract.UntrustedKey {
			continue
		}
		names := []any{}
		if list, ok := member.Value.([]any); ok {
			for _, name := range list {
				if text, ok := name.(string); ok && slices.Contains(wanted, text) && has(object, text) {
					names = append(names, text)
				}
			}
		}
		if len(names) > 0 {
			kept = append(kept, Member{Key: contract.UntrustedKey, Value: names})
		}
	}
	return kept
}

func has(object Object, key string) bool {
	_, found := object.Get(key)
	return found
}
