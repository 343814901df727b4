package tomlhooks

import (
	"errors"
	"regexp"
	"strings"
)

// scan has what is known about the lines of a TOML text without reading its values.
type scan struct {
	// hidden lines begin inside a string of several lines.
	hidden []bool
	// taken says that `hooks` is a table or a value, so that no entry can be added to it.
	taken bool
}

var (
	tableHeader = regexp.MustCompile(`^\s*\[\s*["']?hooks["']?\s*[.\]]`)
	topLevelKey = regexp.MustCompile(`^\s*["']?hooks["']?\s*[=.]`)
)

// scanned looks through a text line by line.
func scanned(text []byte) (scan, error) {
	var s scan
	open, depth, tables := "", 0, false
	for line := range strings.SplitSeq(string(text), "\n") {
		s.hidden = append(s.hidden, open != "" || depth > 0)
		if open == "" && depth == 0 {
			header := strings.HasPrefix(strings.TrimSpace(line), "[")
			s.taken = s.taken || tableHeader.MatchString(line) || !tables && topLevelKey.MatchString(line)
			if header {
				tables = true
				continue
			}
		}
		open, depth = through(line, open, depth)
	}
	if open != "" || depth > 0 {
		return s, errors.New("a string or an array has no end")
	}
	return s, nil
}

// through follows strings and arrays through one line.
func through(line, open string, depth int) (string, int) {
	for at := 0; at < len(line); {
		rest := line[at:]
		if open != "" {
			if open == `"""` && rest[0] == '\\' {
				at += 2
			} else if strings.HasPrefix(rest, open) {
				at += len(open)
				// Up to two more quotes belong to the string.
				for at < len(line) && line[at] == open[0] {
					at++
				}
				open = ""
			} else {
				at++
			}
			continue
		}
		switch {
		case rest[0] == '#':
			return open, depth
		case strings.HasPrefix(rest, `"""`), strings.HasPrefix(rest, `'''`):
			open = rest[:3]
			at += 3
		case rest[0] == '"', rest[0] == '\'':
			at += shortString(rest)
		default:
			switch rest[0] {
			case '[', '{':
				depth++
			case ']', '}':
				depth = max(depth-1, 0)
			}
			at++
		}
	}
	return open, depth
}

// shortString is the length of a string that ends on its line.
func shortString(rest string) int {
	for at := 1; at < len(rest); at++ {
		switch {
		case rest[at] == '\\' && rest[0] == '"':
			at++
		case rest[at] == rest[0]:
			return at + 1
		}
	}
	return len(rest)
}
