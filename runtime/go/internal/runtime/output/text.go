package output

import (
	"encoding/json"
	"fmt"
	"strings"
)

// renderText shows a tree to a person: members one below the other, lists with dashes.
func renderText(tree any) string {
	var text strings.Builder
	renderValue(&text, "", tree)
	return text.String()
}

func renderValue(text *strings.Builder, indent string, value any) {
	switch value := value.(type) {
	case Object:
		for _, member := range value {
			renderMember(text, indent, member)
		}
	case []any:
		for _, item := range value {
			renderItem(text, indent, item)
		}
	default:
		text.WriteString(indent + scalar(value, indent) + "\n")
	}
}

func renderMember(text *strings.Builder, indent string, member Member) {
	key := strings.ReplaceAll(strings.ReplaceAll(member.Key, "_", " "), "\n", " ")
	name := indent + Plain(key) + ":"
	switch value := member.Value.(type) {
	case Object, []any:
		if isEmpty(value) {
			text.WriteString(name + " none\n")
			return
		}
		text.WriteString(name + "\n")
		renderValue(text, indent+"  ", value)
	default:
		text.WriteString(name + " " + scalar(value, indent+"  ") + "\n")
	}
}

func renderItem(text *strings.Builder, indent string, item any) {
	object, ok := item.(Object)
	if !ok {
		text.WriteString(indent + "- " + scalar(item, indent+"  ") + "\n")
		return
	}
	var inner strings.Builder
	renderValue(&inner, indent+"  ", object)
	lines := strings.TrimPrefix(inner.String(), indent+"  ")
	text.WriteString(indent + "- " + lines)
	if lines == "" {
		text.WriteString("\n")
	}
}

func scalar(value any, indent string) string {
	switch value := value.(type) {
	case nil:
		return "none"
	case bool:
		if value {
			return "yes"
		}
		return "no"
	case json.Number:
		return value.String()
	case string:
		return strings.ReplaceAll(Plain(value), "\n", "\n"+indent)
	}
	return Plain(fmt.Sprint(value))
}

func isEmpty(value any) bool {
	switch value := value.(type) {
	case Object:
		return len(value) == 0
	case []any:
		return len(value) == 0
	}
	return false
}
