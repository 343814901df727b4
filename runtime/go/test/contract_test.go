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
	"E_INTEGRITY":             {1, false},
	"E_IO":                    {1, false},
	"E_UNKNOWN":               {1, false},
	"E_USAGE":                 {2, false},
	"E_VALIDATION":            {2, false},
	"E_NOT_FOUND":             {3, false},
	"E_AUTH":                  {4, false},
	"E_CONFIG":                {4, false},
	"E_FORBIDDEN":             {4, false},
	"E_CONFIRMATION_REQUIRED": {5, false},
	"E_CONFLICT":              {6, false},
	"E_NETWORK":               {7, true},
	"E_RATE_LIMITED":          {7, true},
	"E_SERVER":                {7, true},
	"E_TIMEOUT":               {8, true},
	"E_INTERRUPTED":           {130, true},
	// Codes of this tool, declared in contract/contract-ext.json.
	"E_SKILL_SYNC": {7, true},
	// A step for a person.
	"E_HUMAN_REQUIRED": {9, false},
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
