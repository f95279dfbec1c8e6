// Package style holds the sizes of functions and files, the comments of the core, and the tests beside the code to their
// bounds.
package style

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/backstep-net/backstep/internal/deps"
	"github.com/backstep-net/backstep/internal/figures"
)

// The bounds, in lines, and shares of lines.
const (
	medianFunction  = 10
	longFunction    = 35 // nine of ten are at most so long
	longestFunction = 70
	longestFile     = 600
	leastComments   = 0.22 // of a package of the core, of its lines that are not empty
	leastTests      = 0.8  // lines of tests for a line of code, of each folder
	mostlyTested    = 1.2  // of the whole library, and with `examples` and `internal`
)

// sized is a function or a file and its lines.
type sized struct {
	name  string
	lines int
}

// counted are the lines of a package or a folder that are not empty.
type counted struct{ code, comments, tests int }

// source is what is measured of all Go files that are not generated.
type source struct {
	functions []sized // but those of tests
	files     []sized
	packages  map[string]*counted // by folder
}

func TestFunctionsAndFilesAreShort(t *testing.T) {
	s := read(t)
	lines := func(a, b sized) int { return cmp.Compare(a.lines, b.lines) }
	slices.SortFunc(s.functions, lines)
	n := len(s.functions)
	median, long, longest := s.functions[n/2], s.functions[n*9/10], s.functions[n-1]
	file := slices.MaxFunc(s.files, lines)
	figures.Check(t, "lines", 0.1, "of %d functions the median has %d lines, nine of ten have at most %d, the longest %d; the longest file has %d",
		n, median.lines, long.lines, longest.lines, file.lines)
	if median.lines > medianFunction || long.lines > longFunction {
		t.Errorf("the median function has %d lines and nine of ten have at most %d, want at most %d and %d", median.lines, long.lines, medianFunction, longFunction)
	}
	for _, f := range s.tooLong() {
		t.Error(f)
	}
}

// tooLong returns the functions and files beyond their bounds.
func (s *source) tooLong() (faults []string) {
	for _, list := range []struct {
		all  []sized
		most int
	}{{s.functions, longestFunction}, {s.files, longestFile}} {
		for _, f := range list.all {
			if f.lines > list.most {
				faults = append(faults, fmt.Sprintf("%s has %d lines, want at most %d", f.name, f.lines, list.most))
			}
		}
	}
	return faults
}

func TestTheCoreIsCommented(t *testing.T) {
	least, where := 1.0, ""
	s := read(t)
	for folder, p := range s.packages {
		if pkg, _ := deps.Lookup(top(folder)); !pkg.Core || p.code == 0 {
			continue
		}
		if share := p.commented(); share < least {
			least, where = share, folder
		}
	}
	for _, f := range s.bare() {
		t.Error(f)
	}
	t.Logf("the fewest comments are in %s", where)
	figures.Check(t, "comments", 0.1, "%.0f %% of the lines at least", 100*least)
}

// bare returns the packages of the core with too few comments.
func (s *source) bare() (faults []string) {
	for folder, p := range s.packages {
		if pkg, _ := deps.Lookup(top(folder)); pkg.Core && p.code > 0 && p.commented() < leastComments {
			faults = append(faults, fmt.Sprintf("%s: %.1f %% of the lines are comments, want at least %.0f %%", folder, 100*p.commented(), 100*leastComments))
		}
	}
	return faults
}

func (c *counted) commented() float64 { return float64(c.comments) / float64(c.code+c.comments) }

func TestTheTestsAreAsLongAsTheCode(t *testing.T) {
	folders := map[string]*counted{}
	var all, library counted
	for folder, p := range read(t).packages {
		name := top(folder)
		if folders[name] == nil {
			folders[name] = &counted{}
		}
		for _, c := range []*counted{folders[name], &all, &library} {
			if c == &library && (name == "examples" || name == "internal") {
				continue
			}
			c.code += p.code
			c.tests += p.tests
		}
	}
	least, where := 9.9, ""
	for name, c := range folders {
		if name == "examples" || name == "internal" {
			continue
		}
		if c.ratio() < least {
			least, where = c.ratio(), name
		}
		if c.ratio() < leastTests {
			t.Errorf("%s has %d lines of code and %d of tests, %.2f for a line, want at least %.1f", name, c.code, c.tests, c.ratio(), leastTests)
		}
	}
	for what, c := range map[string]counted{"the library": library, "the repository": all} {
		if c.ratio() < mostlyTested {
			t.Errorf("%s has %d lines of code and %d of tests, %.3f for a line, want at least %.1f", what, c.code, c.tests, c.ratio(), mostlyTested)
		}
	}
	t.Logf("the fewest tests are in %s", where)
	figures.Check(t, "tests", 0.05, "%.2f lines of tests for a line of the library, %.2f with `examples` and `internal`, at least %.2f in a folder",
		library.ratio(), all.ratio(), least)
}

