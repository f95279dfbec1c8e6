package book

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"unicode"
)

// Page is a document: what of its Markdown the gates look at.
type Page struct {
	File    string          // from the module's folder, with slashes
	Links   []Link          // outside of code, in order
	Blocks  []Block         // in order
	Anchors map[string]bool // what a link to the page may have after #
}

// Link is a link or a picture of a page.
type Link struct {
	Line int    // from 1
	To   string // as the page has it
}

// Block is a fenced block of code.
type Block struct {
	Line    int    // of its first line of code, from 1
	Info    string // what stands after the opening fence: "go", "sh"
	Comment string // the comment that ends on the line above it, without its marks; often none
	Text    string // with its line ends
}

// Pages returns every page of a tree: those of docs, the README of the module, of packages and
// of examples, and the module's other documents.
func Pages(tree fs.FS) ([]*Page, error) {
	var pages []*Page
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := path.Base(name)
		if d.IsDir() && (base == "node_modules" || base == "testdata" || name == "build" || len(base) > 1 && base[0] == '.') {
			return fs.SkipDir
		}
		if d.IsDir() || path.Ext(name) != ".md" || strings.HasPrefix(name, "internal/") {
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		pages = append(pages, Parse(name, string(text)))
		return err
	})
	return pages, err
}

var (
	code     = regexp.MustCompile("`[^`]*`")
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	htmlLink = regexp.MustCompile(`(?:src|href|id)="([^"]*)"`)
)

// Parse reads a page.
func Parse(file, text string) *Page {
	p := &Page{File: file, Anchors: map[string]bool{}}
	var block *Block
	comment, open := "", false // the comment above, and whether it goes on
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSuffix(line, "\n")
		info, fence := strings.CutPrefix(strings.TrimLeft(line, " "), "```")
		switch {
		case fence && block == nil:
			block = &Block{Line: n + 1, Info: strings.TrimSpace(info), Comment: comment}
		case fence:
			p.Blocks = append(p.Blocks, *block)
			block = nil
		case block != nil:
			block.Text += line + "\n"
			continue
		case open || strings.HasPrefix(line, "<!-- "):
			if !open {
				comment, line = "", line[len("<!-- "):]
			}
			rest, closed := strings.CutSuffix(line, "-->")
			comment, open = strings.TrimSpace(comment+"\n"+rest), !closed
			continue
		default:
			p.prose(n, line)
		}
		comment = ""
	}
	return p
}

// prose reads a line outside of the blocks.
func (p *Page) prose(n int, line string) {
	if level := strings.IndexFunc(line, func(r rune) bool { return r != '#' }); level > 0 && line[level] == ' ' {
		slug := Slug(line[level:])
		for i, at := 1, slug; p.Anchors[slug]; i++ {
			slug = fmt.Sprintf("%s-%d", at, i)
		}
		p.Anchors[slug] = true
	}
	line = code.ReplaceAllString(line, "")
	for _, form := range []*regexp.Regexp{link, htmlLink} {
		for _, m := range form.FindAllStringSubmatch(line, -1) {
			if strings.HasPrefix(m[0], "id=") {
				p.Anchors[m[1]] = true
				continue
			}
			p.Links = append(p.Links, Link{n, m[1]})
		}
	}
}

// Slug returns the anchor of a heading, as forges make it: lower case, without punctuation, a
// hyphen for a space. docs/.vitepress/config.ts has the same function for the site.
func Slug(heading string) string {
	heading = links.ReplaceAllString(comments.ReplaceAllString(heading, ""), "$1")
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(heading))
}

// Faults returns the links of pages that lead nowhere, as lines: a file that is not in the tree
// or an anchor that its page does not have. Links to other sites are not followed.
func Faults(tree fs.FS, pages []*Page) []string {
	byFile := map[string]*Page{}
	for _, p := range pages {
		byFile[p.File] = p
	}
	var faults []string
	for _, p := range pages {
		for _, l := range p.Links {
			if strings.Contains(l.To, ":") {
				continue
			}
			file, anchor, _ := strings.Cut(l.To, "#")
			if file = path.Join(path.Dir(p.File), file); strings.HasPrefix(l.To, "#") {
				file = p.File
			}
			if _, err := fs.Stat(tree, file); err != nil {
				faults = append(faults, fmt.Sprintf("%s:%d: %s: there is no %s", p.File, l.Line, l.To, file))
			} else if to := byFile[file]; to != nil && anchor != "" && !to.Anchors[anchor] {
				faults = append(faults, fmt.Sprintf("%s:%d: %s: %s has no heading #%s", p.File, l.Line, l.To, file, anchor))
			}
		}
	}
	return faults
}
