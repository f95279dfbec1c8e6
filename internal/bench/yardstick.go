package bench

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
)

// yardstickLines say which line of the yardstick's output is which figure.
var yardstickLines = map[string]*regexp.Regexp{
	"step_a_us":     leastOfRuns(`A: Go prototype, 1 gather/tick`),
	"step_b_us":     leastOfRuns(`B: Go prototype, 1 gather/tick`),
	"step_d_us":     leastOfRuns(`D: Go prototype, 1 gather/tick`),
	"step_f2_us":    leastOfRuns(`F2: Go prototype flat mesh, 1 gather/tick`),
	"ray50_ns":      leastOfRuns(`terrain\+boxes as tris: ray 50 m`),
	"sweep_1m_ns":   leastOfRuns(`terrain\+boxes as tris: capsule sweep 1 m horizontal`),
	"sweep_down_ns": leastOfRuns(`terrain\+boxes as tris: capsule sweep 1 m down`),
	"sweep_01m_ns":  leastOfRuns(`terrain\+boxes as tris: capsule sweep 0.1 m horizontal`),
}

func leastOfRuns(name string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^` + name + ` +cpu \S+ min/med/max ([\d.]+) /`)
}

// Yardstick runs the yardstick, a reduced character controller that is a program of its own, and returns its figures:
// what this machine does at this hour with the same scenes. Of its runs the fastest counts, because it does not know
// when the core's other thread is busy.
func Yardstick(ctx context.Context, program string) (map[string]float64, error) {
	out, err := exec.CommandContext(ctx, program, "ABDFQ").Output()
	if err != nil {
		return nil, fmt.Errorf("bench: the yardstick %s: %w", program, err)
	}
	figures := map[string]float64{}
	for name, line := range yardstickLines {
		found := line.FindSubmatch(out)
		if found == nil {
			return nil, fmt.Errorf("bench: the yardstick %s printed no %s: want the program that docs/performance.md names", program, name)
		}
		if figures[name], err = strconv.ParseFloat(string(found[1]), 64); err != nil {
			return nil, fmt.Errorf("bench: the yardstick %s: %s: %w", program, name, err)
		}
	}
	return figures, nil
}
