// Package book checks and generates the documentation. Start at [Sections], the table of contents; the
// tests beside it hold the pages:
//
//   - every page is in one section, and every relative link and anchor leads somewhere
//     ([Page.Faults]);
//   - what stands between reference comments is what [References] generates from the source:
//     go test ./internal/book -update writes it;
//   - every Go and TypeScript block compiles, and every shell command has been tried.
//
// docs/.vitepress makes a site of the same pages; make docs builds it. The contents of
// docs/README.md, which are generated here, are its sidebar and its llms.txt.
package book

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// Home is the page with the table of contents.
const Home = "docs/README.md"

// Section is a part of the book: a heading of the sidebar and the pages below it.
type Section struct {
	Title string // of the heading
	// Pages are files and patterns of files, from the module's folder, in order. A page belongs
	// to the first pattern of all sections that matches it; files come before patterns. A file
	// that is not there is left out.
	Pages []string
}

// Sections is the table of contents.
var Sections = []Section{
	{"Start", []string{"docs/start.md", "docs/first-game.md"}},
	{"Concepts", []string{
		"docs/concepts/prediction.md", "docs/concepts/reconciliation.md", "docs/concepts/redundancy.md", "docs/concepts/time.md",
		"docs/concepts/snapshots.md", "docs/concepts/interpolation.md", "docs/concepts/lag-compensation.md", "docs/concepts/fairness.md",
		"docs/concepts/*.md", "docs/architecture.md", "docs/glossary.md",
	}},
	{"How-to", []string{
		"docs/game.md", "docs/howto/weapon.md", "docs/howto/state.md", "docs/howto/server-decisions.md", "docs/howto/bodies-and-doors.md",
		"docs/howto/npcs.md", "docs/howto/entities.md", "docs/howto/browser-core.md", "docs/howto/c.md", "docs/howto/bots.md", "docs/howto/tokens.md", "docs/howto/recordings.md", "docs/howto/tuning.md",
		"docs/howto/*.md", "docs/damage.md", "docs/bodies.md", "docs/npc.md", "docs/parkour.md", "docs/rig.md", "docs/recording.md",
		"docs/server.md", "docs/scale.md", "docs/security.md", "docs/siege.md", "docs/lab-running.md",
	}},
	{"Examples", []string{"examples/README.md", "examples/minimal/README.md", "examples/*/README.md"}},
	{"Troubleshooting", []string{"docs/troubleshooting.md", "docs/errors.md"}},
	{"Reference", []string{
		"docs/reference/packages.md", "docs/reference/configuration.md", "docs/reference/tunables.md", "docs/reference/flags.md",
		"docs/reference/status.md", "docs/reference/*.md", "web/client/README.md", "web/*/README.md", "docs/weapons.md", "docs/level.md",
		"docs/scenarios.md", "docs/transport.md", "docs/protocol.md", "docs/rewind.md", "docs/versions.md",
	}},
	{"Measurements", []string{
		"docs/accuracy.md", "docs/fairness.md", "docs/fair-time.md", "docs/figures.md", "docs/performance.md", "docs/lab.md", "docs/testing.md",
	}},
	{"Coming from", []string{"docs/coming-from/*.md"}},
	{"Specification", []string{"docs/spec/README.md", "docs/spec/*.md"}},
	{"Decisions", []string{"docs/decisions/README.md", "docs/decisions/*.md"}},
}

// Contents returns the files of each of the sections of a tree, in order.
func Contents(tree fs.FS, sections []Section) ([][]string, error) {
	named := map[string]bool{}
	for _, s := range sections {
		for _, p := range s.Pages {
			named[p] = true
		}
	}
	contents, seen := make([][]string, len(sections)), map[string]bool{}
	for i, s := range sections {
		for _, p := range s.Pages {
			files, err := fs.Glob(tree, p)
			if err != nil {
				return nil, fmt.Errorf("book: section %s: %w", s.Title, err)
			}
			for _, f := range files {
				if !seen[f] && (f == p || !named[f]) {
					seen[f] = true
					contents[i] = append(contents[i], f)
				}
			}
		}
	}
	return contents, nil
}

// index returns the table of contents as Markdown, as [Home] shows it: a heading a section, and
// a line a page with its title and first sentence. Sections without pages are left out.
func index(tree fs.FS, _ string) (string, error) {
	contents, err := Contents(tree, Sections)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i, files := range contents {
		if len(files) > 0 {
			fmt.Fprintf(&b, "\n## %s\n\n", Sections[i].Title)
		}
		for _, f := range files {
			text, err := fs.ReadFile(tree, f)
			if err != nil {
				return "", err
			}
			title, summary := Summary(string(text))
			fmt.Fprintf(&b, "- [%s](%s): %s\n", title, relative(Home, f), summary)
		}
	}
	return b.String(), nil
}

// relative returns the link to a file from a page.
func relative(page, file string) string {
	dir := path.Dir(page)
	up := ""
	for dir != "." && !strings.HasPrefix(file, dir+"/") {
		dir, up = path.Dir(dir), up+"../"
	}
	return up + strings.TrimPrefix(file, dir+"/")
}

var (
	// comments, links and marks are what a summary leaves out of a sentence.
	comments = regexp.MustCompile(`<!--.*?-->`)
	links    = regexp.MustCompile(`!?\[([^]]*)\]\([^)]*\)`)
	// sentence matches the first sentence of a paragraph.
	sentence = regexp.MustCompile(`^.*?[.!?](?:\s|$)`)
)

// Summary returns the heading of a page and the first sentence below it, without links.
func Summary(text string) (title, summary string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case title == "":
			title = strings.TrimPrefix(line, "# ")
		case line == "" || strings.ContainsAny(line[:1], "#|!<>-"):
		default:
			line = links.ReplaceAllString(comments.ReplaceAllString(line, ""), "$1")
			line = strings.ReplaceAll(strings.TrimPrefix(line, "**Decision.** "), "**", "")
			return title, strings.TrimSpace(sentence.FindString(line + " "))
		}
	}
	return title, ""
}
