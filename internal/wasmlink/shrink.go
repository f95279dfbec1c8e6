package wasmlink

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// gap is the shortest run of zeros, in bytes, that splits a data segment. On the arena's
// core all gaps from 32 to 1024 are within 2 kB of each other after brotli, and the
// longest is the best; the Go linker's own, 8, costs 20 kB.
const gap = 1024

// goVersion is the release of Go whose tables this package knows. Its runtime's moduledata
// and _func have no number of their own: another release is refused.
const goVersion = "go1.26"

// Shrink returns a smaller module that does the same. It merges data segments, drops
// custom sections, clears the tables that only stack traces read (see strip), and empties
// functions that are of no use in a browser (see dropUnused). It
// returns an error, and nothing else, for a module that another compiler, an unknown
// release of Go, or Shrink itself has written.
func Shrink(module []byte) ([]byte, error) {
	sections, err := parseModule(module)
	if err != nil {
		return nil, err
	}
	version, err := compiler(sections)
	if err != nil {
		return nil, err
	}
	if version != goVersion && !strings.HasPrefix(version, goVersion+".") {
		return nil, fmt.Errorf("wasmlink: the module comes from %s, and this step knows the tables "+
			"of %s alone: build with %s, or use the module as it is", version, goVersion, goVersion)
	}
	c, err := readCode(sections)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(sections, func(s section) bool { return s.id == dataSection })
	if i < 0 {
		return nil, errors.New("wasmlink: the module has no data section")
	}
	if sections[i].body, err = shrinkData(sections[i].body, c); err != nil {
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

// shrinkData rewrites a data section, and replaces bodies in c.
func shrinkData(body []byte, c code) ([]byte, error) {
	m, err := readImage(body)
	if err != nil {
		return nil, err
	}
	t, err := findTables(m)
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
