package main

import (
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// ownFlights is the first id of the player's own projectiles among the entities.
const ownFlights = 1024

// drawEntities fills the entities that are not players: rigid bodies from the client's own
// simulation, the player's own projectiles from their flights, everything else from the
// snapshots.
func drawEntities(p *arena.Player) {
	list := block.Entities[:0]
	for _, b := range p.Bodies() {
		list = append(list, DrawnEntity{b.ID, b.Kind, b.Position, b.Velocity, turned(b.Rotation), b.Asleep, b.Predicted, b.UserData})
	}
	for _, e := range p.Entities() {
		if _, loose := arena.BodyOfKind(e.Kind); !loose {
			list = append(list, DrawnEntity{e.ID, e.Kind, e.Position, e.Velocity, turned(e.Rotation), e.Asleep, false, e.UserData})
		}
	}
	weapons, flights := p.Game().Weapons(), p.Projectiles()
	for i := range flights {
		if f := &flights[i]; int(f.Weapon) < len(weapons) {
			kind, number := weapons[f.Weapon].Flight.EntityKind, uint16(f.Shot&511)
			list = append(list, DrawnEntity{ownFlights + track.ID(number), kind, f.Drawn, f.Velocity, geom.IdentityQuat, f.Resting, true, number})
		}
	}
	block.Entities = list
}

// turned returns a rotation, of which zero is none.
func turned(q geom.Quat) geom.Quat {
	if q == (geom.Quat{}) {
		return geom.IdentityQuat
	}
	return q
}

// hookPoints are the anchors of the remotes' hooks, estimated from the direction in which
// they looked when they threw them. Zero without a hook.
var hookPoints [session.MaxPlayers + 1]geom.Vec3

// remoteEyeHeight is the eye height of remotes, in metres above the feet.
const remoteEyeHeight = 1.52

// drawHooks fills the hooks that hold.
func drawHooks(p *arena.Player, v *view) {
	block.Hooks = block.Hooks[:0]
	if v.Placed && v.Self.Mode == arena.Grappling {
		block.Hooks = append(block.Hooks, HookLine{v.ID, v.Self.Hook.At(p.World())})
	}
	for i := range v.Remotes {
		r := &v.Remotes[i].Entity
		at := &hookPoints[int(r.ID)%len(hookPoints)]
		if r.Mode != uint8(arena.Grappling) || r.Dead {
			*at = geom.Vec3{}
			continue
		}
		if at.IsZero() {
			eye, look := r.Position.MulAdd(geom.Up, remoteEyeHeight), geom.Look(r.Yaw, r.Pitch)
			*at = eye.MulAdd(look, p.Reach(eye, look, arena.HookReach))
		}
		block.Hooks = append(block.Hooks, HookLine{r.ID, *at})
	}
}
