package combat

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
	// verdict is the server's on where it ended, if that has come (judged) before it ended
	// here; until is the platform time from which on it counts whatever this end has.
	verdict shot.Receipt
	judged  bool
	until   clock.Micros
}

// Bounds of flights.
const (
	// maxLandings is how many ends of flights a client remembers, to compare them with the
	// server's.
	maxLandings = 32
	// followsFor is for how long after the end of a flight the server's is taken for it and
	// left out of Things. What is there for longer has gone on: then it is shown.
	followsFor = clock.Second
	// endsWithin is for how long the server's verdict on where a flight ended waits for the
	// flight to end here: on a line without delay it comes first.
	endsWithin = 250 * clock.Millisecond
	// landedApart is how far from where a flight ended, in metres, the server must have it
	// end for its end to be reported again.
	landedApart = 0.5
)

// projectiles is a player's own projectiles as its client has them.
type projectiles struct {
	scene    *rewind.Scene
	list     []Projectile
	landings [maxLandings]landing
	next     int
	self     track.Entity   // how the player stands
	targets  []track.Entity // scratch
}

// landing is how a flight ended, by its client.
type landing struct {
	some    bool
	judged  bool // whether the server's verdict has come
	receipt shot.Receipt
	at      clock.Micros // match time
}

// Projectiles are the player's projectiles in the air, as the last frame drew them.
func (c *Client) Projectiles() []Projectile { return c.projectiles.list }

// launch lets a projectile fly, if there are not too many.
func (c *Client) launch(w *shot.Weapon, l *shot.FireParams, fired clock.Micros) {
	if len(c.projectiles.list) < maxFlying {
		f := shot.Launch(w, l, fired, l.Claim.View.At, c.caster.Seed)
		c.projectiles.list = append(c.projectiles.list, Projectile{Flight: f, Drawn: f.Position})
	}
}

// fly moves the player's projectiles on to the view's platform time, and reports
// which have ended.
func (c *Client) fly(weapons shot.Table, self track.Sample) {
	a := &c.projectiles
	a.self.ID, a.self.Sample = c.me, self
	n := 0
	for i := range a.list {
		f := &a.list[i]
		b, over := f.Advance(weapons, c.drawn.Platform, (*shown)(c), a.scene)
		if over {
			c.land(&b)
		}
		late := f.judged && c.drawn.Platform > f.until
		if f.judged && (over || late) {
			c.report(&f.verdict, !over)
		}
		if over || late {
			continue
		}
		f.Drawn = f.Position
		if !f.Resting {
			f.Drawn = f.Position.MulAdd(f.Velocity, max(c.drawn.Platform-f.At(), 0).Seconds())
		}
		a.list[n] = *f
		n++
	}
	a.list = a.list[:n]
}

// land notes how a flight ended, and reports it.
func (c *Client) land(b *shot.Detonation) {
	r := b.Receipt()
	a := &c.projectiles
	a.landings[a.next] = landing{some: true, receipt: r, at: b.At}
	a.next = (a.next + 1) % maxLandings
	c.events.Detonated(b.Point, r, false)
}

// confirm takes the server's verdict on a shot of the player's own. Of a projectile the
// server cannot know what the player saw: whether it agrees is said here, and what flies
// on without reason is taken back.
func (c *Client) confirm(r *shot.Receipt) {
	if r.Verdict == shot.Hit || r.Verdict == shot.Miss {
		for i := range c.projectiles.list {
			if f := &c.projectiles.list[i]; f.Shot == r.Shot && !f.judged {
				f.verdict, f.judged, f.until = *r, true, c.drawn.Platform+endsWithin
				return
			}
		}
	}
	c.report(r, false)
}

// report reports the server's verdict on a shot, of a projectile that flies on here
// although it should have ended as well.
func (c *Client) report(r *shot.Receipt, flies bool) {
	shown, ended := *r, flies
	switch {
	case flies:
		shown.Agrees = false
		c.counters.add(&shown)
	case shown.Verdict != shot.Launched:
		ended = c.settle(&shown)
		c.counters.add(&shown)
	}
	c.events.Confirmed(shown)
	if ended {
		c.events.Detonated(shown.Outcome.Point, shown, true)
	}
}

// settle compares a receipt with the player's own flight of that shot, if there is one, and
// reports whether that is to be shown to have ended where the server says.
func (c *Client) settle(r *shot.Receipt) (again bool) {
	a := &c.projectiles
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

// sameEnd reports whether two receipts of a flight say the same: what it struck, and what
// else it hurt and where. The shooter's own share is not asked.
func sameEnd(a, b *shot.Receipt) bool {
	if a.Outcome.Kind != b.Outcome.Kind || a.Outcome.Target != b.Outcome.Target {
		return false
	}
	return hurtsAll(a, b) && hurtsAll(b, a)
}

// hurtsAll reports whether a hurts all that b does.
func hurtsAll(a, b *shot.Receipt) bool {
	for i := range b.Events[:b.EventCount] {
		target, found := b.Events[i].Target, b.Events[i].Target == b.Shooter
		for k := range a.Events[:a.EventCount] {
			found = found || a.Events[k].Target == target
		}
		if !found {
			return false
		}
	}
	return true
}

// Hides reports whether an entity is not to be drawn: whether it is a projectile that has ended, or the server's of one of the
// player's own that is drawn already, or was until just now.
func (c *Client) Hides(e *track.Entity, weapons shot.Table) bool {
	shooter, low := TaggedProjectile(e.UserData)
	switch {
	case !flies(e.Kind, weapons):
		return false
	case e.Mode == flightOver:
		return true
	case shooter != c.me:
		return false
	}
	for i := range c.projectiles.list {
		if c.projectiles.list[i].Shot&511 == low {
			return true
		}
	}
	for i := range c.projectiles.landings {
		l := &c.projectiles.landings[i]
		if l.some && l.receipt.Shot&511 == low && c.drawn.Platform-l.at < followsFor {
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

// shown is the past as a screen shows it, for flights: the frames that have come, and
// nothing of how late news is drawn.
type shown Client

// Scene is for shot.WorldHistory.
func (p *shown) Scene(at, platform clock.Micros, s *rewind.Scene) bool {
	v := track.View{At: max(at, 0), Platform: max(platform, at), Seen: p.others.Received(), Mode: p.drawn.Mode}
	picture := p.others.Interpolator(p.world)
	p.projectiles.targets = picture.Entities(v, p.me, p.projectiles.targets[:0])
	s.Set(collide.WorldAt{World: p.world, At: v.Platform}, p.projectiles.targets)
	return true
}

// Self is for shot.WorldHistory: the player as it stands now, which it does within a frame.
func (p *shown) Self(platform clock.Micros, s *rewind.Scene) bool {
	p.projectiles.targets = append(p.projectiles.targets[:0], p.projectiles.self)
	s.Set(collide.WorldAt{World: p.world, At: platform}, p.projectiles.targets)
	return !p.projectiles.self.Dead
}
