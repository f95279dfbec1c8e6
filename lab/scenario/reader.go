package scenario

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/strictyaml"
)

// reader makes a Scenario of a tree of YAML and gathers what is wrong with it.
type reader struct {
	complaints
	options Options
	uses    []Use
}

// fields is a mapping whose keys are known. The readers below leave alone what
// they are to fill in where the key is missing or its value is bad.
type fields struct {
	*reader
	name string // of the mapping, for messages
	node *yaml.Node
	of   map[string]*yaml.Node
}

// fields checks that n is a mapping with these keys only, none of them twice or
// empty. Of another kind of value it complains and gives no keys.
func (r *reader) fields(n *yaml.Node, name string, keys ...string) fields {
	f := fields{r, name, n, map[string]*yaml.Node{}}
	r.pairs(n, name, func(key, value *yaml.Node) {
		for _, k := range keys {
			if k == key.Value {
				f.of[k] = value
				return
			}
		}
		r.add(key.Line, "unknown key %q%s%s", strictyaml.Clip(key.Value), in(name), strictyaml.DidYouMean(key.Value, keys))
	})
	return f
}

// pairs hands out the keys and values of a mapping, except keys that come twice
// and values that are nothing.
func (r *reader) pairs(n *yaml.Node, name string, each func(key, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		r.add(n.Line, "%s is %s, not a mapping of keys", name, strictyaml.Describe(n))
		return
	}
	first := map[string]int{}
	for i := 0; i+1 < len(n.Content) && !r.full(); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		line, twice := first[key.Value]
		first[key.Value] = key.Line
		switch {
		case key.Kind != yaml.ScalarNode:
			r.add(key.Line, "a key is a word, not %s", strictyaml.Describe(key))
		case twice:
			r.add(key.Line, "the key %q comes twice%s", strictyaml.Clip(key.Value), firstIn(line))
		case value.Kind == yaml.ScalarNode && value.Tag == "!!null":
			r.add(key.Line, "%s has no value", strictyaml.Clip(key.Value))
		default:
			each(key, value)
		}
	}
}

func firstIn(line int) string {
	if line < 0 {
		return ""
	}
	return ", first in line " + strconv.Itoa(line)
}

// need complains of keys that are missing. A key that is there but bad was
// complained of already.
func (f fields) need(keys ...string) {
	for _, k := range keys {
		if !f.has(k) {
			f.add(f.node.Line, "%s is missing%s", k, in(f.name))
		}
	}
}

// has reports whether the key is there, with a good value or a bad one; of what
// is no mapping there is nothing to miss.
func (f fields) has(key string) bool {
	for i := 0; i+1 < len(f.node.Content); i += 2 {
		if f.node.Content[i].Value == key {
			return true
		}
	}
	return f.node.Kind != yaml.MappingNode
}

func in(name string) string {
	if name == "" {
		return ""
	}
	return " in " + name
}

// list hands out the members of a list of at most max.
func (r *reader) list(n *yaml.Node, name string, max int, each func(i int, n *yaml.Node)) {
	switch {
	case n.Kind != yaml.SequenceNode:
		r.add(n.Line, "%s is %s, not a list", name, strictyaml.Describe(n))
		return
	case len(n.Content) > max:
		r.add(n.Line, "%s has %d members, more than %d", name, len(n.Content), max)
		return
	}
	for i, m := range n.Content {
		if r.full() {
			return
		}
		each(i, m)
	}
}

// literal is the number that a scalar is, if it is one.
func literal(n *yaml.Node) (float64, bool) {
	if n.Kind != yaml.ScalarNode || n.Style != 0 {
		return 0, false
	}
	return decimal(n.Value)
}

// decimal parses 12, -0.5 and 1e-3, and none of Go's and YAML's other ways to
// write a number.
func decimal(s string) (float64, bool) {
	if s == "" || strings.Trim(s, "0123456789+-.eE") != "" {
		return 0, false
	}
	x, err := strconv.ParseFloat(s, 64)
	return x, err == nil && geom.Finite(x)
}

func (r *reader) number(n *yaml.Node, name string, min, max float64) (float64, bool) {
	x, ok := literal(n)
	switch {
	case !ok:
		r.add(n.Line, "%s is %s, not a number", name, strictyaml.Describe(n))
	case !(x >= min && x <= max):
		r.add(n.Line, "%s is %s, not within %s … %s", name, strictyaml.Clip(n.Value), short(min), short(max))
		ok = false
	}
	return x, ok
}

