package strictyaml_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/strictyaml"
)

// hut is what the files of these tests describe.
type hut struct {
	Name   string
	Width  float64
	Turn   float64
	Doors  int
	Roof   uint8
	Open   bool
	Build  clock.Micros
	Seed   uint64
	At     geom.Vec3
	Rooms  []string
	Garden float64
}

var roofs = []string{"flat", "gable", "hip"}

func (h *hut) read(m *strictyaml.Mapping) {
	m.Key("name").Required().Text(&h.Name, "a short name", func(s string) bool { return s != "" && len(s) < 8 })
	m.Key("width").Number(&h.Width, 0.5, 9, "m")
	m.Key("turn").Angle(&h.Turn, -90, 90)
	strictyaml.Whole(m.Key("doors"), &h.Doors, 1, 4)
	strictyaml.Index(m.Key("roof"), &h.Roof, roofs)
	m.Key("open").Bool(&h.Open)
	m.Key("build").Time(&h.Build, clock.Millisecond, 90*clock.Second)
	m.Key("seed").Uint64(&h.Seed)
	m.Key("at").Vector(&h.At, 100)
	m.Key("rooms").List(1, 3, func(_ int, v strictyaml.Value) {
		h.Rooms = append(h.Rooms, "")
		v.Word(&h.Rooms[len(h.Rooms)-1], nil)
	})
	m.Key("garden").When(h.Roof != 0, "goes with a roof that is not flat").Mapping(func(m *strictyaml.Mapping) {
		m.Key("size").Required().Number(&h.Garden, 1, 50, "m²")
	})
}

// build decodes a file, and returns the hut and its errors, each in a line.
func build(text string, sets ...string) (h hut, errors string) {
	d, err := strictyaml.Open("hut.yaml", []byte(text), 512, "hut")
	for _, set := range sets {
		key, value, _ := strings.Cut(set, "=")
		if err == nil {
			err = d.Set(key, value, map[string]string{"garden": "size"})
		}
	}
	if err == nil {
		h = hut{Width: 3, Doors: 1}
		r, root := d.Reader()
		root.Mapping(h.read)
		err = r.Err()
	}
	if err != nil {
		errors = strings.ReplaceAll(err.Error(), "hut.yaml:", "")
	}
	return h, errors
}

// A file with every kind of value sets all of them; a key that is not there keeps its default.
func TestEveryKindOfValue(t *testing.T) {
	h, err := build("{name: shed, turn: 90, roof: gable, open: true, build: 1.5min, seed: 18446744073709551615, at: [1, -2, 3e1], rooms: [a, b], garden: {size: 4}}")
	want := hut{"shed", 3, math.Pi / 2, 1, 1, true, 90 * clock.Second, math.MaxUint64, geom.V(1, -2, 30), []string{"a", "b"}, 4}
	if fmt.Sprint(h) != fmt.Sprint(want) || err != "" {
		t.Errorf("got %+v, %s\nwant %+v", h, err, want)
	}
}

// Each error of a value has its line, what the value is and what it must be.
func TestErrorsOfValues(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"width: 3", "1: name is missing"},
		{"name: [a]", "1: name is a list of 1, not a short name"},
		{"name: a\nwidth: 9.5", "2: width is 9.5, not within 0.5 … 9 m"},
		{"name: a\nwidth: 0x3", "2: width is 0x3, not a number"},
		{"name: a\nwidth: '3'", `2: width is "3", not a number`},
		{"name: a\nturn: 91", "2: turn is 91, not within -90 … 90 degrees"},
		{"name: a\ndoors: 1.5", "2: doors is 1.5, not a whole number"},
		{"name: a\nroof: gabel", `2: unknown roof "gabel"; did you mean "gable"?`},
		{"name: a\nroof: {}", "2: roof is a mapping, not a word"},
		{"name: a\nopen: yes", `2: open is "yes", not true or false`},
		{"name: a\nbuild: 10", `2: build is 10, a time without a unit; did you mean "10s"?`},
		{"name: a\nbuild: 2min", "2: build is 2min, not within 1ms … 90s"},
		{"name: a\nbuild: 2sec", `2: build is 2sec, and "sec" is no unit of time; did you mean "s"?`},
		{"name: a\nbuild: soon", `2: build is "soon", not a time such as 80ms`},
		{"name: a\nseed: -1", "2: seed is -1, not a whole number within 0 … 18446744073709551615"},
		{"name: a\nat: [1, 2]", "2: at is a list of 2, not three numbers such as [0, 1, 0]"},
		{"name: a\nat: [1, 2, 101]", "2: at.z is 101, not within -100 … 100"},
		{"name: a\nrooms: []", "2: rooms has 0 members, not 1 … 3"},
		{"name: a\nrooms: kitchen", `2: rooms is "kitchen", not a list`},
		{"name: a\nroof: hip\ngarden: 3", "3: garden is 3, not a mapping of keys"},
		{"name: a\nroof: hip\ngarden: {}", "3: size is missing in garden"},
		{"name: a\ngarden: {size: 3}", "2: garden goes with a roof that is not flat"},
	} {
		if _, got := build(c.text); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// Errors of keys come before those of values in the same line, and at most 20 are listed.
func TestErrorsOfKeys(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"{width: 0, nmae: a}", "1: unknown key \"nmae\"; did you mean \"name\"?\n1: name is missing\n1: width is 0, not within 0.5 … 9 m"},
		{"name: a\nname: b", `2: the key "name" comes twice, first in line 1`},
		{"name:\nwidth: 1", "1: name has no value"},
		{"name: a\n[b]: 1", "2: a key is a word, not a list of 1"},
		{"name: a\nroof: hip\ngarden: {size: 2, sizes: 3}", `3: unknown key "sizes" in garden; did you mean "size"?`},
	} {
		if _, got := build(c.text); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
	_, got := build(strings.Repeat("x: 1\n", 30))
	if n := strings.Count(got, "\n") + 1; n != strictyaml.MaxErrors {
		t.Errorf("%d errors are listed, want %d:\n%s", n, strictyaml.MaxErrors, got)
	}
}

