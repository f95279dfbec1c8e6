package levelmaker_test

import (
	"bytes"
	"testing"

	"github.com/backstep-net/backstep/examples/arena/assets"
	"github.com/backstep-net/backstep/examples/arena/levelmaker"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/level"
)

// The committed yard is what BuildYard builds, small, and every spawn point stands free on its floor and looks at no wall.
func TestTheYard(t *testing.T) {
	b, err := levelmaker.BuildYard()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b, assets.Yard) {
		t.Error("assets/yard.glb differs from what BuildYard returns; go generate ./examples/arena/levelmaker writes it")
	}
	l, err := level.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes, %d triangles, %d spawn points", len(b), l.Triangles, len(l.Spawns))
	if l.Name != "Yard" || len(b) > 400_000 || len(l.Spawns) != 12 {
		t.Errorf("%q, %d bytes, %d spawn points; want the yard, 400,000 bytes at most, 12", l.Name, len(b), len(l.Spawns))
	}
	for _, s := range l.Spawns {
		if l.World.Overlaps(stand(s.Position, standing)) {
			t.Errorf("%s at %v is inside something", s.Name, s.Position)
		}
		if h, ok := l.World.Ray(s.Position.Add(geom.V(0, 0.1, 0)), geom.V(0, -0.3, 0)); !ok || h.Normal.Y < walkable {
			t.Errorf("%s at %v stands on no floor", s.Name, s.Position)
		}
		if h, ok := l.World.Ray(s.Position.Add(geom.V(0, 1.6, 0)), geom.Forward(s.Yaw).Mul(6)); ok {
			t.Errorf("%s looks at a wall %.1f m ahead", s.Name, 6*h.Fraction)
		}
	}
}
