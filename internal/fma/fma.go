// Package fma finds fused multiply-add instructions in what the compiler makes
// of this module. Start at the test: it compiles the core and the games for
// each processor that has such instructions and fails on the first line that
// uses one.
//
// A fused a*b+c is rounded once where other processors round twice, so a server
// on one and a client on another would compute different bits (docs/architecture.md,
// Conventions).
package fma

import (
	"bufio"
	"io"
	"strings"

	"github.com/backstep-net/backstep/internal/deps"
)

// Flags make the go command print every sum that the compiler fuses, and leave the
// code as it is. The pattern / is true of every sum: the compiler prints the
// position of each that it is about to fuse and goes on. Assembly (-S) says the same
// in a thousand times as many bytes, all of which the build cache keeps. Builds
// for several processors that have these flags share the packages.
const Flags = "-gcflags=" + deps.Module + "/...=-d=fmahash=/"

// Found is one sum that the compiler fuses.
type Found struct {
	Package string // as the go command names it, with [variant.test]
	Home    string // the file that declares the function that holds it
	File    string // the file that the sum is written in: another one if it was inlined
	Line    string // the line there
}

// Scan reads what the go command prints under Flags and returns every fused sum.
// Lines that say something else are passed over.
func Scan(r io.Reader) (found []Found, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	var pkg string
	for lines.Scan() {
		line := lines.Text()
		if name, ok := strings.CutPrefix(line, "# "); ok {
			pkg = name
			continue
		}
		// "fmahash0 triggered /path/caller.go:30:12; /path/callee.go:34:11 100111"
		_, where, ok := strings.Cut(line, " triggered ")
		end := strings.LastIndexByte(where, ' ')
		if !ok || end < 0 || !strings.HasPrefix(line, "fmahash") {
			continue
		}
		stack := strings.Split(where[:end], "; ")
		home, _ := position(stack[0])
		file, number := position(stack[len(stack)-1])
		found = append(found, Found{pkg, home, file, number})
	}
	return found, lines.Err()
}

// position takes the file and the line out of "/path/vec.go:10:4".
func position(s string) (file, line string) {
	column := strings.LastIndexByte(s, ':')
	if column < 0 {
		return s, ""
	}
	at := strings.LastIndexByte(s[:column], ':')
	if at < 0 {
		return s[:column], s[column+1:]
	}
	return s[:at], s[at+1 : column]
}
