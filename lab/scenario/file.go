package scenario

import (
	"go.yaml.in/yaml/v3"

	"github.com/backstep-net/backstep/strictyaml"
)

// File is a scenario's file as YAML, before anything is made of it. Settings may
// override its keys.
type File struct {
	name string
	root *yaml.Node
	sets []string
}

// Open reads the YAML of a scenario. What is no YAML, larger than MaxFile, more
// than one document, or uses aliases, merge keys or tags, is an error of type
// [Errors].
func Open(name string, b []byte) (*File, error) {
	c := &complaints{file: name}
	root := document(c, b)
	if err := c.err(); err != nil {
		return nil, err
	}
	return &File{name: name, root: root}, nil
}

// Scenario makes the scenario of the file. The error is of type [Errors]. It may
// be called again after further settings; what it returns shares nothing.
func (f *File) Scenario(o Options) (*Scenario, error) {
	r := &reader{complaints: complaints{file: f.name, sets: f.sets}, options: o}
	s := r.scenario(f.root)
	if err := r.err(); err != nil {
		return nil, err
	}
	return s, nil
}

// document parses one document and returns its mapping.
func document(c *complaints, b []byte) *yaml.Node {
	root := strictyaml.Document(b, MaxFile, "scenario", c.add)
	if root != nil && root.Kind != yaml.MappingNode && !c.full() {
		c.add(root.Line, "a scenario is a mapping of keys such as duration and players, not %s", strictyaml.Describe(root))
	}
	return root
}
