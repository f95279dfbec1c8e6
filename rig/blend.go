package rig

import "github.com/backstep-net/backstep/geom"

// keys returns the two keys that a moment is between, and how far it is from the first
// to the second. After a gait's last key its first comes again.
func (s *weightedClip) keys() (a, b int, t float64) {
	c := s.clip
	a = min(max(int(s.key), 0), c.keys-1)
	t = s.key - float64(a)
	if b = a + 1; b >= c.keys {
		b = 0
		if c.cycles == 0 {
			b, t = a, 0
		}
	}
	return a, b, t
}

// blend turns shares into how the bones are turned and where the moving one is.
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

// accumulate adds one key of a clip of all bones.
func (m *mix) accumulate(c *clip, key int, part float64) {
	n := len(c.list)
	turns := c.rotations[key*n : key*n+n]
	sums := m.rotations[:n]
	for b := range turns {
		q, sum := &turns[b], &sums[b]
		sum.X += float64(float64(q[0]) * part)
		sum.Y += float64(float64(q[1]) * part)
		sum.Z += float64(float64(q[2]) * part)
		sum.W += float64(float64(q[3]) * part)
	}
}

// applyMotion puts the motion over the bones that it moves.
func (m *mix) applyMotion() {
	s := &m.motion
	c := s.clip
	a, b, t := s.keys()
	partA, partB, rest := float64(s.weight*(1-t)), float64(s.weight*t), 1-s.weight
	n := len(c.list)
	for i, bone := range c.list {
		q, r, sum := &c.rotations[a*n+i], &c.rotations[b*n+i], &m.rotations[bone]
		sum.X = float64(sum.X*rest) + float64(float64(q[0])*partA) + float64(float64(r[0])*partB)
		sum.Y = float64(sum.Y*rest) + float64(float64(q[1])*partA) + float64(float64(r[1])*partB)
		sum.Z = float64(sum.Z*rest) + float64(float64(q[2])*partA) + float64(float64(r[2])*partB)
		sum.W = float64(sum.W*rest) + float64(float64(q[3])*partA) + float64(float64(r[3])*partB)
	}
	if c.translations != nil {
		m.translation = m.translation.Mul(rest).MulAdd(translationOf(c.translations[a]), partA).MulAdd(translationOf(c.translations[b]), partB)
	}
}

// applyAim turns the bones of aiming further, less where a motion has them.
func (m *mix) applyAim() {
	s := &m.aim
	c := s.clip
	a, b, t := s.keys()
	n := len(c.list)
	for i, bone := range c.list {
		part := s.weight
		if m.motion.clip != nil && m.motion.clip.bones>>bone&1 != 0 {
			part = float64(part * (1 - m.motion.weight))
		}
		partA, partB, rest := float64(part*(1-t)), float64(part*t), float64((1-part)*rotationOne)
		q, r := &c.rotations[a*n+i], &c.rotations[b*n+i]
		m.rotations[bone] = m.rotations[bone].Mul(geom.Quat{
			X: float64(float64(q[0])*partA) + float64(float64(r[0])*partB),
			Y: float64(float64(q[1])*partA) + float64(float64(r[1])*partB),
			Z: float64(float64(q[2])*partA) + float64(float64(r[2])*partB),
			W: float64(float64(q[3])*partA) + float64(float64(r[3])*partB) + rest,
		})
	}
}

// translationOf returns a place that is in tenths of a millimetre.
func translationOf(s [3]int16) geom.Vec3 {
	return geom.Vec3{X: float64(s[0]) / perMetre, Y: float64(s[1]) / perMetre, Z: float64(s[2]) / perMetre}
}