func short(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func (f fields) number(key string, into *float64, min, max float64) {
	if n := f.of[key]; n != nil {
		if x, ok := f.reader.number(n, key, min, max); ok {
			*into = x
		}
	}
}

// whole reads an integer.
func (f fields) whole(key string, into *int, min, max int) {
	n := f.of[key]
	if n == nil {
		return
	}
	x, ok := f.reader.number(n, key, float64(min), float64(max))
	switch {
	case ok && x != math.Trunc(x):
		f.add(n.Line, "%s is %s, not a whole number", key, strictyaml.Clip(n.Value))
	case ok:
		*into = int(x)
	}
}

// angle reads degrees and gives radians.
func (f fields) angle(key string, into *float64, min, max float64) {
	if n := f.of[key]; n != nil {
		if x, ok := f.reader.number(n, key+" in degrees", min, max); ok {
			*into = radians(x)
		}
	}
}

func (r *reader) truth(n *yaml.Node, name string) (value, ok bool) {
	ok = n.Kind == yaml.ScalarNode && n.Style == 0 && (n.Value == "true" || n.Value == "false")
	if !ok {
		r.add(n.Line, "%s is %s, not true or false", name, strictyaml.Describe(n))
	}
	return n.Value == "true", ok
}

func (f fields) truth(key string, into *bool) {
	if n := f.of[key]; n != nil {
		if x, ok := f.reader.truth(n, key); ok {
			*into = x
		}
	}
}

// word reads one of some words.
func (f fields) word(key string, into *string, words []string) {
	n := f.of[key]
	switch {
	case n == nil:
	case n.Kind != yaml.ScalarNode:
		f.add(n.Line, "%s is %s, not a word", key, strictyaml.Describe(n))
	case !contains(words, n.Value):
		f.add(n.Line, "unknown %s %q%s", key, strictyaml.Clip(n.Value), strictyaml.DidYouMean(n.Value, words))
	default:
		*into = n.Value
	}
}

func contains(words []string, w string) bool {
	for _, x := range words {
		if x == w {
			return true
		}
	}
	return false
}

// text reads a line for people.
func (f fields) text(key string, into *string, max int) {
	n := f.of[key]
	switch {
	case n == nil:
	case n.Kind != yaml.ScalarNode:
		f.add(n.Line, "%s is %s, not a text", key, strictyaml.Describe(n))
	case n.Value == "" || utf8.RuneCountInString(n.Value) > max || strings.ContainsFunc(n.Value, unicode.IsControl):
		f.add(n.Line, "%s is %s, not a line of 1 to %d characters", key, strictyaml.Describe(n), max)
	default:
		*into = n.Value
	}
}

// ident reads a word that can stand in paths.
func (f fields) ident(key string, into *string) {
	n := f.of[key]
	switch {
	case n == nil:
	case n.Kind != yaml.ScalarNode || !isName(n.Value) || utf8.RuneCountInString(n.Value) > MaxName:
		f.add(n.Line, "%s is %s, not a word of 1 to %d letters, digits, - and _", key, strictyaml.Describe(n), MaxName)
	default:
		*into = n.Value
	}
}

func isName(s string) bool {
	return s != "" && strings.IndexFunc(s, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '-' && c != '_'
	}) < 0
}

// vector reads [x, y, z].
func (r *reader) vector(n *yaml.Node, name string, reach float64) (geom.Vec3, bool) {
	if n.Kind != yaml.SequenceNode || len(n.Content) != 3 {
		r.add(n.Line, "%s is %s, not three numbers such as [0, 1, 0]", name, strictyaml.Describe(n))
		return geom.Vec3{}, false
	}
	var v [3]float64
	for i, c := range n.Content {
		x, ok := r.number(c, name+"."+"xyz"[i:i+1], -reach, reach)
		if !ok {
			return geom.Vec3{}, false
		}
		v[i] = x
	}
	return geom.V(v[0], v[1], v[2]), true
}

func (f fields) vector(key string, into *geom.Vec3, reach float64) {
	if n := f.of[key]; n != nil {
		if v, ok := f.reader.vector(n, key, reach); ok {
			*into = v
		}
	}
}

func (f fields) time(key string, into *clock.Micros, min, max clock.Micros) {
	if n := f.of[key]; n != nil {
		if t, ok := f.reader.time(n, key, min, max); ok {
			*into = t
		}
	}
}
