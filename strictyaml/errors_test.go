package strictyaml_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/strictyaml"
)

// An error of the grammar is in the line where a reader looks for it: the YAML library counts some of
// its lines from 0 and leaves others out.
func TestSyntaxErrorsAreInTheirLine(t *testing.T) {
	for _, c := range []struct {
		text string
		line int
	}{
		{"name: a\nb: [1, 2\nc: 3\n", 2}, // a list that is never closed
		{"name: a\n\"b: 1\n", 2},         // a quote that is never closed
		{"name: a\n  b: 1\n", 2},         // indented below a text
		{"name: a\nb\n", 2},              // a key without a colon
		{"name: a\nb: }\n", 2},           // closed and never opened
		{"name: a\n\nb: \x02\n", 3},      // a control character
		{"name: a\nb: \xff\n", 2},        // no UTF-8
		{"\tname: a\n", 1},               // a tab
		{"name: a\nb: *nothing\n", 2},    // an alias of nothing
		{"name: a\nb: 'x\n\n\n", 2},      // and then only empty lines
		{"rooms:\n  - a\n - b\n", 3},     // a dash that is not below the others
		{"name: {a: 1,\n  b: 2]\n", 2},   // the wrong bracket
		{"name: a\nb: @c\n", 2},          // a reserved character
		{"name: a\nwidth: 1: 2\n", 2},    // two colons
		{"name: |a\n  text\n", 1},        // an unknown kind of block
	} {
		_, err := strictyaml.Open("x.yaml", []byte(c.text), 1<<10, "test")
		var one strictyaml.Error
		if !errors.As(err, &one) || one.Line != c.line {
			t.Errorf("%q: got %v, want line %d", c.text, err, c.line)
		}
	}
}

