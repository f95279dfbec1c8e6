package track

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// rotationScale is grid units of each part of a Rotation: 1/4096, which turns a body by 0.03°.
const rotationScale = 4096

// The orders of the residuals (bits.Residual): about how many bits each mostly takes.
// That of velocity and place depends on how far away the reference is.
const (
	stampOrder    = 2
	rotationOrder = 5
	angularOrder  = 5
	// Without a reference.
	freshVelocity, freshPlace, freshUpright = 6, 12, 6
)

// PackDelta packs s, quantised, as the difference from ref: a sample of the same entity that the
// reader has, nil for none. A stamp is packed relative to the snapshot that carries it: s is in
// one of match time at, ref in one of refAt, the same on both ends. The reader gets s, bit for
// bit. Each group of fields costs a bit if it equals ref's; of a character that only runs and
// looks about all but two cost one bit together. A stamp more than 39 days from its snapshot is
// clamped when writing and bits.ErrRange when reading, as is whatever Quantise could not have
// made or has a shorter form.
func (s *Sample) PackDelta(p *bits.Packer, at clock.Micros, ref *Sample, refAt clock.Micros) {
	from := reference{noSample, stampSteps(at), false}
	origin := from.at
	// Snapshots are as far apart as their samples, but for the jitter of the owner's clock.
	usual := int64(0)
	if ref != nil {
		from = reference{ref, stampSteps(ref.At), true}
		usual = boundedSteps(from.at - stampSteps(refAt)) // as the reader has it
	}
	steps := boundedSteps(stampSteps(s.At)-origin) - usual
	p.Residual(&steps, stampOrder)
	if !p.Writing() {
		if steps += usual; steps < -maxStampSteps || steps > maxStampSteps {
			p.Fail(bits.ErrRange)
			steps = 0
		}
		s.At = clock.Micros(origin+steps) * StampGrid
	}
	s.packGroups(p, from)
}

// boundedSteps bounds how far a stamp may lie from what it is packed relative to.
func boundedSteps(apart int64) int64 { return min(max(apart, -maxStampSteps), maxStampSteps) }

// PackKeyframe packs s, quantised, a keyframe before the later sample next, as PackDelta
// relative to that one. Its stamp is up to a second before next's, else the error is
// bits.ErrRange.
func (s *Sample) PackKeyframe(p *bits.Packer, next *Sample) {
	from := reference{next, stampSteps(next.At), true}
	steps := int(from.at - stampSteps(s.At))
	p.Ranged(&steps, 1, int(maxKeyframeAge/StampGrid))
	if !p.Writing() {
		s.At = next.At - clock.Micros(steps)*StampGrid
	}
	s.packGroups(p, from)
}

// reference is the sample from which the difference is packed. Without one (known is false) its
// fields are zero and its stamp is the snapshot's.
type reference struct {
	*Sample
	at    int64 // the stamp, in steps of StampGrid
	known bool
}

// noSample is the zero Sample, never written. One on the stack of PackDelta would cost an
// allocation a call: the compiler cannot see that the functions of the table do not keep it.
var noSample = new(Sample)

// group is some fields that mostly change together: they are sent, or equal the reference's.
type group struct {
	most int // the bits that pack takes at most
	pack func(s *Sample, p *bits.Packer, ref reference)
	same func(s, ref *Sample) bool
}

// groups is the table of what is sent of a sample beside its stamp, in the order on the wire; the
// names are those of docs/protocol.md. A new field joins a row here, which packs and compares it,
// and the cell in which a snapshot stores it (cell.set, cell.load).
var groups = []group{
	// place: whatever moves changes all three, and each is predicted from the others.
	{1 + 7*bits.ResidualBits, (*Sample).packPlace, func(s, ref *Sample) bool {
		return s.Position == ref.Position && s.Velocity == ref.Velocity && s.StrideDistance == ref.StrideDistance
	}},
	// look: changes alone when a player only looks about.
	{2 * 25, (*Sample).packLook, func(s, ref *Sample) bool { return s.Yaw == ref.Yaw && s.Pitch == ref.Pitch }},
	// mode: the first of those that seldom change. If none does, one bit says so for all.
	{8 + 1, (*Sample).packMode, func(s, ref *Sample) bool { return s.Mode == ref.Mode && s.Crouched == ref.Crouched }},
	// stance: changes within StanceTime, mostly one part of it.
	{2 + 3*4, (*Sample).packStance, func(s, ref *Sample) bool { return s.Stance == ref.Stance }},
	// self: changed by a spawn, a death or a teleport.
	{8 + 1 + 8 + 8, (*Sample).packSelf, func(s, ref *Sample) bool { return s.Kind == ref.Kind && s.Continues(ref) }},
	// base: Airborne and BaseVelocity are zero in every sample that is sent.
	{(1 + 15) + (1 + 15 + 14 + 14), (*Sample).packBase, func(s, ref *Sample) bool { return s.BaseLink == ref.BaseLink }},
	// up: zero where gravity points down.
	{1 + 5 + 3*12, (*Sample).packUp, func(s, ref *Sample) bool { return s.Up == ref.Up }},
	// body: zero for a character, whose facing is in look.
	{1 + 7*bits.ResidualBits, (*Sample).packBody, func(s, ref *Sample) bool {
		return s.Rotation == ref.Rotation && s.AngularVelocity == ref.AngularVelocity && s.Asleep == ref.Asleep
	}},
	// extra: what is only for drawing.
	{8 + 16 + 50, (*Sample).packExtra, func(s, ref *Sample) bool {
		return s.Clip == ref.Clip && s.ClipAt == ref.ClipAt && s.UserData == ref.UserData
	}},
}

