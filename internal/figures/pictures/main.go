// Command pictures plays the matches of the pictures in docs/concepts, in the lab's virtual time,
// and draws them. Start at pictures: each is a name and a function that plays and draws it.
//
//	go run ./internal/figures/pictures
//
// It is run in the module's folder. The matches are seeded, so the same code gives the same bytes, and
// a test compares them with the files: a picture cannot show what the code no longer does.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// folder is where the pictures are, from the module's folder.
const folder = "docs/concepts"

// pictures are all of them, by the names of their files.
var pictures = []struct {
	name string
	draw func() (string, error)
}{
	{"prediction.svg", drawPrediction},
	{"reconciliation.svg", drawReconciliation},
	{"redundancy.svg", drawRedundancy},
	{"interpolation.svg", drawInterpolation},
	{"lag-compensation.svg", drawLagCompensation},
	{"fairness.svg", drawFairness},
	{"snapshots.svg", drawSnapshots},
}

func main() {
	for _, p := range pictures {
		if err := write(p.name, p.draw); err != nil {
			fmt.Fprintln(os.Stderr, "pictures:", err)
			os.Exit(1)
		}
	}
}

// write draws a picture into its file.
func write(name string, draw func() (string, error)) error {
	svg, err := draw()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	file := filepath.Join(folder, name)
	fmt.Printf("%s: %.1f kB\n", file, float64(len(svg))/1000)
	return os.WriteFile(file, []byte(svg), 0o644)
}
