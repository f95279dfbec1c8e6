package armoury

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/backstep-net/backstep/shot"
)

// MaxFile is the largest file, in bytes.
const MaxFile = 1 << 20

// ReadFile reads the file of a path: Read of what is in it, or why it could not be read.
func ReadFile(path string) (shot.Table, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("armoury: %w", err)
	}
	return Read(path, b)
}

// Read reads a table of weapons from the bytes of a file; the name is for messages. What is
// no YAML, larger than MaxFile, more than one document, uses aliases, merge keys or tags, or
// says anything that no weapon has or can have, is an error of type Errors. What it returns
// passes shot.Table.Check.
func Read(name string, b []byte) (shot.Table, error) {
	r := &reader{file: name}
	t := r.table(r.document(b))
	if err := r.err(); err != nil {
		return nil, err
	}
	if err := t.Check(); err != nil {
		return nil, Errors{{File: name, Text: err.Error()}}
	}
	return t, nil
}

// document parses one document and returns its mapping, nil after an error.
func (r *reader) document(b []byte) *yaml.Node {
	if len(b) > MaxFile {
		r.add(0, "the file is larger than %d kB", MaxFile>>10)
		return nil
	}
	docs, err := parse(b)
	switch {
	case err != nil:
		line, text := syntax(err)
		r.add(line, "not YAML: %s", text)
		return nil
	case len(docs) == 0:
		r.add(1, "the file is empty")
		return nil
	case len(docs) > 1:
		r.add(docs[1].Line, "a second document begins; a file is one table")
		return nil
	}
	root := docs[0].Content[0]
	if r.plainOnly(root); len(r.errors) > 0 {
		return nil
	}
	return root
}

// parse reads up to two documents. The YAML reader panics on some inputs that it
// should refuse; those are errors here.
func parse(b []byte) (docs []*yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("yaml: the reader gave up: %v", p)
		}
	}()
	d := yaml.NewDecoder(bytes.NewReader(b))
	for len(docs) < 2 {
		n := new(yaml.Node)
		if err := d.Decode(n); errors.Is(err, io.EOF) {
			return docs, nil
		} else if err != nil {
			return nil, err
		}
		if n.Kind == yaml.DocumentNode && len(n.Content) == 1 {
			docs = append(docs, n)
		}
	}
	return docs, nil
}

var yamlLine = regexp.MustCompile(`^(?:line (\d+): )?((?s:.*))$`)

// syntax places an error of the YAML reader, whose lines may be one too low.
func syntax(err error) (line int, text string) {
	m := yamlLine.FindStringSubmatch(strings.TrimPrefix(err.Error(), "yaml: "))
	line, _ = strconv.Atoi(m[1])
	return max(line, 1), m[2]
}

// plainOnly refuses what YAML has and weapons do not need: it would make a short file mean
// a long one, or hide what a key says.
func (r *reader) plainOnly(n *yaml.Node) {
	switch {
	case n.Kind == yaml.AliasNode:
		r.add(n.Line, "aliases are not read here; write the value of *%s out", clip(n.Value))
	case n.Tag == "!!merge":
		r.add(n.Line, "merge keys are not read here; write the keys out")
	case n.Style&yaml.TaggedStyle != 0:
		r.add(n.Line, "tags such as %s are not read here", clip(n.Tag))
	}
	for _, child := range n.Content {
		r.plainOnly(child)
	}
}
