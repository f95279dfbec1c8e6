package strictyaml

import (
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// Mapping is a mapping whose keys are being decoded. Keys that nobody asks for are errors.
type Mapping struct {
	// Name is the mapping in errors and in Reader.Keys, empty at the root. A schema may change
	// it, for example once the mapping's own name is known.
	Name string
	// Line of the file, or an override's below zero.
	Line int

	r      *Reader
	path   string // in Reader.Keys
	order  []string
	values map[string]*yaml.Node
	known  []string
}

// Mapping decodes a mapping with a schema: a function that asks for each of its keys once. A
// missing value has no keys and lacks none; one of another kind is an error.
func (v Value) Mapping(schema func(m *Mapping)) {
	if v.node == nil {
		return
	}
	m := &Mapping{Name: v.Name, path: v.Name, Line: v.line, r: v.r, values: map[string]*yaml.Node{}}
	if v.node.Kind != yaml.MappingNode {
		v.Errorf("%s is %s, not a mapping of keys", v.Name, describe(v.node))
		return
	}
	m.read(v.node)
	before := len(v.r.found)
	schema(m)
	m.unknown(v.node, before)
}

// read finds the mapping's keys, and reports those that come twice or have no value.
func (m *Mapping) read(n *yaml.Node) {
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content) && !m.r.full(); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		line, twice := lines[key.Value]
		lines[key.Value] = key.Line
		switch {
		case key.Kind != yaml.ScalarNode:
			m.r.Errorf(key.Line, "a key is a word, not %s", describe(key))
		case twice:
			m.r.Errorf(key.Line, "the key %q comes twice%s%s", Clip(key.Value), in(m.Name), firstIn(line))
		case value.Kind == yaml.ScalarNode && value.Tag == "!!null":
			m.r.Errorf(key.Line, "%s has no value", Clip(key.Value))
			m.values[key.Value] = nil
		default:
			m.values[key.Value] = value
			m.order = append(m.order, key.Value)
		}
	}
}

func firstIn(line int) string {
	if line < 0 {
		return ""
	}
	return ", first in line " + strconv.Itoa(line)
}

func in(name string) string {
	if name == "" {
		return ""
	}
	return " in " + name
}

// unknown reports the keys that the schema did not ask for, before the errors from at on.
func (m *Mapping) unknown(n *yaml.Node, at int) {
	later := slices.Clone(m.r.found[at:])
	m.r.found = m.r.found[:at]
	for i := 0; i+1 < len(n.Content) && !m.r.full(); i += 2 {
		if key := n.Content[i]; key.Kind == yaml.ScalarNode && !slices.Contains(m.known, key.Value) {
			m.r.Errorf(key.Line, "unknown key %q%s%s", Clip(key.Value), in(m.Name), DidYouMean(key.Value, m.known))
		}
	}
	m.r.found = append(m.r.found, later[:min(len(later), MaxErrors-len(m.r.found))]...)
}

// Key declares a key and returns its value.
func (m *Mapping) Key(key string) Value {
	m.known = append(m.known, key)
	n, present := m.values[key]
	v := Value{Name: key, r: m.r, node: n, line: m.Line, in: m, present: present}
	if n != nil {
		v.line = n.Line
	}
	v.within("")
	return v
}

// Given returns the keys that have values, in the order of the file.
func (m *Mapping) Given() []string { return m.order }

// Errorf reports an error in the line of the mapping.
func (m *Mapping) Errorf(format string, args ...any) { m.r.Errorf(m.Line, format, args...) }
