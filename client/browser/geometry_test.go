package browser

import (
	"math"
	"testing"
	"unsafe"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/jetpack"
	"github.com/backstep-net/backstep/geom"
)

// A page gets the level as the game collides with it, and each mover in its own space.
func TestThePageGetsTheTrianglesOfTheLevel(t *testing.T) {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(20, 1, 20), geom.IdentityQuat, collide.Surface{})
	b.Box(geom.V(3, 1, 0), geom.V(1, 1, 1), geom.IdentityQuat, collide.Surface{Walk: collide.Never})
	path := collide.Path{Keys: []collide.Key{{Position: geom.V(0, 5, 0)}, {At: clock.Second, Position: geom.V(0, 8, 0)}}}
	b.Mover("lift", path, func(b *collide.Builder) {
		b.Box(geom.Vec3{}, geom.V(2, .25, 2), geom.IdentityQuat, collide.Surface{})
	})
	w, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	export(t, jetpack.Game(&model))
	if got := pageTriangles(0); len(got) != 0 {
		t.Errorf("without a level there are %d triangles, want none", len(got))
	}
	load(t, w)
	still, lift := pageTriangles(0), pageTriangles(1)
	if len(still) != 24 || len(lift) != 12 {
		t.Fatalf("got %d triangles and %d of the lift, want two boxes of 12 and one", len(still), len(lift))
	}
	top, high, never := float32(0), float32(0), 0
	for _, tri := range still {
		top = max(top, tri[1], tri[4], tri[7])
		if tri[9] == 1 && tri[10] == float32(collide.Never) {
			never++
		}
	}
	for _, tri := range lift {
		high = max(high, tri[1], tri[4], tri[7])
	}
	if top != 2 || never != 12 {
		t.Errorf("the boxes are %g m high with %d triangles of shape 1 that none walks on, want 2 and 12", top, never)
	}
	if high != .25 {
		t.Errorf("the lift reaches to %g m, want 0.25, in its own space", high)
	}
	if got := len(pageTriangles(2)) + len(pageTriangles(-1)); got != 0 {
		t.Errorf("bodies that the level does not have get %d triangles", got)
	}
}

// A page gets the volumes, so that it can draw water and what kills.
func TestThePageGetsTheVolumesOfTheLevel(t *testing.T) {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(20, 1, 20), geom.IdentityQuat, collide.Surface{})
	for _, v := range []collide.Volume{{Water: true}, {Kill: true}, {Launch: geom.V(0, 9, 0)}, {Priority: 1}} {
		b.VolumeBox(v, geom.V(5, 1, 0), geom.V(1, 2, 3), geom.IdentityQuat)
	}
	w, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	export(t, jetpack.Game(&model))
	if volumes(); trianglesLength() != 0 {
		t.Errorf("without a level there are %d numbers, want none", trianglesLength())
	}
	load(t, w)
	list := unsafe.Slice((*[7]float32)(volumes()), trianglesLength()/7)
	if len(list) != 4 {
		t.Fatalf("got %d volumes, want 4", len(list))
	}
	for i, want := range []float32{waterVolume, killVolume, launchVolume, 0} {
		if got := list[i]; got != [7]float32{4, -1, -3, 6, 3, 3, want} {
			t.Errorf("volume %d is %v, want from 4 −1 −3 to 6 3 3, of kind %g", i, got, want)
		}
	}
}

// pageTriangles reads what the exports say of a body.
func pageTriangles(body int32) [][11]float32 {
	at := triangles(body)
	return unsafe.Slice((*[11]float32)(at), trianglesLength()/11)
}

// A camera's ball stops at a wall, by its radius before it, and not at characters.
func TestABallIsSweptThroughTheLevel(t *testing.T) {
	export(t, jetpack.Game(&model))
	if got := sweep(0, 1, 0, 0, 0, -10, .25); got != 1 {
		t.Errorf("without a level it gets %.2f of the way, want all", got)
	}
	p := newPage(t)
	p.join()
	down := sweep(0, 3, 0, 0, -4, 0, .5)
	if want := 2.5 / 4; math.Abs(down-want) > 1e-6 {
		t.Errorf("towards the floor: %.4f of the way, want %.4f", down, want)
	}
	at := p.view.Position
	if got := sweep(at.X, at.Y+1, at.Z+2, 0, 0, -4, .2); got != 1 {
		t.Errorf("through the player's own character: %.2f, want all of the way", got)
	}
}
