package trial

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// forgery is what the cheats forge and duplicate remember.
type forgery struct {
	shots int        // that were forged
	claim shot.Claim // to claim again
	again int        // how often
}

// How forged shots are aimed: 20° from where they should be.
const aside = 0.35

// tamper changes a command as the cheat does.
func (f *forgery) tamper(a *actor, c *arena.Command) {
	switch {
	case a.cheat == "forge" && c.Shot.Fire:
		f.forge(a, &c.Shot)
	case a.cheat == "duplicate" && c.Shot.Fire:
		f.claim, f.again = c.Shot, 2
	case a.cheat == "duplicate" && f.again > 0:
		f.again--
		c.Shot = f.claim
	}
}

// forge makes a claim of what cannot be, in turn.
func (f *forgery) forge(a *actor, c *shot.Claim) {
	c.Yaw += aside
	saw := rewind.HitTarget{}
	if target := a.hands.Aim.Target; target != 0 {
		saw = rewind.HitTarget{Kind: rewind.Player, Target: target, Part: 1, Tag: rig.Head}
	}
	switch f.shots++; f.shots % 5 {
	case 1: // seen to hit, and much more besides
		c.SceneSum = 0xffff
	case 2:
		c.Weapon = 200
	case 3: // from a snapshot that is still to be made
		c.View.Seen = track.Received{Newest: c.View.Seen.Newest + 1000, Mask: 1<<64 - 1}
	case 4:
		c.View.At += clock.Second
	case 0: // nothing has come for 100 ticks
		if c.View.Seen.Newest > 200 {
			c.View.Seen = track.Received{Newest: c.View.Seen.Newest - 100, Mask: 1<<64 - 1}
		}
	}
	c.SeenHit = saw
	*c = c.Quantise()
}
