package figures

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Page is a document, in parts that together are its text.
type Page struct {
	File  string // from the module's folder, with slashes
	Parts []Part // in order; together they are the whole page
}

// Part is a piece of a page: text between figures, a figure, a table, or a reference.
type Part struct {
	// Key names the figure, if the part is one.
	Key string
	// Command prints the table, if the part is one.
	Command string
	// Reference names the text that package internal/book generates from the source, if the
	// part is one.
	Reference string
	// Long reports whether the command takes many minutes: make figures leaves such a
	// table as it is unless LONG=1 is set.
	Long bool
	// Text is what the page shows: without the comments around it.
	Text string
}

// The comments around figures and tables.
const (
	figureMark = "<!-- figure "
	tableMark  = "<!-- figures "
	sourceMark = "<!-- reference "
	markEnd    = " -->"
	longMark   = "long: "
	end        = "<!-- end -->"
)

// opening finds the comment that begins a figure, a table or a reference. A mark within a
// backquoted span or a code block would be taken for one, so documents that explain
// the marks write them otherwise.
var opening = regexp.MustCompile(`<!-- (?:figures?|reference) `)

// ReadPages reads every document under the module's folder root: the README, the
// pages in docs and its folders, and the README of npm packages and examples.
func ReadPages(root string) ([]Page, error) {
	files, err := pageFiles(root)
	if err != nil {
		return nil, err
	}
	pages := make([]Page, 0, len(files))
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(root, f))
		if err != nil {
			return nil, err
		}
		parts, err := Parse(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		pages = append(pages, Page{File: filepath.ToSlash(f), Parts: parts})
	}
	return pages, nil
}

// pageFiles returns the documents' files in order.
func pageFiles(root string) ([]string, error) {
	var files []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "web/*.md", "web/*/*.md", "examples/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			rel, err := filepath.Rel(root, f)
			if err != nil {
				return nil, err
			}
			files = append(files, rel)
		}
	}
	slices.Sort(files)
	return files, nil
}

// Parse cuts a page's text into parts.
func Parse(text string) ([]Part, error) {
	var parts []Part
	line := 1
	for {
		at := opening.FindStringIndex(text)
		if at == nil {
			return append(parts, Part{Text: text}), nil
		}
		parts = append(parts, Part{Text: text[:at[0]]})
		line += strings.Count(text[:at[0]], "\n")
		mark := text[at[0]:at[1]]
		name, rest, ok := strings.Cut(text[at[1]:], markEnd)
		if !ok || strings.Contains(name, "\n") || name == "" {
			return nil, fmt.Errorf("line %d: %q without a name and %q on its line", line, mark, markEnd)
		}
		shown, rest, ok := strings.Cut(rest, end)
		if !ok || opening.MatchString(shown) {
			return nil, fmt.Errorf("line %d: %s%s%s has no %s", line, mark, name, markEnd, end)
		}
		p := Part{Key: name, Text: shown}
		switch mark {
		case tableMark:
			p = Part{Text: shown}
			p.Command, p.Long = strings.CutPrefix(name, longMark)
		case sourceMark:
			p = Part{Reference: name, Text: shown}
		}
		if p.Key != "" && strings.Contains(shown, "\n") {
			return nil, fmt.Errorf("line %d: the figure %s goes over a line's end", line, name)
		}
		parts = append(parts, p)
		line += strings.Count(shown, "\n")
		text = rest
	}
}

// String returns the page's text.
func (p *Page) String() string {
	var b strings.Builder
	for _, part := range p.Parts {
		switch {
		case part.Key != "":
			b.WriteString(figureMark + part.Key + markEnd + part.Text + end)
		case part.Command != "":
			b.WriteString(tableMark)
			if part.Long {
				b.WriteString(longMark)
			}
			b.WriteString(part.Command + markEnd + part.Text + end)
		case part.Reference != "":
			b.WriteString(sourceMark + part.Reference + markEnd + part.Text + end)
		default:
			b.WriteString(part.Text)
		}
	}
	return b.String()
}

// Source is where a key's figure comes from.
type Source struct {
	Folder string // the package's folder, from the module's
	Name   string // of the test or benchmark: "TestTenPlayers", "BenchmarkTick"
	Metric string // of a benchmark: "ns/op" unless the key says another
}

// Benchmark reports whether the figure is a benchmark's.
func (s *Source) Benchmark() bool { return strings.HasPrefix(s.Name, "Benchmark") }

var keyForm = regexp.MustCompile(`^([a-z0-9/]+)\.((?:Test|Benchmark)\w+)[^#]*(?:#(.+))?$`)

// ParseKey takes a figure's key apart.
func ParseKey(key string) (Source, error) {
	m := keyForm.FindStringSubmatch(key)
	if m == nil {
		return Source{}, fmt.Errorf("figure %q: want folder.TestName/figure, folder.BenchmarkName/case or folder.BenchmarkName#metric", key)
	}
	s := Source{Folder: m[1], Name: m[2], Metric: m[3]}
	if s.Benchmark() && s.Metric == "" {
		s.Metric = "ns/op"
	}
	if !s.Benchmark() && s.Metric != "" {
		return Source{}, fmt.Errorf("figure %q: only a benchmark has metrics", key)
	}
	return s, nil
}

// Cells returns the cells of a line of a table in Markdown, without the space around them,
// and nil for any other line.
func Cells(line string) []string {
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "|") {
		return nil
	}
	cells := strings.Split(strings.Trim(line, "|"), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}
