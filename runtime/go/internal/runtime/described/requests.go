package described

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"aos.invalid/tool/internal/runtime/output"
	"aos.invalid/tool/internal/runtime/rest"
)

// request is what an operation sends for the inputs that were passed; more belongs to the query.
func request(operation *Operation, passed []given, more []pair) (rest.Request, error) {
	query, headers := []pair{}, map[string]string{}
	for _, input := range passed {
		switch input.Place {
		case "query":
			query = append(query, pairs(input.Name, input.value, input.Style)...)
		case "header":
			text, err := headerText(input.Flag, input.value, input.Style)
			if err != nil {
				return rest.Request{}, err
			}
			headers[input.Name] = text
		}
	}
	target, err := path(operation.Path, passed)
	if err != nil {
		return rest.Request{}, err
	}
	if text := queryText(append(query, more...)); text != "" {
		target += "?" + text
	}
	body, err := body(operation, passed)
	if err != nil {
		return rest.Request{}, err
	}
	accept := ""
	if operation.Reply == "text" {
		accept = "text/plain, */*"
	}
	return rest.Request{
		Method: operation.Method, Target: target, Header: headers, Accept: accept, Data: body, Public: operation.Public,
	}, nil
}

// path fills the path; the parts between the names are encoded, too.
func path(template string, passed []given) (string, error) {
	var made strings.Builder
	rest := template
	for {
		before, inner, isOpen := strings.Cut(rest, "{")
		made.WriteString(percent(before, "/"))
		if !isOpen {
			return made.String(), nil
		}
		name, after, _ := strings.Cut(inner, "}")
		rest = after
		for _, input := range passed {
			if input.Place != "path" || input.Name != name {
				continue
			}
			text := pathText(input.value, input.Style)
			if text == "" || (text == "." || text == "..") && strings.HasSuffix(before, "/") {
				return "", refused(input.Flag, "Pass a value that is not empty, `.` or `..`")
			}
			made.WriteString(text)
		}
	}
}

func body(operation *Operation, passed []given) (*rest.Data, error) {
	kind := operation.ContentType
	isJSON := kind == "" || strings.HasSuffix(kind, "json")
	members := []given{}
	for _, input := range passed {
		switch input.Place {
		case "whole":
			if isJSON {
				if kind == "" {
					kind = "application/json"
				}
				return &rest.Data{Type: kind, Content: []byte(jsonText(input.value))}, nil
			}
			return &rest.Data{Type: kind, Content: []byte(wireText(input.value))}, nil
		case "body":
			members = append(members, input)
		}
	}
	bare := []string{http.MethodGet, http.MethodHead, http.MethodDelete}
	if kind == "" || len(members) == 0 && slices.Contains(bare, operation.Method) {
		return nil, nil
	}
	if isJSON {
		document := output.Object{}
		for _, input := range members {
			document = append(document, output.Member{Key: input.Name, Value: input.value})
		}
		return &rest.Data{Type: kind, Content: []byte(jsonText(document))}, nil
	}
	return form(kind, members)
}

func form(kind string, members []given) (*rest.Data, error) {
	texts, parts := []string{}, []part{}
	for _, input := range members {
		style := input.Style
		if style == "" {
			style = "comma"
		}
		found := []pair{{input.Name, encoded(input.value)}}
		if input.Kind != "file" {
			found = pairs(input.Name, input.value, style)
		}
		for _, entry := range found {
			texts = append(texts, percent(entry.name, "")+"="+entry.value)
			content, err := url.PathUnescape(entry.value)
			if err != nil {
				return nil, err
			}
			parts = append(parts, part{entry.name, content, style, input.isFile()})
		}
	}
	if kind == multipartType {
		kind, content := multipart(parts)
		return &rest.Data{Type: kind, Content: content}, nil
	}
	return &rest.Data{Type: kind, Content: []byte(strings.Join(texts, "&"))}, nil
}
