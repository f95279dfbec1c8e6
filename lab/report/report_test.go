package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/lab"
)

// The page fetches nothing: it has no address that a browser would fetch, and its own policy forbids
// it.
func TestTheReportNeedsNothingElse(t *testing.T) {
	page := string(written(t, invented(2, 5)))
	if m := regexp.MustCompile(`(src|srcset|poster)=|<link|@import|url\(`).FindAllString(page, -1); m != nil {
		t.Errorf("the page would fetch: %v", m)
	}
	if want := `content="default-src 'none';`; !strings.Contains(page, want) {
		t.Errorf("no %s in the page", want)
	}
	if want := "MIT"; !strings.Contains(page, want) {
		t.Error("uPlot's licence is not named")
	}
}

func TestTheSameResultGivesTheSameReport(t *testing.T) {
	a, b := written(t, invented(4, 3)), written(t, invented(4, 3))
	if !bytes.Equal(a, b) {
		t.Error("two reports of one result differ")
	}
}

// A minute of eight players stays a page that a browser opens at once, and a
// hundred players do too.
func TestReportsStaySmall(t *testing.T) {
	for _, c := range []struct {
		players int
		seconds float64
		most    int // MB
	}{{1, 1, 1}, {8, 60, 3}, {100, 5, 6}} {
		if got := len(written(t, invented(c.players, c.seconds))) / 1e6; got > c.most {
			t.Errorf("%d players, %g s: %d MB, want at most %d", c.players, c.seconds, got, c.most)
		}
	}
}

// A result without series and one without players still make a page.
func TestPoorResults(t *testing.T) {
	bare := invented(2, 3)
	bare.Series = nil
	b := open(t, written(t, invented(1, 1)), 800, 600)
	for name, r := range map[string]*lab.Result{
		"no series": bare,
		"empty":     {Hash: "0", Players: map[string]*lab.Figures{}},
		"no path":   {Duration: 1, Players: map[string]*lab.Figures{"ann": {}}, Series: &lab.Series{}},
		"no number": {Duration: 1, Order: []string{"ann"}, Players: map[string]*lab.Figures{"ann": {CorrectionMax: math.NaN(), Up: math.Inf(1)}}},
	} {
		b.show(written(t, r))
		var ready string
		b.eval(`document.documentElement.dataset.ready`, &ready)
		if b.silent(); ready != "yes" {
			t.Errorf("%s: the page's script did not come to its end", name)
		}
	}
}

// A failed write is an error.
func TestAFullDisk(t *testing.T) {
	err := Write(full{}, invented(1, 1), Options{})
	if !errors.Is(err, errFull) || !strings.HasPrefix(err.Error(), "report: ") {
		t.Errorf("got %v, want report: … %v", err, errFull)
	}
}

var errFull = errors.New("disk full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// A single bad frame in a minute is still in the chart.
func TestPeaksSurvive(t *testing.T) {
	g := gridFor(60, 80)
	if g.count != mostBuckets {
		t.Fatalf("got %d buckets, want %d", g.count, mostBuckets)
	}
	const n, bad = 60 * 144, 5000
	curve := g.peaks(n, func(i int) (float64, float64) {
		if i == bad {
			return float64(i) / 144, 0.5
		}
		return float64(i) / 144, 0.001
	})
	got := 0
	for i, v := range curve {
		if v != nil && *v == 0.5 {
			got++
			if at := float64(g.times()[i]); math.Abs(at-bad/144.0) > g.width {
				t.Errorf("the peak stands at %.3f s, want %.3f", at, bad/144.0)
			}
		}
	}
	if got != 1 {
		t.Errorf("the peak stands in %d buckets, want 1", got)
	}
}

func TestFewerShotsKeepTheTellingOnes(t *testing.T) {
	var list []shot
	for i := range 5000 {
		list = append(list, shot{T: Number(i), Verdict: "hit", Odd: i%50 == 7})
	}
	got, note := thinShots(list, maxShots)
	odd := 0
	for _, s := range got {
		if s.Odd {
			odd++
		}
	}
	if odd != 100 || len(got) > maxShots || len(got) < maxShots/2 {
		t.Errorf("kept %d, of them %d odd; want at most %d and all 100 odd", len(got), odd, maxShots)
	}
	if !strings.Contains(note, "Of 5000 shots") {
		t.Errorf("note: %q", note)
	}
}

// A player that is drawn ahead of its true position is at the same distance on the axis.
func TestDrawnAndTrueShareTheAxis(t *testing.T) {
	var truth []lab.Point
	var frames []lab.FrameSample
	for i := range 200 {
		x := float64(i) * 0.05
		truth = append(truth, lab.Point{T: float64(i) * 0.01, P: [3]float64{x, 0, 0}})
		frames = append(frames, lab.FrameSample{T: float64(i) * 0.01, Drawn: [3]float64{x + 0.2, 0, 0.1}})
	}
	along := project(truth, distances(truth), frames)
	if got, want := along[100], 100*0.05+0.2; math.Abs(got-want) > 1e-9 {
		t.Errorf("the hundredth frame is at %.3f m, want %.3f", got, want)
	}
}

// A teleport interrupts the path.
func TestJumpsAreNotJoined(t *testing.T) {
	p := pathOf(100, 1000, func(i int) (float64, [3]float64, float64) {
		x := 0.0
		if i >= 40 {
			x = 30
		}
		return float64(i), [3]float64{x, 0, 0}, 0
	})
	if len(p.Cut) != 1 || p.Cut[0] != 40 {
		t.Errorf("cuts at %v, want [40]", p.Cut)
	}
}

func TestNumbersInData(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1e-9: "0", 0.1234567: "0.123457", -3.5: "-3.5", 12345.678: "12345.7",
		math.NaN(): "null", math.Inf(1): "null",
	} {
		if got, err := json.Marshal(Number(v)); err != nil || string(got) != want {
			t.Errorf("%v: got %s, %v, want %s", v, got, err, want)
		}
	}
}
