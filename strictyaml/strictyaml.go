package strictyaml

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

// Complain is told what is wrong with a file, and in which line, from 1; 0 is the whole file.
type Complain func(line int, format string, args ...any)

// Document parses the one document that b is to be and returns its root, nil after a
// complaint; most is the largest size in bytes, and what is the file's word for itself: "a
// scenario". No YAML, more than one document, aliases, merge keys and tags are complained of:
// they would make a short file mean a long one, or hide what a key says.
func Document(b []byte, most int, what string, complain Complain) *yaml.Node {
	if len(b) > most {
		complain(0, "the file is larger than %d kB", most>>10)
		return nil
	}
	docs, err := Parse(b)
	switch {
	case err != nil:
		line, text := Syntax(err, b)
		complain(line, "%s", text)
		return nil
	case len(docs) == 0:
		complain(1, "the file is empty")
		return nil
	case len(docs) > 1:
		complain(docs[1].Line, "a second document begins; a file is one %s", what)
		return nil
	}
	root := docs[0].Content[0]
	if !Only(root, complain) {
		return nil
	}
	return root
}

// Parse reads up to two documents. The YAML reader panics on some inputs that it
// should refuse; those are errors here.
func Parse(b []byte) (docs []*yaml.Node, err error) {
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

// Syntax places an error that Parse returned of b, and says it in words. Its lines are one too low where the
// parser, not the scanner, complains, and missing on the first line and for bad
// bytes.
func Syntax(err error, b []byte) (int, string) {
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

// Only complains of what is not plain, and reports whether all is.
func Only(n *yaml.Node, complain Complain) bool {
	good := true
	switch {
	case n.Kind == yaml.AliasNode:
		complain(n.Line, "aliases are not read here; write the value of *%s out", Clip(n.Value))
		good = false
	case n.Tag == "!!merge":
		complain(n.Line, "merge keys are not read here; write the keys out")
		good = false
	case n.Style&yaml.TaggedStyle != 0:
		complain(n.Line, "tags such as %s are not read here", Clip(n.Tag))
		good = false
	}
	for _, child := range n.Content {
		good = Only(child, complain) && good
	}
	return good
}
