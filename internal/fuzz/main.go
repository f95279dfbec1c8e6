// Command fuzz runs the decoders of the repository with inputs that know the format, millions a second:
//
//	go run ./internal/fuzz --inputs 10000000 --seed 7
//
// Each package describes its decoders in a TestStructured… of its own, by package structured; this
// command compiles those tests, runs them, and prints a line for each decoder: inputs, how many a second,
// how many were accepted, the slowest input and the most that one allocated. An input that fails is kept
// in the corpus of its package's fuzz target, and the command ends with 1.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/backstep-net/backstep/internal/deps"
	"github.com/backstep-net/backstep/internal/fuzz/structured"
)

func main() {
	inputs := flag.Int("inputs", 1_000_000, "inputs for each decoder")
	seed := flag.Int("seed", 1, "seed: the same gives the same inputs")
	jobs := flag.Int("jobs", 1, "packages at once, each on a core")
	ledger := flag.Bool("ledger", false, "append the counts to "+ledgerFile)
	sum := flag.Bool("sum", false, "run nothing: print what the ledger comes to")
	only := flag.String("only", "", "regular expression of packages, as movement|shot; empty for all")
	flag.Parse()
	err := error(nil)
	if *sum {
		err = sumUp(os.Stdout)
	} else {
		err = run(os.Stdout, options{*inputs, *seed, *jobs, *only, *ledger})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
}

// options are the flags of a run.
type options struct {
	inputs, seed, jobs int
	only               string
	ledger             bool
}

// run runs all packages and prints what each of their decoders did.
func run(out io.Writer, o options) error {
	match, err := regexp.Compile(o.only)
	if err != nil {
		return fmt.Errorf("--only: %w", err)
	}
	root, err := deps.Root()
	if err != nil {
		return err
	}
	packages, err := packagesWith(root, regexp.MustCompile(`(?m)^func TestStructured`))
	if err != nil {
		return err
	}
	packages = slices.DeleteFunc(packages, func(name string) bool { return !match.MatchString(name) })
	results, failed := all(root, packages, o)
	printTable(out, results)
	if o.ledger {
		failed = append(failed, appendLedger(root, results))
	}
	return errors.Join(failed...)
}

// sumUp prints what the ledger comes to, and what is missing.
func sumUp(out io.Writer) error {
	root, err := deps.Root()
	if err != nil {
		return err
	}
	f, err := os.Open(filepath.Join(root, ledgerFile))
	if err != nil {
		return err
	}
	defer f.Close()
	t, err := readLedger(f)
	if err != nil {
		return err
	}
	targets, err := fuzzTargets(root)
	if err == nil {
		printTotals(out, t, targets)
	}
	return err
}

// fuzzTarget is the head of a fuzz target.
var fuzzTarget = regexp.MustCompile(`(?m)^func (Fuzz\w*)\(f `)

// fuzzTargets returns the targets of the module but sessions, as folder.Name.
func fuzzTargets(root string) (targets []string, err error) {
	folders, err := packagesWith(root, fuzzTarget)
	for _, dir := range folders {
		files, _ := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			for _, m := range fuzzTarget.FindAllSubmatch(text, -1) {
				targets = append(targets, dir+"."+string(m[1]))
			}
		}
	}
	slices.Sort(targets)
	return slices.DeleteFunc(targets, func(name string) bool { return name == sessions }), err
}

// packagesWith returns the folders under root with a test file in which a pattern matches, ascending.
func packagesWith(root string, pattern *regexp.Regexp) (found []string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || d.Name() == ".git") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil && pattern.Match(text) {
			dir, _ := filepath.Rel(root, filepath.Dir(path))
			found = append(found, filepath.ToSlash(dir))
		}
		return err
	})
	slices.Sort(found)
	return slices.Compact(found), err
}

// result is the line of one decoder.
type result struct {
	name                                    string
	inputs, accepted, took, slowest, allocs int64
}

// all runs the packages, some at once.
func all(root string, packages []string, o options) (results []result, failed []error) {
	var mutex sync.Mutex
	var group sync.WaitGroup
	free := make(chan struct{}, max(1, o.jobs))
	for _, name := range packages {
		free <- struct{}{}
		group.Go(func() {
			defer func() { <-free }()
			lines, err := one(root, name, o.inputs, o.seed)
			mutex.Lock()
			defer mutex.Unlock()
			results = append(results, lines...)
			if err != nil {
				failed = append(failed, fmt.Errorf("%s: %w", name, err))
			}
		})
	}
	group.Wait()
	slices.SortFunc(results, func(a, b result) int { return strings.Compare(a.name, b.name) })
	return results, failed
}

// one runs the decoders of a package. What its test says beside the lines goes to standard error.
func one(root, name string, inputs, seed int) (results []result, err error) {
	test := exec.Command("go", "test", "-count=1", "-timeout", "0", "-v", "-run", "^TestStructured", "./"+name)
	test.Dir, test.Stderr = root, os.Stderr
	test.Env = append(os.Environ(), fmt.Sprintf("%s=%d", structured.Inputs, inputs), fmt.Sprintf("%s=%d", structured.Seed, seed), "GOMAXPROCS=1")
	pipe, err := test.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := test.Start(); err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		if r, ok := parse(lines.Text()); ok {
			results = append(results, r)
		} else if line := strings.TrimSpace(lines.Text()); line != "" && !strings.HasPrefix(line, "===") && !strings.HasPrefix(line, "---") {
			fmt.Fprintln(os.Stderr, name+":", line)
		}
	}
	return results, test.Wait()
}

// parse reads the line of a decoder.
func parse(line string) (r result, ok bool) {
	_, line, ok = strings.Cut(line, "structured: ")
	if !ok {
		return r, false
	}
	n, err := fmt.Sscanf(line, "%s inputs=%d accepted=%d ns=%d slowest=%d bytes=%d",
		&r.name, &r.inputs, &r.accepted, &r.took, &r.slowest, &r.allocs)
	return r, err == nil && n == 6
}

// printTable prints a line for each decoder, and their sum.
func printTable(out io.Writer, results []result) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "decoder\tinputs\tmillion/s\taccepted\tpanics\tslowest\tbytes\t")
	var sum result
	line := func(r result) {
		fmt.Fprintf(w, "%s\t%d\t%.2f\t%.0f %%\t0\t%v\t%d\t\n", r.name, r.inputs, float64(r.inputs)*1e3/float64(max(1, r.took)),
			100*float64(r.accepted)/float64(max(1, r.inputs)), time.Duration(r.slowest), r.allocs)
	}
	for _, r := range results {
		line(r)
		sum.inputs, sum.accepted, sum.took = sum.inputs+r.inputs, sum.accepted+r.accepted, sum.took+r.took
		sum.slowest, sum.allocs = max(sum.slowest, r.slowest), max(sum.allocs, r.allocs)
	}
	sum.name = fmt.Sprintf("%d decoders", len(results))
	line(sum)
	w.Flush()
}
