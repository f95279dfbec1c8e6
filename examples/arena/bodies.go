package arena

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/remote"
)

// Enter loads the level; see session.Client. From then on the player simulates bodies.
func (p *Player) Enter(world *collide.World) {
	p.Client.EnterWorld(world)
	if !p.NoBodies {
		p.bodies = rigidBodies.Join(p.Client)
	}
}

// simulate advances the bodies by this frame.
func (p *Player) simulate(local clock.Micros) {
	if p.bodies != nil {
		p.bodies.Step(local)
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
