package npc

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// In a crowd of which more are near than may be obstacles, those that are obstacles are the nearest, on whichever
// side they stand.
func TestTheNearestOfACrowdAreInTheWay(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		me := &character{id: 500, steering: steering{solid: true}}
		b := &neighbours{}
		var near []neighbour
		for id := range track.ID(10 + r.IntN(50)) {
			o := neighbour{id: id + 1, at: geom.V(5*r.Float64()-2.5, 0, 5*r.Float64()-2.5)}
			b.list = append(b.list, o)
			if o.at.LenSq() < blockReach*blockReach {
				near = append(near, o)
			}
		}
		slices.SortFunc(b.list, func(x, y neighbour) int { return cmp.Compare(x.at.X, y.at.X) })
		slices.SortFunc(near, func(x, y neighbour) int { return cmp.Compare(x.at.LenSq(), y.at.LenSq()) })
		var got, want []track.ID
		for _, o := range b.obstacles(me) {
			got = append(got, track.ID(o.ID))
		}
		for _, o := range near[:min(len(near), collide.MaxObstacles)] {
			want = append(want, o.id)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d, %d near: got %v, want %v", seed, len(near), got, want)
		}
	}
}
