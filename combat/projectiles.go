package combat

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Projectile is a projectile that the player fired, as the last frame showed it. It leaves at once; the
// server's entity of the same projectile arrives later and is hidden.
type Projectile struct {
	shot.Flight
	// Drawn is where to draw it: Position, extrapolated from its last step to the frame's
	// platform time.
	Drawn geom.Vec3
	// verdict is the server's receipt of where it ended, if that arrived (judged) before it ended
	// here. From the platform time until on, the receipt counts.
	verdict shot.Receipt
	judged  bool
	until   clock.Micros
}

// The bounds of flights on a client.
const (
	// maxLandings is how many ends of flights a client remembers, to compare them with those of the
	// server.
	maxLandings = 32
	// hideEntityFor is how long after the end of a flight the server's entity of it stays hidden. If
	// the entity still exists then, the projectile flies on for the server, and is drawn.
	hideEntityFor = clock.Second
	// verdictWait is how long the server's receipt of where a flight ended waits for the flight to end
	// here: on a link without delay the receipt arrives first.
	verdictWait = 250 * clock.Millisecond
	// sameEndWithin is the largest distance, in metres, between the ends of a flight on the client and
	// on the server that is ignored. Beyond it the end is reported again, since the player would see the
	// blast in the wrong place.
	sameEndWithin = 0.5
)

// projectiles are the projectiles of a player as its client simulates them.
type projectiles struct {
	scene    *rewind.Scene
	list     []Projectile
	landings [maxLandings]landing
	next     int
	self     track.Entity   // how the player stands
	targets  []track.Entity // scratch
}

// landing is the end of a flight on the client. The zero landing is none, because commands count from 1.
type landing struct {
	receipt shot.Receipt
	at      clock.Micros // match time
}

// Projectiles are the player's projectiles in the air, as the last frame drew them.
func (c *Client) Projectiles() []Projectile { return c.projectiles.list }

// launch starts a projectile, unless too many are in the air.
func (c *Client) launch(w *shot.Weapon, l *shot.FireParams, fired clock.Micros) {
	if view := l.Claim.View.At; len(c.projectiles.list) < maxFlying {
		// As the server has it: movers are never drawn earlier than characters.
		f := shot.Launch(w, l, max(fired, view), view, c.caster.Seed)
		c.projectiles.list = append(c.projectiles.list, Projectile{Flight: f, Drawn: f.Position})
	}
}

// fly advances the player's projectiles to the platform time of the view, and reports those that have
// ended.
func (c *Client) fly(weapons shot.Table, self track.Sample) {
	a := &c.projectiles
	a.self.ID, a.self.Sample = c.player, self
	n := 0
	for i := range a.list {
		f := &a.list[i]
		b, over := f.Advance(weapons, c.drawn.Platform, (*drawnHistory)(c), a.scene)
		if over {
			c.land(&b)
		}
		// A flight that the server has ended and that goes on here has missed what it hit there:
		// after verdictWait it is removed.
		late := f.judged && c.drawn.Platform > f.until
		if f.judged && (over || late) {
			c.report(&f.verdict, !over)
		}
		if over || late {
			continue
		}
		f.Drawn = f.Position
		// There are more frames than steps: without this a projectile would judder.
		if !f.Resting {
			f.Drawn = f.Position.MulAdd(f.Velocity, max(c.drawn.Platform-f.At(), 0).Seconds())
		}
		a.list[n] = *f
		n++
	}
	a.list = a.list[:n]
}

// land stores the end of a flight, and reports it.
func (c *Client) land(b *shot.Detonation) {
	r := b.Receipt()
	a := &c.projectiles
	a.landings[a.next] = landing{receipt: r, at: b.At}
	// The oldest is overwritten: its verdict has come or never will.
	a.next = (a.next + 1) % maxLandings
	c.events.Detonated(b.Point, r, false)
}

// confirm handles the server's receipt of a shot of the player. Only the client knows what the player saw of
// a projectile, so it decides whether the two agree. It removes a projectile that the server refused.
func (c *Client) confirm(r *shot.Receipt) {
	// Its flight here has not ended yet: the verdict waits for that.
	if r.Verdict == shot.Hit || r.Verdict == shot.Miss {
		for i := range c.projectiles.list {
			if f := &c.projectiles.list[i]; f.Shot == r.Shot && !f.judged {
				f.verdict, f.judged, f.until = *r, true, c.drawn.Platform+verdictWait
				return
			}
		}
	}
	c.report(r, false)
}

