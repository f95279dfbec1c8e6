package shot

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// The bounds of a weapon's numbers.
const (
	// MaxRange is the longest ray, in metres, so that receipts can hold its length.
	MaxRange = 4000
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
		f := fields{where: "shot: weapon " + strconv.Itoa(i+1)}
		if f.name(&w.Name); f.err == nil {
			f.where += ", " + w.Name
			w.fields(&f)
			w.checkTogether(&f)
		}
		if f.err != nil {
			return f.err
		}
	}
	return nil
}

// fields lists the fields of a weapon in the order in which they are packed, each with its
// bounds. It packs or checks them: one list, so that no field is packed and not checked.
func (w *Weapon) fields(f *fields) {
	f.name(&w.Name)
	fieldEnum(f, "kind", &w.Kind, kindNames[:]...)
	f.number("range", &w.Range, ifElse(w.Kind != Projectile, 0.1, 0), MaxRange)
	f.time("cooldown", &w.Cooldown, clock.Millisecond, maxTimer)
	f.time("reload", &w.Reload, 0, maxTimer)
	f.time("deploy", &w.Deploy, 0, maxTimer)
	f.time("swing begins", &w.Swing.Begins, 0, MaxFuse)
	f.time("swing lasts", &w.Swing.Lasts, ifElse(w.Kind == Melee, clock.Millisecond, 0), MaxFuse)
	f.time("flight fuse", &w.Flight.Fuse, ifElse(w.Kind == Projectile, FlightStep, 0), MaxFuse)
	f.time("lag compensation max rewind", &w.LagCompensation.MaxRewind, 0, MaxLagCompensation)
	f.time("lag compensation cover", &w.LagCompensation.Cover, 0, MaxLagCompensation)
	f.byte(&w.Magazine)
	for i := range w.Damage {
		f.count(&w.Damage[i])
	}
	f.number("falloff from", &w.Falloff.From, 0, MaxRange)
	f.number("falloff to", &w.Falloff.To, 0, MaxRange)
	f.number("falloff least", &w.Falloff.Min, 0, 1)
	fieldEnum(f, "policy", &w.Policy, "nearest", "head-first")
	f.pellets(&w.Pellets)
	f.number("spread cone", &w.Spread.Cone, 0, MaxCone)
	f.bool(&w.Spread.Secret)
	f.pattern(&w.Spread.Pattern)
	f.number("swing arc", &w.Swing.Arc, 0, 2*math.Pi)
	f.number("swing tilt", &w.Swing.Tilt, -math.Pi, math.Pi)
	f.number("swing radius", &w.Swing.Radius, 0, 2)
	f.number("flight speed", &w.Flight.Speed, ifElse(w.Kind == Projectile, 0.1, 0), MaxSpeed)
	f.number("flight gravity", &w.Flight.Gravity, 0, 100)
	f.number("flight radius", &w.Flight.Radius, 0, 2)
	f.number("flight bounce", &w.Flight.Bounce, 0, 1)
	f.byte((*uint8)(&w.Flight.EntityKind))
	f.number("blast radius", &w.Blast.Radius, 0, MaxBlast)
	f.number("blast inner", &w.Blast.Inner, 0, MaxBlast)
	f.number("blast least", &w.Blast.Min, 0, 1)
	f.number("blast self", &w.Blast.Self, 0, 1)
	f.number("blast push", &w.Blast.Push, 0, 100)
	f.count(&w.Blast.Damage)
	fieldEnum(f, "lag compensation beyond", &w.LagCompensation.Beyond, "match", "capped", "present")
	fieldEnum(f, "lag compensation flight", &w.LagCompensation.Flight, "shooter", "fade", "present")
}

