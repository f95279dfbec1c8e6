package rootmotion

import (
	"github.com/backstep-net/backstep/geom"
)

// Body is the character at the beginning of a slice, as far as sources need it.
type Body struct {
	// Feet is the place that a MoveTo takes to its target, Centre the one that a
	// Radial pushes, in metres.
	Feet, Centre geom.Vec3
	// Forward and Up are unit vectors at right angles: where the character faces,
	// and against gravity.
	Forward, Up geom.Vec3
}

// world turns a local vector (−Z forward) into the world's.
func (b *Body) world(v geom.Vec3) geom.Vec3 {
	return b.Forward.Cross(b.Up).Mul(v.X).MulAdd(b.Up, v.Y).MulAdd(b.Forward, -v.Z)
}

// Drive is how the sources change the velocity during one slice. The zero Drive changes
// nothing.
type Drive struct {
	// Override reports that Velocity replaces the character's own.
	Override bool
	// Velocity of the override in m/s, zero without one.
	Velocity geom.Vec3
	// Vertical reports that the override replaces the vertical part too. Otherwise Velocity is
	// horizontal.
	Vertical bool
	// Animated reports that the override is a clip's, whose vertical part replaces
	// gravity only where Flies.
	Animated, Flies bool
	// Placed reports that the override is a MoveTo's, which fixes the place of the
	// character in the world. The velocity of a base that it left does not count.
	Placed bool
	// Additive velocity in m/s to be added after that.
	Additive geom.Vec3
	// Sensitive lowers the lift-off threshold [RMS-17].
	Sensitive bool
}

// liftOffSpeed and sensitiveLiftOffSpeed are the upward speeds in m/s above which
// sources take a walker off the floor [RMS-17].
const (
	liftOffSpeed          = 0.1
	sensitiveLiftOffSpeed = 0.01
)

// Lifts reports whether the sources take a walker off the floor. A clip that does
// not fly never does.
func (d *Drive) Lifts(up geom.Vec3) bool {
	rise := d.Additive.Dot(up)
	if d.Vertical && (!d.Animated || d.Flies) {
		rise += d.Velocity.Dot(up)
	}
	if d.Sensitive {
		return rise > sensitiveLiftOffSpeed
	}
	return rise > liftOffSpeed
}

// Apply returns the velocity in m/s under the sources of a character whose own velocity is
// v. up is the unit vector against gravity; airborne is false for a walker.
func (d *Drive) Apply(v, up geom.Vec3, airborne bool) geom.Vec3 {
	if d.Override {
		own := v
		v = d.Velocity
		if !d.Vertical || airborne && d.Animated && !d.Flies {
			v = v.Flat(up).MulAdd(up, own.Dot(up))
		}
	}
	return v.Add(d.Additive)
}

// Drive returns what the active sources do in a slice of dt seconds after which
// left seconds of the move remain. An animation silences all others [RMS-01]; of
// the overrides the first by priority, then by age from the youngest, acts alone;
// all additive ones add up [RMS-16]. dt must be positive.
func (g *Group) Drive(l *Library, b *Body, left, dt float64) Drive {
	var out Drive
	acting := g.acting(l, left+dt)
	if acting >= 0 {
		out = g.Active[acting].override(l, b, left, dt)
	}
	for i := 0; i < MaxActive && g.Active[i].ID != 0 && !out.Animated; i++ {
		s := &g.Active[i]
		if s.overrides() || s.finished(l, left+dt) {
			continue
		}
		if v, acts := s.velocity(l, b, left, dt); acts {
			out.Additive = out.Additive.Add(v)
			out.Sensitive = out.Sensitive || s.Flags&SensitiveLiftOff != 0
		}
	}
	return out
}

// acting returns the index of the override that acts, or −1.
func (g *Group) acting(l *Library, left float64) int {
	best := -1
	for i := 0; i < MaxActive && g.Active[i].ID != 0; i++ {
		s := &g.Active[i]
		if !s.overrides() || s.finished(l, left) {
			continue
		}
		if best < 0 || rank(s) >= rank(&g.Active[best]) {
			best = i
		}
	}
	return best
}

