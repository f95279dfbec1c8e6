package shot

import (
	"errors"
	"math"
	"strconv"

	"github.com/backstep-net/backstep/clock"
)

// The bounds of a weapon's numbers.
const (
	// MaxReach is the longest ray, in metres, so that receipts can hold its length.
	MaxReach = 4000
	// MaxCone is the widest half angle of a spread, in radians: 45°.
	MaxCone = math.Pi / 4
	// MaxSpeed is the fastest projectile, in m/s: 4 m a step.
	MaxSpeed = 500
	// MaxBlast is the widest blast, in metres.
	MaxBlast = 50
	// MaxFuse is the longest flight and the longest swing.
	MaxFuse = 10 * clock.Second
	// MaxLagCompensation is the longest time in a LagCompensation.
	MaxLagCompensation = clock.Second
)

// Check returns nil for a table that can be played with, or an error that names the first
// weapon and field that is out of range, and the range.
func (t Table) Check() error {
	if len(t) == 0 || len(t) > MaxWeapons {
		return errors.New("shot: a table has 1 … 8 weapons")
	}
	for i := range t {
		w := &t[i]
		c := check{where: "shot: weapon " + strconv.Itoa(i+1)}
		if c.name(w.Name); c.err == nil {
			c.where += ", " + w.Name
			c.weapon(w)
		}
		if c.err != nil {
			return c.err
		}
	}
	return nil
}

// check keeps the first error of a weapon.
type check struct {
	where string
	err   error
}

func (c *check) fail(what string) {
	if c.err == nil {
		c.err = errors.New(c.where + ": " + what)
	}
}

func (c *check) name(name string) {
	if name == "" || len(name) > MaxName {
		c.fail("name is " + strconv.Quote(name) + ", not 1 to " + strconv.Itoa(MaxName) + " bytes")
	}
}

func (c *check) number(what string, x, least, most float64) {
	if !(x >= least && x <= most) {
		c.fail(what + " is " + short(x) + ", not within " + short(least) + " … " + short(most))
	}
}

func short(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func (c *check) time(what string, t, least, most clock.Micros) {
	if t < least || t > most {
		c.fail(what + " is " + micros(t) + " µs, not within " + micros(least) + " … " + micros(most) + " µs")
	}
}

func micros(t clock.Micros) string { return strconv.FormatInt(int64(t), 10) }

func (c *check) weapon(w *Weapon) {
	if w.Kind > Projectile {
		c.fail("kind is none of rays, melee and projectile")
	}
	least := 0.0
	if w.Kind != Projectile {
		least = 0.1
	}
	c.number("reach", w.Reach, least, MaxReach)
	c.time("cooldown", w.Cooldown, clock.Millisecond, maxTimer)
	c.time("reload", w.Reload, 0, maxTimer)
	c.time("draw", w.Draw, 0, maxTimer)
	c.number("falloff to", w.Falloff.To, 0, MaxReach)
	c.number("falloff from", w.Falloff.From, 0, w.Falloff.To)
	c.number("falloff least", w.Falloff.Least, 0, 1)
	if w.Policy > 1 {
		c.fail("policy is neither nearest nor head-first")
	}
	c.spread(w)
	c.swing(w)
	c.flight(w)
	c.lagCompensation(&w.LagCompensation)
}

func (c *check) spread(w *Weapon) {
	s := &w.Spread
	c.number("pellets", float64(w.Pellets), 0, MaxPellets)
	c.number("spread cone", s.Cone, 0, MaxCone)
	if n := len(s.Pattern); n > 0 && n != w.pellets() {
		c.fail("spread pattern has " + strconv.Itoa(n) + " pellets of " + strconv.Itoa(w.pellets()))
	}
	for i, p := range s.Pattern {
		if r := float64(p[0]*p[0]) + float64(p[1]*p[1]); !(r <= 1+1e-9) {
			c.fail("spread pattern leaves the cone with pellet " + strconv.Itoa(i+1))
		}
	}
}

func (c *check) swing(w *Weapon) {
	s, least := &w.Swing, clock.Micros(0)
	if w.Kind == Melee {
		least = clock.Millisecond
	}
	c.number("swing arc", s.Arc, 0, 2*math.Pi)
	c.number("swing tilt", s.Tilt, -math.Pi, math.Pi)
	c.number("swing radius", s.Radius, 0, 2)
	c.time("swing begins", s.Begins, 0, MaxFuse)
	c.time("swing lasts", s.Lasts, least, MaxFuse)
	if w.Kind == Melee && w.Cooldown < s.Begins+s.Lasts {
		c.fail("cooldown is " + micros(w.Cooldown) + " µs, shorter than the swing")
	}
}

func (c *check) flight(w *Weapon) {
	f, b := &w.Flight, &w.Blast
	speed, fuse := 0.0, clock.Micros(0)
	if w.Kind == Projectile {
		speed, fuse = 0.1, FlightStep
	}
	c.number("flight speed", f.Speed, speed, MaxSpeed)
	c.number("flight gravity", f.Gravity, 0, 100)
	c.number("flight radius", f.Radius, 0, 2)
	c.number("flight bounce", f.Bounce, 0, 1)
	c.time("flight fuse", f.Fuse, fuse, MaxFuse)
	c.number("blast radius", b.Radius, 0, MaxBlast)
	c.number("blast inner", b.Inner, 0, b.Radius)
	c.number("blast least", b.Least, 0, 1)
	c.number("blast self", b.Self, 0, 1)
	c.number("blast push", b.Push, 0, 100)
}

func (c *check) lagCompensation(f *LagCompensation) {
	c.time("favour cap", f.Cap, 0, MaxLagCompensation)
	c.time("favour cover", f.Cover, 0, MaxLagCompensation)
	if f.Beyond > Present {
		c.fail("favour beyond is none of match, capped and present")
	}
	if f.Flight > TimelinePresent {
		c.fail("favour flight is none of shooter, fade and present")
	}
}
