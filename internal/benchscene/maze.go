package benchscene

import (
	"math/rand/v2"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// Maze returns cells of 4 × 4 m between walls of 3 m, half of which have a gap: a world in
// which few see each other.
func Maze() *collide.World {
	r := rand.New(rand.NewPCG(11, 0))
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(60, 1, 60), geom.IdentityQuat, collide.Surface{})
	for i := -4; i <= 4; i++ {
		for j := -4; j < 4; j++ {
			for turn := range 2 {
				at, half := float64(4*j)+2, 2.
				if i > -4 && i < 4 && r.IntN(2) == 0 {
					at, half = at-1, 1 // a gap of 2 m
				}
				if turn == 0 {
					b.Box(geom.V(at, 1.5, float64(4*i)), geom.V(half, 1.5, .1), geom.IdentityQuat, collide.Surface{})
				} else {
					b.Box(geom.V(float64(4*i), 1.5, at), geom.V(.1, 1.5, half), geom.IdentityQuat, collide.Surface{})
				}
			}
		}
	}
	w, err := b.Bake()
	if err != nil {
		panic(err)
	}
	return w
}
