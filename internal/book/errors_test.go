package book

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

// cure matches what a text says of the way out: a bound, what is needed, or what to do.
var cure = regexp.MustCompile(`needs? |must |at most|declare|need not|: (?:give|number|take|make|set|join|pass|Pop|return|add|bake|run|send) |give it|; set |packs 1 to|come from|belongs after|are required|run this|once|package check|is [01] (?:or|to) |first\b|take one away`)

// passesOn matches a text that ends with another error's, which says more.
var passesOn = regexp.MustCompile(`(?:: |of )…$`)

// faults of the library itself, which a report cures.
var libraryFaults = regexp.MustCompile(`cannot be packed: …$|^lab: one end cannot read`)

// Every panic of a public package begins with the package's name and says what to do.
func TestEveryPanicNamesACure(t *testing.T) {
	all, err := Messages(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	panics := 0
	for _, m := range all {
		if !m.Panic {
			continue
		}
		panics++
		name := m.Package[strings.LastIndex(m.Package, "/")+1:]
		if !strings.HasPrefix(m.Text, name+": ") && !strings.HasPrefix(m.Text, "…") {
			t.Errorf("%s: %q: begin with %q", m.At, m.Text, name+": ")
		}
		if !cure.MatchString(m.Text) && !passesOn.MatchString(m.Text) && !libraryFaults.MatchString(m.Text) {
			t.Errorf("%s: %q: say what to do: what it needs or must be, or give, take, make, set …", m.At, m.Text)
		}
	}
	if panics < 100 {
		t.Errorf("found %d panics only", panics)
	}
}

// Every line of causes.txt is of a package with texts.
func TestCausesAreOfPackages(t *testing.T) {
	list, err := errorList(os.DirFS(root), "")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(causes) {
		if dir, _, _ := strings.Cut(line, ": "); line[0] != '#' && !strings.Contains(list, "\n## "+dir+"\n") {
			t.Errorf("causes.txt: package %s has no texts", dir)
		}
	}
}

// Texts are found in panics, errors and methods Error, with … for what is put in; one that only
// passes on another is not; they come from the exported functions that reach them.
func TestMessages(t *testing.T) {
	tree := fstest.MapFS{"shot/shot.go": {Data: []byte(`package shot

import ("errors"; "fmt")

var ErrEmpty = errors.New("shot: empty")

type Bad struct{ Name string }

func (b *Bad) Error() string { return "shot: " + b.Name + " is bad" }

func Fire(n int) error { return check(n) }

func check(n int) error {
	if n < 0 {
		panic("shot: Fire needs n of at least 0, not " + fmt.Sprint(n))
	}
	if n > 9 {
		return fmt.Errorf("shot: %d of 100 %% is too many: %w", n, ErrEmpty)
	}
	return fmt.Errorf("shot: %w", ErrEmpty)
}
`)}}
	all, err := Messages(tree)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range all {
		got = append(got, strings.Join(m.From, ",")+" "+m.Text)
	}
	want := []string{
		"Fire shot: Fire needs n of at least 0, not …", "ErrEmpty shot: empty", "Bad.Error shot: … is bad", "Fire shot: … of 100 % is too many: …",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