// Dominant returns the override that moves the character, or is about to with the next
// move, and false where none does: what others may be shown as its motion.
func (g *Group) Dominant() (Source, bool) {
	best := -1
	all := [...]*Source{&g.Active[0], &g.Active[1], &g.Active[2], &g.Active[3], &g.Pending[0], &g.Pending[1]}
	for i, s := range all {
		if s.ID == 0 || s.Flags&ended != 0 || !s.overrides() {
			continue
		}
		if best < 0 || rank(s) >= rank(all[best]) {
			best = i
		}
	}
	if best < 0 {
		return Source{}, false
	}
	return *all[best], true
}

// rank orders overrides: animations above all, then by priority.
func rank(s *Source) int {
	if s.Kind == KindAnimation {
		return int(s.Priority) + 1000
	}
	return int(s.Priority)
}

// override is the Drive of an overriding source.
func (s *Source) override(l *Library, b *Body, left, dt float64) Drive {
	v, acts := s.velocity(l, b, left, dt)
	if !acts {
		return Drive{}
	}
	d := Drive{
		Override: true, Velocity: v, Vertical: s.Flags&IgnoreVertical == 0,
		Sensitive: s.Flags&SensitiveLiftOff != 0, Placed: s.Kind == KindMoveTo,
	}
	if s.Kind == KindAnimation {
		d.Animated, d.Flies = true, l.clip(s.Clip).Flies
	}
	return d
}

// velocity returns what the source gives over the slice, in m/s, and whether it
// acts at all.
func (s *Source) velocity(l *Library, b *Body, left, dt float64) (geom.Vec3, bool) {
	from, to := s.span(l, left, dt)
	var v geom.Vec3
	switch s.Kind {
	case KindConstant:
		v = s.facing(b, s.Vector).Mul(s.strength(l, from, to, dt))
	case KindRadial:
		var acts bool
		if v, acts = s.radial(l, b); !acts {
			return v, false
		}
		v = v.Mul(s.strength(l, from, to, dt))
	case KindMoveTo:
		v = s.moveTo(l, b, from, to, dt)
	case KindJumpTo:
		v = s.jumpTo(l, b, to).Sub(s.jumpTo(l, b, from)).Div(dt)
	case KindAnimation:
		move, _ := s.root(l, from, to)
		v = b.world(move.Mul(s.Strength)).Div(dt)
	}
	if s.Flags&IgnoreVertical != 0 {
		v = v.Flat(b.Up)
	}
	return v, true
}

// span returns the seconds since the source began at the slice's beginning and
// end, the latter no later than the source's end.
func (s *Source) span(l *Library, left, dt float64) (from, to float64) {
	from, to = max(s.time(left+dt), 0), s.time(left)
	if end, ends := s.end(l); ends {
		to = min(to, end)
	}
	return from, max(from, to)
}

// facing turns a vector with the character where the source is local.
func (s *Source) facing(b *Body, v geom.Vec3) geom.Vec3 {
	if s.Flags&Local != 0 {
		return b.world(v)
	}
	return v
}

// share returns where in its life the source is at second t: 0 … 1, and 0 where
// it lasts until removed.
func (s *Source) share(t float64) float64 {
	if s.Duration <= 0 {
		return 0
	}
	return geom.Clamp(t/s.Duration.Seconds(), 0, 1)
}

// strength returns the mean of the strength curve over the slice, times the share
// of the slice that the source lives [RMS-15].
func (s *Source) strength(l *Library, from, to, dt float64) float64 {
	k := 1.0
	if c := l.curve(s.Curve); c != nil {
		k = c.Mean(s.share(from), s.share(to))
	}
	return k * min((to-from)/dt, 1)
}

