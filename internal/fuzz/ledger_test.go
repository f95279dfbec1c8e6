package main

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/internal/deps"
	"github.com/backstep-net/backstep/internal/figures"
)

// The ledger can be read, and names only targets and kinds that there are. It says what was run, so that
// nobody has to believe it: 10⁹ structured inputs. [THR-50]
func TestTheLedger(t *testing.T) {
	f, err := os.Open("testdata/ledger.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sums, err := readLedger(f)
	if err != nil {
		t.Fatal(err)
	}
	if sums.structured < structuredBar {
		t.Errorf("%d structured inputs, want %d", sums.structured, int64(structuredBar))
	}
	root, err := deps.Root()
	if err != nil {
		t.Fatal(err)
	}
	targets, err := fuzzTargets(root)
	if err != nil {
		t.Fatal(err)
	}
	printTotals(testWriter{t}, sums, targets)
	guided := int64(0)
	for _, n := range sums.guided {
		guided += n
	}
	figures.Check(t, "inputs", 0, "%.3f · 10⁹ structured inputs of all decoders, %d million guided ones", float64(sums.structured)/1e9, guided/1e6)
	var fewer []string
	for _, name := range sums.missing(targets) {
		fewer = append(fewer, fmt.Sprintf("`%s` (%d)", name, sums.guided[name]))
	}
	figures.Check(t, "missing", 0, "%d of %d targets have had 10⁷ guided inputs; fewer: %s", len(targets)-len(fewer), len(targets), cmp.Or(strings.Join(fewer, ", "), "none"))
	figures.Check(t, "sessions", 0, "%d guided sequences of actions of several clients, each a whole match", sums.guided[sessions])
}

type testWriter struct{ *testing.T }

func (t testWriter) Write(b []byte) (int, error) {
	t.Log(strings.TrimSuffix(string(b), "\n"))
	return len(b), nil
}

// What the ledger comes to: sums of each target, and lines that are damaged are errors with their number.
func TestTheLedgersSums(t *testing.T) {
	const good = "# comment\n2026-11-23\tabc\tguided\ta.FuzzB\t12\n2026-11-24\tabd\tguided\ta.FuzzB\t10000000\n2026-11-24\tabd\tstructured\ta.C\t5\n"
	sums, err := readLedger(strings.NewReader(good))
	if err != nil || sums.guided["a.FuzzB"] != 10_000_012 || sums.structured != 5 {
		t.Errorf("got %+v, %v", sums, err)
	}
	var out strings.Builder
	printTotals(&out, sums, []string{"a.FuzzB", "a.FuzzD"})
	const want = "structured inputs: 5 of 1000000000\n             0 of 10000000 guided inputs: a.FuzzD\n" +
		"guided inputs: 10000012 in all; 1 of 2 targets have had 10000000\n" +
		"guided sequences of actions: 0\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", &out, want)
	}
	for _, bad := range []string{"2026\tabc\tguided\ta.FuzzB\n", "2026\tabc\tguessed\ta\t1\n", "2026\tabc\tguided\ta\t-1\n"} {
		if _, err := readLedger(strings.NewReader("# c\n" + bad)); err == nil || !strings.Contains(err.Error(), ":2:") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// A line that a run prints becomes a row of the table.
func TestTheTable(t *testing.T) {
	r, ok := parse("    run.go:45: structured: shot.Claim inputs=2000000 accepted=500000 ns=500000000 slowest=260 bytes=0")
	if !ok || r.name != "shot.Claim" || r.inputs != 2_000_000 {
		t.Fatalf("got %+v, %v", r, ok)
	}
	if _, ok := parse("structured: shot.Claim inputs=many"); ok {
		t.Error("half a line is taken")
	}
	var out strings.Builder
	printTable(&out, []result{r, {name: "a.B", inputs: 100, took: 1000, slowest: 900, allocs: 7}})
	for _, want := range []string{"shot.Claim  2000000       4.00      25 %       0    260ns      0", "2 decoders  2000100", "900ns      7"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}
