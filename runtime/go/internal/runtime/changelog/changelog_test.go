package changelog

import (
	"slices"
	"testing"
)

const sample = "\ufeff# Changelog\r\n\r\n## [Unreleased]\r\n\r\n### Added\r\n\r\n- Not yet.\r\n\r\n" +
	"<!-- ## [9.9.9]\n\n### Security\n\n- Only an example.\n-->\n" +
	"## [1.0.0] - 2024-01-02\n\n### Added\n\n- One\n  and its second line.\n* Two\n\n### Rubbish\n\n- Not a category.\n\n" +
	"## 1.1.0-rc.2\n\n### Security\n\n### Fixed\n\n- A hole in the fence.\n\n## [1.1.0-rc.10] - 2024-02-03\n\n### Security\n\n- Closed.\n"

func versions(entries []Entry) []string {
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Version)
	}
	return names
}

func TestReleasedVersionsAreReadNewestFirst(t *testing.T) {
	t.Parallel()
	entries := Parse(sample)
	if found := versions(entries); !slices.Equal(found, []string{"1.1.0-rc.10", "1.1.0-rc.2", "1.0.0"}) {
		t.Fatalf("the versions are %v", found)
	}
	last := entries[2]
	if last.Date == nil || *last.Date != "2024-01-02" || entries[1].Date != nil {
		t.Errorf("the dates are wrong: %v", entries)
	}
	if !slices.Equal(last.Changes["added"], []string{"One and its second line.", "Two"}) || len(last.Changes) != 1 {
		t.Errorf("the changes are %v", last.Changes)
	}
}

func TestSinceFollowsTheOrderOfVersions(t *testing.T) {
	t.Parallel()
	entries := Parse(sample)
	for since, wanted := range map[string]int{"0.9.0": 3, "1.0.0": 2, "1.1.0-rc.2": 1, "1.1.0-rc.10": 0, "1.1.0": 0} {
		if found := len(Since(entries, since)); found != wanted {
			t.Errorf("since %s: %d", since, found)
		}
	}
}

func TestAHeadingWithoutEntriesIsNotAboutSecurity(t *testing.T) {
	t.Parallel()
	entries := Parse(sample)
	if HasSecurity(entries, "1.0.0", "1.1.0-rc.2") {
		t.Error("an empty heading counts")
	}
	if !HasSecurity(entries, "1.0.0", "1.1.0") || HasSecurity(entries, "1.1.0-rc.10", "2.0.0") {
		t.Error("the range is wrong")
	}
}

func TestAVersionIsWholeAndPlain(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"1.2.3", "v1.2.3", "1.2.3-rc.1", "0.0.0"} {
		if !IsVersion(text) {
			t.Errorf("%q is refused", text)
		}
	}
	for _, text := range []string{"", "v", "1", "1.2", "1.2.3+build", "01.2.3", "1.2.3 ", "1.2.3/../x", "vv1.2.3", "latest"} {
		if IsVersion(text) {
			t.Errorf("%q is accepted", text)
		}
	}
}
