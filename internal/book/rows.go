package book

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// specification is the folder of the pages with the rows that other pages cite.
const specification = "docs/spec"

var (
	// specRow matches a line of a page of the specification that begins a row.
	specRow = regexp.MustCompile(`^\| (([A-Z][A-Z0-9]{2})-\d\d) \|`)
	// citation matches a cited row, alone in brackets or bare, or a family of rows ("rows CMB"), after
	// what must stay as it is: blocks of code, comments, code, links and headings.
	citation = regexp.MustCompile("(?ms)^ *```.*?^ *```$|<!--.*?-->|`[^`]*`|\\[[^]]*\\]\\([^)]*\\)|^#[^\n]*$" +
		`|\[([A-Z][A-Z0-9]{2}-\d\d)\]|\b([A-Z][A-Z0-9]{2}-\d\d)\b|\brows ([A-Z][A-Z0-9]{2})\b`)
)

// rowPlaces returns where the rows of the specification are, by id and by family ("CMB"): a page,
// and the heading above them. Rows have no anchors of their own, since forges make them of headings alone.
func rowPlaces(tree fs.FS) (map[string]string, error) {
	places := map[string]string{}
	files, err := fs.Glob(tree, specification+"/*.md")
	for _, f := range files {
		text, e := fs.ReadFile(tree, f)
		if e != nil {
			return nil, e
		}
		place := f
		for line := range strings.Lines(string(text)) {
			if heading, ok := strings.CutPrefix(line, "## "); ok {
				place = f + "#" + Slug(heading)
			}
			m := specRow.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			places[m[1]] = place
			if at, ok := places[m[2]]; ok && at != place {
				places[m[2]] = f // under several headings
			} else {
				places[m[2]] = place
			}
		}
	}
	return places, err
}

// linkRows returns a text of a page with a link at each row of the specification that it cites.
func linkRows(page, text string, places map[string]string) string {
	return citation.ReplaceAllStringFunc(text, func(found string) string {
		m := citation.FindStringSubmatch(found)
		before, id := "", m[1]+m[2]
		if m[3] != "" {
			before, id = "rows ", m[3]
		}
		if places[id] == "" {
			return found
		}
		file, anchor, ok := strings.Cut(places[id], "#")
		if ok {
			anchor = "#" + anchor
		}
		return before + "[" + id + "](" + relative(page, file) + anchor + ")"
	})
}

// citesRows reports whether the rows that a page cites are links: on the pages of docs, but for
// those that have the rows.
func citesRows(file string) bool {
	return strings.HasPrefix(file, "docs/") && path.Dir(file) != specification
}