// Errors of nested values have the line of the value, in flow style and in block style.
func TestErrorsHaveTheLineOfTheValue(t *testing.T) {
	text := strings.Join([]string{
		"name: a",         // 1
		"roof: hip",       // 2
		"at:",             // 3
		"  - 1",           // 4
		"  - x",           // 5
		"  - 3",           // 6
		"rooms:",          // 7
		"  - [b]",         // 8
		"  - c",           // 9
		"  - ''",          // 10
		"garden:",         // 11
		"  size: 0.5",     // 12
		"  colour: green", // 13
	}, "\n")
	_, got := build(text)
	want := strings.Join([]string{
		`5: at.y is "x", not a number`,
		"8: rooms is a list of 1, not a word",
		`10: rooms is "", not a word`,
		"12: size is 0.5, not within 1 … 50 m²",
		`13: unknown key "colour" in garden; did you mean "size"?`,
	}, "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Errors of overrides come first, in the order of the command line, and name the whole override.
func TestErrorsOfOverridesComeFirst(t *testing.T) {
	_, got := build("name: a\nwidth: 99\ndoors: 9\n", "doors=7", "roof=round", "rooms=[a, b, c, d]")
	want := strings.Join([]string{
		"--set doors=7: doors is 7, not within 1 … 4",
		`--set roof=round: unknown roof "round"; did you mean "hip"?`,
		"--set rooms=[a, b, c, d]: rooms has 4 members, not 1 … 3",
		"2: width is 99, not within 0.5 … 9 m",
	}, "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Members of lists go by their name or number, and a wrong one is an error that lists the nearest.
func TestOverridesOfMembers(t *testing.T) {
	const text = "huts: [{name: shed, width: 1}, {name: barn, width: 2}, 7]\nempty: []\n"
	for set, want := range map[string]string{
		"huts.shed.width=5":                "",
		"huts.1.width=5":                   "",
		"huts.2=5":                         "",
		"huts.sehd.width=5":                `--set huts.sehd.width=5: huts has no member called "sehd"; did you mean "shed"?`,
		"huts.3.width=5":                   `--set huts.3.width=5: huts is a list of 3, counted from 0: it has no "3"`,
		"huts.-1.width=5":                  `--set huts.-1.width=5: huts is a list of 3, counted from 0: it has no "-1"`,
		"empty.first=1":                    `--set empty.first=1: empty is a list of 0, counted from 0: it has no "first"`,
		"huts.2.width=5":                   `--set huts.2.width=5: huts.2 is 7: it has no "width"`,
		"huts.shed.width=*x":               "--set huts.shed.width=*x: aliases are not read here; write the value out",
		"huts.shed.width=!a 1":             "--set huts.shed.width=!a 1: tags such as !a are not read here",
		"huts.shed.width=a: b: c":          "--set huts.shed.width=a: b: c: not YAML: mapping values are not allowed in this context",
		"huts.shed.width=# only a comment": "--set huts.shed.width=# only a comment: there is no value",
		"new.key=1":                        "",
	} {
		d, err := strictyaml.Open("x.yaml", []byte(text), 1<<10, "test")
		if err != nil {
			t.Fatal(err)
		}
		key, value, _ := strings.Cut(set, "=")
		got := ""
		if err := d.Set(key, value, nil); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", set, got, want)
		}
		if n := len(d.Overrides()); (n == 1) != (want == "") {
			t.Errorf("%s: %d overrides are kept", set, n)
		}
	}
}

// A value says of itself what a schema asks before it decodes it.
func TestKindsOfValues(t *testing.T) {
	d, err := strictyaml.Open("x.yaml", []byte("list: [1]\nmapping: {a: 1}\ntruth: true\nquoted: 'true'\nempty:\n"), 1<<10, "test")
	if err != nil {
		t.Fatal(err)
	}
	_, root := d.Reader()
	root.Mapping(func(m *strictyaml.Mapping) {
		for key, want := range map[string]string{
			"list": "given list at 1", "mapping": "given mapping at 2", "truth": "given bool at 3", "quoted": "given at 4", "empty": "present at 1", "none": "at 1",
		} {
			v := m.Key(key)
			var words []string
			for _, is := range []struct {
				word string
				it   bool
			}{{"given", v.Given()}, {"present", v.Present() && !v.Given()}, {"list", v.IsList()}, {"mapping", v.IsMapping()}, {"bool", v.IsBool()}} {
				if is.it {
					words = append(words, is.word)
				}
			}
			if got := strings.Join(append(words, fmt.Sprintf("at %d", v.Line())), " "); got != want {
				t.Errorf("%s: got %s, want %s", key, got, want)
			}
		}
		if got := strings.Join(m.Given(), " "); got != "list mapping truth quoted" {
			t.Errorf("given keys: %s", got)
		}
	})
}

// Long values are clipped in errors, at whole letters.
func TestLongValuesAreClipped(t *testing.T) {
	for text, want := range map[string]string{
		"short": "short", strings.Repeat("a", 40): strings.Repeat("a", 40), strings.Repeat("a", 41): strings.Repeat("a", 40) + "…",
		strings.Repeat("ü", 41): strings.Repeat("ü", 40) + "…",
	} {
		if got := strictyaml.Clip(text); got != want {
			t.Errorf("%q: got %q", text, got)
		}
	}
	_, got := build("name: " + strings.Repeat("x", 100))
	if want := `1: name is "` + strings.Repeat("x", 40) + `…", not a short name`; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// errors.As finds each error of a file.
func TestEachErrorIsFound(t *testing.T) {
	_, err := strictyaml.Open("x.yaml", []byte("a: !x 1\nb: !y 2\n"), 1<<10, "test")
	var all strictyaml.Errors
	var first strictyaml.Error
	if !errors.As(err, &all) || len(all) != 2 || !errors.As(err, &first) || first != all[0] || first.Line != 1 || all[1].Line != 2 {
		t.Errorf("got %v", err)
	}
	if got := strictyaml.ErrorAt("x.yaml", []string{"--set a=1"}, -2, "text"); got.Error() != "x.yaml: text" {
		t.Errorf("an override that is not there: %s", got)
	}
}

// Where one number of a list is wrong, all keep what they held.
func TestAWrongNumberChangesNothing(t *testing.T) {
	for text, want := range map[string]string{"[1, 2]": "1 2", "[1, x]": "8 9", "[1, 2, 3]": "8 9", "7": "8 9", "[1, 11]": "8 9"} {
		d, err := strictyaml.Open("x.yaml", []byte("v: "+text), 100, "test")
		if err != nil {
			t.Fatal(err)
		}
		into := []float64{8, 9}
		_, root := d.Reader()
		root.Mapping(func(m *strictyaml.Mapping) { m.Key("v").Numbers(into, 0, 10, "two numbers") })
		if got := fmt.Sprint(into[0], into[1]); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
