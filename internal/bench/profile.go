package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/pprof"
	"slices"
	"strings"
	"time"
)

// Profiled are the figures of which Options.Profiles has profiles.
var Profiled = []string{"step_b_us", "match10_128_paced_us"}

// How much processor time a profile wants, of which there are a hundred samples a second, and how long it takes at
// most: a paced match is idle nearly always.
const (
	profiledTime = 4 * time.Second
	longestPass  = 3 * time.Minute
)

// profile runs a figure's work again, with a profile of its processor time, if that is asked for.
func (m *Meter) profile(figure string, w *Work) error {
	if m.options.Profiles == "" || !slices.Contains(Profiled, figure) {
		return nil
	}
	if err := os.MkdirAll(m.options.Profiles, 0o755); err != nil {
		return err
	}
	f, err := os.Create(profileFile(m.options.Profiles, figure))
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		f.Close()
		return err
	}
	m.Progress("profile of " + figure)
	began, enough := time.Now(), m.Shorten(profiledTime)
	for spent := time.Duration(0); spent < enough && time.Since(began) < m.Shorten(longestPass); {
		for _, s := range m.run(w) {
			spent += s.took
		}
	}
	pprof.StopCPUProfile()
	return f.Close()
}

// profileFile is the file of a figure's profile.
func profileFile(folder, figure string) string { return filepath.Join(folder, figure+".pprof") }

// Top returns the functions that take most of a figure's time, as go tool pprof prints them: by themselves, or with all
// that they call.
func Top(folder, figure string, called bool) (string, error) {
	args, rows := []string{"tool", "pprof", "-top", "-tagfocus=timed=yes", "-relative_percentages", "-nodecount=80"}, 10
	if called {
		args, rows = append(args, "-cum"), 20
	}
	out, err := exec.Command("go", append(args, profileFile(folder, figure))...).Output()
	if err != nil {
		return "", fmt.Errorf("bench: go tool pprof: %w", err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(out)) {
		head := strings.HasPrefix(line, "      flat ")
		if rows == 0 || b.Len() == 0 && !head || callers.MatchString(line) {
			continue
		}
		if !head {
			rows--
		}
		b.WriteString(strings.ReplaceAll(typeArguments.ReplaceAllString(line, "[…]"), "github.com/backstep-net/backstep/", ""))
	}
	if b.Len() == 0 {
		return "", fmt.Errorf("bench: go tool pprof printed no table of %s", figure)
	}
	return b.String(), nil
}

// callers finds the functions that lead to what is measured, which all have all of the time.
var callers = regexp.MustCompile(`% +(main|reflect|runtime\.main|github\.com/alecthomas|github\.com/backstep-net/backstep/internal/bench)\b`)

// typeArguments finds those of a generic function's name, which fill a line.
var typeArguments = regexp.MustCompile(`\[go\.shape[^\n]*\]`)
