package arena

import (
	"testing"
	"time"

	"github.com/backstep-net/backstep/examples/arena/assets"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/level"
)

// realLevel is the level that everybody plays.
func realLevel(t testing.TB) *level.Level {
	t.Helper()
	l, err := level.Read(assets.Arena)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A walker's map of the real arena leads everywhere that matters.
func TestPathsLeadEverywhere(t *testing.T) {
	l := realLevel(t)
	var p Paths
	begun := time.Now()
	var feet []geom.Vec3
	for _, s := range l.Spawns {
		feet = append(feet, s.Position)
	}
	p.Explore(l.World, feet...)
	ways, low := 0, 0
	for _, n := range p.places {
		for w, j := range n.ways {
			if j != nowhere {
				ways++
				low += int(n.low >> w & 1)
			}
		}
	}
	t.Logf("%d places, %d ways, %d of them crouched, in %v", len(p.places), ways, low, time.Since(begun))
	start := p.Nearest(feet[0])
	field, _ := p.Field(start, nil, nil)
	for _, c := range []struct {
		name string
		at   geom.Vec3
	}{
		{"red tower", geom.V(-15, 4.2, 1)},
		{"blue tower", geom.V(15, 4.2, -1)},
		{"bridge", geom.V(0, 4.2, 0)},
		{"pool", geom.V(4, -1.6, 2)},
		{"corridor", geom.V(31, 0, 0)},
		{"under the overhang", geom.V(31, 0, 15)},
		{"course top", geom.V(-31, 3, 9)},
		{"course mound", geom.V(-31, 2, -9)},
		{"bastion", geom.V(14, 3, 17)},
		{"red base", geom.V(0, 1.2, 31)},
		{"blue base", geom.V(0, 1.2, -31)},
	} {
		i := p.Nearest(c.at)
		if i == nowhere || i != start && field[i] == nowhere {
			t.Errorf("no way to the %s", c.name)
		}
	}
}
