package rewind_test

import (
	"fmt"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// Player 2 runs past at 6 m/s. Player 1 shoots at where it drew player 2, which is where player
// 2 was 100 ms ago. The shooter is left out.
func Example() {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(50, 1, 50), geom.IdentityQuat, collide.Surface{})
	baked, _ := b.Bake()

	history := rewind.NewHistory(60, 0)
	for tick := uint32(1); tick <= 60; tick++ {
		now := clock.TickTime(int64(tick), 60)
		f := history.Record(tick, now)
		f.Add(2, track.Sample{At: now, Pose: track.Pose{Position: geom.V(6*now.Seconds(), 0, -10)}})
	}

	view := track.View{At: 900 * clock.Millisecond, Seen: track.Received{Newest: 58, Mask: 1<<64 - 1}}
	eye := geom.V(5.4, 1, 0)
	scene := rewind.NewScene(nil) // everybody is a capsule with a head
	err := history.Rebuild(scene, view, nil, baked, 1)
	o := scene.Ray(eye, geom.Forward(0), 100, rewind.NearestHitbox)
	fmt.Printf("%v: player %d, body %v, at %.2f m\n", err, o.Target, o.HitGroup == rig.Body, o.Distance)
	// Output: <nil>: player 2, body true, at 9.66 m
}
