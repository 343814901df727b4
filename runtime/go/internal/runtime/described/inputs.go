package described

import (
	"encoding/json"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"aos.invalid/tool/internal/runtime/cli"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/output"
	"aos.invalid/tool/internal/runtime/strictjson"
)

const maxFile = 16 << 20

var (
	fromFiles     = []string{"long", "json", "file"}
	integerForm   = regexp.MustCompile(`^-?[0-9]{1,19}$`)
	anyNumberForm = regexp.MustCompile(`^-?[0-9]{1,30}(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?$`)
)

// given is an input that a call passes, with its value.
type given struct {
	*Input
	value any
}

// isFile reports whether a value is one file or several.
func (i *Input) isFile() bool {
	return i.Kind == "file" || strings.HasPrefix(i.Style, "files")
}

// param is the flag of an input.
func param(input *Input) cli.Param {
	help, values := input.Help, input.Values
	switch {
	case slices.Contains(fromFiles, input.Kind):
		help += "; @FILE reads a file, - reads stdin, @@ stands for a literal @"
	case input.Kind == "list":
		help += "; separated by commas, or a JSON list"
		if input.isFile() {
			help += "; @FILE reads a file, @@ stands for a literal @"
		}
	case input.Kind == "boolean":
		values = []string{"true", "false"}
	}
	return cli.Param{Name: input.Flag, Kind: cli.Text, Help: help, Required: input.Required, Values: values}
}

// inputs are those that a call passes.
func inputs(call *cli.Call, all []*Input) ([]given, error) {
	found := []given{}
	for _, input := range all {
		if !call.Given(input.Flag) {
			continue
		}
		value, err := read(input, call.Text(input.Flag))
		if err != nil {
			return nil, err
		}
		found = append(found, given{input, value})
	}
	return found, nil
}

func read(input *Input, text string) (any, error) {
	if slices.Contains(fromFiles, input.Kind) {
		content, err := content(input.Flag, text)
		if err != nil {
			return nil, err
		}
		text = content
	}
	switch input.Kind {
	case "json":
		return document(input.Flag, text)
	case "list":
		return list(input, text)
	case "integer":
		if !integerForm.MatchString(text) {
			return nil, refused(input.Flag, "Use a whole number")
		}
		return json.Number(text), nil
	case "number":
		if !anyNumberForm.MatchString(text) {
			return nil, refused(input.Flag, "Use a number such as 7 or 7.5")
		}
	}
	if input.Typed {
		return typed(input.Flag, text)
	}
	return text, nil
}

func list(input *Input, text string) (any, error) {
	found := []any{}
	if strings.HasPrefix(text, "[") {
		value, err := document(input.Flag, text)
		if err != nil {
			return nil, err
		}
		found, _ = value.([]any)
	} else {
		for item := range strings.SplitSeq(text, ",") {
			found = append(found, item)
		}
	}
	if input.isFile() {
		for index, item := range found {
			text, err := content(input.Flag, wireText(item))
			if err != nil {
				return nil, err
			}
			found[index] = text
		}
	}
	if input.Typed {
		return typed(input.Flag, found)
	}
	return found, nil
}

func document(flag, text string) (any, error) {
	if strictjson.Check([]byte(text), strictjson.Exact) != nil {
		return nil, refused(flag, "Use JSON")
	}
	return output.Parse([]byte(text))
}

// content is a value itself, or what is in the file that it names.
func content(flag, text string) (string, error) {
	if plain, isPlain := strings.CutPrefix(text, "@@"); isPlain {
		return "@" + plain, nil
	}
	name, isFile := strings.CutPrefix(text, "@")
	if !isFile && text != "-" {
		return text, nil
	}
	var source io.Reader = os.Stdin
	if isFile {
		file, err := os.Open(name)
		if err != nil {
			return "", unread(flag)
		}
		defer func() { _ = file.Close() }()
		source = file
	}
	found, err := io.ReadAll(io.LimitReader(source, maxFile+1))
	if err != nil {
		return "", unread(flag)
	}
	if len(found) > maxFile {
		return "", refused(flag, "Use at most 16 MiB")
	}
	return string(found), nil
}

func unread(flag string) error {
	return fault.New(fault.IO, "the file of --%s cannot be read", flag).
		WithFix("Pass an existing file, or begin a literal text with @@").With("flag", "--"+flag)
}
