package described

import (
	"slices"
	"testing"
	"testing/fstest"
)

func files() fstest.MapFS {
	return fstest.MapFS{
		"api.json":               {Data: []byte(`{"groups": {"thing": "Work with things", "broken": "", "moved": ""}}`)},
		"operations/thing.json":  {Data: []byte(`[{"command": "thing get", "members": ["id"]}, {"command": "thing drop", "writes": true}]`)},
		"operations/broken.json": {Data: []byte("no JSON")},
		"operations/moved.json":  {Data: []byte(`[{"command": "other get"}]`)},
	}
}

func TestACallReadsTheFileOfItsGroupAlone(t *testing.T) {
	t.Parallel()
	commands, schemas := Commands(MustRead(files())).Group("thing")
	paths := []string{}
	for _, command := range commands {
		paths = append(paths, command.Path)
	}
	if !slices.Equal(paths, []string{"thing get", "thing drop"}) || len(schemas) != 2 {
		t.Errorf("%v, %d schemas", paths, len(schemas))
	}
	if found := MustRead(files()).Operations("../thing"); found != nil {
		t.Errorf("a group that is not named has %v", found)
	}
}

func TestAFileThatIsNoTableOfItsGroupIsNamed(t *testing.T) {
	t.Parallel()
	for _, group := range []string{"broken", "moved"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is read", group)
				}
			}()
			MustRead(files()).Operations(group)
		}()
	}
}
