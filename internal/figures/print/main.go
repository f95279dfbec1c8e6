// Command print writes the figures into the documents: it runs the tests,
// benchmarks and commands that the pages name (see internal/figures) and replaces
// what stands between their marks. make figures runs it.
//
//	go run ./internal/figures/print [PAGE ...]
//
// Without pages it prints all of them. A figure that other pages show too is written there as well, so that no two
// pages show it differently. Tables that take many minutes are left as they
// are unless the environment has LONG=1. It is run in the module's folder.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/backstep-net/backstep/internal/figures"
)

// runs is how often a benchmark is run; the best of its times counts, since other work
// on the machine can only make it slower.
const runs = "3"

func main() {
	if err := printPages(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

// printPages prints the named pages, or all.
func printPages(names []string) error {
	pages, err := figures.ReadPages(".")
	if err != nil {
		return err
	}
	for _, n := range names {
		if !slices.ContainsFunc(pages, func(p figures.Page) bool { return p.File == n }) {
			return fmt.Errorf("%s is no document: want a path such as docs/accuracy.md", n)
		}
	}
	asked := func(p figures.Page) bool { return len(names) == 0 || slices.Contains(names, p.File) }
	work, err := os.MkdirTemp("", "figures")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	p := printer{work: work, seen: map[string]string{}}
	if p.seen["commit"], err = commit(); err != nil {
		return err
	}
	if err := p.measure(slices.DeleteFunc(slices.Clone(pages), func(p figures.Page) bool { return !asked(p) })); err != nil {
		return err
	}
	for i := range pages {
		if err := p.write(&pages[i], asked(pages[i])); err != nil {
			return err
		}
	}
	return nil
}

// printer holds what was measured.
type printer struct {
	work string            // a folder for what is built and printed
	seen map[string]string // the figures by key, and the tables by command
}

// measure runs all that the pages name, each test, benchmark and command once.
func (p *printer) measure(pages []figures.Page) error {
	tests, benchmarks := map[string][]string{}, map[string][]string{}
	var commands []string
	for _, page := range pages {
		for _, part := range page.Parts {
			switch {
			case part.Long && os.Getenv("LONG") == "":
				fmt.Println("figures: left as it is without LONG=1:", part.Command)
				p.seen[part.Command] = part.Text
			case part.Command != "" && !slices.Contains(commands, part.Command):
				commands = append(commands, part.Command)
			}
			if part.Key == "" || part.Key == "commit" {
				continue
			}
			s, err := figures.ParseKey(part.Key)
			if err != nil {
				return fmt.Errorf("%s: %w", page.File, err)
			}
			to := tests
			if s.Benchmark() {
				to = benchmarks
			}
			if !slices.Contains(to[s.Folder], s.Name) {
				to[s.Folder] = append(to[s.Folder], s.Name)
			}
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(tests)) {
		if err := p.runTests(folder, tests[folder]); err != nil {
			return err
		}
	}
	if len(commands) > 0 {
		if _, err := output("go", "build", "-o", filepath.Join(p.work, "backstep"), "./cmd/backstep"); err != nil {
			return err
		}
	}
	for _, c := range commands {
		text, err := p.runCommand(c)
		if err != nil {
			return err
		}
		p.seen[c] = text
	}
	for _, folder := range slices.Sorted(maps.Keys(benchmarks)) {
		if err := p.runBenchmarks(folder, benchmarks[folder]); err != nil {
			return err
		}
	}
	return nil
}

// runTests runs tests of a package and keeps the figures that they print.
func (p *printer) runTests(folder string, names []string) error {
	file := filepath.Join(p.work, "printed")
	if err := os.RemoveAll(file); err != nil {
		return err
	}
	_, err := outputWith([]string{figures.PrintTo + "=" + file},
		"go", "test", "-count=1", "-timeout=0", "-run", anyOf(names), "./"+folder)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("tests of %s printed no figure: %w", folder, err)
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		var f figures.Printed
		if err := json.Unmarshal(lines.Bytes(), &f); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		p.seen[f.Key] = f.Text
	}
	return lines.Err()
}

// A result line of a benchmark: name, processors, iterations, then value and metric
// in turn.
var (
	resultLine = regexp.MustCompile(`(?m)^(Benchmark\S*?)(?:-\d+)?\s+\d+\s+(.*)$`)
	measured   = regexp.MustCompile(`([0-9.e+-]+) (\S+)`)
)

// runBenchmarks runs benchmarks of a package and keeps the best of each metric: the
// least, and of a metric a second the greatest.
func (p *printer) runBenchmarks(folder string, names []string) error {
	text, err := output("go", "test", "-run", "^$", "-bench", anyOf(names), "-count", runs, "-timeout=0", "./"+folder)
	if err != nil {
		return err
	}
	best := map[string]float64{}
	for _, line := range resultLine.FindAllStringSubmatch(text, -1) {
		for _, m := range measured.FindAllStringSubmatch(line[2], -1) {
			v, err := strconv.ParseFloat(m[1], 64)
			if err != nil {
				return fmt.Errorf("%s: %w", line[1], err)
			}
			key := folder + "." + line[1] + "#" + m[2]
			if was, ok := best[key]; !ok || v < was != strings.HasSuffix(key, "/s") {
				best[key] = v
			}
		}
	}
	for key, v := range best {
		name, metric, _ := strings.Cut(key, "#")
		switch unit, _, _ := strings.Cut(metric, "/"); unit {
		case "ns":
			p.seen[key] = duration(v)
		case "µs", "µs-cpu":
			p.seen[key] = duration(1e3 * v)
		default:
			p.seen[key] = significant(v)
		}
		if metric == "ns/op" {
			p.seen[name] = p.seen[key]
		}
	}
	return nil
}

// runCommand runs a command line and returns what it prints to its standard output.
// A command called backstep is this module's.
func (p *printer) runCommand(line string) (string, error) {
	path := "PATH=" + p.work + string(os.PathListSeparator) + os.Getenv("PATH")
	text, err := outputWith([]string{path}, "bash", "-c", line)
	return "\n" + strings.Trim(text, "\n") + "\n", err
}

// write writes a page with what was measured: one that was asked for whole, another only with the figures that it
// shares with those.
func (p *printer) write(page *figures.Page, asked bool) error {
	was := page.String()
	for i := range page.Parts {
		part := &page.Parts[i]
		name := part.Key + part.Command
		text, ok := p.seen[name]
		switch {
		case name == "", !asked && (part.Command != "" || part.Key == "commit" || !ok):
		case !ok:
			return fmt.Errorf("%s: nothing printed the figure %s", page.File, name)
		default:
			part.Text = text
		}
	}
	now := page.String()
	if now == was {
		return nil
	}
	fmt.Println("figures: printed", page.File)
	return os.WriteFile(page.File, []byte(now), 0o644)
}

// commit returns the commit that the figures are printed at. With changes to
// anything but documents it says so.
func commit() (string, error) {
	at, err := output("git", "rev-parse", "--short=7", "HEAD")
	if err != nil {
		return "", err
	}
	changed, err := output("git", "status", "--porcelain", "--", ":!*.md", ":!*.svg")
	if err != nil {
		return "", err
	}
	at = "`" + strings.TrimSpace(at) + "`"
	if changed != "" {
		at += " and changes that are not committed"
	}
	return at, nil
}

// output runs a program and returns its standard output.
func output(name string, args ...string) (string, error) { return outputWith(nil, name, args...) }

// outputWith is output with further environment variables.
func outputWith(env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	var said bytes.Buffer // progress, which matters only if it fails
	cmd.Stderr = &said
	out, err := cmd.Output()
	if p := cmd.ProcessState; p != nil {
		fmt.Printf("figures: %6.1f s of processor time  %s %s\n", (p.UserTime() + p.SystemTime()).Seconds(), name, strings.Join(args, " "))
	}
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		os.Stdout.Write(out)
		os.Stderr.Write(said.Bytes())
	}
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return string(out), nil
}

// anyOf returns the pattern of go test that matches just these names.
func anyOf(names []string) string { return "^(" + strings.Join(names, "|") + ")$" }

// duration says nanoseconds in the unit that suits them.
func duration(ns float64) string {
	for _, u := range []struct {
		name string
		ns   float64
	}{{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}} {
		if ns >= u.ns {
			return significant(ns/u.ns) + " " + u.name
		}
	}
	return significant(ns) + " ns"
}

// significant says a number to two digits, and whole numbers to all.
func significant(v float64) string {
	if v == 0 || v >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'f', max(0, 1-int(math.Floor(math.Log10(v)))), 64)
}
