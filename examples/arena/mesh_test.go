package arena

import (
	"testing"

	"github.com/backstep-net/backstep/examples/arena/assets"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/level"
	"github.com/backstep-net/backstep/nav"
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

// The bots' mesh of the real arena leads from each spawn point to every other, and
// everywhere that matters; under the overhang one crouches.
func TestTheMeshLeadsEverywhere(t *testing.T) {
	l := realLevel(t)
	feet := feetOf(spawnsOf(l))
	m, err := Mesh(l.World, feet...)
	if err != nil {
		t.Fatal(err)
	}
	q := nav.Query{Mesh: m}
	places := append(feet, geom.V(-15, 4.2, 1), geom.V(15, 4.2, -1), geom.V(0, 4.2, 0), geom.V(4, -1.6, 2),
		geom.V(31, 0, 0), geom.V(31, 0, 15), geom.V(-31, 3, 9), geom.V(-31, 2, -9), geom.V(14, 3, 17))
	for _, from := range feet {
		for _, to := range places {
			if _, ok := q.Path(from, to, nil); !ok {
				t.Errorf("no way from %v to %v", from, to)
			}
		}
	}
	if ref, _, ok := m.Nearest(geom.V(31, 0, 14.5), 1); !ok || !m.CrouchOnly(ref) {
		t.Errorf("under the overhang: found %t, low %t", ok, m.CrouchOnly(ref))
	}
}

// The jump pads are links of the mesh, onto the roofs of the bases, and a bot that
// wants to get there takes one.
func TestPadsAreOnTheMesh(t *testing.T) {
	l := realLevel(t)
	m := meshOrEmpty(l.World, feetOf(spawnsOf(l))...)
	found := 0
	for i := range m.Links() {
		link, number := m.Link(i)
		if number < 0 {
			continue
		}
		found++
		t.Logf("a pad at %.2f leads to %.2f", link.From, link.To)
		q := nav.Query{Mesh: m}
		way, ok := q.Path(l.Spawns[0].Position, link.To, nil)
		taken := 0
		for _, c := range way {
			if c.Kind == nav.JumpPad {
				taken++
			}
		}
		if link.Kind != nav.JumpPad || link.To.Y < link.From.Y+3 || !ok || taken == 0 {
			t.Errorf("pad %d: %+v; found %t, taken %d times", number, link, ok, taken)
		}
	}
	if found != 2 {
		t.Errorf("%d pads, want 2", found)
	}
}
