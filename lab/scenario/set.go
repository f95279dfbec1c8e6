package scenario

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/backstep-net/backstep/strictyaml"
)

// Set overrides one key, as `--set path=value` does. The path's words are keys
// with dots between them; a player goes by name (players.ann.frame), other
// members of lists by their number from 0 (faults.0.at). Mappings on the way are
// made where there are none, a network that is only a profile's name becomes one that
// begins with it, and a cheat that is only a word becomes one of that kind. The value is YAML: 150ms, [144, 30].
//
// What can be said only from the whole (an unknown key, a value out of range) is
// an error of Scenario. An error changes nothing and is of type [Errors].
func (f *File) Set(path, value string) error {
	set := path + "=" + value
	c := &complaints{file: f.name, sets: append(f.sets[:len(f.sets):len(f.sets)], set)}
	line := -len(c.sets)
	v := f.value(c, line, value)
	if err := c.err(); err != nil {
		return err
	}
	w := walk{c, line, strings.Split(path, "."), 0}
	root := w.put(f.root, v)
	if err := c.err(); err != nil {
		return err
	}
	f.root, f.sets = root, c.sets
	return nil
}

// value parses what a key is set to.
func (f *File) value(c *complaints, line int, value string) *yaml.Node {
	if len(value) > MaxFile {
		c.add(line, "the value is larger than %d MB", MaxFile>>20)
		return nil
	}
	docs, err := strictyaml.Parse([]byte(value))
	switch {
	case err != nil:
		_, text := strictyaml.Syntax(err, []byte(value))
		c.add(line, "%s", text)
		return nil
	case len(docs) != 1:
		c.add(line, "there is no value")
		return nil
	}
	v := docs[0].Content[0]
	place(v, line)
	strictyaml.Only(v, c.add)
	return v
}

// place says where a value and all in it come from.
func place(n *yaml.Node, line int) {
	n.Line = line
	for _, child := range n.Content {
		place(child, line)
	}
}

// walk goes down a path to put a value at its end.
type walk struct {
	*complaints
	line int
	path []string
	deep int // words of the path behind
}

// put returns n with the value at the rest of the path. It copies what it
// changes.
func (w walk) put(n *yaml.Node, v *yaml.Node) *yaml.Node {
	if w.deep == len(w.path) {
		return v
	}
	word := w.path[w.deep]
	n = w.opened(n)
	switch n.Kind {
	case yaml.MappingNode:
		return w.inMapping(n, word, v)
	case yaml.SequenceNode:
		if i := w.index(n, word); i >= 0 {
			n = copied(n)
			n.Content[i] = w.next().put(n.Content[i], v)
		}
		return n
	}
	w.add(w.line, "%s is %s: it has no %q", w.so(), strictyaml.Describe(n), strictyaml.Clip(word))
	return n
}

func (w walk) next() walk {
	w.deep++
	return w
}

// so is the path so far.
func (w walk) so() string { return strictyaml.Clip(strings.Join(w.path[:w.deep], ".")) }

// opened makes a mapping of what may become one.
func (w walk) opened(n *yaml.Node) *yaml.Node {
	empty := n.Kind == yaml.ScalarNode && n.Tag == "!!null"
	word := ""
	if n.Kind == yaml.ScalarNode && !empty && w.deep > 0 {
		word = map[string]string{"network": "profile", "cheat": "kind"}[w.path[w.deep-1]]
	}
	if !empty && word == "" {
		return n
	}
	m := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: n.Line}
	if word != "" {
		m.Content = []*yaml.Node{scalar(word, n.Line), n}
	}
	return m
}

func (w walk) inMapping(n *yaml.Node, word string, v *yaml.Node) *yaml.Node {
	n = copied(n)
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == word {
			n.Content[i+1] = w.next().put(n.Content[i+1], v)
			return n
		}
	}
	fresh := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: w.line}
	n.Content = append(n.Content, scalar(word, w.line), w.next().put(fresh, v))
	return n
}

// index finds a member of a list, and complains where there is none.
func (w walk) index(n *yaml.Node, word string) int {
	if w.deep == 1 && w.path[0] == "players" {
		var names []string
		for i, p := range n.Content {
			name := named(p)
			if name == word {
				return i
			}
			names = append(names, name)
		}
		w.add(w.line, "there is no player %q%s", strictyaml.Clip(word), strictyaml.DidYouMean(word, names))
		return -1
	}
	i, err := strconv.Atoi(word)
	if err != nil || i < 0 || i >= len(n.Content) {
		w.add(w.line, "%s is a list of %d, counted from 0: it has no %q", w.so(), len(n.Content), strictyaml.Clip(word))
		return -1
	}
	return i
}

// named is the name in a mapping.
func named(n *yaml.Node) string {
	for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
		if n.Content[i].Value == "name" {
			return n.Content[i+1].Value
		}
	}
	return ""
}

func scalar(value string, line int) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value, Line: line}
}

func copied(n *yaml.Node) *yaml.Node {
	m := *n
	m.Content = append([]*yaml.Node(nil), n.Content...)
	return &m
}
