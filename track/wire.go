package track

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// Pack packs s, quantised, its stamp relative to base: the match time of the
// frame that carries it, the same on both ends. A stamp more than 39 days from
// base is clamped when writing and bits.ErrRange when reading.
func (s *Sample) Pack(p *bits.Packer, base clock.Micros) {
	origin := stampSteps(base)
	steps := int64(geom.Clamp(float64(stampSteps(s.At)-origin), -maxStampSteps, maxStampSteps))
	p.Varint(&steps)
	if steps < -maxStampSteps || steps > maxStampSteps {
		p.Fail(bits.ErrRange)
		steps = 0
	}
	if !p.Writing() {
		s.At = clock.Micros(origin+steps) * StampGrid
	}
	s.packPose(p)
	p.Bool(&s.Dead)
	p.Byte(&s.Life)
	p.Byte(&s.Teleport)
}

// packPose packs what may change along one path. At is known.
func (s *Sample) packPose(p *bits.Packer) {
	p.Vec(&s.Position, PositionScale)
	p.Vec(&s.Velocity, VelocityScale)
	s.packBase(p)
	s.packChange(p)
	s.packUp(p)
	p.Angle16(&s.Yaw)
	p.Angle16(&s.Pitch)
	p.Byte(&s.Mode)
	p.Bool(&s.Crouched)
}

// packChange costs one bit where the base did not just change. At is known.
func (s *Sample) packChange(p *bits.Packer) {
	changed := s.changed()
	p.Bool(&changed)
	if !changed {
		s.Was, s.Since = collide.Static, 0
		return
	}
	was, age := int(s.Was), int(s.age())
	p.Ranged(&was, 0, int(collide.FirstObstacle)-1)
	p.Ranged(&age, 0, int(Fade/StampGrid)-1)
	s.Was, s.Since = collide.BodyID(was), s.At-clock.Micros(age)*StampGrid
	if s.Since <= 0 {
		p.Fail(bits.ErrRange)
		s.Was, s.Since = collide.Static, 0
	}
}

// packBase costs one bit for none.
func (s *Sample) packBase(p *bits.Packer) {
	rides := s.Base != collide.Static
	p.Bool(&rides)
	if !rides {
		s.Base = collide.Static
		return
	}
	n := int(s.Base)
	p.Ranged(&n, 1, int(collide.FirstObstacle)-1)
	s.Base = collide.BodyID(n)
}

// packUp costs one bit for zero.
func (s *Sample) packUp(p *bits.Packer) {
	if p.Writing() {
		s.Up = tidyUp(s.Up)
	}
	some := !s.Up.IsZero()
	p.Bool(&some)
	if !some {
		s.Up = geom.Vec3{}
		return
	}
	p.Vec(&s.Up, upScale)
	if !(s.Up.LenSq() <= upMost) || s.Up.IsZero() && p.Err() == nil {
		p.Fail(bits.ErrRange)
		s.Up = geom.Vec3{}
	}
}

// SampleBits is the most bits that Sample.Pack takes: stamp 10 groups of 5, the pose, a
// flag, two counts.
const SampleBits = 50 + poseBits + 1 + 2*8

// poseBits is the most bits that a pose takes: position and velocity 5 + 3·32 each,
// base, the one before, Up, two angles, mode, a flag.
const poseBits = 2*(5+3*32) + 1 + 15 + 1 + 15 + 12 + 1 + 5 + 3*12 + 2*16 + 8 + 1

// PackKink packs s, quantised, a kink on the way to the later sample next: what its
// path did not change on the way there is not said. Its stamp is up to a second before
// next's, else bits.ErrRange.
func (s *Sample) PackKink(p *bits.Packer, next *Sample) {
	steps := int(stampSteps(next.At) - stampSteps(s.At))
	p.Ranged(&steps, 1, int(kinkAge/StampGrid))
	if !p.Writing() {
		s.At = next.At - clock.Micros(steps)*StampGrid
		s.Dead, s.Life, s.Teleport = next.Dead, next.Life, next.Teleport
	}
	s.packPose(p)
}

// KinkBits is the most bits that Sample.PackKink takes.
const KinkBits = 15 + poseBits
