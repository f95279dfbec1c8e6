package strictyaml_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/strictyaml"
)

// anyHut returns a hut with values of its schema's ranges.
func anyHut(r *rand.Rand) hut {
	h := hut{
		Name: "hut" + strconv.Itoa(r.IntN(100)), Width: 0.5 + 8.5*r.Float64(), Turn: float64(r.IntN(181) - 90), Doors: 1 + r.IntN(4),
		Roof: uint8(r.IntN(len(roofs))), Open: r.IntN(2) == 0, Build: 1000 + clock.Micros(r.Int64N(89_000_000)), Seed: r.Uint64(),
		At: geom.V(200*r.Float64()-100, float64(r.IntN(100)), -r.Float64()*1e-4),
	}
	for range 1 + r.IntN(3) {
		h.Rooms = append(h.Rooms, string(rune('a'+r.IntN(26)))+"_1")
	}
	if h.Roof != 0 {
		h.Garden = 1 + 49*r.Float64()
	}
	return h
}

// text writes the hut as a file: in block style with comments, or in flow style in one line.
func (h *hut) text(flow bool) string {
	lines := []string{
		"name: " + h.Name, "width: " + strconv.FormatFloat(h.Width, 'g', -1, 64), fmt.Sprintf("turn: %g", h.Turn), fmt.Sprintf("doors: %d", h.Doors),
		"roof: " + roofs[h.Roof], fmt.Sprintf("open: %v", h.Open), "build: " + strictyaml.FormatTime(h.Build), fmt.Sprintf("seed: %d", h.Seed),
		fmt.Sprintf("at: [%v, %v, %v]", h.At.X, h.At.Y, h.At.Z), "rooms: [" + strings.Join(h.Rooms, ", ") + "]",
	}
	if h.Roof != 0 {
		lines = append(lines, fmt.Sprintf("garden: {size: %v}", h.Garden))
	}
	if flow {
		return "{" + strings.Join(lines, ", ") + "}"
	}
	return strings.Join(lines, " # a comment\n") + "\n"
}

// What a file says is what its schema decodes, in block and in flow style, and with any key set by an
// override.
func TestHutsComeBackAsTheyWereWritten(t *testing.T) {
	const seed = 17
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range 300 {
		want := anyHut(r)
		for _, flow := range []bool{false, true} {
			text := want.text(flow)
			got, err := build(text)
			got.Turn = math.Round(got.Turn * 180 / math.Pi)
			if err != "" || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("seed %d, hut %d, flow %v: %s\n got %+v\nwant %+v\n%s", seed, i, flow, err, got, want, text)
			}
		}
		other := anyHut(r)
		got, err := build(want.text(false), "width="+strconv.FormatFloat(other.Width, 'g', -1, 64), "build="+strictyaml.FormatTime(other.Build), fmt.Sprintf("at.1=%v", other.At.Y))
		if err != "" || got.Width != other.Width || got.Build != other.Build || got.At.Y != other.At.Y || got.At.X != want.At.X || got.Name != want.Name {
			t.Fatalf("seed %d, hut %d with overrides: %s\n got %+v\nwant the width, build and at.y of %+v", seed, i, err, got, other)
		}
	}
}

// Every scalar that a schema accepts is, to the library's own decoder, the same number, truth or
// text: the strict reader reads a subset of YAML and no other language. One number is left out: 017
// is 17 to YAML 1.2 and here, but 15 to the library, which reads YAML 1.1.
func TestValuesAgreeWithTheLibrary(t *testing.T) {
	words := []string{
		"1", "-1", "0", "-0", "1.5", "+2", "1e3", "1E3", "1e-3", ".5", "5.", "1_000", "0x10", "0b1", "0o7", "1e999", ".inf", "-.inf", ".nan", "1,5", "--1", "1e", "e1",
		"true", "false", "True", "TRUE", "yes", "no", "on", "off", "y", "~", "null", "''", "'1'", `"1"`, "'true'", "rifle", "a b", "1s", "12:30", "2026-01-01", "!!int 3",
	}
	for _, word := range words {
		d, err := strictyaml.Open("x.yaml", []byte("v: "+word+"\n"), 1<<10, "test")
		if err != nil {
			continue // not read at all, as a tag
		}
		var library map[string]any
		if err := yaml.Unmarshal([]byte("v: "+word+"\n"), &library); err != nil {
			t.Errorf("%s: the library reads %v", word, err)
		}
		decode := func(what string, got any, f func(v strictyaml.Value) bool) {
			ok := false
			_, root := d.Reader()
			root.Mapping(func(m *strictyaml.Mapping) { ok = f(m.Key("v")) })
			if want := library["v"]; ok && !sameValue(deref(got), want) {
				t.Errorf("%s as %s: got %v, the library %v (%T)", word, what, deref(got), want, want)
			}
		}
		x, truth := 0.0, false
		decode("a number", &x, func(v strictyaml.Value) bool { return v.Number(&x, -1e6, 1e6, "") })
		decode("a truth", &truth, func(v strictyaml.Value) bool { return v.Bool(&truth) })
		n := 0
		decode("a whole number", &n, func(v strictyaml.Value) bool { return strictyaml.Whole(v, &n, -1000, 1000) })
	}
}

