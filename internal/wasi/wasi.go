// Package wasi runs Go programs that are built for WebAssembly (GOOS=wasip1) under Node.
package wasi

import (
	_ "embed"
	"fmt"
	"os/exec"
)

// Script is what Node runs; its first argument is the program's file.
//
//go:embed wasi.mjs
var Script []byte

// Front returns the command in front of the script.
func Front() ([]string, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, fmt.Errorf("wasi: no node here: install Node 20 or newer (the package nodejs)")
	}
	// Without the last flag Node 20 dies in every second run of a large test: its memory grows
	// while the engine marks its own heap bit by bit, and the marking then finds an object
	// that is none ("unreachable code" in ProcessMarkingWorklist).
	return []string{node, "--no-warnings", "--stack-size=8192", "--no-incremental-marking"}, nil
}