// frequentGroups is how many of the groups often change. One bit says that none of the others did.
const frequentGroups = 2

// DeltaBits returns the most bits that Sample.PackDelta takes: a stamp, a bit for all that seldom
// change, and the groups. Sample.PackKeyframe takes fewer.
func DeltaBits() int {
	n := bits.ResidualBits + 1
	for _, g := range groups {
		n += 1 + g.most
	}
	return n
}

// packGroups packs all but the stamp, which is known.
func (s *Sample) packGroups(p *bits.Packer, ref reference) {
	var changed uint // bit i: groups[i] differs from ref's
	if p.Writing() {
		changed = s.changedGroups(ref.Sample)
	} else {
		at := s.At
		*s = *ref.Sample // what is not sent is as it was
		s.At = at
	}
	count := frequentGroups
	others := changed>>frequentGroups != 0
	if p.Bool(&others); others {
		count = len(groups)
	}
	for i, g := range groups[:count] {
		differs := changed>>i&1 != 0
		if p.Bool(&differs); differs {
			g.pack(s, p, ref)
			changed |= 1 << i
			// A sample has one encoding, so that whatever is read is written again as it was.
			if !p.Writing() && g.same(s, ref.Sample) {
				p.Fail(bits.ErrRange)
			}
		}
	}
	requireChange(p, others && changed>>frequentGroups == 0)
	if !p.Writing() && (s.BaseChangedAt != 0) != s.baseChanged() {
		p.Fail(bits.ErrRange) // ref's change, too long ago by now
		s.clearBaseChange()
	}
}

// changedGroups returns which groups differ from ref's: bit i is groups[i].
func (s *Sample) changedGroups(ref *Sample) (changed uint) {
	for i, g := range groups {
		if !g.same(s, ref) {
			changed |= 1 << i
		}
	}
	return changed
}

// requireChange fails a reader of fields that equal the reference's: one bit encodes that.
func requireChange(p *bits.Packer, same bool) {
	if same && !p.Writing() {
		p.Fail(bits.ErrRange)
	}
}

func (s *Sample) packMode(p *bits.Packer, _ reference) {
	p.Byte(&s.Mode)
	p.Bool(&s.Crouched)
}

func (s *Sample) packSelf(p *bits.Packer, _ reference) {
	p.Byte((*uint8)(&s.Kind))
	p.Bool(&s.Dead)
	p.Byte(&s.Life)
	p.Byte(&s.Teleport)
}

// packExtra packs the motion, its beginning relative to the stamp, and the game's own.
func (s *Sample) packExtra(p *bits.Packer, _ reference) {
	p.Byte(&s.Clip)
	p.Uint16(&s.UserData)
	if s.Clip == 0 {
		s.ClipAt = 0
		return
	}
	now := stampSteps(s.At)
	age := boundedSteps(now - stampSteps(s.ClipAt))
	p.Varint(&age)
	if age < -maxStampSteps || age > maxStampSteps {
		p.Fail(bits.ErrRange)
		age = 0
	}
	s.ClipAt = clock.Micros(now-age) * StampGrid
}

// packBase packs the base, one bit for none, and how it changed, one bit if it did not just do so.
func (s *Sample) packBase(p *bits.Packer, _ reference) {
	rides := s.Base != collide.Static
	if p.Bool(&rides); rides {
		n := int(s.Base)
		p.Ranged(&n, 1, int(collide.FirstObstacle)-1)
		s.Base = collide.MoverID(n)
	} else {
		s.Base = collide.Static
	}
	changed := s.baseChanged()
	if p.Bool(&changed); changed {
		s.packBaseChange(p)
	} else {
		s.clearBaseChange()
	}
}

