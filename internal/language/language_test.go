package language

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

var update = flag.Bool("update", false, "write testdata/faults.txt anew")

// Nothing that users read has a word of the dictionary.
func TestNoJargon(t *testing.T) {
	faults, err := Check(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		t.Error(f)
	}
}

// A gate that finds nothing may be blind: testdata/jargon has a word of each kind in each
// place where the gate looks, beside places where the same word is no fault, and exactly
// those are found.
func TestTheGateSees(t *testing.T) {
	faults, err := Check(os.DirFS("testdata/jargon"))
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

// Documents and comments name only what there is.
func TestNamesExist(t *testing.T) {
	faults, err := CheckNames(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		t.Error(f)
	}
}

// A name that no package declares is found in a document and in a comment.
func TestMissingNamesAreSeen(t *testing.T) {
	tree := fstest.MapFS{
		"shot/shot.go": {Data: []byte("package shot\n\n// Rifle is like shot.Gun.\ntype Rifle struct{ Reach float64 }\n")},
		"README.md":    {Data: []byte("shot.Rifle has shot.Rifle.Reach;\nshot.Rifle.Range is gone, http.Get is not ours.\n")},
	}
	faults, err := CheckNames(tree)
	got := ""
	for _, f := range faults {
		got += fmt.Sprintf("%s:%d %s; ", f.File, f.Line, f.Text)
	}
	if want := "README.md:2 shot.Rifle.Range; shot/shot.go:3 shot.Gun; "; got != want || err != nil {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

// Every exported name and field has a comment.
func TestEverythingExportedIsDocumented(t *testing.T) {
	faults, err := CheckDocs(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		t.Error(f)
	}
}

// Names without a comment are found, in each place that a name can stand in; a comment above
// a field covers the fields right below it, one at the end of a line only its own.
func TestNamesWithoutAComment(t *testing.T) {
	tree := fstest.MapFS{"shot/shot.go": {Data: []byte(`package shot

// Rifle is a weapon.
type Rifle[T any] struct {
	Name string
	// Reach and Cone are in metres and radians.
	Reach float64
	Cone  float64

	Damage int // points
	Speed  int
	hidden T
}

func (r *Rifle[T]) Fire() {}

const Most, least = 8, 1

// Table is documented.
type Table []int

type inner struct{ X int }

func (inner) Method() {}
`)}}
	faults, err := CheckDocs(tree)
	got := ""
	for _, f := range faults {
		got += fmt.Sprintf("%d %s; ", f.Line, f.Text)
	}
	if want := "5 Name; 11 Speed; 15 Fire; 17 Most; "; got != want || err != nil {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

// Every field of a configuration says what its zero value means (docs/architecture.md, Conventions).
func TestEveryConfigurationSaysWhatZeroMeans(t *testing.T) {
	faults, err := CheckZeros(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		t.Error(f)
	}
}

// A field of a configuration is found whose comment does not say what zero means; a comment above
// speaks for the fields right below it, one at the end of a line for its own. A bool, an embedded
// struct and what is no configuration may be silent.
func TestConfigurationsThatDoNotSayWhatZeroMeans(t *testing.T) {
	tree := fstest.MapFS{"host/host.go": {Data: []byte(`package host

// Config configures a server.
type Config struct {
	session.Base
	// Rate and Burst are in Hz and packets. Zero means 60 and 2.
	Rate  int
	Burst int

	Port int // of HTTP
	Name string // "" means the folder's
	// Strict refuses.
	Strict bool
	// Log is where it logs.
	Log *Logger
}

// State is none.
type State struct {
	Port int // of HTTP
}
`)}}
	faults, err := CheckZeros(tree)
	got := ""
	for _, f := range faults {
		got += fmt.Sprintf("%d %s; ", f.Line, f.Text)
	}
	if want := "10 Port; 15 Log; "; got != want || err != nil {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

// An identifier is split where its words begin.
func TestParts(t *testing.T) {
	for name, want := range map[string]string{
		"MaxKinks": "Max Kinks", "kink_test.go": "kink test go", "snapshotKinks": "snapshot Kinks", "Horizon": "Horizon",
	} {
		if got := parts(name); got != want {
			t.Errorf("parts(%q): got %q, want %q", name, got, want)
		}
	}
}
