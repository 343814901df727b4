package skill

// reach says what a global installation does for an agent.
type reach int

const (
	// unknown: this version of the installer does not know the agent.
	unknown reach = iota
	// canonical: it writes the directory that all of these agents read.
	canonical
	// own: it writes a directory of the agent.
	own
)

// agent is one agent that the installer knows; one that is recognized in several ways has several lines.
type agent struct {
	name string
	// The directory that holds its directory skills.
	base base
	path string
	// A path that exists if the agent is installed.
	signBase base
	sign     string
	// The effect of the older and of the newer installer for it.
	older reach
	newer reach
}
