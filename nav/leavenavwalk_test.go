package nav_test

import (
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
)

// loft is a floor of 20 m with a roof 1.2 m above its northern half.
func loft() *collide.World {
	var b collide.Builder
	b.Box(geom.V(0, -0.5, 0), geom.V(10, 0.5, 10), geom.IdentityQuat, collide.Surface{})
	b.Box(geom.V(0, 1.7, -5.5), geom.V(10, 0.5, 4.5), geom.IdentityQuat, collide.Surface{})
	return b.MustBake()
}

// navWalker is a walker in mode NavWalking there; the mesh is that of a shorter body, so it
// leads under the roof too.
func navWalker(t testing.TB, at geom.Vec3) *walker {
	t.Helper()
	w := loft()
	p := params()
	p.Height, p.CrouchedHeight = 0.9, 0
	k := newWalker(w, at)
	k.frame.Mesh = bake(t, w, p)
	k.state.Mode, k.state.ForceFloor = movement.NavWalking, false
	return k
}

// asks makes n moves with a requested velocity.
func (k *walker) asks(v geom.Vec3, n int) {
	k.command = movement.Command{Request: v}
	k.command.Quantise()
	for range n {
		movement.Step(&k.model, &k.state, &k.command, 16_667, &k.view, &k.frame)
	}
}

// PRF-09: a walker that requests mode Walking changes to it where there is room, and keeps
// the request where there is none.
func TestLeavingNavWalking(t *testing.T) {
	k := navWalker(t, geom.V(0, 0.02, 3))
	k.state.WantsWalking = true
	if k.asks(geom.Vec3{}, 1); k.state.Mode != movement.Walking || k.state.WantsWalking || !k.state.Floor.Walkable {
		t.Errorf("free: mode %v, wish %t, floor %+v; want Walking, no wish, a floor", k.state.Mode, k.state.WantsWalking, k.state.Floor)
	}
	k = navWalker(t, geom.V(0, 0.02, -5))
	k.state.WantsWalking = true
	if k.asks(geom.Vec3{}, 30); k.state.Mode != movement.NavWalking || !k.state.WantsWalking {
		t.Errorf("under the roof: mode %v, wish %t; want NavWalking and the wish", k.state.Mode, k.state.WantsWalking)
	}
	if k.asks(geom.V(0, 0, 4), 60); k.state.Mode != movement.NavWalking || k.state.Position.Z > -0.5 {
		t.Errorf("still under the roof: mode %v at %v", k.state.Mode, k.state.Position)
	}
	if k.asks(geom.V(0, 0, 4), 60); k.state.Mode != movement.Walking || k.state.WantsWalking {
		t.Errorf("out from under the roof at %v: mode %v, wish %t; want Walking, no wish", k.state.Position, k.state.Mode, k.state.WantsWalking)
	}
}

// VOL-04: without a mesh, or off it, the mode is Walking; the border of the mesh is a wall.
func TestNavWalkingWithoutAMesh(t *testing.T) {
	k := navWalker(t, geom.V(0, 0.02, 3))
	k.frame.Mesh = nil
	if k.asks(geom.V(3, 0, 0), 30); k.state.Mode != movement.Walking || k.state.Velocity.Dist(geom.V(3, 0, 0)) > 0.1 {
		t.Errorf("without a mesh: mode %v at %v m/s; want Walking at 3", k.state.Mode, k.state.Velocity)
	}
	k = navWalker(t, geom.V(0, 0.02, 3))
	if k.asks(geom.V(6, 0, 1), 180); k.state.Mode != movement.NavWalking || k.state.Position.X > 10 || k.state.Velocity.X > 0 {
		t.Errorf("at the border: mode %v at %v, %v m/s", k.state.Mode, k.state.Position, k.state.Velocity)
	}
	if k.state.Position.Z < 5 {
		t.Errorf("it does not slide along the border: it is at %v", k.state.Position)
	}
	k.state.Teleport(geom.V(-3, 0.02, 6))
	if k.asks(geom.V(1, 0, 0), 30); k.state.Mode != movement.NavWalking || k.state.Position.Dist(geom.V(-2.5, 0.02, 6)) > 0.2 {
		t.Errorf("after a teleport: mode %v at %v; want NavWalking on the mesh there", k.state.Mode, k.state.Position)
	}
	k.state.Teleport(geom.V(0, 5, 0))
	if k.asks(geom.Vec3{}, 10); k.state.Mode != movement.Falling {
		t.Errorf("taken 5 m up: mode %v; want Falling", k.state.Mode)
	}
	k = navWalker(t, geom.V(0, 0.02, 3))
	k.state.LaunchAt(geom.V(0, 4, 0))
	if k.asks(geom.Vec3{}, 3); k.state.Mode != movement.Falling {
		t.Errorf("launched: mode %v; want Falling", k.state.Mode)
	}
	k = navWalker(t, geom.V(0, 0.02, 3))
	k.model.AddImpulse(&k.state, geom.V(0, 400, 0))
	if k.asks(geom.Vec3{}, 3); k.state.Mode != movement.Falling {
		t.Errorf("pushed up: mode %v; want Falling", k.state.Mode)
	}
}

// A nav-walker's step allocates nothing.
func TestNavWalkingAllocatesNothing(t *testing.T) {
	k := navWalker(t, geom.V(0, 0.02, 3))
	k.asks(geom.V(1, 0, 0), 10)
	if n := testing.AllocsPerRun(300, func() { k.asks(geom.V(0.3, 0, 0.1), 1) }); n != 0 {
		t.Errorf("%v allocations a step", n)
	}
}
