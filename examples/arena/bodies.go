package arena

import (
	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/session"
)

// Enter loads the level; see session.Client. From then on the player simulates bodies.
func (p *Player) Enter(world *collide.World) {
	p.Client.EnterWorld(world)
	if !p.NoBodies {
		p.bodies = remote.NewBodies(body.New(world, body.Config{}), remote.BodyRules{Bounce: PushBounce, Time: 200 * clock.Millisecond}, BodyOfKind)
	}
}

// Bodies returns every rigid body as of the last Play, by ascending id, valid until the
// next Play. Draw bodies from here even if they are among the remote entities too.
func (p *Player) Bodies() []remote.DrawnBody {
	if p.bodies == nil {
		return nil
	}
	return p.bodies.Drawn()
}

// BodyStats returns measurements of the body simulation.
func (p *Player) BodyStats() remote.BodyStats {
	if p.bodies == nil {
		return remote.BodyStats{}
	}
	return p.bodies.Stats()
}

// untilTick is the average time that a command waits at the server for its tick.
const untilTick = clock.Second / 120

// simulate advances the bodies by this frame.
func (p *Player) simulate(local clock.Micros) {
	if p.bodies == nil || p.Phase() < session.Syncing {
		return
	}
	now, lead := p.Now(local), p.Stats().RTT/2+untilTick
	own, solid := geom.Capsule{}, false
	if self := p.Self(); self != nil && !self.Dead && !self.Spectating {
		own, solid = p.game.model.Capsule(&self.State), true
	}
	p.bodies.Receive(p.NewEntities(), now)
	p.bodies.Retain(p.Entities())
	p.bodies.Step(now, lead, own, solid)
}
