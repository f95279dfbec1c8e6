package labgame

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// E2E-08, HIT-14, GAP-47: 20,000 forged claims in moves drawn by dice, from two players
// into the air above a third: nothing is hurt, no player dies, no player's own state differs
// from the server's, and an honest player is not disturbed.
func TestTwentyThousandForgedClaims(t *testing.T) {
	const seed = 8
	dice := rand.New(rand.NewPCG(seed, 0))
	forged, verdicts := 0, map[string]int{}
	game := &noted{Game: New()}
	game.joined = func(a *actor) {
		a.Tamper = func(c *arena.Command) {
			if a.Phase() == session.Playing {
				forged++
				c.Shot = forgedClaim(dice, a.View())
				c.Move.Forward, c.Move.Yaw = dice.Float64()*2-1, dice.Float64()*6
				c.Move.Jump, c.Dash = dice.IntN(9) == 0, dice.IntN(30) == 0
				if dice.IntN(500) == 0 {
					c.Select = uint8(dice.IntN(9))
				}
				c.Quantise()
			}
		}
	}
	r := shown(t, game, staged(t, game, `
duration: 140s
server: {damage: true}
geometry: [{box: {min: [-400, -1, -400], max: [400, 0, 400]}}]
network: {rtt: 60ms, jitter: 10ms, loss: 0.02}
players:
  - {name: ann, frame: 144}
  - {name: bob, at: [0, 0, -8], script: [{at: 0s, right: 0.3, turn: 20}]}
`))
	for _, x := range r.Shots.Receipts {
		verdicts[x.Verdict+" "+x.Reason]++
	}
	t.Logf("seed %d: %d forged; %d claimed, %d confirmed; by verdict %v", seed, forged, r.Shots.Claimed, r.Shots.Confirmed, verdicts)
	bob := r.Players["bob"]
	if forged < 20_000 || r.Shots.Claimed < 15_000 || r.Shots.Confirmed != 0 || r.Shots.FalseHits != 0 {
		t.Errorf("%d forged, %d claimed, %d confirmed, %d false hits", forged, r.Shots.Claimed, r.Shots.Confirmed, r.Shots.FalseHits)
	}
	if bob.Corrections != 0 || bob.Teleports != 0 {
		t.Errorf("bob was corrected %d times and placed %d times, want neither", bob.Corrections, bob.Teleports)
	}
}

// forgedClaim is a claim by dice, aimed upwards so that no honest cast meets anybody.
func forgedClaim(dice *rand.Rand, view track.View) shot.Claim {
	c := shot.Claim{
		Fire: true, Weapon: uint8(max(dice.IntN(12)-6, 0)), Yaw: dice.Float64() * 6, Pitch: 0.6 + 0.9*dice.Float64(),
		View: view, SceneSum: uint16(dice.IntN(1 << 16)),
		SeenHit: rewind.HitTarget{Kind: rewind.Player, Target: track.ID(1 + dice.IntN(200)), Hitbox: rig.HitboxID(1 + dice.IntN(rig.MaxHitboxes)), HitGroup: rig.HitGroup(1 + dice.IntN(int(rig.HitGroups)-1))},
	}
	switch dice.IntN(6) {
	case 0:
		c.View.At = clock.Micros(dice.Int64N(1 << 53))
	case 1:
		c.View.At += clock.Micros(dice.Int64N(2_000_000)) - clock.Second
	case 2:
		c.View.Seen = track.Received{Newest: 64 + dice.Uint32N(1<<31), Mask: dice.Uint64()}
	case 3:
		c.View.Seen.Mask = dice.Uint64()
		c.View.Seen.Newest += 64
	case 4:
		c.View.Mode = track.DrawMode(dice.IntN(8))
	}
	return c
}
