// Package changelog reads CHANGELOG.md as data.
package changelog

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// Categories are those of Keep a Changelog.
var Categories = []string{"added", "changed", "deprecated", "removed", "fixed", "security"}

// Entry is one released version.
type Entry struct {
	Version string              `json:"version"`
	Date    *string             `json:"date"`
	Changes map[string][]string `json:"changes"`
}

var (
	heading  = regexp.MustCompile(`^## \[?v?([0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?)\]?(?:\s+-\s+(\d{4}-\d{2}-\d{2}))?\s*$`)
	category = regexp.MustCompile(`^### ([A-Za-z]+)\s*$`)
	bullet   = regexp.MustCompile(`^[-*] +(\S.*)$`)
	comment  = regexp.MustCompile(`(?s)<!--.*?-->`)
)

// Parse returns the released versions, newest first. Comments and what is not released yet are left out.
func Parse(markdown string) []Entry {
	markdown = strings.ReplaceAll(strings.TrimPrefix(markdown, "\ufeff"), "\r\n", "\n")
	var entries []Entry
	var current *Entry
	name := ""
	for line := range strings.SplitSeq(comment.ReplaceAllString(markdown, ""), "\n") {
		switch {
		case strings.HasPrefix(line, "## "):
			current, name = nil, ""
			if found := heading.FindStringSubmatch(line); found != nil {
				entries = append(entries, Entry{Version: found[1], Changes: map[string][]string{}})
				current = &entries[len(entries)-1]
				if found[2] != "" {
					current.Date = &found[2]
				}
			}
		case strings.HasPrefix(line, "### "):
			name = ""
			if found := category.FindStringSubmatch(line); found != nil && slices.Contains(Categories, strings.ToLower(found[1])) {
				name = strings.ToLower(found[1])
			}
		case current == nil || name == "":
		default:
			current.add(name, line)
		}
	}
	slices.SortStableFunc(entries, func(a, b Entry) int { return Compare(b.Version, a.Version) })
	return entries
}

func (e *Entry) add(name, line string) {
	if found := bullet.FindStringSubmatch(line); found != nil {
		e.Changes[name] = append(e.Changes[name], strings.TrimSpace(found[1]))
		return
	}
	changes := e.Changes[name]
	if text := strings.TrimSpace(line); text != "" && strings.HasPrefix(line, " ") && len(changes) > 0 {
		changes[len(changes)-1] += " " + text
	}
}

// Since keeps the entries that are newer than a version.
func Since(entries []Entry, version string) []Entry {
	newer := []Entry{}
	for _, entry := range entries {
		if Compare(entry.Version, version) > 0 {
			newer = append(newer, entry)
		}
	}
	return newer
}

// HasSecurity reports whether a version after from, up to and including to, has a security fix.
func HasSecurity(entries []Entry, from, to string) bool {
	return slices.ContainsFunc(Since(entries, from), func(entry Entry) bool {
		return Compare(entry.Version, to) <= 0 && len(entry.Changes["security"]) > 0
	})
}

// IsVersion reports whether a text is a full semantic version, with or without a leading v.
func IsVersion(text string) bool {
	text = "v" + strings.TrimPrefix(text, "v")
	return len(text) <= 64 && semver.IsValid(text) && semver.Canonical(text) == text
}

// Compare orders two versions by the rules of semantic versioning.
func Compare(a, b string) int {
	return semver.Compare("v"+strings.TrimPrefix(a, "v"), "v"+strings.TrimPrefix(b, "v"))
}

// IsMajor reports whether the first component grows.
func IsMajor(from, to string) bool {
	return semver.Compare(semver.Major("v"+strings.TrimPrefix(from, "v")), semver.Major("v"+strings.TrimPrefix(to, "v"))) < 0
}