// radial returns the velocity of a Radial in m/s, and whether the body is within its
// radius [RMS-11].
func (s *Source) radial(l *Library, b *Body) (geom.Vec3, bool) {
	out := b.Centre.Sub(s.Point)
	if s.Flags&IgnoreVertical != 0 {
		out = out.Flat(b.Up)
	}
	distance := out.Len()
	if !(distance <= s.Length) {
		return geom.Vec3{}, false
	}
	k := s.Strength
	if c := l.curve(s.FallOff); c != nil && s.Length > 0 {
		k *= c.At(distance / s.Length)
	}
	if s.Flags&Pull != 0 {
		k = -k
	}
	if !s.Vector.IsZero() {
		out = s.facing(b, s.Vector)
	}
	return out.Unit().Mul(k), true
}

// progress returns how far along its way the source is at second t, 0 … 1 unless
// its curve says otherwise.
func (s *Source) progress(l *Library, t float64) float64 {
	x := s.share(t)
	if c := l.curve(s.Curve); c != nil {
		return c.At(x)
	}
	return x
}

// moveTo returns the velocity of a MoveTo in m/s: (wanted position at the end of the
// slice − position now) / slice [RMS-12].
func (s *Source) moveTo(l *Library, b *Body, from, to, dt float64) geom.Vec3 {
	if s.Duration <= 0 {
		return geom.Vec3{}
	}
	wanted := s.path(l, b, to)
	v := wanted.Sub(b.Feet)
	if s.Flags&IgnoreVertical != 0 {
		v = v.Flat(b.Up)
	}
	if s.Flags&LimitSpeed != 0 {
		v = v.ClampLen(wanted.Dist(s.path(l, b, from)))
	}
	return v.Div(dt)
}

// path returns the place on a MoveTo's path at second t.
func (s *Source) path(l *Library, b *Body, t float64) geom.Vec3 {
	at := s.Point.Lerp(s.Vector, s.progress(l, t))
	if o := l.offset(s.Offset); o != nil {
		at = at.Add(s.along(b, s.Vector.Sub(s.Point), o.At(s.share(t)).Move))
	}
	return at
}

// along turns an offset into the frame of a way: −Z along its horizontal part.
func (s *Source) along(b *Body, way, offset geom.Vec3) geom.Vec3 {
	frame := *b
	if flat := way.Flat(b.Up).Unit(); !flat.IsZero() {
		frame.Forward = flat
	}
	return frame.world(offset)
}

// jumpTo returns the displacement of a leap at second t since take-off: height
// 4·h·x·(1−x), or the offset track's [RMS-14].
func (s *Source) jumpTo(l *Library, b *Body, t float64) geom.Vec3 {
	if s.Duration <= 0 {
		return geom.Vec3{}
	}
	x := s.progress(l, t)
	way := s.facing(b, s.Vector).Flat(b.Up)
	at := way.Mul(x)
	if o := l.offset(s.Offset); o != nil {
		return at.Add(s.along(b, way, o.At(x).Move))
	}
	return at.MulAdd(b.Up, float64(4*s.Length)*float64(x*(1-x)))
}

// root returns how an animation's root moves and turns from second to second.
func (s *Source) root(l *Library, from, to float64) (geom.Vec3, float64) {
	return l.clip(s.Clip).between(float64(from*s.Rate), float64(to*s.Rate))
}

// Turn returns by how much the sources turn the character about up during a slice
// of dt seconds after which left seconds of the move remain, in radians to the
// left [RMS-05]. Like velocity: an animation alone, or the override that acts and
// all additive sources.
func (g *Group) Turn(l *Library, left, dt float64) float64 {
	acting, turn := g.acting(l, left+dt), 0.0
	for i := 0; i < MaxActive && g.Active[i].ID != 0; i++ {
		s := &g.Active[i]
		if s.overrides() && i != acting || s.finished(l, left+dt) {
			continue
		}
		from, to := s.span(l, left, dt)
		switch {
		case s.Kind == KindConstant && (acting < 0 || g.Active[acting].Kind != KindAnimation):
			turn += float64(s.Rate * (to - from))
		case s.Kind == KindAnimation:
			_, t := s.root(l, from, to)
			turn += t
		}
	}
	return turn
}
