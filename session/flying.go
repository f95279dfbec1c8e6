package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Projectile is a projectile of the player's own as the last Frame showed it: it leaves at
// once, and the server's, which follows, is not among Things.
type Projectile struct {
	shot.Flight
	// Drawn is where to draw it: Position, carried on from its last step to the picture's
	// platform time.
	Drawn geom.Vec3
	// word is the server's on where it ended, if that has come (told) before it ended here,
	// and until is the platform time by which it is believed whatever this end has.
	word  shot.Receipt
	told  bool
	until clock.Micros
}

// Bounds of flights.
const (
	// maxFlying is how many projectiles one player may have in the air. What would be one
	// more is refused as too fast.
	maxFlying = 16
	// maxLandings is how many ends of flights a client remembers, to compare them with the
	// server's.
	maxLandings = 32
	// followsFor is for how long after the end of a flight the server's is taken for it and
	// left out of Things. What is there for longer has gone on: then it is shown.
	followsFor = clock.Second
	// endsWithin is for how long the server's word on where a flight ended waits for the
	// flight to end here: on a line without delay it comes first.
	endsWithin = 250 * clock.Millisecond
	// landedApart is how far from where a flight ended, in metres, the server must have it
	// end for the game to be told where.
	landedApart = 0.5
)

// ProjectileTag is Sample.UserData of a projectile as others see it (Server flights are things of
// the kind Weapon.Flight.Looks): who fired it, and the low 9 bits of the command that did.
func ProjectileTag(shooter PlayerID, shot uint32) uint16 {
	return uint16(shooter-1)<<9 | uint16(shot&511)
}

// TaggedProjectile undoes FlightMark.
func TaggedProjectile(extra uint16) (shooter PlayerID, shot uint32) {
	return PlayerID(extra>>9) + 1, uint32(extra & 511)
}

// flightOver is the Sample.Mode of a projectile that has ended: it is not drawn any more.
const flightOver = 1

// airborne is a player's own projectiles as its client has them.
type airborne struct {
	scene    *rewind.Scene
	list     []Projectile
	landings [maxLandings]landing
	next     int
	self     track.Entity   // how the player stands
	targets  []track.Entity // scratch
	things   []track.Entity // those of the picture that are not the player's own
}

// landing is how a flight ended, by its client.
type landing struct {
	some    bool
	judged  bool // whether the server's word has come
	receipt shot.Receipt
	at      clock.Micros // match time
}

// teller is what the game's events are put to: a Client.
type teller interface{ event(e Event) }

// Projectiles are the player's own projectiles on their way: valid until the next Frame.
func (s *screen) Projectiles() []Projectile { return s.air.list }

// launch lets a projectile fly, if there are not too many.
func (s *screen) launch(w *shot.Weapon, l *shot.FireParams, fired clock.Micros) {
	if len(s.air.list) < maxFlying {
		f := shot.Launch(w, l, fired, l.Claim.View.At, s.caster.Seed)
		s.air.list = append(s.air.list, Projectile{Flight: f, Drawn: f.Position})
	}
}

// fly moves the player's projectiles on to the picture's platform time, and tells which
// have burst.
func (s *screen) fly(weapons shot.Table, self track.Sample, stats *Stats, to teller) {
	a := &s.air
	a.self.ID, a.self.Sample = s.me, self
	n := 0
	for i := range a.list {
		f := &a.list[i]
		b, over := f.Advance(weapons, s.drawn.Platform, (*shown)(s), a.scene)
		if over {
			s.land(&b, to)
		}
		late := f.told && s.drawn.Platform > f.until
		if f.told && (over || late) {
			s.tell(&f.word, !over, stats, to)
		}
		if over || late {
			continue
		}
		f.Drawn = f.Position
		if !f.Resting {
			f.Drawn = f.Position.MulAdd(f.Velocity, max(s.drawn.Platform-f.At(), 0).Seconds())
		}
		a.list[n] = *f
		n++
	}
	a.list = a.list[:n]
}

// land notes how a flight ended, and tells.
func (s *screen) land(b *shot.Detonation, to teller) {
	r := b.Receipt()
	a := &s.air
	a.landings[a.next] = landing{some: true, receipt: r, at: b.At}
	a.next = (a.next + 1) % maxLandings
	to.event(Event{Kind: Detonated, Player: s.me, Weapon: b.Weapon, To: b.Point, Receipt: r})
}

// confirmed takes the server's word on a shot of the player's own. Of a projectile the
// server cannot know what the player saw: whether it agrees is said here, and what flies
// on without reason is taken back.
func (s *screen) confirmed(r *shot.Receipt, stats *Stats, to teller) {
	if r.Verdict == shot.Hit || r.Verdict == shot.Miss {
		for i := range s.air.list {
			if f := &s.air.list[i]; f.Shot == r.Shot && !f.told {
				f.word, f.told, f.until = *r, true, s.drawn.Platform+endsWithin
				return
			}
		}
	}
	s.tell(r, false, stats, to)
}

// tell tells the game the server's word on a shot, of a projectile that flies on here
// although it should have ended as well.
func (s *screen) tell(r *shot.Receipt, flies bool, stats *Stats, to teller) {
	told, burst := *r, flies
	switch {
	case flies:
		told.Agrees = false
		stats.judged(&told)
	case told.Verdict != shot.Launched:
		burst = s.settled(&told)
		stats.judged(&told)
	}
	to.event(Event{Kind: Confirmed, Player: s.me, Receipt: told})
	if burst {
		to.event(Event{Kind: Detonated, Player: s.me, Weapon: told.Weapon, To: told.Outcome.Point, Receipt: told, Again: true})
	}
}

