// Package figures keeps the measured numbers in the documents up to date. Start at [Check]: a
// test calls it with what it measured, and the document must show the same.
//
// A page shows a figure between two comments, which a reader does not see:
//
//	asked ≤ 8 kB/s, seen <!-- figure session.TestTenPlayersAtSixtyHertz/down -->7.0 kB/s<!-- end -->
//
// The key names the test (its package's folder, its name, and the figure's name).
// A key that names a benchmark is its time for one operation, or, after a #, another
// of its metrics. The key "commit" is the commit at which the page was printed. A
// table that a command prints stands between two lines:
//
//	<!-- figures backstep lab run scenarios/accuracy/*.yaml --seeds 20 --markdown -->
//	<!-- end -->
//
// If the command takes many minutes, "long: " stands before it, and make figures runs it
// only with LONG=1.
//
// A text that package internal/book generates from the source, such as a table of flags,
// stands between "<!-- reference NAME" and "<!-- end"; its tests hold and rewrite it.
//
// internal/figures/print, which is make figures, runs the tests, benchmarks and
// commands that the pages name and writes what they print into the pages.
package figures

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/backstep-net/backstep/internal/deps"
)

// PrintTo is the environment variable that names the file to which Check appends
// the figures, one [Printed] as JSON a line, instead of comparing them.
const PrintTo = "BACKSTEP_FIGURES"

// Printed is a figure that a test measured.
type Printed struct {
	Key  string // as the pages have it: folder.Test/name
	Text string // the formatted values, with their units
}

// Check compares a figure with what the documents show for it, number by number.
// The figure's key is the test's name, a slash and name; its text is made from
// format and values as by [fmt.Sprintf]. A number may be off by the share tolerance
// of what the document shows, and by one unit of the last digit shown; the words
// between the numbers must be the same. Figures that are the same on every run take
// a tolerance of zero. Check also logs the figure.
//
// A figure that differs, or that no document shows, fails the test: make figures
// prints the documents again.
func Check(t testing.TB, name string, tolerance float64, format string, values ...any) {
	t.Helper()
	key := folderOf(t) + "." + t.Name() + "/" + name
	got := fmt.Sprintf(format, values...)
	t.Logf("figure %s: %s", name, got)
	if file := os.Getenv(PrintTo); file != "" {
		appendTo(t, file, Printed{Key: key, Text: got})
		return
	}
	all, err := shown()
	if err != nil {
		t.Fatal(err)
	}
	if len(all[key]) == 0 {
		t.Errorf("no document shows the figure %s: put <!-- figure %s --><!-- end --> into one, or remove the figure", name, key)
	}
	for _, s := range all[key] {
		if !Same(got, s.Text, tolerance) {
			t.Errorf("figure %s: got %q, %s shows %q (tolerance %g): if the change is meant, make figures PAGES=%s prints it again",
				name, got, s.Page, s.Text, tolerance, s.Page)
		}
	}
}

// Range is the least and the greatest of some values. The zero value holds none.
type Range struct {
	Least, Most float64 // both 0 before the first Add
	some        bool
}

// Add counts a value in.
func (r *Range) Add(v float64) {
	if !r.some {
		r.Least, r.Most, r.some = v, v, true
	}
	r.Least, r.Most = min(r.Least, v), max(r.Most, v)
}

// number finds the numbers in a text: with thousands commas, and with a hyphen or a
// minus sign before them where it does not join two numbers.
var number = regexp.MustCompile(`[-−]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-−]?\d+(?:\.\d+)?`)

// Same reports whether got is want, but for numbers that are off by at most the
// share tolerance of the wanted number or one unit of its last digit. A count of 0 and
// a share of 100.0 say none and all, and have no tolerance. With a tolerance of zero the
// texts are equal.
func Same(got, want string, tolerance float64) bool {
	if got == want || tolerance == 0 {
		return got == want
	}
	if number.ReplaceAllString(got, "0") != number.ReplaceAllString(want, "0") {
		return false
	}
	g, w := number.FindAllString(got, -1), number.FindAllString(want, -1)
	for i := range w {
		off := math.Abs(value(g[i]) - value(w[i]))
		if off != 0 && exact.MatchString(w[i]) {
			return false
		}
		if off > tolerance*math.Abs(value(w[i]))+1.0001*unit(w[i]) {
			return false
		}
	}
	return true
}

// exact finds numbers that say none or all.
var exact = regexp.MustCompile(`^(?:0|100\.0+)$`)

// value returns the number that a match of number says.
func value(s string) float64 {
	v, err := strconv.ParseFloat(strings.NewReplacer(",", "", "−", "-").Replace(s), 64)
	if err != nil {
		panic("figures: " + err.Error()) // number matches only what can be read
	}
	return v
}

// unit returns one unit of the last digit of a number.
func unit(s string) float64 {
	_, decimals, _ := strings.Cut(s, ".")
	return math.Pow(10, -float64(len(decimals)))
}

// folderOf returns the folder of the package under test, from the module's.
func folderOf(t testing.TB) string {
	t.Helper()
	root, err := deps.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(strings.TrimPrefix(strings.TrimPrefix(dir, root), string(filepath.Separator)))
}

// appendTo adds a line to the file. Tests of a package may run in parallel, and a
// line is written at once.
func appendTo(t testing.TB, file string, p Printed) {
	t.Helper()
	line, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Write(append(line, '\n'))
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// Shown is a figure as a page shows it.
type Shown struct {
	Page string // the page's file, from the module's folder
	Text string // between the marks
}

// shown returns the figures that the documents show, by key.
var shown = sync.OnceValues(func() (map[string][]Shown, error) {
	root, err := deps.Root()
	if err != nil {
		return nil, err
	}
	pages, err := ReadPages(root)
	all := map[string][]Shown{}
	for _, p := range pages {
		for _, part := range p.Parts {
			if part.Key != "" {
				all[part.Key] = append(all[part.Key], Shown{p.File, part.Text})
			}
		}
	}
	return all, err
})
