package skill

import (
	"bytes"
	"slices"
)

// States of an installed copy.
const (
	// Current: exactly what it must be.
	Current = "current"
	// Stale: another release of the Skill, or nothing.
	Stale = "stale"
	// Modified: neither the expected files nor those of an earlier program, so a person has changed it.
	Modified = "modified"
	// Developer: the work tree of a developer, whatever it holds.
	Developer = "developer"
	// Unreadable: it cannot be read.
	Unreadable = "unreadable"
)

// Copy is one installed copy and how it stands.
type Copy struct {
	Path  string `json:"path"`
	State string `json:"state"`
	place place
}

// examine inspects every installed copy. known are the digests of older programs: a copy with one of them is unchanged.
func (p places) examine(expected string, known []string) []Copy {
	copies := []Copy{}
	for _, place := range p.installed() {
		copies = append(copies, Copy{Path: place.path, State: state(place, expected, known), place: place})
	}
	return copies
}

func state(place place, expected string, known []string) string {
	if place.isWorkTree() {
		return Developer
	}
	files, err := read(place.real)
	if err != nil {
		return Unreadable
	}
	found := Of(files)
	if expected != "" && found.Digest() == expected {
		if treeOf(place.real).isExecutable {
			return Stale
		}
		return Current
	}
	if len(found) == 0 {
		return Stale
	}
	// A copy that differs in the ends of lines alone is an old copy as well.
	unix := map[string][]byte{}
	for name, content := range files {
		unix[name] = bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
	}
	isKnown := func(digest string) bool { return digest == expected || slices.Contains(known, digest) }
	if isKnown(found.Digest()) || isKnown(Of(unix).Digest()) {
		return Stale
	}
	return Modified
}

// isCurrent reports whether the Skill is installed, and right wherever it is; developers do not count.
func isCurrent(copies []Copy) bool {
	counted := 0
	for _, copy := range copies {
		if copy.State == Developer {
			continue
		}
		if copy.State != Current {
			return false
		}
		counted++
	}
	return counted > 0
}
