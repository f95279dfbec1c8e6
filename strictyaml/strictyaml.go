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

// Document is a file as a tree of YAML, before a schema decodes it.
type Document struct {
	file      string
	root      *yaml.Node
	overrides []string
}

// Open parses the one document of a file; limit is the largest size in bytes, and what names
// the content in errors: "scenario". A file that is too large, no YAML, not one document, not a
// mapping, or has aliases, merge keys or tags, is an error of type [Errors].
func Open(file string, b []byte, limit int, what string) (*Document, error) {
	r := &Reader{file: file}
	if len(b) > limit {
		r.Errorf(0, "the file is larger than %d kB", limit>>10)
		return nil, r.Err()
	}
	docs, err := parse(b)
	switch {
	case err != nil:
		line, text := syntaxError(err, b)
		r.Errorf(line, "%s", text)
	case len(docs) == 0:
		r.Errorf(1, "the file is empty")
	case len(docs) > 1:
		r.Errorf(docs[1].Line, "a second document begins; a file is one %s", what)
	default:
		root := docs[0].Content[0]
		if r.plain(root); r.Count() == 0 && root.Kind != yaml.MappingNode {
			r.Errorf(root.Line, "a %s is a mapping of keys, not %s", what, describe(root))
		}
		return &Document{file: file, root: root}, r.Err()
	}
	return nil, r.Err()
}

// Reader returns a Reader of the document and the value at its root, with nothing decoded yet.
func (d *Document) Reader() (*Reader, Value) {
	r := &Reader{file: d.file, overrides: d.overrides}
	return r, Value{r: r, node: d.root, line: d.root.Line}
}

// Overrides returns the overrides so far, each as `--set PATH=VALUE`. The caller must not change
// them.
func (d *Document) Overrides() []string { return d.overrides }

// parse reads up to two documents. The YAML parser panics on some inputs that it should
// refuse; parse returns these as errors.
func parse(b []byte) (docs []*yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("yaml: the parser failed: %v", p)
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

// syntaxError returns the line and the text of an error that parse returned for b. The parser's
// lines are one too low where its grammar, not its scanner, fails, and missing on the first line
// and for bad bytes.
func syntaxError(err error, b []byte) (int, string) {
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

// fromParser reports whether the grammar of the YAML parser failed: its errors begin so.
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

// aliasIn returns the offset of the alias that the text quotes.
func aliasIn(b []byte, text string) int {
	if _, rest, ok := strings.Cut(text, "'"); ok {
		name, _, _ := strings.Cut(rest, "'")
		return max(bytes.Index(b, []byte("*"+name)), 0)
	}
	return 0
}

// badByte returns the offset of the first byte that YAML does not allow, or 0.
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

// plain reports an error for each alias, merge key and tag.
func (r *Reader) plain(n *yaml.Node) {
	switch {
	case n.Kind == yaml.AliasNode:
		r.Errorf(n.Line, "aliases are not read here; write the value of *%s out", Clip(n.Value))
	case n.Tag == "!!merge":
		r.Errorf(n.Line, "merge keys are not read here; write the keys out")
	case n.Style&yaml.TaggedStyle != 0:
		r.Errorf(n.Line, "tags such as %s are not read here", Clip(n.Tag))
	}
	for _, child := range n.Content {
		r.plain(child)
	}
}