// What is not one document of plain YAML with a mapping at its root is one error in its line.
func TestNotPlainYAML(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "1: the file is empty"},
		{"name: a\n---\nname: b\n", "2: a second document begins; a file is one hut"},
		{"- a", "1: a hut is a mapping of keys, not a list of 1"},
		{"a: &x 1\nb: *x\n", "2: aliases are not read here; write the value of *x out"},
		{"a: 1\nb: !!str 2\n", "2: tags such as !!str are not read here"},
		{"a: {x: 1}\nb:\n  <<: {y: 2}\n", "3: merge keys are not read here; write the keys out"},
		{"a: \x01\n", "1: not YAML: control characters are not allowed"},
		{"a: [1\n", "2: not YAML: did not find expected ',' or ']'"},
		{strings.Repeat("#", 600), " the file is larger than 0 kB"},
	} {
		if _, got := build(c.text); got != c.want {
			t.Errorf("%q:\n got %q\nwant %q", c.text, got, c.want)
		}
	}
}

// Overrides replace values before the schema sees them, and errors name them.
func TestOverrides(t *testing.T) {
	h, err := build("{name: a, rooms: [x]}", "width=4", "rooms.0=y", "roof=hip", "garden=5", "garden.size=6")
	if h.Width != 4 || h.Rooms[0] != "y" || h.Garden != 6 || err != "" {
		t.Errorf("got %+v, %s", h, err)
	}
	for set, want := range map[string]string{
		"width=10":  "--set width=10: width is 10, not within 0.5 … 9 m",
		"rooms.1=y": `--set rooms.1=y: rooms is a list of 1, counted from 0: it has no "1"`,
		"name.x=1":  `--set name.x=1: name is "a": it has no "x"`,
		"width=":    "--set width=: there is no value",
		"width=[1":  "--set width=[1: not YAML: did not find expected ',' or ']'",
		"widht=1":   `--set widht=1: unknown key "widht"; did you mean "width"?`,
	} {
		if _, got := build("{name: a, rooms: [x]}", set); got != want {
			t.Errorf("%s:\n got %s\nwant %s", set, got, want)
		}
	}
}

// A schema reports the range of every key that it has asked for.
func TestKeysHaveRanges(t *testing.T) {
	d, err := strictyaml.Open("hut.yaml", []byte("{name: a, roof: hip, garden: {size: 3}}"), 256, "hut")
	if err != nil {
		t.Fatal(err)
	}
	r, root := d.Reader()
	r.Keys = map[string]string{}
	root.Mapping((&hut{}).read)
	for key, want := range map[string]string{
		"name": "", "width": "0.5 … 9 m", "turn": "-90 … 90 degrees", "doors": "1 … 4", "roof": "flat, gable, hip",
		"open": "true, false", "build": "1ms … 90s", "garden.size": "1 … 50 m²",
	} {
		if got, ok := r.Keys[key]; !ok || got != want {
			t.Errorf("%s: got %q, want %q", key, got, want)
		}
	}
}

// The nearest word is found whatever its case and dashes; a word cut short is nearer than
// another of its length.
func TestTheNearestWord(t *testing.T) {
	words := []string{"rifle", "rocket_launcher", "reload", "range", "network", "name", "seed", "duration", "geometry", "max_walk_speed"}
	for got, want := range map[string]string{
		"Rocket-Launcher": "rocket_launcher", "rel": "reload", "rfile": "rifle", "rangee": "range",
		"netwrok": "network", "dur": "duration", "SEED": "seed", "maxWalkSpeed": "max_walk_speed", "geo": "geometry", "nam": "name",
	} {
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
