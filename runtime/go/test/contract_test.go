package test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"aos.invalid/tool/internal/contract"
	"aos.invalid/tool/internal/runtime/fault"
	"aos.invalid/tool/internal/runtime/testkit"
)

// independentCodes is written down by hand from the specification. It is compared with the generated module and with
// what the program does: a table that is checked against itself proves nothing.
var independentCodes = map[string]testkit.Code{
	"E_INTEGRITY":             {Exit: 1, Retryable: false},
	"E_IO":                    {Exit: 1, Retryable: false},
	"E_UNKNOWN":               {Exit: 1, Retryable: false},
	"E_USAGE":                 {Exit: 2, Retryable: false},
	"E_VALIDATION":            {Exit: 2, Retryable: false},
	"E_NOT_FOUND":             {Exit: 3, Retryable: false},
	"E_AUTH":                  {Exit: 4, Retryable: false},
	"E_CONFIG":                {Exit: 4, Retryable: false},
	"E_FORBIDDEN":             {Exit: 4, Retryable: false},
	"E_CONFIRMATION_REQUIRED": {Exit: 5, Retryable: false},
	"E_CONFLICT":              {Exit: 6, Retryable: false},
	"E_NETWORK":               {Exit: 7, Retryable: true},
	"E_RATE_LIMITED":          {Exit: 7, Retryable: true},
	"E_SERVER":                {Exit: 7, Retryable: true},
	"E_TIMEOUT":               {Exit: 8, Retryable: true},
	"E_INTERRUPTED":           {Exit: 130, Retryable: true},
	// Codes of this tool, declared in contract/contract-ext.json.
	"E_SKILL_SYNC": {Exit: 7, Retryable: true},
	// A step for a person.
	"E_HUMAN_REQUIRED": {Exit: 9, Retryable: false},
}

func TestTheGeneratedCodesAreThoseOfTheSpecification(t *testing.T) {
	t.Parallel()
	for code, wanted := range independentCodes {
		found, known := contract.Codes[code]
		if !known || found.Exit != wanted.Exit || found.Retryable != wanted.Retryable {
			t.Errorf("%s is %+v, not %+v", code, found, wanted)
		}
	}
	for code := range contract.Codes {
		if _, known := independentCodes[code]; !known {
			t.Errorf("%s is not in the table; add it there by hand", code)
		}
	}
	if contract.SchemaVersion != "1.0" {
		t.Errorf("the schema version is %s", contract.SchemaVersion)
	}
}

func TestEveryCodeThatTheSourcesNameIsDeclared(t *testing.T) {
	t.Parallel()
	literal := regexp.MustCompile(`"(E_[A-Z0-9_]+)"`)
	for path, text := range sources(t) {
		// The generated module also names the codes that a tool may add.
		if strings.HasSuffix(path, "contract_gen.go") {
			continue
		}
		for _, found := range literal.FindAllStringSubmatch(text, -1) {
			if !fault.Known(found[1]) {
				t.Errorf("%s names %s, which contract.json and contract-ext.json do not declare", path, found[1])
			}
		}
	}
}

func TestReferenceListsEveryCodeAndEveryExit(t *testing.T) {
	t.Parallel()
	data := newTool(t).Run("reference").OK()
	codes, exits := testkit.Member(t, data, "error_codes"), testkit.Member(t, data, "exit_codes")
	for code, wanted := range independentCodes {
		described := testkit.Member(t, codes, code)
		if number, _ := strconv.Atoi(toText(described["exit"])); number != wanted.Exit || described["retryable"] != wanted.Retryable {
			t.Errorf("%s is described as %v", code, described)
		}
		if exits[strconv.Itoa(wanted.Exit)] == nil {
			t.Errorf("exit %d is not described", wanted.Exit)
		}
	}
	if len(codes) != len(independentCodes) || exits["0"] == nil {
		t.Errorf("reference has %d codes", len(codes))
	}
}
