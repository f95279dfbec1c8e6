package conformance

import (
	"fmt"
	"math"
	mathbits "math/bits"
)

// The groups of a Sample.
func (s *Sample) place() [3]any   { return [3]any{s.Position, s.Velocity, s.Walked} }
func (s *Sample) look() [2]int16  { return [2]int16{s.Yaw, s.Pitch} }
func (s *Sample) mode() [2]any    { return [2]any{s.Mode, s.Crouched} }
func (s *Sample) self() [4]any    { return [4]any{s.Kind, s.Dead, s.Life, s.Teleport} }
func (s *Sample) carrier() [4]any { return [4]any{s.Base, s.Was, s.Since, s.Lag} }
func (s *Sample) body() [3]any    { return [3]any{s.Asleep, s.Spin, s.Turn} }
func (s *Sample) extra() [3]any   { return [3]any{s.Clip, s.Extra, s.ClipAt} }
func (s *Sample) others() [7]any {
	return [7]any{s.mode(), s.Stance, s.self(), s.carrier(), s.Up, s.body(), s.extra()}
}

// pack packs all but the stamp, against a sample, which need not be known.
func (s *Sample) pack(t *Tape, ref *Sample, known bool) {
	if !t.Writing() {
		at := s.At
		*s = *ref
		s.At = at
	}
	others := t.flag("others", s.others() != ref.others())
	if t.flag("place", s.place() != ref.place()) {
		s.packPlace(t, ref, known)
		t.demand(s.place() != ref.place())
	}
	if t.flag("look", s.look() != ref.look()) {
		turned(t, "yaw", &s.Yaw, ref.Yaw, 9)
		turned(t, "pitch", &s.Pitch, ref.Pitch, 7)
		t.demand(s.look() != ref.look())
	}
	if others {
		s.packOthers(t, ref)
		t.demand(s.others() != ref.others())
	}
	if s.Since != 0 {
		t.demand(s.At-s.Since >= 0 && s.At-s.Since < 12000)
	}
}

func turned(t *Tape, name string, v *int16, ref int16, k int) {
	from, d := t.Bits(), int64(*v-ref)
	residual(t, &d, k)
	t.demand(d >= -32768 && d <= 32767)
	*v = ref + int16(d)
	t.note(from, name, *v)
}

// axes packs a vector against a guess, Y in an order of its own.
func axes(t *Tape, name string, v *Grid, guess Grid, k, y int) {
	from := t.Bits()
	for i, order := range [3]int{k, y, k} {
		d := v[i] - guess[i]
		residual(t, &d, order)
		v[i] = guess[i] + d
		t.demand(v[i] >= -1<<30 && v[i] < 1<<30)
	}
	t.note(from, name, fmtGrid(*v))
}

func (s *Sample) packPlace(t *Tape, ref *Sample, known bool) {
	d := min(max(s.At-ref.At, -65536), 65536)
	c := min(mathbits.Len64(uint64(max(d, -d)/1000)), 6)
	v, p, up := 2+c, max(c-1, 0), 0
	if !known {
		v, p, up = 6, 12, 6
	}
	if t.flag("velocity changed", s.Velocity != ref.Velocity) {
		axes(t, "velocity, /64", &s.Velocity, ref.Velocity, v, up)
		t.demand(s.Velocity != ref.Velocity)
	}
	guess := ref.Position
	for i := range guess {
		guess[i] += halves((ref.Velocity[i]+s.Velocity[i])*d, 2500)
	}
	axes(t, "position, /1024", &s.Position, guess, p, up)
	s.packWalked(t, ref, d)
}

// packWalked packs the way walked against the length of the curve from ref's place.
func (s *Sample) packWalked(t *Tape, ref *Sample, d int64) {
	guess := ref.Walked
	if guess != 0 {
		length := func(x, z float64) float64 { return math.Sqrt(float64(x*x) + float64(z*z)) }
		mid := func(i int) float64 {
			return float64(3*(s.Position[i]-ref.Position[i]))/2 - float64((ref.Velocity[i]+s.Velocity[i])*d)/5000
		}
		ends := length(float64(ref.Velocity[0]), float64(ref.Velocity[2])) + length(float64(s.Velocity[0]), float64(s.Velocity[2]))
		long := float64(ends*math.Abs(float64(d)))/1250 + float64(4*length(mid(0), mid(2)))
		if n := int64(math.Floor(min(long/24, 1<<40) + 0.5)); d < 0 {
			guess -= n
		} else {
			guess += n
		}
	}
	from, off := t.Bits(), (s.Walked-guess+8192)&16383-8192
	residual(t, &off, 0)
	t.demand(off >= -8192 && off < 8192)
	s.Walked = (guess + off) & 16383
	t.note(from, "walked, /256", s.Walked)
}

// packStance packs the part of it that is another than ref's, or all.
func (s *Sample) packStance(t *Tape, ref *Sample) {
	which, n := 3, 0
	for i, v := range s.Stance {
		if v != ref.Stance[i] {
			which, n = i, n+1
		}
	}
	if n > 1 {
		which = 3
	}
	number(t, "which part, 3 all", &which, 2)
	n = 0
	for i := range s.Stance {
		if which == 3 || which == i {
			number(t, "part of it, /15", &s.Stance[i], 4)
		}
		if s.Stance[i] != ref.Stance[i] {
			n++
		}
	}
	t.demand(n == 1 && which < 3 || n > 1)
}

