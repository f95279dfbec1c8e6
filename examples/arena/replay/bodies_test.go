package replay_test

import (
	"testing"

	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/examples/arena/replay"
	"github.com/backstep-net/backstep/geom"
)

// A match with balls, a pitch and health packs in it is the same again, bodies and all.
func TestBodiesAreTheSameAgain(t *testing.T) {
	c := court(t)
	for i := range 20 {
		c.Entities = append(c.Entities, arena.Entity{Kind: "ball", Position: geom.V(float64(i%5)*2-4, .3+float64(i/10), float64(i/5)*2-3)})
	}
	c.Entities = append(c.Entities, arena.Entity{Kind: "football", Position: geom.V(0, .3, 8)},
		arena.Entity{Kind: "crate", Position: geom.V(2, .5, 6)},
		arena.Entity{Kind: "goal", Position: geom.V(0, 1, 14), Half: geom.V(4, 1, 2), Team: arena.Red},
		arena.Entity{Kind: "health", Position: geom.V(4, 0, 4)})
	f, m := bots{n: 4, skill: arena.Veteran, ticks: 900}.record(t, c)
	moved := 0
	for _, b := range m.Bodies(nil) {
		if b.Position.Dist(geom.Vec3{}) > 9 {
			moved++
		}
	}
	v, err := replay.Verify(f)
	t.Logf("%+v; %d bodies were carried off", v, moved)
	if err != nil || v.Differed || moved == 0 {
		t.Errorf("%v, %d moved", err, moved)
	}
}
