package language

import (
	_ "embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

//go:embed dictionary.txt
var dictionary string

// Fault is one word of the dictionary in a place that users read.
type Fault struct {
	File string // path within the tree, with slashes
	Line int    // from 1; 0 for the file's own name
	Text string // the identifier, heading or message
	Use  string // the standard term
}

// String returns the fault as one line: place, text and the standard term.
func (f Fault) String() string {
	return fmt.Sprintf("%s:%d: %q: say %s", f.File, f.Line, f.Text, f.Use)
}

// entry is one line of the dictionary.
type entry struct {
	kind, use string
	word      *regexp.Regexp
}

// entries parses a dictionary. It panics if a line has another form, since the
// dictionary is part of the program.
func entries(text string) (all []entry) {
	for n, line := range strings.Split(text, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		left, use, ok := strings.Cut(line, " -> ")
		kind, word, spaced := strings.Cut(left, " ")
		if !ok || !spaced {
			panic(fmt.Sprintf("language: dictionary.txt:%d is not KIND WORD -> TERM", n+1))
		}
		pattern := `(?i)\b` + regexp.QuoteMeta(word) + `(?:s|es)?\b`
		if kind == "name" {
			pattern = `^` + regexp.QuoteMeta(word) + `$`
		}
		all = append(all, entry{kind, use, regexp.MustCompile(pattern)})
	}
	return all
}

// camel matches the end of a word within an identifier.
var camel = regexp.MustCompile(`[_./-]|([a-z0-9])([A-Z])`)

// parts returns an identifier or a file name as separate words: MaxKinks is "Max Kinks".
func parts(name string) string { return camel.ReplaceAllString(name, "$1 $2") }

// checker is one pass over a tree.
type checker struct {
	tree    fs.FS
	entries []entry
	faults  []Fault
}

// Check returns the words of the dictionary that stand in a tree's exported
// identifiers, package names, file names, documents, messages and user interface, in the
// order of the files. What is under testdata, node_modules or a hidden directory is not
// looked at, nor is this package.
func Check(tree fs.FS) ([]Fault, error) {
	c := checker{tree: tree, entries: entries(dictionary)}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return skip(name)
		}
		return c.file(name)
	})
	return c.faults, err
}

// skip reports by fs.SkipDir that a directory is not looked at.
func skip(name string) error {
	base := path.Base(name)
	generated := base == "testdata" || base == "node_modules" || base == "dist" || name == "build" || name == "bin"
	if generated || len(base) > 1 && base[0] == '.' || name == "internal/language" {
		return fs.SkipDir
	}
	return nil
}

// file looks at one file.
func (c *checker) file(name string) error {
	look := map[string]func(name, text string) error{
		".go": c.goFile, ".md": c.markdown, ".ts": c.typescript, ".html": c.lines, ".css": nil, ".yaml": nil,
	}
	read, known := look[path.Ext(name)]
	if !known {
		return nil
	}
	c.match(name, 0, "part", parts(path.Base(name)), path.Base(name))
	if read == nil {
		return nil
	}
	text, err := fs.ReadFile(c.tree, name)
	if err != nil {
		return err
	}
	return read(name, string(text))
}

// match notes a fault where text has a word of that kind. shown is what is reported.
func (c *checker) match(file string, line int, kind, text, shown string) {
	for _, e := range c.entries {
		if e.kind == kind && e.word.MatchString(text) {
			c.faults = append(c.faults, Fault{file, line, shown, e.use})
		}
	}
}

// identifier looks at one exported name.
func (c *checker) identifier(file string, line int, name string) {
	c.match(file, line, "part", parts(name), name)
	c.match(file, line, "name", path.Dir(file)+"."+name, name)
}

// markdown looks at the headings and the text of a document, outside of code and of the parts
// that are generated from the source (internal/book).
func (c *checker) markdown(name, text string) error {
	fenced, generated := false, false
	for n, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			fenced = !fenced
		case strings.HasPrefix(line, "<!-- reference "):
			generated = true
		case line == "<!-- end -->":
			generated = false
		case fenced || generated:
		case strings.HasPrefix(line, "#"):
			c.match(name, n+1, "part", line, line)
			c.match(name, n+1, "phrase", line, line)
			c.match(name, n+1, "heading", line, line)
		default:
			c.match(name, n+1, "text", line, line)
		}
	}
	return nil
}

// exported matches what a line of TypeScript exports.
var exported = regexp.MustCompile(`^export (?:default |declare |abstract |async )*(?:const|let|function|class|interface|type|enum) (\w+)`)

// typescript looks at exported names and, as part of the user interface, at every line.
func (c *checker) typescript(name, text string) error {
	for n, line := range strings.Split(text, "\n") {
		if m := exported.FindStringSubmatch(line); m != nil {
			c.identifier(name, n+1, m[1])
		}
	}
	return c.lines(name, text)
}

// lines looks at every line as text of the user interface.
func (c *checker) lines(name, text string) error {
	for n, line := range strings.Split(text, "\n") {
		c.match(name, n+1, "phrase", line, strings.TrimSpace(line))
	}
	return nil
}
