package behaviour

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/faults.txt anew")

// The document of this tree names only tests and scenarios that exist and cite the
// row, and leaves no row of the specification out.
func TestEveryRowIsHeld(t *testing.T) {
	faults, err := Check(os.DirFS("../.."))
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
	if *update {
		if err := os.WriteFile("testdata/faults.txt", []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/faults.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}
