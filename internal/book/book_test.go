package book

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/backstep-net/backstep/internal/figures"
)

const root = "../.."

var update = flag.Bool("update", false, "write the references of the pages anew")

// What the pages show of the source is what the source says. First of the tests, since -update
// writes what the others read.
func TestReferencesAreFresh(t *testing.T) {
	pages, err := figures.ReadPages(root)
	if err != nil {
		t.Fatal(err)
	}
	stale, err := Update(os.DirFS(root), pages)
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range stale {
		if !*update {
			t.Errorf("%s is not what the source says: run go test ./internal/book -update", file)
			continue
		}
		if err := os.WriteFile(filepath.Join(root, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Every link and anchor of every document leads somewhere.
func TestEveryLinkLeadsSomewhere(t *testing.T) {
	for _, f := range Faults(os.DirFS(root), pages(t)) {
		t.Error(f)
	}
}

// Every page of docs and of the examples is in a section, so the sidebar reaches it; every page
// has a heading and a first sentence for the contents.
func TestEveryPageIsInTheBook(t *testing.T) {
	tree := os.DirFS(root)
	contents, err := Contents(tree, Sections)
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Concat(contents...)
	for _, p := range pages(t) {
		if strings.HasPrefix(p.File, "docs/") && p.File != Home && !slices.Contains(all, p.File) {
			t.Errorf("%s is in no section: put it into book.Sections", p.File)
		}
	}
	for _, f := range all {
		text, err := os.ReadFile(filepath.Join(root, f))
		if err != nil {
			t.Fatal(err)
		}
		if title, summary := Summary(string(text)); !strings.HasPrefix(string(text), "# ") || title == "" || len(summary) < 20 {
			t.Errorf("%s: title %q, summary %q: begin the page with a heading and a sentence of what it says", f, title, summary)
		}
	}
}

// A link to a file or a heading that is not there is found; links to other sites, code, and
// headings that are there twice are no faults.
func TestLinksThatLeadNowhere(t *testing.T) {
	tree := fstest.MapFS{
		"docs/a.md": {Data: []byte("# A page\n\n[b](b.md#two-words) [b](b.md#two-words-1) [c](c.md) `[x](y.md)`\n[b](b.md#three)\n" +
			"```\n[z](z.md)\n```\n[here](#a-page) [away](https://example.org/x.md) ![p](p.png)\n")},
		"docs/b.md": {Data: []byte("# B\n\n## Two `words`\n\n## Two words\n\n[folder](../docs) [up](../README.md)\n")},
	}
	all, err := Pages(tree)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(Faults(tree, all), "\n")
	want := strings.Join([]string{
		"docs/a.md:3: c.md: there is no docs/c.md",
		"docs/a.md:4: b.md#three: docs/b.md has no heading #three",
		"docs/a.md:8: p.png: there is no docs/p.png",
		"docs/b.md:7: ../README.md: there is no README.md",
	}, "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A summary is the first sentence of prose, without links, marks and what stands above it.
func TestSummaries(t *testing.T) {
	for text, want := range map[string]string{
		"# T\n\nOne [link](x.md) here. Two.\n":                                     "One link here.",
		"# T\n\n![picture](x.png)\n\n**Decision.** It is so: yes.\n":               "It is so: yes.",
		"# T\n\n<!-- comment -->\nAt <!-- figure commit -->`1`<!-- end -->, so.\n": "At `1`, so.",
	} {
		if title, got := Summary(text); got != want || title != "T" {
			t.Errorf("%q: got %q, %q, want %q", text, title, got, want)
		}
	}
}

// pages returns the documents of the module.
func pages(t *testing.T) []*Page {
	t.Helper()
	all, err := Pages(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Every Go block of the documents compiles.
func TestSlowGoBlocks(t *testing.T) {
	openSources(t)
	c, err := compiler()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages(t) {
		for _, f := range c.Faults(p) {
			t.Error(f)
		}
	}
}
