package labgame

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// forgery is the state of the cheats forge and duplicate.
type forgery struct {
	shots int        // forged so far
	claim shot.Claim // to be claimed again
	again int        // how often
}

// Forged shots are aimed 20° off.
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

// forge makes one of several impossible claims, in turn.
func (f *forgery) forge(a *actor, c *shot.Claim) {
	c.Yaw += aside
	saw := rewind.HitTarget{}
	if target := a.controls.Aim.Target; target != 0 {
		saw = rewind.HitTarget{Kind: rewind.Player, Target: target, Hitbox: 1, HitGroup: rig.Head}
	}
	switch f.shots++; f.shots % 5 {
	case 1: // a hit, with impossible details
		c.SceneSum = 0xffff
	case 2:
		c.Weapon = 200
	case 3: // from a future snapshot
		c.View.Seen = track.Received{Newest: c.View.Seen.Newest + 1000, Mask: 1<<64 - 1}
	case 4:
		c.View.At += clock.Second
	case 0: // nothing received for 100 ticks
		if c.View.Seen.Newest > 200 {
			c.View.Seen = track.Received{Newest: c.View.Seen.Newest - 100, Mask: 1<<64 - 1}
		}
	}
	c.SeenHit = saw
	*c = c.Quantise()
}
