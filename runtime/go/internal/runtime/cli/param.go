package cli

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"aos.invalid/tool/internal/runtime/fault"
)

// Kind is the type of a parameter, as reference names it.
type Kind string

// The kinds of parameters.
const (
	Text   Kind = "string"
	Number Kind = "integer"
	Flag   Kind = "boolean"
	List   Kind = "list"
)

const (
	maxTextLength = 100_000
	maxListLength = 10_000
)

var keyForm = regexp.MustCompile(`^[A-Za-z0-9._:-]{8,128}$`)

// IdempotencyKey is the flag of writes that create: repeated requests with one key create a single object.
var IdempotencyKey = Param{
	Name: "idempotency-key", Kind: Text, Help: "Key of your choice: the same key never creates two objects",
	Check: func(key string) error {
		if keyForm.MatchString(key) {
			return nil
		}
		return fault.New(fault.Validation, "--idempotency-key is not valid").
			WithFix("Use 8 to 128 letters, digits, dots, colons, dashes and underscores")
	},
}

// Param is one flag of a command. Everything an agent passes is a flag; there are no positional arguments.
type Param struct {
	Name     string
	Kind     Kind
	Help     string
	Required bool
	// Values is a closed set; none is any value.
	Values  []string
	Default string
	// Min and Max bound a Number.
	Min, Max int
	// Check refuses a value of a Text or List before anything is sent; it returns a fault with a fix.
	Check func(text string) error
}

// value is what a call passed for a parameter.
type value struct {
	param Param
	texts []string
	given bool
	// problem is what is wrong with how the flag was passed; check reports it, with the name of the flag alone.
	problem string
}

// String implements pflag.Value.
func (v *value) String() string {
	return strings.Join(v.texts, ",")
}

// Type implements pflag.Value; help shows it.
func (v *value) Type() string {
	switch {
	case v.param.Kind == Flag:
		return "bool"
	case len(v.param.Values) > 0:
		return strings.Join(v.param.Values, "|")
	}
	return string(v.param.Kind)
}

// Set implements pflag.Value.
func (v *value) Set(text string) error {
	if v.param.Kind == List {
		v.given = true
		v.add(text)
		return nil
	}
	// The last one would win without a word.
	if v.given {
		v.problem = "is given twice"
		return nil
	}
	v.given = true
	v.texts = []string{text}
	if v.param.Kind == Flag && !isBoolean(text) {
		v.problem = "is true or false, and nothing else"
	}
	return nil
}

func isBoolean(text string) bool {
	_, err := strconv.ParseBool(text)
	return err == nil
}

// add takes a list with commas; the flag may be repeated, and each value counts once.
func (v *value) add(text string) {
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" && !slices.Contains(v.texts, part) {
			v.texts = append(v.texts, part)
		}
		if len(v.texts) > maxListLength {
			v.problem = "has more than " + strconv.Itoa(maxListLength) + " values"
			return
		}
	}
}

// check holds a value against its parameter, after all flags are read.
func (v *value) check() error {
	name := "--" + v.param.Name
	if v.problem != "" {
		return fault.New(fault.Usage, "%s %s", name, v.problem).WithFix("Correct %s", name).With("flag", name)
	}
	if !v.given {
		if v.param.Required {
			return fault.New(fault.Usage, "%s is missing", name).WithFix("Add %s", name).With("flag", name)
		}
		if v.param.Default != "" {
			v.texts = []string{v.param.Default}
		}
		return nil
	}
	invalid := func(fix string) error {
		return fault.New(fault.Validation, "%s has an invalid value", name).WithFix("%s", fix).With("flag", name)
	}
	if v.param.Kind == List && len(v.texts) == 0 {
		return invalid("Name at least one value, separated by commas or by repeating the flag")
	}
	for _, text := range v.texts {
		if !utf8.ValidString(text) {
			return invalid("Write it in UTF-8")
		}
		if len(text) > maxTextLength {
			return invalid("Use at most " + strconv.Itoa(maxTextLength) + " characters")
		}
		if len(v.param.Values) > 0 && !slices.Contains(v.param.Values, text) {
			return invalid("Use one of: " + strings.Join(v.param.Values, ", "))
		}
	}
	if v.param.Required && v.param.Kind == Text && strings.TrimSpace(v.texts[0]) == "" {
		return invalid("Give " + name + " a value")
	}
	if v.param.Kind == Number {
		number, err := strconv.Atoi(v.texts[0])
		if err != nil || number < v.param.Min || number > v.param.Max {
			return invalid("Use a whole number from " + strconv.Itoa(v.param.Min) + " to " + strconv.Itoa(v.param.Max))
		}
	}
	return v.accepted()
}

// accepted asks the check of the parameter about each value.
func (v *value) accepted() error {
	if v.param.Check == nil {
		return nil
	}
	for _, text := range v.texts {
		if err := v.param.Check(text); err != nil {
			return err
		}
	}
	return nil
}

// bind adds the flag of a parameter to a set of flags.
func bind(flags *pflag.FlagSet, param Param) *value {
	bound := &value{param: param}
	if param.Kind == Flag {
		bound.texts = []string{"false"}
	}
	flag := flags.VarPF(bound, param.Name, "", usage(param))
	flag.DefValue = param.Default
	if param.Kind == Flag {
		flag.NoOptDefVal = "true"
	}
	return bound
}

func usage(param Param) string {
	if param.Required {
		return param.Help + " (required)"
	}
	return param.Help
}
