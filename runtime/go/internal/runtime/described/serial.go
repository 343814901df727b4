package described

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/output"
)

// Media types of forms.
const (
	formType      = "application/x-www-form-urlencoded"
	multipartType = "multipart/form-data"
)

// pair is one entry of a query or a form: a plain name with an encoded value.
type pair struct{ name, value string }

var (
	numberForm = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?$`)
	signs      = map[string]string{"comma": ",", "space": "%20", "pipe": "%7C"}
)

// percent encodes a text; the letters in keep stay as they are.
func percent(text, keep string) string {
	const digits = "0123456789ABCDEF"
	var encoded strings.Builder
	for _, symbol := range []byte(text) {
		isPlain := symbol >= 'A' && symbol <= 'Z' || symbol >= 'a' && symbol <= 'z' || symbol >= '0' && symbol <= '9' ||
			strings.IndexByte("-._~"+keep, symbol) >= 0
		if isPlain {
			encoded.WriteByte(symbol)
			continue
		}
		encoded.Write([]byte{'%', digits[symbol>>4], digits[symbol&15]})
	}
	return encoded.String()
}

// wireText is a value as the text that travels.
func wireText(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case []any:
		texts := make([]string, len(value))
		for index, item := range value {
			texts[index] = wireText(item)
		}
		return strings.Join(texts, ",")
	}
	return jsonText(value)
}

func jsonText(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return ""
	}
	return strings.TrimSuffix(text.String(), "\n")
}

func encoded(value any) string {
	return percent(wireText(value), "")
}

// pairs are the entries of a query or a form that one value becomes.
func pairs(name string, value any, style string) []pair {
	many, isList := value.([]any)
	if !isList {
		many = []any{value}
	}
	object, isObject := value.(output.Object)
	found := []pair{}
	// The style of an object means nothing for a value that is not one.
	if !isObject && (style == "deep" || style == "spread") {
		style = "repeat"
	}
	if strings.HasPrefix(style, "files") {
		style = "repeat"
	}
	switch style {
	case "repeat", "brackets":
		if style == "brackets" {
			name += "[]"
		}
		for _, item := range many {
			found = append(found, pair{name, encoded(item)})
		}
	case "deep", "spread":
		if style == "deep" {
			return deep(name, object)
		}
		for _, member := range object {
			found = append(found, pair{member.Key, encoded(member.Value)})
		}
	case "json":
		found = append(found, pair{name, percent(jsonText(value), "")})
	default:
		found = append(found, pair{name, joined(value, style)})
	}
	return found
}

func deep(name string, value any) []pair {
	found := []pair{}
	switch value := value.(type) {
	case output.Object:
		for _, member := range value {
			found = append(found, deep(name+"["+member.Key+"]", member.Value)...)
		}
	case []any:
		for _, item := range value {
			found = append(found, pair{name, encoded(item)})
		}
	default:
		found = append(found, pair{name, encoded(value)})
	}
	return found
}

func joined(value any, style string) string {
	sign, known := signs[style]
	if !known {
		sign = ","
	}
	switch value := value.(type) {
	case []any:
		texts := make([]string, len(value))
		for index, item := range value {
			texts[index] = encoded(item)
		}
		return strings.Join(texts, sign)
	case output.Object:
		if style == "comma" {
			return strings.Join(members(value), ",")
		}
	}
	return encoded(value)
}

// members are names and values of an object in turn, encoded.
func members(object output.Object) []string {
	texts := []string{}
	for _, member := range object {
		texts = append(texts, percent(member.Key, ""), encoded(member.Value))
	}
	return texts
}

func queryText(found []pair) string {
	texts := make([]string, len(found))
	for index, entry := range found {
		texts[index] = percent(entry.name, "[]") + "=" + entry.value
	}
	return strings.Join(texts, "&")
}

// headerText is a value as a header; one that a header cannot have is refused.
func headerText(flag string, value any, style string) (string, error) {
	text := wireText(value)
	if object, isObject := value.(output.Object); isObject && (style == "comma" || style == "equal") {
		between, texts := ",", []string{}
		if style == "equal" {
			between = "="
		}
		for _, member := range object {
			texts = append(texts, member.Key+between+wireText(member.Value))
		}
		text = strings.Join(texts, ",")
	}
	for _, symbol := range []byte(text) {
		if symbol < ' ' || symbol > '~' {
			return "", refused(flag, "Use plain ASCII characters")
		}
	}
	return text, nil
}

// pathText is a value in a path: its parts are encoded, and none of them adds a segment.
func pathText(value any, style string) string {
	style, name, _ := strings.Cut(style, "=")
	style, explodes := strings.CutSuffix(style, "*")
	name = percent(name, "")
	object, isObject := value.(output.Object)
	texts := []string{}
	switch {
	case isObject && explodes:
		for _, member := range object {
			texts = append(texts, percent(member.Key, "")+"="+encoded(member.Value))
		}
	case isObject:
		texts = members(object)
	default:
		many, isList := value.([]any)
		if !isList {
			many = []any{value}
		}
		for _, item := range many {
			texts = append(texts, encoded(item))
		}
	}
	switch {
	case style == "label" && explodes:
		return "." + strings.Join(texts, ".")
	case style == "label":
		return "." + strings.Join(texts, ",")
	case style == "matrix" && explodes:
		var whole strings.Builder
		for _, text := range texts {
			if isObject {
				whole.WriteString(";" + text)
			} else {
				whole.WriteString(";" + name + "=" + text)
			}
		}
		return whole.String()
	case style == "matrix":
		return ";" + name + "=" + strings.Join(texts, ",")
	}
	return strings.Join(texts, ",")
}

// typed is the number or truth that a text is, or those of a list.
func typed(flag string, value any) (any, error) {
	switch value := value.(type) {
	case []any:
		list := make([]any, len(value))
		for index, item := range value {
			found, err := typed(flag, item)
			if err != nil {
				return nil, err
			}
			list[index] = found
		}
		return list, nil
	case string:
		switch {
		case value == "true" || value == "false":
			return value == "true", nil
		case numberForm.MatchString(value):
			return json.Number(value), nil
		}
		return nil, refused(flag, "Use a number such as 7 or 7.5")
	}
	return value, nil
}

// part is one part of a form with files.
type part struct {
	name, content, style string
	isFile               bool
}

// mediaType is empty for a plain text.
func (p part) mediaType() string {
	word, kind, _ := strings.Cut(p.style, "=")
	switch {
	case kind != "" && (word == "type" || word == "files"):
		return kind
	case p.isFile:
		return "application/octet-stream"
	case p.style == "json":
		return "application/json"
	}
	return ""
}

func multipart(parts []part) (string, []byte) {
	boundary := "part-" + rand.Text()
	var content bytes.Buffer
	for _, part := range parts {
		name := strings.NewReplacer("\r", "_", "\n", "_", `"`, "_").Replace(part.name)
		_, _ = fmt.Fprintf(&content, "--%s\r\nContent-Disposition: form-data; name=\"%s\"", boundary, name)
		if part.isFile {
			content.WriteString("; filename=\"file\"")
		}
		if kind := part.mediaType(); kind != "" {
			content.WriteString("\r\nContent-Type: " + kind)
		}
		content.WriteString("\r\n\r\n" + part.content + "\r\n")
	}
	content.WriteString("--" + boundary + "--\r\n")
	return multipartType + "; boundary=" + boundary, content.Bytes()
}

func refused(flag, fix string) error {
	return fault.New(fault.Validation, "--%s has an invalid value", flag).WithFix("%s", fix).With("flag", "--"+flag)
}
