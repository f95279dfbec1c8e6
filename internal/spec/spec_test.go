package spec

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the last column of docs/spec and testdata/*.txt anew")

// Every row of this tree's specification is held by tests that cite it, or says why by
// none, and nothing cites a row that is not there.
func TestEveryRowIsHeld(t *testing.T) {
	const root = "../.."
	if *update {
		pages, err := Update(os.DirFS(root))
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range pages {
			write(t, filepath.Join(root, name), text)
		}
	}
	faults, err := Check(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		t.Error(f)
	}
}

// A gate that finds nothing may be blind: testdata/faulty has one fault of each kind
// beside rows that are right, and exactly those faults are found.
func TestTheGateSees(t *testing.T) {
	faults, err := Check(os.DirFS("testdata/faulty"))
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, f := range faults {
		got.WriteString(f.String() + "\n")
	}
	golden(t, "testdata/faults.txt", got.String())
}

// Update adds the fourth column where it is missing, replaces what is stale and keeps
// reasons and everything that is not a row.
func TestUpdate(t *testing.T) {
	pages, err := Update(os.DirFS("testdata/faulty"))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/updated.txt", pages["docs/spec/ground.md"]+pages["docs/spec/movement.md"])
	const readme = "docs/spec/README.md"
	if text, _ := os.ReadFile("testdata/faulty/" + readme); string(text) != pages[readme] {
		t.Errorf("got %s, want %s", pages[readme], text)
	}
}

// golden compares a text with a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		write(t, name, got)
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
