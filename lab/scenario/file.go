package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
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
	if len(b) > MaxFile {
		c.add(0, "the file is larger than %d MB", MaxFile>>20)
		return nil
	}
	docs, err := parse(b)
	switch {
	case err != nil:
		line, text := syntax(err, b)
		c.add(line, "%s", text)
		return nil
	case len(docs) == 0:
		c.add(1, "the file is empty")
		return nil
	case len(docs) > 1:
		c.add(docs[1].Line, "a second document begins; a file is one scenario")
		return nil
	}
	root := docs[0].Content[0]
	plainOnly(c, root)
	if root.Kind != yaml.MappingNode && !c.full() {
		c.add(root.Line, "a scenario is a mapping of keys such as duration and players, not %s", describe(root))
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

// syntax places an error of the YAML reader. Its lines are one too low where the
// parser, not the scanner, complains, and missing on the first line and for bad
// bytes.
func syntax(err error, b []byte) (int, string) {
	m := yamlLine.FindStringSubmatch(strings.TrimPrefix(err.Error(), "yaml: "))
	line, _ := strconv.Atoi(m[1])
	text := m[2]
	switch {
	case strings.HasPrefix(text, "unknown anchor"):
		return lineOf(b, aliasIn(b, text)), "aliases are not read here; write the value out"
	case line == 0:
		line = lineOf(b, badByte(b))
	case fromParser(text):
		line++
	}
	return line, "not YAML: " + text
}

// fromParser knows the complaints of the YAML parser by their beginnings.
func fromParser(text string) bool {
	for _, p := range []string{
		"did not find expected <", "did not find expected '-'", "did not find expected key",
		"did not find expected ','", "did not find expected node content",
		"found undefined tag handle", "found duplicate %", "found incompatible YAML",
	} {
		if strings.HasPrefix(text, p) {
			return true
		}
	}
	return false
}

// aliasIn is where the alias that the text quotes stands.
func aliasIn(b []byte, text string) int {
	if _, rest, ok := strings.Cut(text, "'"); ok {
		name, _, _ := strings.Cut(rest, "'")
		return max(bytes.Index(b, []byte("*"+name)), 0)
	}
	return 0
}

// badByte is where the first byte stands that no YAML may have, or 0.
func badByte(b []byte) int {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 || r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7f {
			return i
		}
		i += n
	}
	return 0
}

func lineOf(b []byte, offset int) int { return 1 + bytes.Count(b[:offset], []byte{'\n'}) }

// plainOnly refuses what YAML has and scenarios do not need: it would make a
// short file mean a long one, or hide what a key says.
func plainOnly(c *complaints, n *yaml.Node) {
	switch {
	case c.full():
		return
	case n.Kind == yaml.AliasNode:
		c.add(n.Line, "aliases are not read here; write the value of *%s out", clip(n.Value))
	case n.Tag == "!!merge":
		c.add(n.Line, "merge keys are not read here; write the keys out")
	case n.Style&yaml.TaggedStyle != 0:
		c.add(n.Line, "tags such as %s are not read here", clip(n.Tag))
	}
	for _, child := range n.Content {
		plainOnly(c, child)
	}
}

// describe names a value in a message.
func describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list of " + strconv.Itoa(len(n.Content))
	case n.Tag == "!!null":
		return "nothing"
	case n.Style == 0 && n.Tag != "!!str":
		return clip(n.Value)
	}
	return strconv.Quote(clip(n.Value))
}

// clip keeps what a message quotes short.
func clip(s string) string {
	if utf8.RuneCountInString(s) <= 40 {
		return s
	}
	return string([]rune(s[:min(len(s), 40*utf8.UTFMax)])[:40]) + "…"
}
