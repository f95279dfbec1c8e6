package rig

import "github.com/backstep-net/backstep/geom"

// keys returns the two keys on either side of s.key, and the fraction from the first to the
// second. In a gait the first key follows the last one.
//
// Linear between keys: clips are baked at 30 keys per second.
func (s *weightedClip) keys() (a, b int, t float64) {
	c := s.clip
	// The phase of a gait may round up to c.keys, which is one key too many.
	a = min(max(int(s.key), 0), c.keys-1)
	t = s.key - float64(a)
	// A motion stays at its last key; a gait goes round.
	if b = a + 1; b >= c.keys {
		b = 0
		if c.cycles == 0 {
			b, t = a, 0
		}
	}
	return a, b, t
}

// blend computes the rotations of the bones and the translation of the translated bone from
// the weights.
func (m *mix) blend() {
	for i := range m.count {
		s := &m.clips[i]
		a, b, t := s.keys()
		m.accumulate(s.clip, a, float64(s.weight*(1-t)))
		m.translation = m.translation.MulAdd(translationOf(s.clip.translations[a]), float64(s.translationWeight*(1-t)))
		if t > 0 {
			m.accumulate(s.clip, b, float64(s.weight*t))
			m.translation = m.translation.MulAdd(translationOf(s.clip.translations[b]), float64(s.translationWeight*t))
		}
	}
	if m.motion.clip != nil {
		m.applyMotion()
	}
	if m.aim.clip != nil {
		m.applyAim()
	}
}

// accumulate adds one key of a clip, which has all bones, with a weight.
//
// Integers are converted while they are summed; the factor 1/32767 cancels when the sum is
// normalised. All keys of a bone are on one side of its rest rotation, so no sum is near
// zero.
func (m *mix) accumulate(c *clip, key int, weight float64) {
	n := len(c.list)
	rotations := c.rotations[key*n : key*n+n]
	sums := m.rotations[:n]
	for b := range rotations {
		q, sum := &rotations[b], &sums[b]
		sum.X += float64(float64(q[0]) * weight)
		sum.Y += float64(float64(q[1]) * weight)
		sum.Z += float64(float64(q[2]) * weight)
		sum.W += float64(float64(q[3]) * weight)
	}
}

// applyMotion blends the motion over the bones that it has.
//
// A motion replaces the other clips by its weight and does not add to them, so during its fade the legs
// blend out of their run.
func (m *mix) applyMotion() {
	s := &m.motion
	c := s.clip
	a, b, t := s.keys()
	weightA, weightB, rest := float64(s.weight*(1-t)), float64(s.weight*t), 1-s.weight
	n := len(c.list)
	for i, bone := range c.list {
		q, r, sum := &c.rotations[a*n+i], &c.rotations[b*n+i], &m.rotations[bone]
		sum.X = float64(sum.X*rest) + float64(float64(q[0])*weightA) + float64(float64(r[0])*weightB)
		sum.Y = float64(sum.Y*rest) + float64(float64(q[1])*weightA) + float64(float64(r[1])*weightB)
		sum.Z = float64(sum.Z*rest) + float64(float64(q[2])*weightA) + float64(float64(r[2])*weightB)
		sum.W = float64(sum.W*rest) + float64(float64(q[3])*weightA) + float64(float64(r[3])*weightB)
	}
	if c.translations != nil {
		m.translation = m.translation.Mul(rest).MulAdd(translationOf(c.translations[a]), weightA).MulAdd(translationOf(c.translations[b]), weightB)
	}
}

// applyAim rotates the bones of the aim clip further; less where a motion has them.
//
// The weighted turn is completed with the identity (rest), which is a blend of the turn
// with not turning.
func (m *mix) applyAim() {
	s := &m.aim
	c := s.clip
	a, b, t := s.keys()
	n := len(c.list)
	for i, bone := range c.list {
		weight := s.weight
		if m.motion.clip != nil && m.motion.clip.bones>>bone&1 != 0 {
			weight = float64(weight * (1 - m.motion.weight))
		}
		weightA, weightB, rest := float64(weight*(1-t)), float64(weight*t), float64((1-weight)*rotationOne)
		q, r := &c.rotations[a*n+i], &c.rotations[b*n+i]
		m.rotations[bone] = m.rotations[bone].Mul(geom.Quat{
			X: float64(float64(q[0])*weightA) + float64(float64(r[0])*weightB),
			Y: float64(float64(q[1])*weightA) + float64(float64(r[1])*weightB),
			Z: float64(float64(q[2])*weightA) + float64(float64(r[2])*weightB),
			W: float64(float64(q[3])*weightA) + float64(float64(r[3])*weightB) + rest,
		})
	}
}

// translationOf returns a translation that is given in steps of 0.1 mm.
func translationOf(s [3]int16) geom.Vec3 {
	return geom.Vec3{X: float64(s[0]) / perMetre, Y: float64(s[1]) / perMetre, Z: float64(s[2]) / perMetre}
}
