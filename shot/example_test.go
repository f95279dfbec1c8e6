package shot_test

import (
	"fmt"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// A shot at what the client drew 120 ms ago, judged on the server.
func Example() {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(50, 1, 50), geom.IdentityQuat, collide.Surface{})
	baked, _ := b.Bake()
	world := &collide.WorldAt{World: baked}

	history := rewind.NewHistory(60, 0)
	for tick := uint32(1); tick <= 60; tick++ {
		now := clock.TickTime(int64(tick), 60)
		history.Record(tick, now).Add(2, track.Sample{At: now, Pose: track.Pose{Position: geom.V(6*now.Seconds(), 0, -10)}})
	}

	weapons := []shot.Weapon{shot.Rifle()}
	ammo := shot.FullAmmo(&weapons[0])
	claim := shot.Claim{
		Fire:    true, // yaw 0: along −Z
		View:    track.View{At: 880 * clock.Millisecond, Seen: track.Received{Newest: 57, Mask: 1<<64 - 1}},
		SeenHit: rewind.HitTarget{Kind: rewind.Player, Target: 2, Hitbox: rig.HitboxID(rig.Body), HitGroup: rig.Body},
	}.Quantise()

	if ammo.Step(&weapons[0], claim.Fire, false, 16667) {
		judge := shot.NewJudge(weapons, history, nil, shot.Limits{})
		var shooter shot.FireState
		r := judge.Judge(world, &shooter, &shot.Shot{
			Number: 1, Shooter: 1, Claim: claim, Eye: geom.V(6*0.88, 1.2, 0),
			Alive: true, Result: shot.FireResult{Fired: true}, Now: clock.Second,
			Age: shot.ViewAge{LinkDelay: 60 * clock.Millisecond, Delay: 50 * clock.Millisecond},
		})
		fmt.Println(r.Verdict == shot.Hit, r.Agrees, r.Damage, "damage,", ammo.Rounds, "rounds left")
	}
	// Output: true true 25 damage, 29 rounds left
}