func (c *counted) ratio() float64 { return float64(c.tests) / float64(max(c.code, 1)) }

// top is the first folder of a path.
func top(folder string) string {
	name, _, _ := strings.Cut(folder, "/")
	return name
}

// read measures the Go files of the repository, once.
func read(t *testing.T) source {
	s, err := measured()
	if err != nil {
		t.Fatal(err)
	}
	if len(s.files) < 100 {
		t.Fatalf("only %d files were read", len(s.files))
	}
	return s
}

var measured = sync.OnceValues(func() (source, error) {
	s := source{packages: map[string]*counted{}}
	err := fs.WalkDir(os.DirFS("../.."), ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains([]string{"testdata", "node_modules", "build"}, d.Name()) || strings.HasPrefix(d.Name(), ".") && file != "."):
			return fs.SkipDir
		case path.Ext(file) != ".go":
			return nil
		}
		text, err := os.ReadFile(filepath.Join("../..", file))
		if err != nil {
			return err
		}
		return s.add(file, text)
	})
	return s, err
})

// add measures a file.
func (s *source) add(file string, text []byte) error {
	places := token.NewFileSet()
	tree, err := parser.ParseFile(places, file, text, parser.ParseComments)
	if err != nil || ast.IsGenerated(tree) {
		return err
	}
	p := s.packages[path.Dir(file)]
	if p == nil {
		p = &counted{}
		s.packages[path.Dir(file)] = p
	}
	code, comments := linesOf(text)
	if strings.HasSuffix(file, "_test.go") {
		p.tests += code
		return nil
	}
	p.code += code
	p.comments += comments
	s.files = append(s.files, sized{file, places.File(tree.Pos()).LineCount()})
	for _, d := range tree.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			s.functions = append(s.functions, sized{file + ": " + f.Name.Name, places.Position(f.End()).Line - places.Position(f.Pos()).Line + 1})
		}
	}
	return nil
}

// linesOf counts the lines of a file that have code, and those that have only a comment.
func linesOf(text []byte) (code, comments int) {
	places := token.NewFileSet()
	file := places.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	inCode, inComment := map[int]bool{}, map[int]bool{}
	for {
		at, kind, literal := s.Scan()
		if kind == token.EOF {
			break
		}
		if kind == token.SEMICOLON && literal == "\n" {
			continue // where a line ends
		}
		lines := inCode
		if kind == token.COMMENT {
			lines = inComment
		}
		first := file.Line(at)
		for i := range strings.Count(literal, "\n") + 1 {
			lines[first+i] = true
		}
	}
	for line := range inComment {
		if !inCode[line] {
			comments++
		}
	}
	return len(inCode), comments
}

// The gate sees a function and a file that are too long, and a package of the core without enough comments.
func TestTheGateSees(t *testing.T) {
	body := strings.Repeat("\tf()\n", longestFunction-1)
	s := source{packages: map[string]*counted{}}
	for _, file := range []string{"geom/bare.go", "host/bare.go"} { // host is not of the core
		if err := s.add(file, []byte("package p\n\nfunc f() {\n"+body+"}\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.add("clock/long.go", []byte("package p\n"+strings.Repeat("// A comment\n", longestFile))); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"geom/bare.go: f has 71 lines, want at most 70", "host/bare.go: f has 71 lines, want at most 70", "clock/long.go has 601 lines, want at most 600",
	}
	if got := s.tooLong(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := s.bare(); !slices.Equal(got, []string{"geom: 0.0 % of the lines are comments, want at least 22 %"}) {
		t.Errorf("got %q, want geom alone", got)
	}
}

func TestLinesOf(t *testing.T) {
	code, comments := linesOf([]byte("// A comment\n\npackage p // with code\n\n/* two\nlines */\nvar s = `a\nb`\n\nfunc f() {\n}\n"))
	if code != 5 || comments != 3 {
		t.Errorf("%d lines of code and %d of comments, want 5 and 3", code, comments)
	}
}