// sameValue compares a decoded value with the library's, which has several types of numbers.
func sameValue(got, want any) bool {
	x, a := number(got)
	y, b := number(want)
	if a && b {
		return x == y
	}
	return got == want
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

func deref(p any) any {
	switch p := p.(type) {
	case *float64:
		return *p
	case *bool:
		return *p
	case *int:
		return *p
	}
	return p
}

// A decimal is a finite number in digits with a dot, an exponent and a sign; other ways of Go and
// YAML to write one are none.
func TestDecimals(t *testing.T) {
	const seed = 2
	r := rand.New(rand.NewPCG(seed, 0))
	for range 5000 {
		want := math.Float64frombits(r.Uint64())
		if math.IsNaN(want) || math.IsInf(want, 0) {
			continue
		}
		for _, format := range []byte{'g', 'e', 'f'} {
			text := strconv.FormatFloat(want, format, -1, 64)
			if got, ok := strictyaml.Decimal(text); !ok || got != want {
				t.Fatalf("seed %d: %s: got %v, %v", seed, text, got, ok)
			}
		}
	}
	for _, text := range []string{"", " 1", "1 ", "0x1p3", "1_0", "inf", "NaN", "1e999", "-", ".", "1.2.3", "١"} {
		if got, ok := strictyaml.Decimal(text); ok {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

// A time is read as it is written, in the largest unit that leaves no rest; other units and
// fractions are rounded to the microsecond.
func TestTimesComeBack(t *testing.T) {
	const seed = 4
	r := rand.New(rand.NewPCG(seed, 0))
	read := func(text string) (at clock.Micros, err string) {
		d, e := strictyaml.Open("t.yaml", []byte("t: "+text), 100, "test")
		if e != nil {
			return 0, e.Error()
		}
		reader, root := d.Reader()
		root.Mapping(func(m *strictyaml.Mapping) { m.Key("t").Time(&at, -clock.Second, 1<<50) })
		if e := reader.Err(); e != nil {
			err = e.Error()
		}
		return at, err
	}
	for i := range 3000 {
		want := clock.Micros(r.Int64N(1 << 45))
		switch i % 3 {
		case 1:
			want = want / clock.Millisecond * clock.Millisecond
		case 2:
			want = want / clock.Second * clock.Second
		}
		if got, err := read(strictyaml.FormatTime(want)); got != want || err != "" {
			t.Fatalf("seed %d: %d is written as %s and read as %d, %s", seed, want, strictyaml.FormatTime(want), got, err)
		}
	}
	for text, want := range map[string]clock.Micros{
		"1.5ms": 1500, "0.0004ms": 0, "0.0005ms": 1, "2min": 120_000_000, "7µs": 7, "7us": 7, "-1ms": -1000, "1e2ms": 100_000,
	} {
		if got, err := read(text); got != want || err != "" {
			t.Errorf("%s: got %d, %s; want %d", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"5h": `t is 5h, and "h" is no unit of time`, "3 s": `t is "3 s", not a time such as 80ms`, "ms": `t is "ms", not a time such as 80ms`, "[1s]": "t is a list of 1, not a time such as 80ms",
		"-2s": "t is -2s, not within -1s … ", "7": `t is 7, a time without a unit`,
	} {
		if _, err := read(text); !strings.Contains(err, want) {
			t.Errorf("%s: got %s\nwant %s", text, err, want)
		}
	}
}

// A word is nearest to itself whatever the others are, and a mistyped letter, a lost one and two
// swapped ones still find it.
func TestMistypedWordsAreFound(t *testing.T) {
	words := []string{"geometry", "network", "duration", "players", "expect", "faults", "server", "params", "paths", "level", "max_walk_speed", "walkable_slope"}
	const seed = 6
	r := rand.New(rand.NewPCG(seed, 0))
	for range 2000 {
		want := words[r.IntN(len(words))]
		i := 1 + r.IntN(len(want)-2)
		for what, got := range map[string]string{
			"itself": want, "in capitals": strings.ToUpper(want), "with a letter lost": want[:i] + want[i+1:], "with a letter twice": want[:i] + want[i:i+1] + want[i:],
			"with two swapped": want[:i] + want[i+1:i+2] + want[i:i+1] + want[i+2:],
		} {
			if w := strictyaml.Nearest(got, words); w != want {
				t.Fatalf("seed %d: %q, %s: got %q, want %q", seed, got, what, w, want)
			}
		}
	}
	if w := strictyaml.Nearest(strings.Repeat("x", 1<<20), words); w == "" {
		t.Error("a word of a megabyte is near nothing")
	}
}

// Whatever bytes come: no panic, at most 20 errors, each with the file's name; what is read is YAML to
// the library too.
func FuzzOpen(f *testing.F) {
	for _, text := range []string{"", "a: 1", "{a: [1, {b: 2}]}", "a: &x 1\nb: *x", "a: !!str 1", "- 1", "a:\n  - b\n  -c", "\xff", "a: {", "? [1]\n: 2", "a: 1\n---\nb: 2", "<<: {a: 1}"} {
		f.Add([]byte(text), "a.0=x")
	}
	f.Fuzz(func(t *testing.T, b []byte, set string) {
		d, err := strictyaml.Open("f.yaml", b, 1<<12, "test")
		if err == nil {
			var library yaml.Node
			if e := yaml.Unmarshal(b, &library); e != nil {
				t.Fatalf("%q is read, and to the library it is %v", b, e)
			}
			key, value, _ := strings.Cut(set, "=")
			if e := d.Set(key, value, nil); e != nil && !strings.HasPrefix(e.Error(), "--set ") {
				t.Fatalf("%q: %v", set, e)
			}
			h := hut{}
			r, root := d.Reader()
			root.Mapping(h.read)
			err = r.Err()
		}
		if err == nil {
			return
		}
		all, ok := err.(strictyaml.Errors)
		if !ok || len(all) == 0 || len(all) > strictyaml.MaxErrors {
			t.Fatalf("%q: %T with %d errors", b, err, len(all))
		}
		for _, e := range all {
			if e.Text == "" || !strings.HasPrefix(e.Error(), "f.yaml:") && !strings.HasPrefix(e.Error(), "--set ") {
				t.Fatalf("%q: %q", b, e.Error())
			}
		}
	})
}