// checkTogether checks fields whose bounds are other fields.
func (w *Weapon) checkTogether(f *fields) {
	f.number("falloff from", &w.Falloff.From, 0, w.Falloff.To)
	f.number("blast inner", &w.Blast.Inner, 0, w.Blast.Radius)
	if n := len(w.Spread.Pattern); n > 0 && n != w.pellets() {
		f.fail("spread pattern has " + strconv.Itoa(n) + " pellets of " + strconv.Itoa(w.pellets()))
	}
	if w.Kind == Melee && w.Cooldown < w.Swing.Begins+w.Swing.Lasts { // one swing would cut short the other
		f.fail("cooldown is " + micros(w.Cooldown) + " µs, shorter than the swing")
	}
}

// fields packs the fields that it is shown, or checks them and keeps the first error. The
// sizes on the wire do not depend on the bounds, so that a bound may change without a new
// version of the protocol; ReadTable checks what it has read.
type fields struct {
	packer *bits.Packer // nil: check
	where  string       // in errors
	err    error
}

func (f *fields) fail(what string) {
	if f.err == nil {
		f.err = errors.New(f.where + ": " + what)
	}
}

func (f *fields) name(name *string) {
	if f.packer != nil {
		b := []byte(*name)
		f.packer.Blob(&b, MaxName)
		*name = string(b)
	} else if *name == "" || len(*name) > MaxName {
		f.fail("name is " + strconv.Quote(*name) + ", not 1 to " + strconv.Itoa(MaxName) + " bytes")
	}
}

func (f *fields) number(what string, x *float64, least, most float64) {
	if f.packer != nil {
		packFloat(f.packer, x)
	} else if !(*x >= least && *x <= most) { // NaN is in no range
		f.fail(what + " is " + short(*x) + ", not within " + short(least) + " … " + short(most))
	}
}

func short(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func (f *fields) time(what string, t *clock.Micros, least, most clock.Micros) {
	if f.packer != nil {
		packTimer(f.packer, t, 0)
	} else if *t < least || *t > most {
		f.fail(what + " is " + micros(*t) + " µs, not within " + micros(least) + " … " + micros(most) + " µs")
	}
}

func micros(t clock.Micros) string { return strconv.FormatInt(int64(t), 10) }

// byte, bool and count have no bounds but those of their types.
func (f *fields) byte(b *uint8) {
	if f.packer != nil {
		f.packer.Byte(b)
	}
}

func (f *fields) bool(b *bool) {
	if f.packer != nil {
		f.packer.Bool(b)
	}
}

func (f *fields) count(n *uint16) {
	if f.packer != nil {
		packCount(f.packer, n)
	}
}

func (f *fields) pellets(n *uint8) {
	if f.packer != nil {
		packEnum(f.packer, n, MaxPellets)
	} else if *n > MaxPellets {
		f.fail("pellets is " + strconv.Itoa(int(*n)) + ", not within 0 … " + strconv.Itoa(MaxPellets))
	}
}

func (f *fields) pattern(pattern *[][2]float64) {
	if p := f.packer; p != nil {
		n := len(*pattern)
		p.Ranged(&n, 0, MaxPellets)
		if !p.Writing() {
			if *pattern = nil; n > 0 {
				*pattern = make([][2]float64, n)
			}
		}
	}
	for i := range *pattern {
		at := &(*pattern)[i]
		if f.packer != nil {
			packFloat(f.packer, &at[0])
			packFloat(f.packer, &at[1])
		} else if r := float64(at[0]*at[0]) + float64(at[1]*at[1]); !(r <= 1+1e-9) {
			f.fail("spread pattern leaves the cone with pellet " + strconv.Itoa(i+1))
		}
	}
}

// fieldEnum is a field with a word for each of its values.
func fieldEnum[T ~uint8](f *fields, what string, v *T, words ...string) {
	if f.packer != nil {
		packEnum(f.packer, v, T(len(words)-1))
	} else if last := len(words) - 1; int(*v) > last {
		f.fail(what + " is none of " + strings.Join(words[:last], ", ") + " and " + words[last])
	}
}

func ifElse[T any](condition bool, then, otherwise T) T {
	if condition {
		return then
	}
	return otherwise
}
