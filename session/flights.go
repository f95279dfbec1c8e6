package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/replicate"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// flight is a projectile in the air, as the server has it.
type flight struct {
	shot.Flight
	thing  track.ID // as which others see it; 0: they do not
	asked  shot.Shot
	drawn  track.DrawMode
	sender *replicate.Sender // of its shooter's connection
}

// spent is a projectile that has ended: it stays for a while where it did, so that others,
// whose pictures are behind, see it get there.
type spent struct {
	thing track.ID
	until clock.Micros
}

// spentFor is for how long.
const spentFor = clock.Second / 2

// launch lets the projectile of a shot fly that was judged just now. It is as old as the
// shot already, and is caught up at once.
func (s *Server[S, C]) launch(t *seat[S, C], p *pending) {
	f := flight{Flight: s.judge.Flight(), asked: p.shot, drawn: p.shot.Claim.View.Mode, sender: t.sender}
	f.asked.Sent = nil // it is another's by the time
	if looks := s.weapons[f.Weapon].Flight.EntityKind; looks != 0 {
		f.thing = s.Spawn(looks)
	}
	t.flying++
	s.flights = append(s.flights, f)
}

// fly moves all projectiles on to the tick, in the order in which they were fired, and says
// what became of those that end.
func (s *Server[S, C]) fly() {
	s.sweep()
	n := 0
	for i := range s.flights {
		f := &s.flights[i]
		s.past.flight, s.past.self = f, false
		b, over := f.Advance(s.weapons, s.now, &s.past, s.flown)
		if over {
			s.burst(f, &b)
			continue
		}
		if f.thing != 0 {
			s.showFlight(f)
		}
		if n != i {
			s.flights[n] = *f
		}
		n++
	}
	clear(s.flights[n:])
	s.flights = s.flights[:n]
}

// sweep takes away what has ended long enough ago.
func (s *Server[S, C]) sweep() {
	n := 0
	for n < len(s.spent) && s.spent[n].until <= s.now {
		s.Despawn(s.spent[n].thing)
		n++
	}
	s.spent = append(s.spent[:0], s.spent[n:]...)
}

// showFlight puts what others see of a projectile where it is, by its own time.
func (s *Server[S, C]) showFlight(f *flight) {
	pose := track.Sample{Position: f.Position, Velocity: f.Velocity, UserData: ProjectileTag(f.Shooter, f.Shot)}
	if f.Resting && f.Base != collide.Static {
		pose = pose.ToBase(f.Base, s.config.World, f.At())
	}
	s.UpdateEntity(f.thing, pose)
	s.thing(f.thing).at = f.At()
}

// burst says what came of a projectile: in a second receipt of its shot.
func (s *Server[S, C]) burst(f *flight, b *shot.Detonation) {
	t := s.seat(f.Shooter)
	t.flying--
	if f.thing != 0 {
		s.UpdateEntity(f.thing, track.Sample{Position: b.Point, Mode: flightOver, UserData: ProjectileTag(f.Shooter, f.Shot)})
		s.thing(f.thing).at = b.At
		s.spent = append(s.spent, spent{f.thing, s.now + spentFor})
	}
	f.asked.Now, f.asked.Eye = s.now, b.Point
	r := s.judge.Detonate(&s.rules.view, b)
	s.settleHurts(&r)
	s.tell(t, &word{asked: &f.asked, receipt: r, tested: s.past.tested(s.flown), platform: b.At,
		strange: f.sender != t.sender})
	g := seenShot{shooter: t.id, weapon: f.Weapon, burst: true, at: b.At, to: b.Point}
	for i := range s.seats {
		if o := &s.seats[i]; o.id != t.id {
			s.showSight(o, &g, f.Shooter)
		}
	}
}

// ground takes a player's projectiles out of the air, without effect.
func (s *Server[S, C]) ground(t *seat[S, C]) {
	n := 0
	for i := range s.flights {
		f := &s.flights[i]
		if f.Shooter == t.id {
			if f.thing != 0 {
				s.Despawn(f.thing)
			}
			continue
		}
		s.flights[n] = *f
		n++
	}
	clear(s.flights[n:])
	s.flights, t.flying = s.flights[:n], 0
}

// past is what a flight meets on the server: what its shooter was told of when.
type past[S comparable, C any] struct {
	server *Server[S, C]
	flight *flight
	one    [1]track.Entity
	whom   []track.Entity // who was posed before the shooter was asked for
	self   bool           // whether it was
}

// tested are those whom the flight came so near that they were posed.
func (p *past[S, C]) tested(scene *rewind.Scene) []track.Entity {
	if p.self {
		return p.whom
	}
	return scene.Targets()
}

// Scene is for shot.WorldHistory. Who has left, or come back anew, is told of everything: nobody
// looks any more.
func (p *past[S, C]) Scene(at, platform clock.Micros, scene *rewind.Scene) bool {
	s, f := p.server, p.flight
	v := track.View{At: max(at, 0), Platform: max(platform, at), Mode: f.drawn}
	newest, sent := s.tick, false
	var told *track.SentLog
	if t := s.seat(f.Shooter); f.sender != nil && f.sender == t.sender && t.peer != 0 {
		told, newest, sent = t.told(), s.ticks.newest, true
	}
	v.Seen = track.Received{Newest: s.recordedBy(at+aheadOfView, newest, sent), Mask: 1<<64 - 1}
	return s.history.Rebuild(scene, v, told, s.config.World, f.Shooter) == nil
}

// aheadOfView is by how much later than the instant that is asked for the frames are that it
// may be drawn from: what poses are stamped before their ticks at most, and no more than
// leaves room in the 64 ticks of a view for those before it.
const aheadOfView = 400 * clock.Millisecond

// recordedBy returns the newest tick that is not after a match time, nor after another tick,
// of those that were recorded, and sent if that is asked for.
func (s *Server[S, C]) recordedBy(at clock.Micros, last uint32, sent bool) uint32 {
	tick := last
	if n := int64(at) * int64(s.config.TickRate) / int64(clock.Second); n < int64(last) {
		tick = uint32(max(n, 1))
	}
	for back := uint32(0); back < track.ReceivedWindow && back < tick; back++ {
		if s.history.Snapshots.Snapshot(tick-back) != nil && (!sent || s.sends(tick-back)) {
			return tick - back
		}
	}
	return last
}

// Self is for shot.WorldHistory: the shooter as it was recorded last.
func (p *past[S, C]) Self(platform clock.Micros, scene *rewind.Scene) bool {
	s, id := p.server, p.flight.Shooter
	p.whom, p.self = append(p.whom[:0], scene.Targets()...), true
	frame := s.history.Snapshots.Snapshot(s.tick)
	own := &p.one[0]
	if own.ID = id; !frame.Find(id, &own.Sample) || own.Dead {
		return false
	}
	own.Sample = own.ToWorld(s.config.World, platform)
	scene.Set(collide.WorldAt{World: s.config.World, At: platform}, p.one[:])
	return true
}
