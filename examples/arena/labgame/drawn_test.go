package labgame

import (
	"path/filepath"
	"testing"

	"github.com/backstep-net/backstep/lab"
)

// SMO-15: a sample of the grid that docs/accuracy.md prints, of ticks and lines for the modes
// that carry others on: what is drawn is what is tested and outside of every wall, on each of
// them; and on lines where a shot always finds its view remembered at most one of a thousand
// is judged otherwise than it was seen.
func TestEveryWayToDrawOnEveryLine(t *testing.T) {
	claimed, agreed := 0, 0
	for i, path := range standing(t, "accuracy") {
		mode := []string{"linear", "exponential"}[i%2]
		t.Run(filepath.Base(path)+", "+mode, func(t *testing.T) {
			game := New()
			s := load(t, path, game)
			for k := range s.Players {
				s.Players[k].Remote = mode
			}
			r, err := lab.Play(s, game, lab.Options{})
			if err != nil {
				t.Fatal(err)
			}
			inside := 0
			for _, p := range r.Players {
				inside += p.Inside
			}
			n := r.Shots.Claimed - r.Shots.Undecided
			if inside > 0 || r.Shots.PoseError.Max > .001 || r.Shots.FalseHits > 0 {
				t.Errorf("%d frames inside walls, a pose error of %g m, %d false hits; want none", inside, r.Shots.PoseError.Max, r.Shots.FalseHits)
			}
			if line := filepath.Base(path)[6:]; line != "awful.yaml" && line != "mobile.yaml" {
				claimed, agreed = claimed+n, agreed+int(r.Shots.Agreement*float64(n)+.5)
			}
		})
	}
	if claimed < 600 || claimed-agreed > claimed/1000+1 {
		t.Errorf("%d of %d shots were judged as they were seen", agreed, claimed)
	}
}
