package collide_test

import (
	"math"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// NearbyMovers lists the movers that may have moved a capsule. [BAS-02]
func TestNearbyMovers(t *testing.T) {
	var b collide.Builder
	b.Box(geom.V(0, -9, 0), geom.V(1, 1, 1), geom.IdentityQuat, collide.Surface{})
	cube := func(b *collide.Builder) {
		b.Box(geom.V(0, 0, 0), geom.V(1, 1, 1), geom.IdentityQuat, collide.Surface{})
	}
	b.Mover("at rest", collide.Path{}, cube)
	b.Mover("passing", collide.Path{Keys: []collide.Key{{Position: geom.V(-20, 0, 0)}, {At: 2 * clock.Second, Position: geom.V(20, 0, 0)}}}, cube)
	b.Mover("far", collide.Path{Keys: []collide.Key{{Position: geom.V(0, 50, 0)}}}, cube)
	w := b.MustBake()
	c := geom.Capsule{A: geom.V(1.2, 0, 0), B: geom.V(1.2, 1, 0), Radius: .3}
	nowhere := geom.Capsule{A: geom.V(0, math.NaN(), 0), B: geom.V(0, 1, 0), Radius: .3}
	if got := (&collide.WorldAt{World: w}).NearbyMovers(nowhere, 0, make([]collide.MoverID, 0, 4)); len(got) != 0 {
		t.Errorf("near nothing that is finite: got %v", got)
	}
	for _, x := range []struct {
		from, at clock.Micros
		room     int
		want     []collide.MoverID
	}{
		{0, 0, 4, []collide.MoverID{1}},
		{clock.Second, clock.Second, 4, []collide.MoverID{1, 2}},
		{clock.Second / 2, clock.Second, 4, []collide.MoverID{2, 1}},
		{clock.Second / 2, clock.Second, 1, []collide.MoverID{2}},
		{clock.Second * 19 / 10, 2 * clock.Second, 4, []collide.MoverID{1}},
		{0, 2 * clock.Second, 4, []collide.MoverID{2, 1}},
	} {
		v := collide.WorldAt{World: w, At: x.at}
		if got := v.NearbyMovers(c, x.from, make([]collide.MoverID, 0, x.room)); !slices.Equal(got, x.want) {
			t.Errorf("from %v to %v, room for %d: got %v want %v", x.from, x.at, x.room, got, x.want)
		}
	}
}