// settled compares a receipt with the player's own flight of that shot, if there is one, and
// reports whether that is to be shown to have ended where the server says.
func (s *screen) settled(r *shot.Receipt) (burst bool) {
	a := &s.air
	for i := range a.list {
		if a.list[i].Shot == r.Shot && r.Verdict == shot.Refused {
			a.list = append(a.list[:i], a.list[i+1:]...)
			r.Agrees = false
			return false
		}
	}
	for i := range a.landings {
		l := &a.landings[i]
		if !l.some || l.judged || l.receipt.Shot != r.Shot {
			continue
		}
		l.judged = true
		r.Agrees = r.Verdict != shot.Refused && sameEnd(&l.receipt, r)
		apart := l.receipt.Outcome.Point.Dist(r.Outcome.Point) > landedApart
		return apart && r.Verdict != shot.Refused
	}
	return false
}

// sameEnd reports whether two receipts of a flight say the same: what it struck, and whom
// else it hurt and where. The shooter's own share is not asked.
func sameEnd(a, b *shot.Receipt) bool {
	if a.Outcome.Kind != b.Outcome.Kind || a.Outcome.Target != b.Outcome.Target {
		return false
	}
	return hurtsAll(a, b) && hurtsAll(b, a)
}

// hurtsAll reports whether a hurts everybody whom b does.
func hurtsAll(a, b *shot.Receipt) bool {
	for i := range b.Events[:b.EventCount] {
		whom, found := b.Events[i].Target, b.Events[i].Target == b.Shooter
		for k := range a.Events[:a.EventCount] {
			found = found || a.Events[k].Target == whom
		}
		if !found {
			return false
		}
	}
	return true
}

// maxBursts is how many bursts wait for the picture to come to them; the oldest is told at
// once where there are more.
const maxBursts = 32

// saw takes a shot of somebody else's, or the end of a projectile, which is told when the
// picture has come to it.
func (s *screen) saw(g *seenShot, to teller) {
	if !g.burst {
		to.event(g.event())
		return
	}
	if len(s.bursts) == maxBursts {
		to.event(s.bursts[0].event())
		s.bursts = append(s.bursts[:0], s.bursts[1:]...)
	}
	s.bursts = append(s.bursts, *g)
}

// show tells of the bursts that the picture has come to.
func (s *screen) show(to teller) {
	n := 0
	for i := range s.bursts {
		if g := &s.bursts[i]; g.at <= s.drawn.At {
			to.event(g.event())
		} else {
			s.bursts[n] = *g
			n++
		}
	}
	s.bursts = s.bursts[:n]
}

// left reports whether a thing is a projectile that has ended, or the server's of one of the
// player's own that is drawn already, or was until lately.
func (s *screen) left(e *track.Entity, weapons shot.Table) bool {
	shooter, low := TaggedProjectile(e.UserData)
	switch {
	case !flies(e.Kind, weapons):
		return false
	case e.Mode == flightOver:
		return true
	case shooter != s.me:
		return false
	}
	for i := range s.air.list {
		if s.air.list[i].Shot&511 == low {
			return true
		}
	}
	for i := range s.air.landings {
		l := &s.air.landings[i]
		if l.some && l.receipt.Shot&511 == low && s.drawn.Platform-l.at < followsFor {
			return true
		}
	}
	return false
}

// flies reports whether a kind of things is that of a weapon's projectiles.
func flies(kind track.Kind, weapons shot.Table) bool {
	for i := range weapons {
		if w := &weapons[i]; w.Kind == shot.Projectile && w.Flight.EntityKind == kind && kind != 0 {
			return true
		}
	}
	return false
}

// sort leaves projectiles that are drawn otherwise, or not any more, out of the things of the
// picture.
func (s *screen) sort(weapons shot.Table) {
	s.air.things = s.air.things[:0]
	for i := s.players; i < len(s.targets); i++ {
		if e := &s.targets[i]; !s.left(e, weapons) {
			s.air.things = append(s.air.things, *e)
		}
	}
}

// shown is the past as a screen shows it, for flights: the frames that have come, and
// nothing of how late news is drawn.
type shown screen

// Scene is for shot.WorldHistory.
func (p *shown) Scene(at, platform clock.Micros, s *rewind.Scene) bool {
	v := track.View{At: max(at, 0), Platform: max(platform, at), Seen: p.others.Received(), Mode: p.drawn.Mode}
	picture := p.others.Interpolator(p.scene.World)
	p.air.targets = picture.Entities(v, p.me, p.air.targets[:0])
	s.Set(collide.WorldAt{World: p.scene.World, At: v.Platform}, p.air.targets)
	return true
}

// Self is for shot.WorldHistory: the player as it stands now, which it does within a frame.
func (p *shown) Self(platform clock.Micros, s *rewind.Scene) bool {
	p.air.targets = append(p.air.targets[:0], p.air.self)
	s.Set(collide.WorldAt{World: p.scene.World, At: platform}, p.air.targets)
	return !p.air.self.Dead
}
