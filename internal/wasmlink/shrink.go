package wasmlink

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// gap is the shortest run of zeros, in bytes, that splits a data segment. On the arena's
// core all gaps from 32 to 1024 are within 2 kB of each other after brotli, and the
// longest is the best; the Go linker's own, 8, costs 20 kB.
const gap = 1024

// layouts are the releases of Go whose tables this package knows, each with the word of its runtime.moduledata that is
// gofunc. moduledata and _func have no number of their own: another release is refused.
var layouts = map[string]int{"go1.26": 40, "go1.27": 43}

// ErrRelease is the error for a module that a release of Go has written whose tables this package does not know.
var ErrRelease = fmt.Errorf("a release of Go that is none of %s", strings.Join(slices.Sorted(maps.Keys(layouts)), ", "))

// Shrink returns a smaller module that does the same. It merges data segments, drops
// custom sections, clears the tables that only stack traces read (see strip), and empties
// functions that are of no use in a browser (see dropUnused). It
// returns an error, and nothing else, for a module that another compiler, an unknown
// release of Go (ErrRelease), or Shrink itself has written.
func Shrink(module []byte) ([]byte, error) {
	sections, err := parseModule(module)
	if err != nil {
		return nil, err
	}
	version, err := compiler(sections)
	if err != nil {
		return nil, err
	}
	layout, ok := layouts[release(version)]
	if !ok {
		return nil, fmt.Errorf("wasmlink: the module comes from %s, %w: use the module as it is", version, ErrRelease)
	}
	c, err := readCode(sections)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(sections, func(s section) bool { return s.id == dataSection })
	if i < 0 {
		return nil, errors.New("wasmlink: the module has no data section")
	}
	if sections[i].body, err = shrinkData(sections[i].body, c, layout); err != nil {
		return nil, err
	}
	kept := slices.DeleteFunc(sections, func(s section) bool { return s.id == customSection })
	for i, s := range kept {
		if s.id == codeSection {
			kept[i].body = appendCode(nil, c)
		}
	}
	return appendModule(nil, kept), nil
}

// release returns "go1.27" of "go1.27.4", "go1.27rc1" and of what experiments add.
func release(version string) string {
	major, rest, _ := strings.Cut(version, ".")
	i := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if i >= 0 {
		rest = rest[:i]
	}
	return major + "." + rest
}

// shrinkData rewrites a data section, and replaces bodies in c.
func shrinkData(body []byte, c code, layout int) ([]byte, error) {
	m, err := readImage(body)
	if err != nil {
		return nil, err
	}
	t, err := findTables(m, layout)
	if err != nil {
		return nil, err
	}
	unused, err := t.dropUnused(m, c)
	if err != nil {
		return nil, err
	}
	if err := t.strip(c, unused); err != nil {
		return nil, err
	}
	return appendImage(nil, m, gap), nil
}
