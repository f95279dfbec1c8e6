package strictyaml_test

import (
	"fmt"
	"testing"

	"github.com/backstep-net/backstep/strictyaml"
)

// What is no plain YAML is complained of once, in its line; what is, is not.
func TestWhatIsNotPlain(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"a: 1\nb: [2, 3]\n", ""},
		{"", "1: the file is empty"},
		{"a: 1\n---\nb: 2\n", "2: a second document begins; a file is one list"},
		{"a: &x 1\nb: *x\n", "2: aliases are not read here; write the value of *x out"},
		{"a: 1\nb: !!str 2\n", "2: tags such as !!str are not read here"},
		{"a: {x: 1}\nb:\n  <<: {y: 2}\n", "3: merge keys are not read here; write the keys out"},
		{"a: \x01\n", "1: not YAML: control characters are not allowed"},
		{"a: 1234567890\n", "0: the file is larger than 0 kB"},
	} {
		got := ""
		most := 64
		if c.want != "" && c.want[0] == '0' {
			most = 10
		}
		root := strictyaml.Document([]byte(c.file), most, "list", func(line int, format string, args ...any) {
			got += fmt.Sprintf("%d: ", line) + fmt.Sprintf(format, args...)
		})
		if got != c.want || (root == nil) != (c.want != "") {
			t.Errorf("%q:\n got %q\nwant %q, root %v", c.file, got, c.want, root)
		}
	}
}

// The nearest word is found whatever its case and dashes; a word cut short is nearer than
// another of its length.
func TestTheNearestWord(t *testing.T) {
	words := []string{"rifle", "rocket_launcher", "reload", "range"}
	for got, want := range map[string]string{"Rocket-Launcher": "rocket_launcher", "rel": "reload", "rfile": "rifle", "rangee": "range"} {
		if w := strictyaml.Nearest(got, words); w != want {
			t.Errorf("%q: got %q, want %q", got, w, want)
		}
	}
	if end := strictyaml.DidYouMean("rfile", nil); end != "" {
		t.Errorf("among no words: %q", end)
	}
}

func ExampleDidYouMean() {
	fmt.Println("unknown key" + strictyaml.DidYouMean("cooldwon", []string{"reload", "cooldown"}))
	// Output: unknown key; did you mean "cooldown"?
}
