// Package fma finds fused multiply-add instructions in what the compiler makes
// of this module. Start at the test: it compiles the core and the games for
// each processor that has such instructions and fails on the first line that
// uses one.
//
// A fused a*b+c is rounded once where other processors round twice, so a server
// on one and a client on another would part ways (docs/architecture.md,
// Conventions).
package fma

import (
	"bufio"
	"io"
	"regexp"
	"strings"
)

// Found is one fused instruction.
type Found struct {
	Symbol      string // the function that holds it, with its import path
	Home        string // the file that declares that function
	File        string // the file the instruction comes from: another one if it was inlined
	Line        string // the line there
	Instruction string
}

// fused matches the mnemonics of Go's assembler, in front of their operands.
// arm64 has scalar FMADDD, FNMSUBS and so on and the vector VFMLA, VFMLS; amd64
// from v3 on has VFMADD231SD and its family.
var fused = regexp.MustCompile(`^(FN?M(ADD|SUB)[DS]|VFML[AS]|VFN?M(ADD|SUB)[A-Z0-9]*)$`)

// Scan reads what the compiler prints under -S and returns every fused
// instruction, and how many functions it read. Lines that are not assembly are
// passed over.
func Scan(r io.Reader) (found []Found, functions int, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	var symbol, home string
	for lines.Scan() {
		line := lines.Text()
		if !strings.HasPrefix(line, "\t") {
			if name, _, ok := strings.Cut(line, " STEXT "); ok {
				symbol = name
				functions++
			}
			continue
		}
		// "\t0x0000 00000 (/path/geom/vec.go:10)\tFMADDD\tF0, F2, F1, F0"
		f := strings.Split(line, "\t")
		switch {
		case len(f) < 3:
		case f[2] == "TEXT":
			home, _ = position(f[1])
		case fused.MatchString(f[2]):
			file, number := position(f[1])
			found = append(found, Found{symbol, home, file, number, f[2]})
		}
	}
	return found, functions, lines.Err()
}

// position takes the file and the line out of "0x0000 00000 (/path/vec.go:10)".
func position(s string) (file, line string) {
	_, s, _ = strings.Cut(strings.TrimSuffix(s, ")"), "(")
	at := strings.LastIndexByte(s, ':')
	if at < 0 {
		return s, ""
	}
	return s[:at], s[at+1:]
}
