package confirm

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func gate(t *testing.T, now *time.Time) *Gate {
	t.Helper()
	return &Gate{Directory: t.TempDir(), Now: func() time.Time { return *now }}
}

func TestARecordIsForgottenWhenItsTokenHasExpiredLongAgo(t *testing.T) {
	t.Parallel()
	now := time.Now()
	gate := gate(t, &now)
	for range 3 {
		token, err := gate.Issue([]byte("write"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := gate.Redeem(token.Text, []byte("write")); err != nil {
			t.Fatal(err)
		}
		now = now.Add(keep + Lifetime + time.Second)
	}
	if left := records(t, gate); left != 1 {
		t.Errorf("%d records are left", left)
	}
}

func TestAClockThatIsSetBackRevivesNoToken(t *testing.T) {
	t.Parallel()
	now := time.Now()
	gate := gate(t, &now)
	redeem := func() (text string) {
		token, err := gate.Issue([]byte("write"))
		if err == nil {
			_, err = gate.Redeem(token.Text, []byte("write"))
		}
		if err != nil {
			t.Fatal(err)
		}
		return token.Text
	}
	start := now
	used := redeem()
	now = start.Add(time.Hour)
	redeem()
	for _, now = range []time.Time{start, start.Add(-time.Hour)} {
		if _, err := gate.Redeem(used, []byte("write")); err == nil {
			t.Errorf("at %s the token worked again", now)
		}
	}
}

func TestTwoTokensForTheSameWriteAreTwo(t *testing.T) {
	t.Parallel()
	now := time.Now()
	gate := gate(t, &now)
	first, _ := gate.Issue([]byte("write"))
	second, err := gate.Issue([]byte("write"))
	if err != nil || first.Text == second.Text {
		t.Fatal("the tokens are equal")
	}
	for _, token := range []Token{first, second} {
		if _, err := gate.Redeem(token.Text, []byte("write")); err != nil {
			t.Error(err)
		}
	}
}

func records(t *testing.T, gate *Gate) int {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(gate.Directory, consumedName))
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}