// report reports the server's receipt of a shot. If a projectile flies on here although it ended on the
// server, its end is reported too.
func (c *Client) report(r *shot.Receipt, flies bool) {
	reported, again := *r, flies
	switch {
	case flies: // the server says of no end of a flight that it agrees
		c.counters.add(&reported)
	case reported.Verdict != shot.Launched:
		again = c.compare(&reported)
		c.counters.add(&reported)
	}
	c.events.ShotJudged(reported)
	if again {
		c.events.Detonated(reported.Outcome.Point, reported, true)
	}
}

// compare compares a receipt with the client's own flight of that shot, if there is one. It returns whether
// the end must be reported again, at the server's point.
func (c *Client) compare(r *shot.Receipt) (again bool) {
	a := &c.projectiles
	for i := range a.list {
		// It never left, by the server: no end is shown.
		if a.list[i].Shot == r.Shot && r.Verdict == shot.Refused {
			a.list = append(a.list[:i], a.list[i+1:]...)
			return false
		}
	}
	for i := range a.landings {
		l := &a.landings[i]
		if l.receipt.Shot != r.Shot {
			continue
		}
		r.Agrees = r.Verdict != shot.Refused && sameEnd(&l.receipt, r)
		apart := l.receipt.Outcome.Point.Dist(r.Outcome.Point) > sameEndWithin
		return apart && r.Verdict != shot.Refused
	}
	return false
}

// sameEnd reports whether two receipts of a flight agree in what it struck and what else it damaged. Damage
// to the shooter does not count, because client and server have the shooter at different places of its path.
func sameEnd(a, b *shot.Receipt) bool {
	if a.Outcome.Kind != b.Outcome.Kind || a.Outcome.Target != b.Outcome.Target {
		return false
	}
	return damagesAll(a, b) && damagesAll(b, a)
}

// damagesAll reports whether a damages all targets that b does.
func damagesAll(a, b *shot.Receipt) bool {
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

// Hides reports whether an entity must not be drawn: a projectile that has ended, or the server's entity of
// a projectile that the client itself draws or drew until just now.
func (c *Client) Hides(e *track.Entity, weapons shot.Table) bool {
	switch {
	case !flies(e.Kind, weapons):
		return false
	case e.Mode == flightOver:
		return true
	}
	own := func(shot uint32) bool { return ProjectileTag(c.seats, c.player, shot) == e.UserData }
	for i := range c.projectiles.list {
		if own(c.projectiles.list[i].Shot) {
			return true
		}
	}
	for i := range c.projectiles.landings {
		l := &c.projectiles.landings[i]
		if own(l.receipt.Shot) && c.drawn.Platform-l.at < hideEntityFor {
			return true
		}
	}
	return false
}

// flies reports whether entities of a kind are projectiles of a weapon.
func flies(kind track.Kind, weapons shot.Table) bool {
	for i := range weapons {
		if w := &weapons[i]; w.Kind == shot.Projectile && w.Flight.EntityKind == kind && kind != 0 {
			return true
		}
	}
	return false
}

// drawnHistory is the shot.WorldHistory of a client: the snapshots that it has received. Correction blending
// is left out, since a flight goes back beyond the last frame.
type drawnHistory Client

// Scene implements shot.WorldHistory.
func (p *drawnHistory) Scene(at, platform clock.Micros, s *rewind.Scene) bool {
	v := track.View{At: max(at, 0), Platform: max(platform, at), Seen: p.others.Received(), Mode: p.drawn.Mode}
	interpolator := p.others.Interpolator(p.world)
	p.projectiles.targets = interpolator.Entities(v, p.player, p.projectiles.targets[:0])
	s.Set(collide.WorldAt{World: p.world, At: v.Platform}, p.projectiles.targets)
	return true
}

// Self implements shot.WorldHistory with the player as it stands now, at most a frame later.
func (p *drawnHistory) Self(_ clock.Micros, s *rewind.Scene) bool {
	p.projectiles.targets = append(p.projectiles.targets[:0], p.projectiles.self)
	s.SetTargets(p.projectiles.targets)
	return !p.projectiles.self.Dead
}
