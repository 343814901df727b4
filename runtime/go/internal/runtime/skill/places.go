package skill

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// base is a parent of the directories of agents.
type base int

const (
	nowhere base = iota
	home
	configHome
	claudeHome
	codexHome
	vibeHome
	hermesHome
	autohandHome
	grokHome
	sarvamHome
	appData
	flatpakConfig
	root
)

// moved has, for each base, the variable that moves it and where it is below the home directory without.
var moved = map[base]struct{ variable, path string }{
	configHome:    {"XDG_CONFIG_HOME", ".config"},
	claudeHome:    {"CLAUDE_CONFIG_DIR", ".claude"},
	codexHome:     {"CODEX_HOME", ".codex"},
	vibeHome:      {"VIBE_HOME", ".vibe"},
	hermesHome:    {"HERMES_HOME", ".hermes"},
	autohandHome:  {"AUTOHAND_HOME", ".autohand"},
	grokHome:      {"GROK_HOME", ".grok"},
	sarvamHome:    {"SARVAM_HOME", ".sarvam"},
	appData:       {"APPDATA", ""},
	flatpakConfig: {"FLATPAK_XDG_CONFIG_HOME", ""},
}

// maxDirectories are the most that are looked into for copies of agents that no list has.
const maxDirectories = 5000

// places finds the directories in which a Skill of one name may be installed.
type places struct {
	name string
	home string
}

// place is one directory where the Skill is installed.
type place struct {
	// path is the first path that leads here, real where it leads.
	path string
	real string
	// agents are those that look here.
	agents []agent
	// isCanonical: the path that every installation writes leads here.
	isCanonical bool
	isLink      bool
}

func (p places) below(base base, path string) string {
	start := p.home
	switch base {
	case nowhere:
		return ""
	case home:
	case root:
		start = string(filepath.Separator)
	default:
		rule := moved[base]
		// The installer would look for a relative path below its own directory.
		if value := strings.TrimSpace(os.Getenv(rule.variable)); filepath.IsAbs(value) {
			start = value
		} else if rule.path == "" {
			return ""
		} else {
			start = filepath.Join(p.home, rule.path)
		}
	}
	return filepath.Join(start, filepath.FromSlash(path))
}

func (p places) canonical() string {
	return filepath.Join(p.home, ".agents", "skills", p.name)
}

// hasAgent reports whether the installer would recognize any agent; without one it makes directories for all of them.
func (p places) hasAgent(pin pin) bool {
	return slices.ContainsFunc(agents, func(agent agent) bool {
		sign := p.below(agent.signBase, agent.sign)
		if sign == "" || pin.reach(agent) == unknown {
			return false
		}
		_, err := os.Stat(sign)
		return err == nil
	})
}

// installed returns each place once, the canonical one first.
func (p places) installed() []place {
	var found []place
	visit := func(path string, agent *agent) {
		information, err := os.Lstat(path)
		if err != nil {
			return
		}
		isLink := information.Mode()&os.ModeSymlink != 0
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			real = path
		}
		index := slices.IndexFunc(found, func(other place) bool { return other.real == real })
		if index < 0 {
			found = append(found, place{path: path, real: real, isCanonical: agent == nil, isLink: isLink})
			index = len(found) - 1
		} else {
			found[index].isLink = found[index].isLink && isLink
		}
		if agent != nil {
			found[index].agents = append(found[index].agents, *agent)
		}
	}
	visit(p.canonical(), nil)
	for _, agent := range agents {
		if directory := p.below(agent.base, agent.path); directory != "" {
			visit(filepath.Join(directory, "skills", p.name), &agent)
		}
	}
	for _, path := range p.unlisted() {
		visit(path, nil)
	}
	for index := range found {
		found[index].isCanonical = found[index].path == p.canonical()
	}
	return found
}

// unlisted are copies in directories that no list has: an installer knows more agents than this program. It looks two
// levels below the home directory and what the environment has moved, in hidden directories, and not in work trees.
func (p places) unlisted() []string {
	var found []string
	left := maxDirectories
	look := func(above string, hidden bool) []string {
		entries, _ := os.ReadDir(above)
		var directories []string
		for _, entry := range entries {
			if !entry.IsDir() || hidden && !strings.HasPrefix(entry.Name(), ".") || left == 0 {
				continue
			}
			left--
			directory := filepath.Join(above, entry.Name())
			if _, err := os.Lstat(filepath.Join(directory, ".git")); err == nil {
				continue
			}
			copy := filepath.Join(directory, "skills", p.name)
			if _, err := os.Lstat(copy); err == nil {
				found = append(found, copy)
			}
			directories = append(directories, directory)
		}
		return directories
	}
	roots := look(p.home, true)
	for base := range moved {
		if directory := p.below(base, ""); directory != "" && !slices.Contains(roots, directory) {
			roots = append(roots, directory)
		}
	}
	for _, directory := range roots {
		look(directory, false)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// writers are the agents by whose name the installer writes a place.
func (p place) writers(pin pin) []string {
	var names []string
	for _, agent := range p.agents {
		if pin.reach(agent) == own && !slices.Contains(names, agent.name) {
			names = append(names, agent.name)
		}
	}
	return names
}

// isWorkTree reports whether a developer works here: the Skill is a repository itself, or a link into one.
func (p place) isWorkTree() bool {
	hasRepository := func(directory string) bool {
		_, err := os.Lstat(filepath.Join(directory, ".git"))
		return err == nil
	}
	if hasRepository(p.real) {
		return true
	}
	// A home directory may be a repository, so only a link shows that the user wants the Skill from there.
	if !p.isLink || p.real == p.path {
		return false
	}
	for directory := p.real; ; directory = filepath.Dir(directory) {
		if hasRepository(directory) {
			return true
		}
		if directory == filepath.Dir(directory) {
			return false
		}
	}
}