// packBaseChange packs which base was left, and when. At is known.
func (s *Sample) packBaseChange(p *bits.Packer) {
	was, age, lag := int(s.PreviousBase), int(s.baseAge()), int(s.lagSteps())
	p.Ranged(&was, 0, int(collide.FirstObstacle)-1)
	p.Ranged(&age, 0, int(MaxBaseBlendTime/StampGrid)-1)
	p.Ranged(&lag, int(MinLag/StampGrid), int(MaxLag/StampGrid))
	s.PreviousBase, s.BaseChangedAt = collide.MoverID(was), s.At-clock.Micros(age)*StampGrid
	s.Lag = clock.Micros(lag) * StampGrid
	if s.BaseChangedAt <= 0 {
		p.Fail(bits.ErrRange)
		s.clearBaseChange()
	}
}

// clearBaseChange makes s a sample whose base did not just change.
func (s *Sample) clearBaseChange() { s.PreviousBase, s.BaseChangedAt, s.Lag = collide.Static, 0, 0 }

// packUp costs one bit for zero.
func (s *Sample) packUp(p *bits.Packer, _ reference) {
	if p.Writing() {
		s.Up = tidyUp(s.Up)
	}
	some := !s.Up.IsZero()
	if p.Bool(&some); !some {
		s.Up = geom.Vec3{}
		return
	}
	p.Vec(&s.Up, upScale)
	if !(s.Up.LenSq() <= maxUpSq) || s.Up.IsZero() && p.Err() == nil {
		p.Fail(bits.ErrRange)
		s.Up = geom.Vec3{}
	}
}

// steps is a vector on its grid.
type steps [3]int64

// packSteps packs the difference between v and a guess: y in few bits if it is as guessed, x and
// z in about order.
func packSteps(p *bits.Packer, v *steps, guess steps, order, upright int) {
	for i := range v {
		d, k := v[i]-guess[i], order
		if i == 1 {
			k = upright
		}
		p.Residual(&d, k)
		v[i] = guess[i] + d
	}
}

// packPlace packs velocity and position: the velocity as the difference from ref's, the position
// as the difference from where the mean of the two velocities leads from ref's. All of it is
// computed in whole steps, so both ends guess alike.
func (s *Sample) packPlace(p *bits.Packer, ref reference) {
	var from, was, v, x steps
	from[0], from[1], from[2] = bits.VecSteps(ref.Position, PositionScale)
	was[0], was[1], was[2] = bits.VecSteps(ref.Velocity, VelocityScale)
	if v = was; p.Writing() {
		v[0], v[1], v[2] = bits.VecSteps(s.Velocity, VelocityScale)
		x[0], x[1], x[2] = bits.VecSteps(s.Position, PositionScale)
	}
	apart := min(max(stampSteps(s.At)-ref.at, -maxGuessSteps), maxGuessSteps)
	// The velocity comes first: with both velocities the reader makes the same guess of the position.
	velocity, place, upright := orders(apart, ref.known)
	accelerated := v != was
	if p.Bool(&accelerated); accelerated {
		packSteps(p, &v, was, velocity, upright)
		requireChange(p, v == was)
	}
	packSteps(p, &x, guess(from, was, v, apart), place, upright)
	s.packStride(p, ref.StrideDistance, &pathPiece{x, from, was, v, apart})
	if p.Writing() {
		return
	}
	var there, fits bool
	s.Position, there = bits.StepsVec(x[0], x[1], x[2], PositionScale)
	s.Velocity, fits = bits.StepsVec(v[0], v[1], v[2], VelocityScale)
	if !there || !fits {
		p.Fail(bits.ErrRange)
	}
}

// maxGuessSteps is how many steps of StampGrid apart two samples may be for one to be guessed
// from the other: 2¹⁶ are 3.3 s. It also keeps the products of a guess within 64 bits.
const maxGuessSteps = 1 << 16

// orders returns the orders of the residuals of velocity and position for two samples so many
// steps apart, by what can have changed meanwhile, and that of the upright axis of both, which
// most often has not changed.
func orders(apart int64, known bool) (velocity, place, upright int) {
	if !known {
		return freshVelocity, freshPlace, freshUpright
	}
	c := 0
	for n := max(apart, -apart) / 1000; n > 0 && c < 6; n >>= 1 { // 50 ms, 100 ms, …
		c++
	}
	return 2 + c, max(c-1, 0), 0
}

// perStep is twice the number of steps of StampGrid in which one unit of velocity makes one unit
// of position.
const perStep = 2 * VelocityScale * int64(clock.Second/StampGrid) / PositionScale

// guess returns where an entity that was at from with velocity was is so many steps later with
// velocity v, by the mean of the two. A step of StampGrid at one unit of velocity is 1/1250 of a
// unit of position, rounded half up.
func guess(from, was, v steps, apart int64) steps {
	// Go rounds a quotient towards zero. The remainder says whether that was up.
	for i := range from {
		n := (was[i]+v[i])*apart + perStep/2
		q := n / perStep
		if n%perStep < 0 {
			q--
		}
		from[i] += q
	}
	return from
}
