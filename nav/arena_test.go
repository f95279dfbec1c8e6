package nav_test

import (
	"testing"
	"time"

	"github.com/backstep-net/backstep/examples/arena/assets"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/level"
	"github.com/backstep-net/backstep/nav"
)

func arenaParams(l *level.Level) nav.Params {
	p := params()
	p.Seeds = nil
	for _, s := range l.Spawns {
		p.Seeds = append(p.Seeds, s.Position)
	}
	return p
}

func TestArena(t *testing.T) {
	l, err := level.Read(assets.Arena)
	if err != nil {
		t.Fatal(err)
	}
	for _, cell := range []float64{0.15, 0.2, 0.3} {
		p := arenaParams(l)
		p.Cell = cell
		begun := time.Now()
		m, err := nav.Bake(l.World, p)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("cell %v bounds %v tris %d: %v: %d polys %d portals %d links %d bytes %.0f m²", cell, l.World.Bounds(), l.World.Triangles(), time.Since(begun), m.Polygons(), m.Portals(), m.Links(), m.Bytes(), m.Area())
		q := nav.Query{Mesh: m}
		var into []nav.Corner
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
			begun := time.Now()
			var ok bool
			into, ok = q.Path(l.Spawns[0].Position, c.at, into[:0])
			length := 0.0
			prev := l.Spawns[0].Position
			kinds := 0
			for _, x := range into {
				length += x.At.Dist(prev)
				prev = x.At
				if x.Kind != nav.Walk {
					kinds++
				}
			}
			t.Logf("%s: %v %d corners %.1f m of %.1f, %d links, %v", c.name, ok, len(into), length, c.at.Dist(l.Spawns[0].Position), kinds, time.Since(begun))
		}
	}
}
