package main

import "testing"

// Tests that run over a map log their hashes in any order, twice the same one too: only what one side lacks counts.
func TestDifferingHashes(t *testing.T) {
	for _, c := range []struct {
		browser, native []string
		want            string
	}{
		{[]string{"b", "a", "b"}, []string{"a", "b", "b"}, ""},
		{[]string{"a", "c"}, []string{"a", "b"}, "natively     b\nWebAssembly  c"},
		{nil, []string{"a"}, "natively     a"},
		{[]string{"a", "a"}, []string{"a"}, "WebAssembly  a"},
	} {
		if got := differing(c.browser, c.native); got != c.want {
			t.Errorf("%q and %q: got %q, want %q", c.browser, c.native, got, c.want)
		}
	}
}
