// Package spec checks docs/spec, the specification, against everything that cites
// its rows. Start at Check, which returns every fault of a tree; Update writes the
// last column of the tables, which tests hold each row.
//
// Without it a row could name a test that was renamed or that tests something else,
// and a comment could cite a row that does not exist.
package spec

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// folder is where the pages of the specification are.
const folder = "docs/spec"

var (
	// row matches a line of a table that begins with the id of a row.
	row = regexp.MustCompile(`^\| ([A-Z][A-Z0-9]{2}-\d\d) \|.*\|$`)
	// reason matches the last cell of a row that no test holds.
	reason = regexp.MustCompile(`^(?:(?:does not apply|left out|by construction): \S+( \S+){2,}|not built yet \(issue \d+\))$`)
)

// Fault is one thing wrong with a row, or with a file that cites one.
type Fault struct {
	Where string // the id of the row, or the path of the file
	What  string // a predicate with Where as its subject: "is there twice"
}

// String returns the fault as one line.
func (f Fault) String() string { return f.Where + ": " + f.What }

// Check returns the faults of a tree, in the order of the pages and then of the paths:
// rows that are there twice, that neither a test nor a reason holds, or whose last cell
// is not what Update writes; and files that cite a row that no page has.
func Check(tree fs.FS) ([]Fault, error) {
	cites, pages, err := read(tree)
	if err != nil {
		return nil, err
	}
	var faults []Fault
	rows := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		for line := range strings.Lines(pages[name]) {
			m := row.FindStringSubmatch(strings.TrimSpace(line))
			if m == nil {
				continue
			}
			if rows[m[1]] {
				faults = append(faults, Fault{m[1], "is there twice"})
			}
			rows[m[1]] = true
			if what := cites.judge(name, m[1], m[0]); what != "" {
				faults = append(faults, Fault{m[1], what})
			}
		}
	}
	for _, c := range cites.all {
		if !rows[c.row] {
			faults = append(faults, Fault{c.file, "cites " + c.row + ", which is not in " + folder})
		}
	}
	return faults, nil
}

// Update returns the pages of docs/spec with the last column of their tables written
// anew, by their paths. A row that no test cites keeps its reason.
func Update(tree fs.FS) (map[string]string, error) {
	cites, pages, err := read(tree)
	for name, text := range pages {
		var page strings.Builder
		for line := range strings.Lines(text) {
			page.WriteString(cites.rewrite(name, strings.TrimSuffix(line, "\n")) + "\n")
		}
		pages[name] = page.String()
	}
	return pages, err
}

// read returns the citations of a tree and the pages of its specification by path.
func read(tree fs.FS) (citations, map[string]string, error) {
	pages := map[string]string{}
	files, err := fs.Glob(tree, folder+"/*.md")
	for _, name := range files {
		text, e := fs.ReadFile(tree, name)
		pages[name], err = string(text), cmp.Or(err, e)
	}
	cites, e := collect(tree)
	return cites, pages, cmp.Or(err, e)
}

// judge returns what is wrong with a row's line, or nothing.
func (c citations) judge(page, id, line string) string {
	columns := cells(line)
	if len(columns) != 3 && len(columns) != 4 {
		return fmt.Sprintf("has %d cells, not four: no cell may contain a bar", len(columns))
	}
	fresh := cells(c.rewrite(page, line))
	switch last := fresh[3]; {
	case len(c.holders[id]) == 0 && !reason.MatchString(last):
		return "has neither a test nor a reason: let a test cite it, or give a reason that begins with " +
			"`does not apply:`, `left out:` or `by construction:`, or is `not built yet (issue N)`"
	case len(columns) == 3 || columns[3] != last:
		return "names other tests than those that cite it: run go test ./internal/spec -update"
	}
	return ""
}

// rewrite returns a line of a page with the last cell as it must be.
func (c citations) rewrite(page, line string) string {
	columns := cells(line)
	m := row.FindStringSubmatch(line)
	switch {
	case line == "| ID | Behaviour | Check |":
		return "| ID | Behaviour | Check | Tests |"
	case line == "|---|---|---|" || line == "| --- | --- | --- |":
		return "|---|---|---|---|"
	case m == nil || len(columns) != 3 && len(columns) != 4:
		return line
	case len(columns) == 3:
		columns = append(columns, "")
	}
	if list := c.links(page, m[1]); list != "" || strings.HasPrefix(columns[3], "[") {
		columns[3] = list
	}
	return "| " + strings.Join(columns, " | ") + " |"
}

// links returns what holds a row as a list of links, as seen from a page.
func (c citations) links(page, id string) string {
	up := strings.Repeat("../", strings.Count(path.Dir(page), "/")+1)
	var list []string
	for _, h := range c.holders[id] {
		list = append(list, fmt.Sprintf("[%s](%s)", h.name, up+h.file))
	}
	return strings.Join(list, ", ")
}

// cells returns the cells of a line of a table.
func cells(line string) []string {
	columns := strings.Split(strings.Trim(line, "|"), "|")
	for i := range columns {
		columns[i] = strings.TrimSpace(columns[i])
	}
	return columns
}
