package test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Items of the checklist that are for optional patterns, which this tool may not have, or for the one who made it.
var optionalItems = []int{69, 70, 71, 75, 76, 77}

const lastItem = 78

func TestEveryPromiseHasATestAndEveryNamedTestExists(t *testing.T) {
	t.Parallel()
	defined := definedTests(t)
	proven := map[int]bool{}
	row := regexp.MustCompile(`^\|([0-9, ]*)\| .+ \| (.+) \|$`)
	name := regexp.MustCompile("`(Test\\w+|\\w+_test\\.go)`")
	for line := range strings.Lines(read(t, "../internal/runtime/CONFORMANCE.md")) {
		found := row.FindStringSubmatch(strings.TrimSpace(line))
		if found == nil {
			continue
		}
		for number := range strings.FieldsFuncSeq(found[1], func(symbol rune) bool { return symbol == ' ' || symbol == ',' }) {
			item, err := strconv.Atoi(number)
			if err != nil {
				t.Fatal(err)
			}
			proven[item] = true
		}
		for _, test := range name.FindAllStringSubmatch(found[2], -1) {
			if !slices.Contains(defined, test[1]) {
				t.Errorf("%s is named and does not exist", test[1])
			}
		}
	}
	for item := 1; item <= lastItem; item++ {
		if !proven[item] && !slices.Contains(optionalItems, item) {
			t.Errorf("item %d has no row", item)
		}
	}
}

// definedTests are the names of all tests, and of the files that hold them.
func definedTests(t *testing.T) []string {
	t.Helper()
	var names []string
	declaration := regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
	for _, pattern := range []string{"*_test.go", "../internal/runtime/*/*_test.go", "../internal/commands/*_test.go"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			names = append(names, filepath.Base(path))
			for _, found := range declaration.FindAllStringSubmatch(read(t, path), -1) {
				names = append(names, found[1])
			}
		}
	}
	return names
}
