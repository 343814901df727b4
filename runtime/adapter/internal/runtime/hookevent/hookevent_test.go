package hookevent

import "testing"

func TestOnlyACommandOfThisAgentIsItsOwn(t *testing.T) {
	cases := map[string]bool{
		"ao hooks acme stop": true, "ao hooks acme session-start": true, "ao hooks acme old-event": true,
		"ao hooks acme stop && x": false, "ao hooks acme": false, "ao hooks acme ": false, "ao hooks acme Stop": false,
		"ao hooks acme-2 stop": false, " ao hooks acme stop": false, "ao hooks acme stop s-1": false, "ao hooks acme stop\n": false,
	}
	for command, want := range cases {
		if got := IsCommand("acme", command); got != want {
			t.Errorf("IsCommand(%q) = %v", command, got)
		}
	}
	if got := Command("acme", "stop"); got != "ao hooks acme stop" || !IsCommand("acme", got) {
		t.Errorf("Command = %q", got)
	}
}
