package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/internal/figures"
)

// tableTolerance is the share by which a cell of a table may differ from what the
// document shows: the lab repeats itself to the bit, and this is what a change that
// is not about these figures may move them by before the page is printed again.
const tableTolerance = 0.05

// fewSeeds is how many seeds of a table make test plays at most: the averages of this many are
// within the tolerance of the averages of all.
const fewSeeds = 20

// TestSlowTablesOfTheDocuments plays a part of each table that backstep lab prints for a
// document, with up to fewSeeds of its seeds, and compares every cell: of lab run one row, of lab
// fairness one column. make figures LONG=1 prints the rest anew.
func TestSlowTablesOfTheDocuments(t *testing.T) {
	compareDocuments(t, fewSeeds)
}

// TestSoakTablesOfTheDocuments plays the same part of each table with all of its seeds (make soak).
func TestSoakTablesOfTheDocuments(t *testing.T) {
	if os.Getenv("BACKSTEP_SOAK") == "" {
		t.Skip("make soak plays all seeds")
	}
	compareDocuments(t, math.MaxInt)
}

// compareDocuments plays a part of each table with up to so many seeds.
func compareDocuments(t *testing.T, seeds int) {
	t.Helper()
	t.Chdir("../..")
	pages, err := figures.ReadPages(".")
	if err != nil {
		t.Fatal(err)
	}
	tables := 0
	for _, p := range pages {
		for _, part := range p.Parts {
			args := sampleOf(t, part.Command)
			if args == nil {
				continue
			}
			tables++
			shown := tableOf(part.Text)
			if limitSeeds(t, args, seeds) {
				for _, row := range shown {
					row["seeds"] = strconv.Itoa(seeds)
				}
			}
			var printed, errors bytes.Buffer
			if code := run(t.Context(), args, output{&printed, &errors}); code != exitFine {
				t.Errorf("%s: %s ended with %d: %s", p.File, part.Command, code, &errors)
				continue
			}
			compareTables(t, p.File, tableOf(printed.String()), shown)
		}
	}
	if tables == 0 {
		t.Error("no document has a table of backstep lab: this test holds nothing")
	}
}

// limitSeeds lowers the number of seeds in the arguments of the lab, and reports whether it did.
func limitSeeds(t *testing.T, args []string, most int) bool {
	t.Helper()
	i := slices.Index(args, "--seeds") + 1
	if i == 0 {
		return false
	}
	n, err := strconv.Atoi(args[i])
	if err != nil {
		t.Fatal(err)
	}
	if n <= most {
		return false
	}
	args[i] = strconv.Itoa(most)
	return true
}

// sampleOf returns the arguments that play a part of a command's table; nil of a command
// that is not held here.
func sampleOf(t *testing.T, command string) []string {
	if rest, ok := strings.CutPrefix(command, "backstep lab fairness "); ok {
		return append([]string{"lab", "fairness", "--at=300"}, strings.Fields(rest)...)
	}
	args, files := labRunOf(t, command)
	if len(files) < 2 {
		return nil
	}
	return append(args, files[len(files)/2])
}

// labRunOf takes a command apart that runs the lab: its files, and the rest.
func labRunOf(t *testing.T, command string) (args, files []string) {
	rest, ok := strings.CutPrefix(command, "backstep lab run ")
	if !ok {
		return nil, nil
	}
	args = []string{"lab", "run"}
	for _, word := range strings.Fields(rest) {
		if !strings.HasSuffix(word, ".yaml") {
			args = append(args, word)
			continue
		}
		found, err := filepath.Glob(word)
		if err != nil || len(found) == 0 {
			t.Errorf("%s: no file is called %s", command, word)
		}
		files = append(files, found...)
	}
	return args, files
}

// tableOf reads tables in Markdown: cells by the row's first cell, with its heading, and
// the column's heading. Tables of the same rows add up.
func tableOf(text string) map[string]map[string]string {
	table := map[string]map[string]string{}
	var head []string
	for line := range strings.Lines(text) {
		cells := figures.Cells(line)
		if cells == nil {
			head = nil // the next table's follows
			continue
		}
		if strings.HasPrefix(cells[0], "-") {
			continue
		}
		if head == nil {
			head = cells
			continue
		}
		name := head[0] + ", " + cells[0]
		row := table[name]
		if row == nil {
			row = map[string]string{}
			table[name] = row
		}
		for i := range min(len(head), len(cells)) {
			row[head[i]] = cells[i]
		}
	}
	return table
}

// compareTables fails where a cell of got is not what the page shows.
func compareTables(t *testing.T, page string, got, shown map[string]map[string]string) {
	t.Helper()
	if len(got) == 0 {
		t.Errorf("%s: the command printed no table", page)
	}
	for name, row := range got {
		for column, cell := range row {
			if want := shown[name][column]; !figures.Same(cell, want, tableTolerance) {
				t.Errorf("%s: %s, %s: got %s, the page shows %q: make figures PAGES=%s prints it again", page, name, column, cell, want, page)
			}
		}
	}
}
