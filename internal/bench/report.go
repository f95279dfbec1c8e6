package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
)

// P99 is what follows a figure's name in that of the 99th percentile of its single calls.
const P99 = "_p99"

// Report is what was measured, and where.
type Report struct {
	// Commit that the program was built from, with "+" where files had been changed since.
	Commit string `json:"commit"`
	// Go is the version of Go.
	Go string `json:"go"`
	// CPU is the processor's name, the number of cores, and the system.
	CPU string `json:"cpu"`
	// Scenes are the hashes of the scenes by name.
	Scenes map[string]string `json:"scenes"`
	// Figures by name, in the unit that the name's end says; with [P99], the 99th percentile.
	Figures map[string]float64 `json:"figures"`
	// Alone is the share of a timed figure's samples during which the core's other thread was idle. Only those count,
	// if they are a twentieth at least.
	Alone map[string]float64 `json:"alone"`
}

// newReport returns a report of this machine without figures.
func newReport() Report {
	return Report{
		Commit: commit(), Go: strings.TrimPrefix(runtime.Version(), "go"),
		CPU:    fmt.Sprintf("%s, %d cores, %s/%s", processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH),
		Scenes: map[string]string{}, Figures: map[string]float64{}, Alone: map[string]float64{},
	}
}

// commit is the commit of the program, as the go command noted it.
func commit() string {
	id, changed := "unknown", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				id = s.Value[:min(len(s.Value), 12)]
			case s.Key == "vcs.modified" && s.Value == "true":
				changed = "+"
			}
		}
	}
	if id == "unknown" {
		id = checkedOut()
	}
	return id + changed
}

// checkedOut is the commit of this module's own folder if that is where the program runs: go run and git worktrees
// leave none in the program. A program that was built there earlier, from another commit, is not told apart: make bench
// builds it anew.
func checkedOut() string {
	module, err := os.ReadFile("go.mod")
	if err != nil || !strings.HasPrefix(string(module), "module github.com/backstep-net/backstep\n") {
		return "unknown"
	}
	out, err := exec.Command("git", "describe", "--always", "--dirty=+", "--abbrev=12", "--exclude=*").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// processor is the name of the processor where Linux says it.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	for line := range strings.Lines(string(text)) {
		if key, value, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

// Write writes the report as JSON.
func (r *Report) Write(file string) error {
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

// Read reads a report that Write has written.
func Read(file string) (*Report, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	r := &Report{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("bench: %s is no report of backstep bench --json: %w", file, err)
	}
	if len(r.Figures) == 0 {
		return nil, fmt.Errorf("bench: %s has no figures: want a report of backstep bench --json", file)
	}
	return r, nil
}
