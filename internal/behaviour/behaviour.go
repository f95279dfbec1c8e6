// Package behaviour holds docs/behaviour.md against the specification and the
// tests. Start at Check: it returns every fault of a tree.
//
// Without it a row could name a test that was renamed, a transcript that was
// never written or a test of something else, and still look held.
package behaviour

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Fault is one thing wrong with docs/behaviour.md, or with what it names.
type Fault struct {
	Row  string // the row of the document, empty if the fault is not in a row
	What string
}

func (f Fault) String() string {
	if f.Row == "" {
		return f.What
	}
	return f.Row + ": " + f.What
}

const (
	document = "docs/behaviour.md"
	pages    = "docs/spec"
)

var (
	// row matches the beginning of a table's line, here and in the specification.
	row = regexp.MustCompile(`(?m)^\| ([A-Z][A-Z0-9]{2}-\d\d) \| (.*) \|$`)
	// id matches a row wherever it is mentioned.
	id = regexp.MustCompile(`\b[A-Z][A-Z0-9]{2}-\d\d\b`)
	// span matches several rows mentioned as a range.
	span = regexp.MustCompile(`\b([A-Z][A-Z0-9]{2})-(\d\d)(?: to | … |…|–)(?:([A-Z][A-Z0-9]{2})-)?(\d\d)\b`)
	// test matches package.TestName and package.TestName/subtest, in backquotes or not.
	test = regexp.MustCompile(`\b([a-z][a-z0-9_/]*)\.((?:Test|Fuzz|Benchmark|Example)[A-Z0-9]\w*)(/\w+)?(…)?`)
	// bare matches the name of a test without its package.
	bare = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark|Example)[A-Z0-9]\w*`)
	// listed matches what follows the word scenario up to the end of the list.
	listed = regexp.MustCompile("\\bscenarios?((?:[ ,]|and |`|[a-z0-9-]+/[a-z0-9-]+)+)")
	// pathlike matches folder/name.
	pathlike = regexp.MustCompile(`\b([a-z0-9-]+)/([a-z0-9-]+)\b`)
	// reason matches the whole of a row that no test holds.
	reason = regexp.MustCompile(`^(?:does not apply|left out|by construction): \S+( \S+){2,}$`)
	// pending matches a row whose behaviour another issue brings.
	pending = regexp.MustCompile(`^not built yet \(issue \d+\)$`)
)

// Check reads docs/behaviour.md, the specification, the scenarios and the tests of
// a tree and returns the faults in the order of the document: rows that are
// missing, unknown or twice there, tests and scenarios that do not exist or do not
// cite the row, and rows with neither a test nor a reason.
func Check(tree fs.FS) ([]Fault, error) {
	text, err := fs.ReadFile(tree, document)
	if err != nil {
		return nil, err
	}
	known, err := specified(tree)
	if err != nil {
		return nil, err
	}
	c := checker{tree: tree, known: known, packages: map[string]sources{}}
	var lines []string
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		c.row = m[1]
		c.line(m[2])
		if slices.Contains(lines, c.row) {
			c.fault("has two lines")
		}
		lines = append(lines, c.row)
	}
	c.row = ""
	for _, r := range known {
		if !slices.Contains(lines, r) {
			c.fault("%s has no line in %s", r, document)
		}
	}
	return c.faults, c.err
}

// specified returns every row of the specification: those of the tables under
// docs/spec and the ranges that its README gives for the first specification,
// which is not part of the tree.
func specified(tree fs.FS) ([]string, error) {
	files, err := fs.Glob(tree, pages+"/*.md")
	if err != nil {
		return nil, err
	}
	var known []string
	for _, f := range files {
		text, err := fs.ReadFile(tree, f)
		if err != nil {
			return nil, err
		}
		for _, m := range row.FindAllStringSubmatch(string(text), -1) {
			known = append(known, m[1])
		}
		if path.Base(f) == "README.md" {
			known = append(known, ranges(string(text))...)
		}
	}
	return known, nil
}

// ranges returns the rows that a text mentions as ranges, such as WIR-05 to WIR-08.
func ranges(text string) (rows []string) {
	for _, m := range span.FindAllStringSubmatch(text, -1) {
		if m[3] != "" && m[3] != m[1] {
			continue
		}
		first, _ := strconv.Atoi(m[2])
		last, _ := strconv.Atoi(m[4])
		for n := first; n <= last; n++ {
			rows = append(rows, fmt.Sprintf("%s-%02d", m[1], n))
		}
	}
	return rows
}

