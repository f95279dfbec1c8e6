package combat

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// maxFlying is how many projectiles one player may have in the air. One more is refused as
// shot.TooFast.
const maxFlying = 16

// flight is a projectile in the air, as the server has it.
type flight struct {
	shot.Flight
	entity track.ID  // that other players see; 0: none
	fired  shot.Shot // the shot that launched it
	over   bool      // it has ended, or its player has left
	drawn  track.DrawMode
	sent   *track.SentLog // of its shooter's connection
}

// endedFlight is a projectile that has ended. Its entity stays where it ended for endedFor, because the
// views of other players are behind: they see it arrive there later.
type endedFlight struct {
	entity track.ID
	until  clock.Micros
}

// endedFor is longer than the delay of any view.
const endedFor = clock.Second / 2

// ProjectileTag returns the Sample.UserData of a projectile as others see it, an entity of the
// kind Weapon.Flight.EntityKind: its shooter, and the low bits of the command that fired it, 9 in a
// match of up to 128 seats and 6 in a larger one.
func ProjectileTag(seats int, shooter track.ID, shot uint32) uint16 {
	n := shotBits(seats)
	return uint16(shooter-1)<<n | uint16(shot&(1<<n-1))
}

// TaggedProjectile undoes ProjectileTag.
func TaggedProjectile(seats int, tag uint16) (shooter track.ID, shot uint32) {
	n := shotBits(seats)
	return track.ID(tag>>n) + 1, uint32(tag & (1<<n - 1))
}

// shotBits returns how many bits of a tag are those of the shot; the shooter takes the others.
func shotBits(seats int) int {
	if seats > 128 {
		return 6
	}
	return 9
}

// flightOver is the Sample.Mode of a projectile that has ended: it is no longer drawn.
const flightOver = 1

// launch starts the projectile of the shot that was judged last. The projectile is as old as the shot, so
// it is advanced to the present at once.
func (s *Server) launch(p *Player, fired *shot.Shot) {
	f := flight{Flight: s.judge.Flight(), fired: *fired, drawn: fired.Claim.View.Mode, sent: s.match.SentLog(fired.Shooter)}
	f.fired.Sent = nil // the log still changes while the projectile flies
	if s.interpolated {
		f.drawn = track.DrawInterpolated
	}
	if kind := s.Weapons[f.Weapon].Flight.EntityKind; kind != 0 {
		f.entity = s.match.Spawn(kind)
	}
	p.flying++
	s.flights = append(s.flights, f)
}

// fly advances all projectiles to the tick, in the order in which they were fired, and reports those that
// end.
func (s *Server) fly() {
	s.removeEnded()
	s.advancing = true
	for i := range s.flights {
		f := &s.flights[i]
		if f.over {
			continue // its player was removed because of what another projectile hit
		}
		s.past.flight, s.past.self = f, false
		var end shot.Detonation
		if end, f.over = f.Advance(s.Weapons, s.now, &s.past, s.flightScene); f.over {
			s.detonate(f, &end)
		} else if f.entity != 0 {
			s.place(f)
		}
	}
	s.advancing = false
	s.removeOver()
}

// removeOver removes the projectiles that are over from the list.
func (s *Server) removeOver() {
	n := 0
	for i := range s.flights {
		if s.flights[i].over {
			continue
		}
		// A flight is some hundred bytes, and most do not move.
		if n != i {
			s.flights[n] = s.flights[i]
		}
		n++
	}
	// Without clear, flights behind the end would keep the logs of closed connections in memory.
	clear(s.flights[n:])
	s.flights = s.flights[:n]
}

// removeEnded removes the entities of projectiles that ended more than endedFor ago. The list is in the
// order in which they ended.
func (s *Server) removeEnded() {
	n := 0
	for n < len(s.ended) && s.ended[n].until <= s.now {
		s.match.Despawn(s.ended[n].entity)
		n++
	}
	s.ended = append(s.ended[:0], s.ended[n:]...)
}

// place moves the entity of a projectile to where the projectile is at its own time.
func (s *Server) place(f *flight) {
	pose := track.Sample{
		Pose:     track.Pose{Position: f.Position, Velocity: f.Velocity},
		GameData: track.GameData{UserData: ProjectileTag(s.Players, f.Shooter, f.Shot)},
	}
	// At rest on a mover it is sent in the mover's frame, as a character is: otherwise others
	// would draw it beside the mover, which they draw at another instant.
	if f.Resting && f.Base != collide.Static {
		pose = pose.ToBase(f.Base, s.World, f.At())
		pose.Velocity = geom.Vec3{} // in that frame; it would be extrapolated
	}
	s.match.SetPose(f.entity, pose, f.At())
}