func fmtGrid(g Grid) string { return fmt.Sprintf("%d %d %d", g[0], g[1], g[2]) }

func (s *Sample) packOthers(t *Tape, ref *Sample) {
	if t.flag("mode", s.mode() != ref.mode()) {
		number(t, "movement mode", &s.Mode, 8)
		s.Crouched = t.flag("crouched", s.Crouched)
		t.demand(s.mode() != ref.mode())
	}
	if t.flag("stance", s.Stance != ref.Stance) {
		s.packStance(t, ref)
	}
	if t.flag("self", s.self() != ref.self()) {
		number(t, "kind of thing", &s.Kind, 8)
		s.Dead = t.flag("dead", s.Dead)
		number(t, "life", &s.Life, 8)
		number(t, "teleport", &s.Teleport, 8)
		t.demand(s.self() != ref.self())
	}
	if t.flag("base", s.carrier() != ref.carrier()) {
		s.packCarrier(t)
		t.demand(s.carrier() != ref.carrier())
	}
	if t.flag("up", s.Up != ref.Up) {
		if t.flag("some up", s.Up != Grid{}) {
			t.vec("up vector", &s.Up, 1024)
			sq := s.Up[0]*s.Up[0] + s.Up[1]*s.Up[1] + s.Up[2]*s.Up[2]
			t.demand(sq > 0 && sq <= 1024*1024*3/2)
		} else {
			s.Up = Grid{}
		}
		t.demand(s.Up != ref.Up)
	}
	if t.flag("body", s.body() != ref.body()) {
		s.packBody(t, ref)
		t.demand(s.body() != ref.body())
	}
	if t.flag("extra", s.extra() != ref.extra()) {
		s.packExtra(t)
		t.demand(s.extra() != ref.extra())
	}
}

func (s *Sample) packCarrier(t *Tape) {
	if t.flag("rides", s.Base != 0) {
		ranged(t, "base's body", &s.Base, 1, 1<<15-1)
	} else {
		s.Base = 0
	}
	if !t.flag("base changed", s.Since != 0) {
		s.Was, s.Since, s.Lag = 0, 0, 0
		return
	}
	ranged(t, "base before", &s.Was, 0, 1<<15-1)
	age := s.At - s.Since
	ranged(t, "changed ago, 50 µs", &age, 0, 11999)
	ranged(t, "seen later by, 50 µs", &s.Lag, -200, 16183)
	s.Since = s.At - age
	t.demand(s.Since > 0)
}

func (s *Sample) packExtra(t *Tape) {
	number(t, "clip", &s.Clip, 8)
	number(t, "extra", &s.Extra, 16)
	if s.Clip == 0 {
		s.ClipAt = 0
		return
	}
	age := s.At - s.ClipAt
	varint(t, "clip began, 50 µs ago", &age)
	t.demand(age >= -1<<36 && age <= 1<<36)
	s.ClipAt = s.At - age
}

func (s *Sample) packBody(t *Tape, ref *Sample) {
	s.Asleep = t.flag("asleep", s.Asleep)
	axes(t, "spin, /64", &s.Spin, ref.Spin, 5, 5)
	from, guess := t.Bits(), spun(ref, s)
	for i := range s.Turn {
		d := s.Turn[i] - guess[i]
		residual(t, &d, 5)
		s.Turn[i] = guess[i] + d
	}
	if s.Turn != [4]int64{} {
		sum := 0.0
		for _, n := range s.Turn {
			t.demand(n >= -8192 && n <= 8192)
			sum += float64(n*n) / (4096 * 4096)
		}
		t.demand(math.Abs(sum-1) <= 0.01)
	}
	t.note(from, "turn, /4096", fmt.Sprint(s.Turn))
}

// spun is how a body would be turned that goes on spinning at the mean of two rates.
func spun(ref, s *Sample) [4]int64 {
	w := [3]int64{ref.Spin[0] + s.Spin[0], ref.Spin[1] + s.Spin[1], ref.Spin[2] + s.Spin[2]}
	if ref.Turn == [4]int64{} || w == [3]int64{} {
		return ref.Turn
	}
	at := float64(min(max((s.At-ref.At)*50, -1_000_000), 1_000_000)) / 1e6
	h := [3]float64{}
	for i := range h {
		h[i] = float64(float64(w[i])*at) / 4096
	}
	n := math.Sqrt(float64(float64(float64(h[0]*h[0])+float64(h[1]*h[1]))+float64(h[2]*h[2])) + 1)
	r := [4]float64{h[0] / n, h[1] / n, h[2] / n, 1 / n}
	for range 4 {
		r = times(r, r)
	}
	var q [4]float64
	for i, v := range ref.Turn {
		q[i] = float64(v) / 4096
	}
	r = times(r, q)
	var g [4]int64
	for i, v := range r {
		g[i] = int64(min(max(math.Floor(float64(v*4096)+0.5), -8192), 8192))
	}
	return g
}

// times is the product of two quaternions, every operation rounded.
func times(a, b [4]float64) [4]float64 {
	p := func(i, j int) float64 { return float64(a[i] * b[j]) }
	return [4]float64{
		p(3, 0) + p(0, 3) + p(1, 2) - p(2, 1),
		p(3, 1) - p(0, 2) + p(1, 3) + p(2, 0),
		p(3, 2) + p(0, 1) - p(1, 0) + p(2, 3),
		p(3, 3) - p(0, 0) - p(1, 1) - p(2, 2),
	}
}
