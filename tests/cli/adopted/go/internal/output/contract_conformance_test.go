package output

import (
	"bytes"
	"encoding/json"
	"reflect"
	"sort"
	"testing"

	"example.com/notes/internal/contract"
)

var table = map[string]contract.CodeSpec{
	"E_INTEGRITY":             {Exit: 1, Retryable: false, Core: true},
	"E_IO":                    {Exit: 1, Retryable: false, Core: true},
	"E_UNKNOWN":               {Exit: 1, Retryable: false, Core: true},
	"E_USAGE":                 {Exit: 2, Retryable: false, Core: true},
	"E_VALIDATION":            {Exit: 2, Retryable: false, Core: true},
	"E_NOT_FOUND":             {Exit: 3, Retryable: false, Core: true},
	"E_AUTH":                  {Exit: 4, Retryable: false, Core: true},
	"E_CONFIG":                {Exit: 4, Retryable: false, Core: true},
	"E_FORBIDDEN":             {Exit: 4, Retryable: false, Core: true},
	"E_CONFIRMATION_REQUIRED": {Exit: 5, Retryable: false, Core: true},
	"E_CONFLICT":              {Exit: 6, Retryable: false, Core: true},
	"E_NETWORK":               {Exit: 7, Retryable: true, Core: true},
	"E_RATE_LIMITED":          {Exit: 7, Retryable: true, Core: true},
	"E_SERVER":                {Exit: 7, Retryable: true, Core: true},
	"E_TIMEOUT":               {Exit: 8, Retryable: true, Core: true},
	"E_INTERRUPTED":           {Exit: 130, Retryable: true, Core: true},
	"E_HUMAN_REQUIRED":        {Exit: 9, Retryable: false, Core: false},
}

func TestCodesAreThoseOfTheContract(t *testing.T) {
	if !reflect.DeepEqual(contract.Codes, table) {
		t.Fatalf("codes differ: %v", contract.Codes)
	}
	if contract.ExitFor("E_NOPE") != 1 || contract.Retryable("E_NOPE") {
		t.Fatal("an unknown code must be exit 1 and not retryable")
	}
}

func TestEnvelopesHaveTheKeysOfTheContract(t *testing.T) {
	var out bytes.Buffer
	if exit := Fail(&out, "E_TIMEOUT", "slow"); exit != 8 {
		t.Fatalf("exit %d", exit)
	}
	keys(t, out.Bytes(), contract.ErrorEnvelopeKeys)
	out.Reset()
	if exit := Succeed(&out, nil); exit != 0 {
		t.Fatalf("exit %d", exit)
	}
	keys(t, out.Bytes(), contract.SuccessEnvelopeKeys)
	if len(contract.MetaRequiredKeys) != 1 || len(contract.MetaOptionalKeys) != 1 || len(contract.ErrorObjectKeys) != 4 {
		t.Fatal("key sets differ")
	}
}

func keys(t *testing.T, document []byte, wanted []string) {
	t.Helper()
	var envelope map[string]any
	if err := json.Unmarshal(document, &envelope); err != nil {
		t.Fatal(err)
	}
	var found []string
	for key := range envelope {
		found = append(found, key)
	}
	sorted := append([]string{}, wanted...)
	sort.Strings(found)
	sort.Strings(sorted)
	if !reflect.DeepEqual(found, sorted) {
		t.Fatalf("%v instead of %v", found, sorted)
	}
}
