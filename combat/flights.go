package combat

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// maxFlying is how many projectiles one player may have in the air. One more is refused as
// too fast.
const maxFlying = 16

// flight is a projectile in the air, as the server has it.
type flight struct {
	shot.Flight
	entity track.ID // as which others see it; 0: they do not
	asked  shot.Shot
	drawn  track.DrawMode
	sent   *track.SentLog // of its shooter's connection
}

// spent is a projectile that has ended: it stays for a while where it did, so that others,
// whose views are behind, see it get there.
type spent struct {
	entity track.ID
	until  clock.Micros
}

// spentFor is for how long.
const spentFor = clock.Second / 2

// ProjectileTag returns the Sample.UserData of a projectile as others see it, an entity of the
// kind Weapon.Flight.EntityKind: its shooter, and the low 9 bits of the command that fired it.
func ProjectileTag(shooter track.ID, shot uint32) uint16 {
	return uint16(shooter-1)<<9 | uint16(shot&511)
}

// TaggedProjectile undoes ProjectileTag.
func TaggedProjectile(tag uint16) (shooter track.ID, shot uint32) {
	return track.ID(tag>>9) + 1, uint32(tag & 511)
}

// flightOver is the Sample.Mode of a projectile that has ended: it is not drawn any more.
const flightOver = 1

// launch lets the projectile of the shot fly that was judged last. It is as old as the
// shot already, and is caught up at once.
func (s *Server) launch(p *Player, asked *shot.Shot) {
	f := flight{Flight: s.judge.Flight(), asked: *asked, drawn: asked.Claim.View.Mode, sent: s.match.SentLog(asked.Shooter)}
	f.asked.Sent = nil // the log changes until the flight ends
	if kind := s.Weapons[f.Weapon].Flight.EntityKind; kind != 0 {
		f.entity = s.match.Spawn(kind)
	}
	p.flying++
	s.flights = append(s.flights, f)
}

// fly moves all projectiles on to the tick, in the order in which they were fired, and
// reports those that end.
func (s *Server) fly() {
	s.removeSpent()
	n := 0
	for i := range s.flights {
		f := &s.flights[i]
		s.past.flight, s.past.self = f, false
		end, over := f.Advance(s.Weapons, s.now, &s.past, s.flown)
		if over {
			s.detonate(f, &end)
			continue
		}
		if f.entity != 0 {
			s.place(f)
		}
		if n != i {
			s.flights[n] = *f
		}
		n++
	}
	clear(s.flights[n:])
	s.flights = s.flights[:n]
}

// removeSpent removes the entities of projectiles that ended long enough ago.
func (s *Server) removeSpent() {
	n := 0
	for n < len(s.spent) && s.spent[n].until <= s.now {
		s.match.Despawn(s.spent[n].entity)
		n++
	}
	s.spent = append(s.spent[:0], s.spent[n:]...)
}

// place puts what others see of a projectile where it is, by its own time.
func (s *Server) place(f *flight) {
	pose := track.Sample{
		Pose:     track.Pose{Position: f.Position, Velocity: f.Velocity},
		GameData: track.GameData{UserData: ProjectileTag(f.Shooter, f.Shot)},
	}
	if f.Resting && f.Base != collide.Static {
		pose = pose.ToBase(f.Base, s.World, f.At())
	}
	s.match.Place(f.entity, pose, f.At())
}

// detonate reports the end of a projectile, in a second receipt of its shot.
func (s *Server) detonate(f *flight, end *shot.Detonation) {
	p, _ := s.match.Player(f.Shooter)
	p.flying--
	if f.entity != 0 {
		s.match.Place(f.entity, track.Sample{
			Pose:     track.Pose{Position: end.Point, Mode: flightOver},
			GameData: track.GameData{UserData: ProjectileTag(f.Shooter, f.Shot)},
		}, end.At)
		s.spent = append(s.spent, spent{f.entity, s.now + spentFor})
	}
	v := &s.verdict
	*v = verdict{asked: f.asked, receipt: s.judge.Detonate(&s.view, end), platform: end.At,
		strange: f.sent != s.match.SentLog(f.Shooter)}
	v.asked.Now, v.asked.Eye = s.now, end.Point
	s.confirmDamage(&v.receipt)
	v.tested = s.past.tested(s.flown)
	s.report(p, v)
	s.show(&SeenShot{Shooter: f.Shooter, Weapon: f.Weapon, Ended: true, At: end.At, To: end.Point})
}

// Ground removes a player's projectiles from the air, without effect.
func (s *Server) Ground(id track.ID) {
	n := 0
	for i := range s.flights {
		f := &s.flights[i]
		if f.Shooter == id {
			if f.entity != 0 {
				s.match.Despawn(f.entity)
			}
			continue
		}
		s.flights[n] = *f
		n++
	}
	clear(s.flights[n:])
	s.flights = s.flights[:n]
	p, _ := s.match.Player(id)
	p.flying = 0
}

// past is what a flight meets on the server: what its shooter was sent.
type past struct {
	server *Server
	flight *flight
	one    [1]track.Entity
	posed  []track.Entity // before the shooter itself was asked for
	self   bool           // whether it was
}

// tested are the entities that the flight came so near that they were posed.
func (p *past) tested(scene *rewind.Scene) []track.Entity {
	if p.self {
		return p.posed
	}
	return scene.Targets()
}

// Scene is for shot.WorldHistory. A shooter that has left, or come back anew, counts as one that
// was sent everything.
func (p *past) Scene(at, platform clock.Micros, scene *rewind.Scene) bool {
	s, f := p.server, p.flight
	v := track.View{At: max(at, 0), Platform: max(platform, at), Mode: f.drawn}
	newest, some := s.tick, false
	var sent *track.SentLog
	if _, connected := s.match.Player(f.Shooter); f.sent != nil && connected && f.sent == s.match.SentLog(f.Shooter) {
		sent, newest, some = f.sent, s.sent, true
	}
	v.Seen = track.Received{Newest: s.recordedBy(at+aheadOfView, newest, some), Mask: 1<<64 - 1}
	return s.History.Rebuild(scene, v, sent, s.World, f.Shooter) == nil
}

// aheadOfView is by how much later than the instant that is asked for the frames are that it
// may be drawn from: what poses are stamped before their ticks at most, and no more than
// leaves room in the 64 ticks of a view for those before it.
const aheadOfView = 400 * clock.Millisecond

// recordedBy returns the newest tick that is not after a match time, nor after another tick,
// of those that were recorded, and sent if that is asked for.
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

// Self is for shot.WorldHistory: the shooter as it was recorded last.
func (p *past) Self(platform clock.Micros, scene *rewind.Scene) bool {
	s, id := p.server, p.flight.Shooter
	p.posed, p.self = append(p.posed[:0], scene.Targets()...), true
	frame := s.History.Snapshots.Snapshot(s.tick)
	own := &p.one[0]
	if own.ID = id; !frame.Find(id, &own.Sample) || own.Dead {
		return false
	}
	own.Sample = own.ToWorld(s.World, platform)
	scene.Set(collide.WorldAt{World: s.World, At: platform}, p.one[:])
	return true
}
