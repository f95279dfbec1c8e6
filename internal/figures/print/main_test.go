package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/backstep-net/backstep/internal/figures"
)

// A page that was not asked for gets the figures that it shares with one that was: not its commit, and no table.
func TestOtherPagesShareFigures(t *testing.T) {
	const before = "at <!-- figure commit -->`1`<!-- end -->: <!-- figure a.TestB/c -->5<!-- end -->, <!-- figure a.TestD/e -->6<!-- end -->\n" +
		"<!-- figures backstep x -->\nold\n<!-- end -->\n"
	const after = "at <!-- figure commit -->`1`<!-- end -->: <!-- figure a.TestB/c -->7<!-- end -->, <!-- figure a.TestD/e -->6<!-- end -->\n" +
		"<!-- figures backstep x -->\nold\n<!-- end -->\n"
	parts, err := figures.Parse(before)
	if err != nil {
		t.Fatal(err)
	}
	page := figures.Page{File: filepath.Join(t.TempDir(), "page.md"), Parts: parts}
	p := printer{seen: map[string]string{"a.TestB/c": "7", "backstep x": "\nnew\n"}}
	if err := p.share(&page); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(page.File); err != nil || string(got) != after {
		t.Errorf("got %q, %v, want %q", got, err, after)
	}
}
