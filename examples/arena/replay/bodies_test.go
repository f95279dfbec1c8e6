package replay_test

import (
	"path/filepath"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/examples/arena/replay"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/record"
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
	name := filepath.Join(t.TempDir(), "m.bsrec")
	m, rec, err := replay.Record(name, c, "court", "test")
	if err != nil {
		t.Fatal(err)
	}
	bots := arena.NewBots(m, 4, arena.Veteran)
	bots.SetEndpoint(rec)
	for tick := int64(1); tick <= 900; tick++ {
		bots.Tick(clock.TickTime(tick, 60))
		bots.Outgoing()
	}
	moved := 0
	for _, b := range m.Bodies(nil) {
		if b.Position.Dist(geom.Vec3{}) > 9 {
			moved++
		}
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := record.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v, err := replay.Verify(f)
	t.Logf("%+v; %d bodies were carried off", v, moved)
	if err != nil || v.Differed || moved == 0 {
		t.Errorf("%v, %d moved", err, moved)
	}
}