// detonate reports the end of a projectile, in a second receipt of its shot.
func (s *Server) detonate(f *flight, end *shot.Detonation) {
	p, _ := s.match.Player(f.Shooter)
	p.flying--
	if f.entity != 0 {
		s.match.SetPose(f.entity, track.Sample{
			Pose:     track.Pose{Position: end.Point, Mode: flightOver},
			GameData: track.GameData{UserData: ProjectileTag(s.Players, f.Shooter, f.Shot)},
		}, end.At)
		s.ended = append(s.ended, endedFlight{f.entity, s.now + endedFor})
	}
	// What did not stop the projectile, such as a pane that is broken, is no cover from it.
	w := collide.WorldAt{World: s.view.World, Exclude: s.flightScene.World.Exclude}
	v := &s.verdict
	*v = verdict{fired: f.fired, receipt: s.judge.Detonate(&w, end), platform: end.At,
		foreign: f.sent != s.match.SentLog(f.Shooter)}
	// The match sees the detonation as a shot from there: its evidence has the place that the blast
	// was tested from.
	v.fired.Now, v.fired.Eye = s.now, end.Point
	s.confirmDamage(&v.receipt)
	v.tested = s.past.tested(s.flightScene)
	s.report(p, v)
	s.show(&SeenShot{Shooter: f.Shooter, Weapon: f.Weapon, Ended: true, At: end.At, To: end.Point})
}

// RemoveProjectiles removes a player's projectiles from the air, without effect. A game may cause it while they
// advance, by removing the player because of a hit (Config.OnReceipt).
func (s *Server) RemoveProjectiles(id track.ID) {
	for i := range s.flights {
		f := &s.flights[i]
		if f.Shooter != id || f.over {
			continue
		}
		if f.over = true; f.entity != 0 {
			s.match.Despawn(f.entity)
		}
	}
	if !s.advancing {
		s.removeOver()
	}
	p, _ := s.match.Player(id)
	p.flying = 0
}

// flightHistory is the shot.WorldHistory of the server: the past as the shooter of a flight was sent it.
type flightHistory struct {
	server *Server
	flight *flight
	one    [1]track.Entity
	posed  []track.Entity // the targets posed before Self replaced the scene
	self   bool           // Self was called
}

// tested returns the entities that were posed, because the flight came near them.
func (p *flightHistory) tested(scene *rewind.Scene) []track.Entity {
	if p.self {
		return p.posed
	}
	return scene.Targets()
}

// Scene implements shot.WorldHistory. Characters that the shooter was sent are as its screen shows them, drawn across
// the snapshots that were lost [HIT-20]; others are where they were: a grenade over a wall hits who is behind it. A shooter
// that has left, or has a new connection, counts as one that received every snapshot.
func (p *flightHistory) Scene(at, platform clock.Micros, scene *rewind.Scene) bool {
	s, f := p.server, p.flight
	// Movers are never drawn earlier than characters.
	v := track.View{At: max(at, 0), Platform: max(platform, at), Mode: f.drawn}
	newest, some := s.tick, false
	var sent *track.SentLog
	var received track.Received
	if _, connected := s.match.Player(f.Shooter); f.sent != nil && connected && f.sent == s.match.SentLog(f.Shooter) {
		sent, newest, some, received = f.sent, s.sent, true, s.match.Acknowledged(f.Shooter)
	}
	ahead := min(aheadOfView, track.AheadTicks*clock.Second/clock.Micros(s.TickRate))
	v.Seen = allButLost(received, s.recordedBy(at+ahead, newest, some))
	return s.History.RebuildWithHidden(scene, v, sent, s.World, f.Shooter) == nil
}

// allButLost returns the snapshots up to a tick without those that are missing in received although a later one has
// arrived. Those after the newest received count: they may arrive yet.
func allButLost(received track.Received, tick uint32) track.Received {
	lost := ^received.Mask
	if tick < received.Newest {
		lost >>= received.Newest - tick
	} else {
		lost <<= tick - received.Newest
	}
	return track.Received{Newest: tick, Mask: ^lost}
}

// aheadOfView is how long after an instant the snapshots may be from which the instant is drawn: as long as the stamp of
// a pose can be before its tick. In a match of more than 120 ticks a second it is less (track.AheadTicks).
const aheadOfView = 400 * clock.Millisecond

// recordedBy returns the newest recorded tick that is neither after a match time nor after the tick last.
// If sent is true, only ticks with a snapshot that is sent to clients count.
func (s *Server) recordedBy(at clock.Micros, last uint32, sent bool) uint32 {
	tick := last
	if n := int64(at) * int64(s.TickRate) / int64(clock.Second); n < int64(last) {
		tick = uint32(max(n, 1))
	}
	for back := uint32(0); back < track.ReceivedWindow && back < tick; back++ {
		if s.History.Snapshots.Snapshot(tick-back) != nil && (!sent || s.match.Sends(tick-back)) {
			return tick - back
		}
	}
	return last
}

// Self implements shot.WorldHistory with the newest recorded sample of the shooter.
func (p *flightHistory) Self(platform clock.Micros, scene *rewind.Scene) bool {
	s, id := p.server, p.flight.Shooter
	p.posed, p.self = append(p.posed[:0], scene.Targets()...), true
	frame := s.History.Snapshots.Snapshot(s.tick)
	own := &p.one[0]
	if own.ID = id; !frame.Find(id, &own.Sample) || own.Dead {
		return false
	}
	// A rider is where its base is at that instant.
	own.Sample = own.ToWorld(s.World, platform)
	scene.SetTargets(p.one[:])
	return true
}
