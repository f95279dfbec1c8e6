package weaponfile

import (
	"math"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/strictyaml"
)

// fields is a mapping whose keys are known. What reads one of them leaves alone what it is to
// fill in where the key is missing or its value is bad.
type fields struct {
	*reader
	node *yaml.Node
	name string // of the mapping, for messages
	of   map[string]*yaml.Node
}

// fields checks that n is a mapping with these keys only, none of them twice or empty. Of
// another kind of value it complains and gives no keys.
func (r *reader) fields(n *yaml.Node, name string, keys ...string) fields {
	f := fields{r, n, name, map[string]*yaml.Node{}}
	if n.Kind != yaml.MappingNode {
		r.add(n.Line, "%s is %s, not a mapping of keys", name, strictyaml.Describe(n))
		return f
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode:
			r.add(key.Line, "a key is a word, not %s", strictyaml.Describe(key))
		case !contains(keys, key.Value):
			r.add(key.Line, "unknown key %q in %s%s", strictyaml.Clip(key.Value), name, strictyaml.DidYouMean(key.Value, keys))
		case f.of[key.Value] != nil:
			r.add(key.Line, "the key %q comes twice in %s", key.Value, name)
		case value.Kind == yaml.ScalarNode && value.Tag == "!!null":
			r.add(key.Line, "%s has no value", key.Value)
			f.of[key.Value] = &yaml.Node{}
		default:
			f.of[key.Value] = value
		}
	}
	return f
}

func contains(words []string, w string) bool {
	for _, x := range words {
		if x == w {
			return true
		}
	}
	return false
}

// get returns the value of a key, nil where there is none, or none that can be read.
func (f fields) get(key string) *yaml.Node {
	if n := f.of[key]; n != nil && n.Kind != 0 {
		return n
	}
	return nil
}

// need complains of keys that are missing.
func (f fields) need(keys ...string) {
	for _, k := range keys {
		if f.of[k] == nil && f.node.Kind == yaml.MappingNode {
			f.add(f.node.Line, "%s is missing in %s", k, f.name)
		}
	}
}

// decimal parses 12, -0.5 and 1e-3, and none of Go's and YAML's other ways to write a number.
func decimal(s string) (float64, bool) {
	if s == "" || strings.Trim(s, "0123456789+-.eE") != "" {
		return 0, false
	}
	x, err := strconv.ParseFloat(s, 64)
	return x, err == nil && geom.Finite(x)
}

// number reads a number of a range.
func (r *reader) number(n *yaml.Node, name string, least, most float64) (float64, bool) {
	x, ok := decimal(n.Value)
	switch {
	case !ok || n.Kind != yaml.ScalarNode || n.Style != 0:
		r.add(n.Line, "%s is %s, not a number", name, strictyaml.Describe(n))
		return 0, false
	case !(x >= least && x <= most):
		r.add(n.Line, "%s is %s, not within %s … %s", name, strictyaml.Clip(n.Value), short(least), short(most))
		return 0, false
	}
	return x, true
}

func short(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

func (f fields) number(key string, into *float64, least, most float64) {
	if n := f.get(key); n != nil {
		if x, ok := f.reader.number(n, key, least, most); ok {
			*into = x
		}
	}
}

// angle reads degrees and gives radians.
func (f fields) angle(key string, into *float64, least, most float64) {
	if n := f.get(key); n != nil {
		if x, ok := f.reader.number(n, key+" in degrees", least, most); ok {
			*into = x / 180 * math.Pi
		}
	}
}

// whole reads an integer.
func whole[T uint8 | uint16](f fields, key string, into *T, most int) {
	n := f.get(key)
	if n == nil {
		return
	}
	x, ok := f.reader.number(n, key, 0, float64(most))
	switch {
	case ok && x != math.Trunc(x):
		f.add(n.Line, "%s is %s, not a whole number", key, strictyaml.Clip(n.Value))
	case ok:
		*into = T(x)
	}
}

func (f fields) truth(key string, into *bool) {
	switch n := f.get(key); {
	case n == nil:
	case n.Kind != yaml.ScalarNode || n.Style != 0 || n.Value != "true" && n.Value != "false":
		f.add(n.Line, "%s is %s, not true or false", key, strictyaml.Describe(n))
	default:
		*into = n.Value == "true"
	}
}

// word reads one of some words, whose places are the numbers that are meant.
func word[E ~uint8](f fields, key string, into *E, words []string) {
	n := f.get(key)
	if n == nil {
		return
	}
	for i, w := range words {
		if n.Kind == yaml.ScalarNode && n.Value == w {
			*into = E(i)
			return
		}
	}
	f.add(n.Line, "%s is %s, none of %s%s", key, strictyaml.Describe(n), strings.Join(words, ", "), strictyaml.DidYouMean(n.Value, words))
}

// text reads a name.
func (f fields) text(key string, into *string) {
	switch n := f.get(key); {
	case n == nil:
	case n.Kind != yaml.ScalarNode || n.Value == "" || len(n.Value) > shot.MaxName || strings.ContainsFunc(n.Value, unicode.IsControl):
		f.add(n.Line, "%s is %s, not a name of 1 to %d bytes", key, strictyaml.Describe(n), shot.MaxName)
	default:
		*into = n.Value
	}
}

// units are those of time, in microseconds.
var units = []struct {
	name   string
	micros float64
}{{"ms", 1e3}, {"s", 1e6}, {"us", 1}, {"µs", 1}}

// time reads a number with a unit, rounded to the microsecond.
func (f fields) time(key string, into *clock.Micros, least, most clock.Micros) {
	n := f.get(key)
	if n == nil {
		return
	}
	end := strings.LastIndexAny(n.Value, "0123456789. ") + 1
	x, ok := decimal(n.Value[:end])
	unit := strings.TrimSpace(n.Value[end:])
	var factor float64
	var names []string
	for _, u := range units {
		if names = append(names, u.name); u.name == unit {
			factor = u.micros
		}
	}
	switch {
	case n.Kind != yaml.ScalarNode || !ok:
		f.add(n.Line, "%s is %s, not a time such as 80ms", key, strictyaml.Describe(n))
	case unit == "":
		f.add(n.Line, "%s is %s, a time without a unit; did you mean %q?", key, strictyaml.Clip(n.Value), strictyaml.Clip(n.Value)+"ms")
	case factor == 0:
		f.add(n.Line, "%s is %s, and %q is no unit of time%s", key, strictyaml.Clip(n.Value), unit, strictyaml.DidYouMean(unit, names))
	default:
		if x = math.Round(x * factor); !(x >= float64(least) && x <= float64(most)) {
			f.add(n.Line, "%s is %s, not within %s … %s", key, strictyaml.Clip(n.Value), spell(least), spell(most))
			return
		}
		*into = clock.Micros(x)
	}
}

// spell writes a time as files do: 80ms, 2s, 150us.
func spell(t clock.Micros) string {
	switch {
	case t%clock.Second == 0:
		return strconv.FormatInt(int64(t/clock.Second), 10) + "s"
	case t%clock.Millisecond == 0:
		return strconv.FormatInt(int64(t/clock.Millisecond), 10) + "ms"
	}
	return strconv.FormatInt(int64(t), 10) + "us"
}
