package described

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"aos.invalid/tool/internal/contract"
	"aos.invalid/tool/internal/runtime/cli"
	"aos.invalid/tool/internal/runtime/output"
	"aos.invalid/tool/internal/runtime/rest"
)

// Members of answers that no API has.
const (
	others   = "other_members"
	result   = "result"
	maxDepth = 40
)

var (
	humpForm    = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	acronymForm = regexp.MustCompile(`([A-Z])([A-Z][a-z])`)
	signForm    = regexp.MustCompile(`[^A-Za-z0-9]+`)
)

// folded is a name in snake_case.
func folded(name string) string {
	words := acronymForm.ReplaceAllString(humpForm.ReplaceAllString(name, "${1}_${2}"), "${1}_${2}")
	words = strings.ToLower(strings.Trim(signForm.ReplaceAllString(words, "_"), "_"))
	if words == "" {
		return "value"
	}
	return words
}

// normal converts a reply to the form of the contract: names in snake_case, ids as texts, times in UTC, and on each object the
// names of its texts, for the API is not the one who decides.
func normal(value any, depth int) any {
	switch value := value.(type) {
	case []any:
		list := make([]any, len(value))
		for index, item := range value {
			list[index] = normal(item, depth+1)
		}
		return list
	case output.Object:
		if depth > maxDepth {
			return jsonText(value)
		}
		found, foreign := output.Object{}, []any{}
		for _, member := range value {
			name, inner := converted(free(folded(member.Key), found), normal(member.Value, depth+1))
			found = append(found, output.Member{Key: name, Value: inner})
			if isText(inner) && !isOwn(name) {
				foreign = append(foreign, name)
			}
		}
		if len(foreign) > 0 {
			found = append(found, output.Member{Key: contract.UntrustedKey, Value: foreign})
		}
		return found
	}
	return value
}

// converted is a member with an id as text, and a time in UTC or under another name.
func converted(name string, value any) (string, any) {
	text, isString := value.(string)
	if isID(name) && value != nil && !isString {
		return name, jsonText(value)
	}
	if strings.HasSuffix(name, "_at") && isString {
		for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04:05Z0700"} {
			if moment, err := time.Parse(form, text); err == nil {
				return name, rest.UTC(moment)
			}
		}
		return name + "_text", value
	}
	return name, value
}

func free(name string, taken output.Object) string {
	found := name
	for number := 2; ; number++ {
		if _, isTaken := taken.Get(found); !isTaken {
			return found
		}
		found = fmt.Sprintf("%s_%d", name, number)
	}
}

// single is a reply that is one thing; what is not declared has a place of its own.
func single(operation *Operation, document any) any {
	if len(operation.Members) == 0 {
		return normal(output.Object{{Key: result, Value: document}}, 0)
	}
	object, isObject := document.(output.Object)
	if !isObject {
		if document == nil {
			return output.Object{}
		}
		return output.Object{{Key: others, Value: normal(document, 0)}}
	}
	known, rest := output.Object{}, output.Object{}
	for _, name := range operation.Members {
		if value, isThere := object.Get(name); isThere {
			known = append(known, output.Member{Key: name, Value: value})
		}
	}
	for _, member := range object {
		if !slices.Contains(operation.Members, member.Key) {
			rest = append(rest, member)
		}
	}
	found, _ := normal(known, 0).(output.Object)
	if len(rest) > 0 {
		found = append(found, output.Member{Key: others, Value: normal(rest, 0)})
	}
	return found
}

// schemas are those of the data of an operation.
func schemas(operation *Operation, name string) []cli.Schema {
	fields := []string{}
	taken := output.Object{}
	for _, member := range operation.Members {
		name := free(folded(member), taken)
		taken = append(taken, output.Member{Key: name})
		fields = appendNew(fields, name)
		if strings.HasSuffix(name, "_at") {
			fields = appendNew(fields, name+"_text")
		}
	}
	if len(fields) == 0 {
		fields = []string{result}
	} else {
		fields = appendNew(fields, others)
	}
	foreign := []string{}
	for _, field := range fields {
		if !isOwn(field) && field != others {
			foreign = append(foreign, field)
		}
	}
	thing := cli.Schema{Name: name, Names: append(fields, contract.UntrustedKey), Untrusted: foreign}
	if operation.List == nil {
		return []cli.Schema{thing}
	}
	thing.Name = name + "_entry"
	page := []string{"items", "count", "next_cursor", "has_more"}
	return []cli.Schema{{Name: name, Names: page, Items: thing.Name, Untrusted: []string{"items"}}, thing}
}

func appendNew(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

func isID(name string) bool {
	return name == "id" || strings.HasSuffix(name, "_id")
}

// isOwn reports whether the API itself makes the value of a member, so that it is no text of a person.
func isOwn(name string) bool {
	return isID(name) || strings.HasSuffix(name, "_at")
}

func isText(value any) bool {
	if list, isList := value.([]any); isList {
		return slices.ContainsFunc(list, func(item any) bool { _, is := item.(string); return is })
	}
	_, is := value.(string)
	return is
}
