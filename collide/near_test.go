package collide_test

import (
	"slices"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

func TestNear(t *testing.T) { // BAS-02: who is asked when somebody was moved
	var b collide.Builder
	b.Box(geom.V(0, -9, 0), geom.V(1, 1, 1), geom.NoTurn, collide.Surface{})
	cube := func(b *collide.Builder) { b.Box(geom.V(0, 0, 0), geom.V(1, 1, 1), geom.NoTurn, collide.Surface{}) }
	b.Body("at rest", collide.Path{}, cube)
	b.Body("passing", collide.Path{Keys: []collide.Key{{Move: geom.V(-20, 0, 0)}, {At: 2 * clock.Second, Move: geom.V(20, 0, 0)}}}, cube)
	b.Body("far", collide.Path{Keys: []collide.Key{{Move: geom.V(0, 50, 0)}}}, cube)
	w, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	c := geom.Capsule{A: geom.V(1.2, 0, 0), B: geom.V(1.2, 1, 0), Radius: .3}
	for _, x := range []struct {
		at   clock.Micros
		into []collide.BodyID
		want []collide.BodyID
	}{
		{0, nil, []collide.BodyID{1}},
		{clock.Second, nil, []collide.BodyID{1, 2}},
		{clock.Second, []collide.BodyID{2}, []collide.BodyID{2, 1}},
		{2 * clock.Second, []collide.BodyID{3}, []collide.BodyID{3, 1}},
	} {
		v := collide.View{World: w, At: x.at}
		into := append(make([]collide.BodyID, 0, 4), x.into...)
		if got := v.Near(c, into); !slices.Equal(got, x.want) {
			t.Errorf("at %v, knowing %v: got %v want %v", x.at, x.into, got, x.want)
		}
	}
	v := collide.View{World: w, At: clock.Second}
	if got := v.Near(c, make([]collide.BodyID, 0, 1)); len(got) != 1 {
		t.Errorf("room for one: got %v", got)
	}
}
