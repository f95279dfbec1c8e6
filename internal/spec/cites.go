package spec

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	// id matches a row wherever it is cited.
	id = regexp.MustCompile(`\b[A-Z][A-Z0-9]{2}-\d\d\b`)
	// span matches several rows cited as a range, such as GRD-06 … GRD-12 or HIS-08 to 10.
	span = regexp.MustCompile(`\b([A-Z][A-Z0-9]{2})-(\d\d)(?: to | … |…|–)(?:([A-Z][A-Z0-9]{2})-)?(\d\d)\b`)
	// test matches the name of a function that the go command runs.
	test = regexp.MustCompile(`^(?:Test|Fuzz|Benchmark|Example)(?:[A-Z0-9]|$)`)
	// other matches the files that hold the rows that they cite and are not Go:
	// transcripts, scenarios, and the tests of the page.
	other = regexp.MustCompile(`(?:^|/)testdata/[^/]+\.txt$|^scenarios/.*\.yaml$|^web/(?:test|e2e)/`)
	// cites matches the files that may cite rows.
	cites = regexp.MustCompile(`\.(?:go|md|txt|yaml|ts|mjs)$`)
	// skipped matches what is not part of the sources, and the faults that this package's
	// own test finds.
	skipped = regexp.MustCompile(`(?:^|/)(?:\.git|node_modules|bin|build|dist|test-artefacts)$|^internal/spec/testdata$`)
)

// citations are all citations of a tree.
type citations struct {
	all     []citation          // one for each file and row, in the order of the paths
	holders map[string][]holder // what holds each row, in the order of the names
}

// citation is one row that a file cites.
type citation struct{ file, row string }

// holder is something that holds the rows that it cites: a test, or a whole file.
type holder struct{ name, file string }

// collect reads every file of a tree that may cite rows.
func collect(tree fs.FS) (citations, error) {
	c := citations{holders: map[string][]holder{}}
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && skipped.MatchString(name):
			return fs.SkipDir
		case entry.IsDir() || !cites.MatchString(name):
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		return c.file(name, string(text))
	})
	for r, list := range c.holders {
		slices.SortFunc(list, func(a, b holder) int { return cmp.Compare(a.name, b.name) })
		c.holders[r] = slices.Compact(list)
	}
	return c, err
}

// file adds the citations of one file.
func (c *citations) file(name, text string) error {
	for _, r := range cited(text) {
		c.all = append(c.all, citation{name, r})
	}
	switch {
	case strings.HasSuffix(name, "_test.go"):
		return c.tests(name, text)
	case other.MatchString(name):
		c.held(strings.TrimSuffix(name, path.Ext(name)), name, text)
	}
	return nil
}

// held adds something that holds the rows that a text cites.
func (c *citations) held(by, file, text string) {
	for _, r := range cited(text) {
		c.holders[r] = append(c.holders[r], holder{by, file})
	}
}

// tests adds what the tests of a file cite: each test in its comment and its body, and
// the file as a whole in the comments above its first declaration.
func (c *citations) tests(name, text string) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	at := func(p token.Pos) int { return int(p - file.FileStart) }
	first := file.FileEnd
	for _, d := range file.Decls {
		begin := d.Pos()
		if doc := docOf(d); doc != nil {
			begin = doc.Pos()
		}
		if g, ok := d.(*ast.GenDecl); !ok || g.Tok != token.IMPORT {
			first = min(first, begin)
		}
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && test.MatchString(f.Name.Name) {
			c.held(path.Dir(name)+"."+f.Name.Name, name, text[at(begin):at(f.End())])
		}
	}
	for _, g := range file.Comments {
		if g.Pos() < first {
			c.held(name, name, g.Text())
		}
	}
	return nil
}

// docOf returns a declaration's comment, or nil.
func docOf(d ast.Decl) *ast.CommentGroup {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Doc
	case *ast.GenDecl:
		return d.Doc
	}
	return nil
}

// cited returns the rows that a text cites, alone or within a range, each once.
func cited(text string) []string {
	rows := id.FindAllString(text, -1)
	for _, m := range span.FindAllStringSubmatch(text, -1) {
		first, _ := strconv.Atoi(m[2])
		last, _ := strconv.Atoi(m[4])
		for n := first; n <= last && (m[3] == "" || m[3] == m[1]); n++ {
			rows = append(rows, fmt.Sprintf("%s-%02d", m[1], n))
		}
	}
	rows = slices.DeleteFunc(rows, func(r string) bool { return r == "UTF-16" }) // an encoding
	slices.Sort(rows)
	return slices.Compact(rows)
}
