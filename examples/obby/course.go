package obby

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
)

// The ferry's stations, along z.
const ferryNear, ferryFar = -31.3, -37.3

// ferry is the first mover of the level.
const ferry collide.MoverID = 1

// Course returns the level. It leads along −Z.
func Course() *collide.World {
	var b collide.Builder
	block := func(b *collide.Builder, x, top, z, halfX, halfZ float64) {
		b.Box(geom.V(x, top-0.5, z), geom.V(halfX, 0.5, halfZ), geom.IdentityQuat, collide.Surface{})
	}
	block(&b, 0, 0, 0, 4, 4)                       // the start
	for i, x := range []float64{-0.6, 0.8, -0.4} { // stones to jump
		block(&b, x, float64(0.3*float64(i+1)), -8.4-float64(5.6*float64(i)), 1.2, 1.2)
	}
	block(&b, 0, 0, -26.8, 2.5, 2.8) // the pier
	b.Mover("ferry", collide.Path{Loop: true, Smooth: true, Keys: []collide.Key{
		{Position: geom.V(0, 0, ferryNear)}, {At: 2 * clock.Second, Position: geom.V(0, 0, ferryNear)},
		{At: 5 * clock.Second, Position: geom.V(0, 0, ferryFar)}, {At: 7 * clock.Second, Position: geom.V(0, 0, ferryFar)},
		{At: 10 * clock.Second, Position: geom.V(0, 0, ferryNear)},
	}}, func(b *collide.Builder) { block(b, 0, 0, 0, 1.5, 1.5) })
	block(&b, 0, 0, -40.5, 2.5, 1.5) // the other pier
	b.Mover("turntable", collide.Path{Loop: true, Keys: []collide.Key{{Position: geom.V(0, 0, -45.8)},
		{At: 8 * clock.Second, Position: geom.V(0, 0, -45.8), Angle: 2 * math.Pi}}},
		func(b *collide.Builder) { block(b, 0, 0, 0, 2.2, 2.2) })
	block(&b, 0, 0, -53, 2.5, 3)
	_ = b.VolumeBox(collide.Volume{Name: "pad", Launch: geom.V(0, 12, -4)}, geom.V(0, 0.5, -55), geom.V(1, 0.5, 0.6), geom.IdentityQuat)
	block(&b, 0, 5, -61.5, 2.5, 3.5)                                                                                    // above the pad
	b.Box(geom.V(0, 7.25, -68), geom.V(2.5, 2.75, 3), geom.IdentityQuat, collide.Surface{})                             // the tower
	_ = b.VolumeBox(collide.Volume{Name: "ladder"}, geom.V(0, 7.75, -64.5), geom.V(0.8, 2.75, 0.55), geom.IdentityQuat) // at its front
	block(&b, 0, 10, -73.6, 0.25, 2.6)                                                                                  // the beam
	block(&b, 0, 10, -79.2, 3, 3)                                                                                       // the finish
	w, err := b.Bake()
	if err != nil {
		panic(err)
	}
	return w
}

// edges are where a bot jumps: edges, along z.
var edges = []float64{-3.9, -9.5, -15.1, -20.7, -41.9, -47.7}

// Think returns what a bot does: it runs along the course, jumps at its edges and waits for the ferry.
func Think(c *session.Client[Jumper, movement.Command]) (in movement.Command) {
	s := c.Self()
	if s == nil || s.Checkpoint == uint8(len(Checkpoints)-1) {
		return in
	}
	at, boat := s.Position, c.World().Pose(ferry).Translation.Z
	aboard := s.Base.Mover == ferry && s.Mode == movement.Walking
	waits := (aboard && boat > ferryFar+0.05) || (!aboard && at.Z < -28 && at.Z > -29.6 && boat < ferryNear-0.05)
	if !waits {
		in.Forward = 1
	}
	in.Yaw = geom.Clamp(at.X/2, -1, 1) // back to the middle
	for _, edge := range edges {
		in.Jump = in.Jump || (at.Z > edge && at.Z < edge+0.4)
	}
	return in
}
