package main

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/track"
)

// drawEntities writes the entities that are not players: rigid bodies from the client's own
// simulation, everything else from the snapshots.
func drawEntities(p *arena.Player) {
	count := 0
	for _, b := range p.Bodies() {
		if count == MaxEntities {
			break
		}
		at := EntityBase + count*EntityStride
		count++
		drawEntity(at, b.ID, b.Kind, b.Position, b.Velocity, b.Rotation)
		s := &stateBlock
		s[at+EntityAsleep], s[at+EntityUserData], s[at+EntityPredicted] = boolNumber(b.Asleep), float64(b.UserData), boolNumber(b.Predicted)
	}
	for _, e := range p.Entities() {
		if _, loose := arena.BodyOfKind(e.Kind); loose || count == MaxEntities {
			continue
		}
		at := EntityBase + count*EntityStride
		count++
		drawEntity(at, e.ID, e.Kind, e.Position, e.Velocity, e.Rotation)
		s := &stateBlock
		s[at+EntityAsleep], s[at+EntityUserData], s[at+EntityPredicted] = boolNumber(e.Asleep), float64(e.UserData), 0
	}
	stateBlock[StateEntities] = float64(drawFlights(p, count))
}

// ownFlights is the first id of the player's own projectiles among the entities.
const ownFlights = 1024

// drawFlights writes the player's own projectiles after `count` entities and returns the
// new count.
func drawFlights(p *arena.Player, count int) int {
	weapons := p.Game().Weapons()
	flights := p.Projectiles()
	for i := range flights {
		f := &flights[i]
		if count == MaxEntities || int(f.Weapon) >= len(weapons) {
			break
		}
		at := EntityBase + count*EntityStride
		count++
		drawEntity(at, ownFlights+track.ID(f.Shot&511), weapons[f.Weapon].Flight.EntityKind, f.Drawn, f.Velocity, geom.Quat{})
		s := &stateBlock
		s[at+EntityAsleep], s[at+EntityUserData], s[at+EntityPredicted] = boolNumber(f.Resting), float64(f.Shot&511), 1
	}
	return count
}

func drawEntity(at int, id track.ID, kind track.Kind, place, velocity geom.Vec3, turn geom.Quat) {
	s := &stateBlock
	if turn == (geom.Quat{}) {
		turn = geom.IdentityQuat
	}
	s[at+EntityID], s[at+EntityKind] = float64(id), float64(kind)
	s[at+EntityX], s[at+EntityY], s[at+EntityZ] = place.X, place.Y, place.Z
	s[at+EntityQX], s[at+EntityQY], s[at+EntityQZ], s[at+EntityQW] = turn.X, turn.Y, turn.Z, turn.W
	s[at+EntityVX], s[at+EntityVY], s[at+EntityVZ] = velocity.X, velocity.Y, velocity.Z
}

// maxGhostExtrapolation bounds how far a ghost is extrapolated past the newest state.
const maxGhostExtrapolation = 500 * clock.Millisecond

// debugScratch is remote's debug data of one player; its memory is reused.
var debugScratch remote.Debug

// drawRemoteDebugs writes the debug records of the nearest remotes.
func drawRemoteDebugs(p *arena.Player, local clock.Micros) {
	count := 0
	if core.debugRemotes && p.Others() != nil {
		var nearest [MaxRemoteDebugs]*track.Entity
		now := p.Now(local)
		for _, r := range nearestEntities(p.Remotes(), p.Eye(), nearest[:0]) {
			if p.Others().Debug(r.ID, p.View(), now, &debugScratch) {
				drawRemoteDebug(p, r, now, RemoteDebugBase+count*RemoteDebugStride)
				count++
			}
		}
	}
	stateBlock[StateRemoteDebugs] = float64(count)
}

// nearestEntities returns the entities nearest to a point, as many as `into` has capacity for, the
// nearest first.
func nearestEntities(all []track.Entity, from geom.Vec3, into []*track.Entity) []*track.Entity {
	for i := range all {
		far := all[i].Position.Sub(from).LenSq()
		if len(into) < cap(into) {
			into = append(into, nil)
		} else if into[len(into)-1].Position.Sub(from).LenSq() <= far {
			continue
		}
		at := len(into) - 1
		for at > 0 && into[at-1].Position.Sub(from).LenSq() > far {
			into[at] = into[at-1]
			at--
		}
		into[at] = &all[i]
	}
	return into
}

// drawRemoteDebug writes one record.
func drawRemoteDebug(p *arena.Player, r *track.Entity, now clock.Micros, at int) {
	s := &stateBlock
	s[at+RemoteDebugID], s[at+RemoteDebugMode], s[at+RemoteDebugSource] = float64(r.ID), float64(debugScratch.Mode), float64(debugScratch.Source)
	s[at+RemoteDebugX], s[at+RemoteDebugY], s[at+RemoteDebugZ] = r.Position.X, r.Position.Y, r.Position.Z
	s[at+RemoteDebugVX], s[at+RemoteDebugVY], s[at+RemoteDebugVZ] = r.Velocity.X, r.Velocity.Y, r.Velocity.Z
	s[at+RemoteDebugViewDelay], s[at+RemoteDebugAge] = debugScratch.Delay.Seconds(), debugScratch.Age.Total.Seconds()
	s[at+RemoteDebugServer], s[at+RemoteDebugNetwork], s[at+RemoteDebugClient] = debugScratch.Age.Server.Seconds(), debugScratch.Age.Network.Seconds(), debugScratch.Age.Client.Seconds()
	s[at+RemoteDebugBlending], s[at+RemoteDebugOffset], s[at+RemoteDebugCrouched] = debugScratch.Blending, debugScratch.Offset, boolNumber(r.Crouched)
	ghost := r.Position
	if newest, ok := p.Others().Newest(r.ID); ok {
		newest = newest.ToWorld(p.World().World, p.View().Platform)
		ghost = newest.Position.MulAdd(newest.Velocity, min(max(now-newest.At, 0), maxGhostExtrapolation).Seconds())
	}
	s[at+RemoteDebugExtrapolatedX], s[at+RemoteDebugExtrapolatedY], s[at+RemoteDebugExtrapolatedZ] = ghost.X, ghost.Y, ghost.Z
	count := min(len(debugScratch.States), MaxRemoteDebugStates)
	s[at+RemoteDebugStates] = float64(count)
	for i := range count {
		state, to := &debugScratch.States[i], at+RemoteDebugStates+1+i*RemoteDebugStateStride
		feet := state.Sample.ToWorld(p.World().World, p.View().Platform).Position
		s[to+RemoteDebugStateX], s[to+RemoteDebugStateY], s[to+RemoteDebugStateZ] = feet.X, feet.Y, feet.Z
		s[to+RemoteDebugStateAge], s[to+RemoteDebugStateKeyframe] = (now - state.At).Seconds(), boolNumber(state.Keyframe)
	}
}
