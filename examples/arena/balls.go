package arena

import (
	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/session"
)

// Enter goes into the level; see session.Client. From then on the player has bodies of
// its own.
func (p *Player) Enter(world *collide.World) {
	p.Client.EnterWorld(world)
	if !p.Bodiless {
		p.bodies = remote.NewBodies(body.New(world, body.Config{}), remote.BodyRules{Bounce: PushBounce, Rate: 5}, Loose)
	}
}

// Bodies is every rigid body as the last Play left it, by ascending id: valid until the
// next. What is in Things too is drawn from here.
func (p *Player) Bodies() []remote.DrawnBody {
	if p.bodies == nil {
		return nil
	}
	return p.bodies.Drawn()
}

// BodyStats are figures of them.
func (p *Player) BodyStats() remote.BodyStats {
	if p.bodies == nil {
		return remote.BodyStats{}
	}
	return p.bodies.Stats()
}

// BodyRules are how the player's bodies follow the server, to be changed between frames;
// nil before Enter.
func (p *Player) BodyRules() *remote.BodyRules {
	if p.bodies == nil {
		return nil
	}
	return p.bodies.Rules()
}

// untilTick is for how long a command waits at the server for its tick, on average.
const untilTick = clock.Second / 120

// simulate moves the bodies of this frame on.
func (p *Player) simulate(local clock.Micros) {
	if p.bodies == nil || p.Phase() < session.Syncing {
		return
	}
	now, lead := p.Now(local), p.Stats().RTT/2+untilTick
	own, solid := geom.Capsule{}, false
	if self := p.Self(); self != nil && !self.Dead && !self.Watching {
		own, solid = p.game.model.Capsule(&self.State), true
	}
	p.bodies.Receive(p.NewEntities(), now)
	p.bodies.Retain(p.Entities())
	p.bodies.Step(now, lead, own, solid)
}
