package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// ledgerFile counts what was run, a line for each decoder or target: the date, the commit of main
// that the tree was based on, "structured" or "guided", the name and the number of inputs. Lines are only
// ever added.
const ledgerFile = "internal/fuzz/testdata/ledger.tsv"

// sessions is the target whose inputs are sequences of actions, each a whole match: no decoder, so it has no bar.
const sessions = "session.FuzzSession"

// The bars of issue 17: inputs of each guided target, and structured ones of all decoders.
const (
	guidedBar     = 10_000_000
	structuredBar = 1_000_000_000
)

// appendLedger adds what a run did.
func appendLedger(root string, results []result) error {
	commit, err := exec.Command("git", "-C", root, "merge-base", "HEAD", "main").Output()
	if err != nil {
		return fmt.Errorf("git: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(root, ledgerFile), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, r := range results {
		fmt.Fprintf(f, "%s\t%s\tstructured\t%s\t%d\n", time.Now().UTC().Format(time.DateOnly), commit[:12], r.name, r.inputs)
	}
	return nil
}

// totals is what the ledger comes to.
type totals struct {
	structured int64            // of all decoders
	guided     map[string]int64 // of each target
}

// readLedger adds up the ledger.
func readLedger(in io.Reader) (t totals, err error) {
	t.guided = map[string]int64{}
	lines := bufio.NewScanner(in)
	for n := 1; lines.Scan(); n++ {
		var date, commit, kind, name string
		var inputs int64
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		if k, err := fmt.Sscanf(lines.Text(), "%s\t%s\t%s\t%s\t%d", &date, &commit, &kind, &name, &inputs); k != 5 || inputs < 0 {
			return t, fmt.Errorf("%s:%d: %q: %v", ledgerFile, n, lines.Text(), err)
		}
		switch kind {
		case "structured":
			t.structured += inputs
		case "guided":
			t.guided[name] += inputs
		default:
			return t, fmt.Errorf("%s:%d: neither structured nor guided: %q", ledgerFile, n, kind)
		}
	}
	return t, lines.Err()
}

// missing returns the targets that have had fewer inputs than guidedBar.
func (t totals) missing(targets []string) (names []string) {
	for _, name := range targets {
		if t.guided[name] < guidedBar {
			names = append(names, name)
		}
	}
	return names
}

// printTotals prints what the ledger comes to, of which targets, and what is missing.
func printTotals(out io.Writer, t totals, targets []string) {
	fmt.Fprintf(out, "structured inputs: %d of %d\n", t.structured, int64(structuredBar))
	missing, sum := t.missing(targets), int64(0)
	for _, name := range missing {
		fmt.Fprintf(out, "%14d of %d guided inputs: %s\n", t.guided[name], guidedBar, name)
	}
	for _, name := range targets {
		sum += t.guided[name]
	}
	fmt.Fprintf(out, "guided inputs: %d in all; %d of %d targets have had %d\n", sum, len(targets)-len(missing), len(targets), guidedBar)
	fmt.Fprintf(out, "guided sequences of actions: %d\n", t.guided[sessions])
}
