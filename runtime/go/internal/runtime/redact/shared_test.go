package redact

import (
	"slices"
	"testing"

	"aos.invalid/tool/internal/fixtures"
)

type redaction struct {
	About  string
	Mask   string
	Values []struct {
		Case    string
		In      []string
		Secrets []string
		Text    string
		Answer  string
	}
	Places []struct{ Text, Answer string }
	Names  struct{ Secret, Ordinary []string }
}

func TestSecretsAreMaskedAsInEveryLanguage(t *testing.T) {
	t.Parallel()
	shared := fixtures.Read[redaction](t, "redaction.json")
	if shared.Mask != Mask {
		t.Errorf("the mask is %q", Mask)
	}
	for _, row := range shared.Values {
		if !slices.Contains(row.In, "cli") {
			continue
		}
		redactor := &Redactor{}
		redactor.Add(row.Secrets...)
		if masked := redactor.Text(row.Text); masked != row.Answer {
			t.Errorf("%s: %q became %q", row.Case, row.Text, masked)
		}
	}
	for _, row := range shared.Places {
		if masked := (&Redactor{}).Text(row.Text); masked != row.Answer {
			t.Errorf("%q became %q", row.Text, masked)
		}
	}
	for _, name := range shared.Names.Secret {
		if (&Redactor{}).Member(name, "abc") != Mask {
			t.Errorf("%q is shown", name)
		}
	}
	for _, name := range shared.Names.Ordinary {
		if (&Redactor{}).Member(name, "abc") != "abc" {
			t.Errorf("%q is masked", name)
		}
	}
}
