package strictyaml

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Set overrides one key, as `--set PATH=VALUE` does. The path is keys with dots between them;
// members of lists go by their name, or by their number from 0. Mappings on the way are made
// where there are none; shorthands names the key that a scalar stands for where a mapping is
// wanted, by the key that it belongs to ({"network": "profile"}). The value is YAML: 150ms,
// [144, 30].
//
// What only the schema can tell, such as an unknown key, is an error of decoding. An error of
// Set, of type [Errors], changes nothing.
func (d *Document) Set(path, value string, shorthands map[string]string) error {
	overrides := append(slices.Clone(d.overrides), "--set "+path+"="+value)
	o := &override{Reader: Reader{file: d.file, overrides: overrides}, path: strings.Split(path, "."), shorthands: shorthands}
	o.line = -len(overrides)
	v := o.parse(value)
	if o.Count() > 0 {
		return o.Err()
	}
	root := o.put(d.root, v, 0)
	if o.Count() > 0 {
		return o.Err()
	}
	d.root, d.overrides = root, overrides
	return nil
}

// override puts one value into a tree.
type override struct {
	Reader
	line       int
	path       []string
	shorthands map[string]string
}

// parse parses the value; every line in it is the override's.
func (o *override) parse(value string) *yaml.Node {
	docs, err := parse([]byte(value))
	switch {
	case err != nil:
		_, text := syntaxError(err, []byte(value))
		o.Errorf(o.line, "%s", text)
		return nil
	case len(docs) != 1:
		o.Errorf(o.line, "there is no value")
		return nil
	}
	v := docs[0].Content[0]
	o.place(v)
	o.plain(v)
	return v
}

func (o *override) place(n *yaml.Node) {
	n.Line = o.line
	for _, child := range n.Content {
		o.place(child)
	}
}

// put returns n with the value at the rest of the path, from word i on. It copies what it
// changes.
func (o *override) put(n, v *yaml.Node, i int) *yaml.Node {
	if i == len(o.path) {
		return v
	}
	n = o.opened(n, i)
	n.Content = slices.Clone(n.Content)
	k := -1
	switch n.Kind {
	case yaml.MappingNode:
		if k = keyIn(n, o.path[i]); k < 0 {
			empty := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: o.line}
			n.Content = append(n.Content, scalar(o.path[i], o.line), empty)
			k = len(n.Content) - 1
		}
	case yaml.SequenceNode:
		k = o.member(n, i)
	default:
		o.Errorf(o.line, "%s is %s: it has no %q", o.upTo(i), describe(n), Clip(o.path[i]))
	}
	if k >= 0 {
		n.Content[k] = o.put(n.Content[k], v, i+1)
	}
	return n
}

// upTo returns the path up to word i.
func (o *override) upTo(i int) string { return Clip(strings.Join(o.path[:i], ".")) }

// opened returns a copy of n, or a mapping where n may become one.
func (o *override) opened(n *yaml.Node, i int) *yaml.Node {
	m := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: n.Line}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return m
	}
	if n.Kind == yaml.ScalarNode && i > 0 && o.shorthands[o.path[i-1]] != "" {
		m.Content = []*yaml.Node{scalar(o.shorthands[o.path[i-1]], n.Line), n}
		return m
	}
	*m = *n
	return m
}

// member returns the index of a member of a list, or −1 and an error.
func (o *override) member(n *yaml.Node, i int) int {
	var names []string
	for k, m := range n.Content {
		at := keyIn(m, "name")
		if at < 0 {
			continue
		}
		if m.Content[at].Value == o.path[i] {
			return k
		}
		names = append(names, m.Content[at].Value)
	}
	k, err := strconv.Atoi(o.path[i])
	switch {
	case err == nil && k >= 0 && k < len(n.Content):
		return k
	case err != nil && len(names) > 0:
		o.Errorf(o.line, "%s has no member called %q%s", o.upTo(i), Clip(o.path[i]), DidYouMean(o.path[i], names))
	default:
		o.Errorf(o.line, "%s is a list of %d, counted from 0: it has no %q", o.upTo(i), len(n.Content), Clip(o.path[i]))
	}
	return -1
}

// keyIn returns the index of the value of a key in a mapping's content, −1 for none.
func keyIn(n *yaml.Node, key string) int {
	for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
		if n.Content[i].Value == key {
			return i + 1
		}
	}
	return -1
}

func scalar(value string, line int) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value, Line: line}
}