// cites reports whether a text mentions a row, alone or within a range.
func cites(text, row string) bool {
	return strings.Contains(text, row) || slices.Contains(ranges(text), row)
}

// checker is one pass over the document.
type checker struct {
	tree     fs.FS
	known    []string
	packages map[string]sources
	row      string
	faults   []Fault
	err      error
}

func (c *checker) fault(format string, args ...any) {
	c.faults = append(c.faults, Fault{c.row, fmt.Sprintf(format, args...)})
}

// line looks at what the document says of one row.
func (c *checker) line(cell string) {
	if !slices.Contains(c.known, c.row) {
		c.fault("is not in the specification")
	}
	for _, other := range append(id.FindAllString(cell, -1), ranges(cell)...) {
		if !slices.Contains(c.known, other) {
			c.fault("mentions %s, which is not in the specification", other)
		}
	}
	held := c.tests(cell)
	rest := test.ReplaceAllString(cell, "")
	for _, name := range bare.FindAllString(rest, -1) {
		c.fault("names %s without its package", name)
	}
	held = c.scenarios(rest) || held
	switch {
	case strings.Contains(cell, "not built yet") && !pending.MatchString(cell):
		c.fault("says not built yet: the whole line is `not built yet (issue N)`")
	case !held && !pending.MatchString(cell) && !reason.MatchString(cell):
		c.fault("names no test: give one, or a reason that begins with `does not apply:`, `left out:` or `by construction:`")
	}
}

// tests checks the tests that a line names and reports whether there are any.
func (c *checker) tests(cell string) bool {
	found := test.FindAllStringSubmatch(cell, -1)
	for _, m := range found {
		dir, name, sub := m[1], m[2], strings.TrimPrefix(m[3], "/")
		p := c.sources(dir)
		source, ok := p[name]
		if !ok || m[4] != "" {
			c.fault("%s: there is no such test", m[0])
			continue
		}
		if sub != "" {
			part, ok := c.subtest(dir, sub, source)
			if !ok {
				c.fault("%s: there is no such subtest", m[0])
				continue
			}
			source += part
		}
		c.cited(m[0], source)
	}
	return len(found) > 0
}

// cited checks that the text of something that a line names cites the row, and no row
// that is unknown although there are others of its group.
func (c *checker) cited(what, text string) {
	if !cites(text, c.row) {
		c.fault("%s does not cite the row", what)
	}
	for _, other := range append(id.FindAllString(text, -1), ranges(text)...) {
		group := slices.ContainsFunc(c.known, func(r string) bool { return r[:4] == other[:4] })
		if group && !slices.Contains(c.known, other) {
			c.fault("%s cites %s, which is not in the specification", what, other)
		}
	}
}

// subtest returns what belongs to a subtest beyond its test's source: the file under
// testdata that has its name, or nothing if the source spells the name.
func (c *checker) subtest(dir, name, source string) (string, bool) {
	files, _ := fs.Glob(c.tree, dir+"/testdata/"+name+".*")
	if len(files) > 0 {
		return c.read(files[0]), true
	}
	spelled := strings.Contains(source, `"`+name+`"`) ||
		strings.Contains(source, `"`+strings.ReplaceAll(name, "_", " ")+`"`)
	return "", spelled
}

// scenarios checks the scenarios that a line names and reports whether there are any.
// What stands in a list behind the word scenario is one, and so is any folder/name
// whose folder is one of the scenarios' and that is no package.
func (c *checker) scenarios(cell string) bool {
	var names []string
	for _, m := range listed.FindAllStringSubmatch(cell, -1) {
		names = append(names, pathlike.FindAllString(m[1], -1)...)
	}
	for _, m := range pathlike.FindAllStringSubmatch(cell, -1) {
		if c.isFolder("scenarios/"+m[1]) && !c.isFolder(m[0]) {
			names = append(names, m[0])
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, name := range names {
		file := "scenarios/" + name + ".yaml"
		if !c.isFile(file) {
			c.fault("%s: there is no such scenario", name)
			continue
		}
		c.cited("scenario "+name, c.read(file))
	}
	return len(names) > 0
}

func (c *checker) isFolder(name string) bool {
	s, err := fs.Stat(c.tree, name)
	return err == nil && s.IsDir()
}

func (c *checker) isFile(name string) bool {
	s, err := fs.Stat(c.tree, name)
	return err == nil && !s.IsDir()
}

// read returns a file's text. The first error ends the check.
func (c *checker) read(name string) string {
	text, err := fs.ReadFile(c.tree, name)
	if err != nil && c.err == nil {
		c.err = err
	}
	return string(text)
}
