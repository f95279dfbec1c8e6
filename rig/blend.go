package rig

import "github.com/backstep-net/backstep/geom"

// between returns the two keys that a moment is between, and how far it is from the first
// to the second. After a gait's last key its first comes again.
func (s *share) between() (a, b int, t float64) {
	c := s.clip
	a = min(max(int(s.at), 0), c.keys-1)
	t = s.at - float64(a)
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
		s := &m.shares[i]
		a, b, t := s.between()
		m.gather(s.clip, a, float64(s.part*(1-t)))
		m.move = m.move.MulAdd(placeOf(s.clip.moves[a]), float64(s.sink*(1-t)))
		if t > 0 {
			m.gather(s.clip, b, float64(s.part*t))
			m.move = m.move.MulAdd(placeOf(s.clip.moves[b]), float64(s.sink*t))
		}
	}
	if m.motion.clip != nil {
		m.overlay()
	}
	if m.aim.clip != nil {
		m.bend()
	}
}

// gather adds one key of a clip of all bones.
func (m *mix) gather(c *clip, key int, part float64) {
	n := len(c.list)
	turns := c.turns[key*n : key*n+n]
	sums := m.turns[:n]
	for b := range turns {
		q, sum := &turns[b], &sums[b]
		sum.X += float64(float64(q[0]) * part)
		sum.Y += float64(float64(q[1]) * part)
		sum.Z += float64(float64(q[2]) * part)
		sum.W += float64(float64(q[3]) * part)
	}
}

// overlay puts the motion over the bones that it moves.
func (m *mix) overlay() {
	s := &m.motion
	c := s.clip
	a, b, t := s.between()
	partA, partB, rest := float64(s.part*(1-t)), float64(s.part*t), 1-s.part
	n := len(c.list)
	for i, bone := range c.list {
		q, r, sum := &c.turns[a*n+i], &c.turns[b*n+i], &m.turns[bone]
		sum.X = float64(sum.X*rest) + float64(float64(q[0])*partA) + float64(float64(r[0])*partB)
		sum.Y = float64(sum.Y*rest) + float64(float64(q[1])*partA) + float64(float64(r[1])*partB)
		sum.Z = float64(sum.Z*rest) + float64(float64(q[2])*partA) + float64(float64(r[2])*partB)
		sum.W = float64(sum.W*rest) + float64(float64(q[3])*partA) + float64(float64(r[3])*partB)
	}
	if c.moves != nil {
		m.move = m.move.Mul(rest).MulAdd(placeOf(c.moves[a]), partA).MulAdd(placeOf(c.moves[b]), partB)
	}
}

// bend turns the bones of aiming further, less where a motion has them.
func (m *mix) bend() {
	s := &m.aim
	c := s.clip
	a, b, t := s.between()
	n := len(c.list)
	for i, bone := range c.list {
		part := s.part
		if m.motion.clip != nil && m.motion.clip.bones>>bone&1 != 0 {
			part = float64(part * (1 - m.motion.part))
		}
		partA, partB, rest := float64(part*(1-t)), float64(part*t), float64((1-part)*one)
		q, r := &c.turns[a*n+i], &c.turns[b*n+i]
		m.turns[bone] = m.turns[bone].Mul(geom.Quat{
			X: float64(float64(q[0])*partA) + float64(float64(r[0])*partB),
			Y: float64(float64(q[1])*partA) + float64(float64(r[1])*partB),
			Z: float64(float64(q[2])*partA) + float64(float64(r[2])*partB),
			W: float64(float64(q[3])*partA) + float64(float64(r[3])*partB) + rest,
		})
	}
}

// placeOf returns a place that is in tenths of a millimetre.
func placeOf(s [3]int16) geom.Vec3 {
	return geom.Vec3{X: float64(s[0]) / perMetre, Y: float64(s[1]) / perMetre, Z: float64(s[2]) / perMetre}
}
