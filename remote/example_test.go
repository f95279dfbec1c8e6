package remote_test

import (
	"fmt"

	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/track"
)

// Snapshots arrive 50 ms late; each drawn frame shows remote players a little behind the match,
// between two snapshots.
func Example() {
	others := remote.New(clock.TickTime(1, 60))
	into := make([]track.Entity, 0, 16)
	for tick := uint32(1); tick <= 600; tick++ {
		at := clock.TickTime(int64(tick), 60)
		var f track.Snapshot
		f.Tick, f.At = tick, at
		f.Add(7, track.Sample{At: at, Pose: track.Pose{Position: geom.V(6*at.Seconds(), 0, 0), Velocity: geom.V(6, 0, 0)}})
		others.Receive(&f, at+50*clock.Millisecond)

		now := at + 52*clock.Millisecond // the client's estimate of match time
		view := others.View(now)
		into = others.Targets(view, nil, into[:0])
		if tick == 600 {
			_, fit := others.At(7, view, nil)
			fmt.Printf("player %d at %.2f m, %v; view delay %d ms\n", into[0].ID, into[0].Position.X, fit, (now-view.At)/clock.Millisecond)
		}
	}
	// Output: player 7 at 59.90 m, interpolated; view delay 68 ms
}

// A ball rolls by. The server sends its state ten times a second, and it arrives 40 ms late. The
// client's own ball rolls on in between, and is drawn where the server has it at that instant.
func ExampleBodies() {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(50, 1, 50), geom.IdentityQuat, collide.Surface{})
	level, _ := b.Bake()
	ball := body.NewBall(.25, 1)
	there := body.New(level, body.Config{}) // the server's
	ball.Position, ball.Velocity, ball.AngularVelocity = geom.V(0, .25, 0), geom.V(4, 0, 0), geom.V(0, 0, -16)
	id := there.Add(ball)
	ours := remote.NewBodies(body.New(level, body.Config{}), remote.BodyRules{},
		func(track.Kind) (body.Body, bool) { return body.NewBall(.25, 1), true })

	var late []track.Entity
	for tick := int64(1); tick <= 120; tick++ {
		now := clock.TickTime(tick, 60)
		there.Step(clock.TickTime(1, 60), now, nil)
		if m := there.Motion(id); tick%6 == 0 {
			late = []track.Entity{{ID: 129, Sample: track.Sample{
				At:       now,
				GameData: track.GameData{Kind: 1},
				Pose: track.Pose{
					Position: m.Position, Velocity: m.Velocity, AngularVelocity: m.AngularVelocity, Rotation: m.Rotation,
				},
			}}}
		}
		if len(late) > 0 && now-late[0].At >= 40*clock.Millisecond {
			ours.Receive(late, now)
			late = nil
		}
		ours.Step(now, 0, nil)
	}
	fmt.Printf("there %.2f m, here %.2f m\n", there.Motion(id).Position.X, ours.Drawn()[0].Position.X)
	// Output: there 7.50 m, here 7.50 m
}
