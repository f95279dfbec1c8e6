package lab_test

import (
	"context"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena/labgame"
	"github.com/backstep-net/backstep/lab"
)

// HIT-12, HIT-16: every comparison has every point, and the settings act: max_rewind acts at its number, backdating by
// 100 ms hits nothing, no player is hit behind cover much later than the setting allows, and
// shooters beyond a ping limit miss the head of a runner.
func TestFairnessCurves(t *testing.T) {
	const tick = 17 // ms, by which the lab finds a target hidden
	left := -1
	list, err := lab.FairnessCurves(context.Background(), labgame.New(), lab.FairnessOptions{
		Duration: 3 * clock.Second, Seeds: 1, Progress: func(done, all int) { left = all - done },
	})
	if err != nil || left != 0 || len(list) != 5 {
		t.Fatalf("%v; %d questions, %d points left", err, len(list), left)
	}
	for _, f := range list {
		if n := strings.Count(lab.FairnessTable(&f), "| "+f.Curves[0].Name+" |"); n != 4 {
			t.Errorf("%s: %d rows of %s, want 4", f.Title, n, f.Curves[0].Name)
		}
		for _, c := range f.Curves {
			for _, p := range c.Points {
				switch {
				case c.Name == "100 ms" && p.Hidden > 100+50, c.Name == "200 ms" && p.Hidden > 200+50:
					t.Errorf("%s at %v ms: hit after %v ms behind cover", c.Name, p.At, p.Hidden)
				case c.Name == "present" && f.Title[:5] == "Rifle" && p.At > 150 && p.Kept > 0.2:
					t.Errorf("present at %v ms: %v of the hits are kept", p.At, p.Kept)
				case c.Name == "max_rewind 100 ms" && (p.Hidden > 100+tick || p.At == 0 && p.Kept < 0.99 || p.At >= 150 && p.Kept > 0.3),
					c.Name == "max_rewind 250 ms" && (p.Hidden > 250+tick || p.At <= 150 && p.Kept < 0.99 || p.At >= 300 && p.Kept > 0.3),
					c.Name == "max_rewind 400 ms" && (p.Hidden > 400+tick || p.At <= 300 && p.Kept < 0.99):
					t.Errorf("%s at %v ms: %v of the hits are kept, hit up to %v ms behind cover", c.Name, p.At, p.Kept, p.Hidden)
				case c.Name == "backdate" && p.At >= 100 && p.Hits > 2:
					t.Errorf("backdated by %v ms: %v hits a minute", p.At, p.Hits)
				case c.Name == "no limit" && p.Kept < 0.99:
					t.Errorf("at %v ms %v of the hits are kept", p.At, p.Kept)
				}
			}
		}
	}
}
