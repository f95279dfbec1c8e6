package main

import (
	"os"
	"path/filepath"
	"strings"
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
	p := printer{seen: map[string]string{"commit": "`2`", "a.TestB/c": "7", "backstep x": "\nnew\n"}}
	if err := p.write(&page, false); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(page.File); err != nil || string(got) != after {
		t.Errorf("got %q, %v, want %q", got, err, after)
	}
	if err := p.write(&page, true); err == nil || !strings.Contains(err.Error(), "nothing printed the figure a.TestD/e") {
		t.Errorf("asked for, with a figure that nothing printed: %v", err)
	}
}
