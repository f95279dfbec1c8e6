package avoid

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// vec is a vector in the level: x and z of the world.
type vec struct{ x, z float64 }

func flat(v geom.Vec3) vec               { return vec{v.X, v.Z} }
func (a vec) add(b vec) vec              { return vec{a.x + b.x, a.z + b.z} }
func (a vec) sub(b vec) vec              { return vec{a.x - b.x, a.z - b.z} }
func (a vec) mul(s float64) vec          { return vec{float64(a.x * s), float64(a.z * s)} }
func (a vec) dot(b vec) float64          { return float64(a.x*b.x) + float64(a.z*b.z) }
func (a vec) cross(b vec) float64        { return float64(a.x*b.z) - float64(a.z*b.x) }
func (a vec) lenSq() float64             { return a.dot(a) }
func (a vec) along(d vec, t float64) vec { return a.add(d.mul(t)) }

// unit returns a/|a|, and east for nothing.
func (a vec) unit() vec {
	l := math.Sqrt(a.lenSq())
	if l < 1e-12 {
		return vec{1, 0}
	}
	return a.mul(1 / l)
}

// line bounds velocities: those on its left, seen along dir, are safe.
type line struct{ at, dir vec }

// parallel is the sine of an angle below which two lines count as parallel.
const parallel = 1e-9

// outside returns how far v is on the wrong side of the line, in m/s.
func (l *line) outside(v vec) float64 { return l.dir.cross(l.at.sub(v)) }

// choose returns the velocity nearest to the wish of those within speed and all
// lines, or the one least outside them if there is none.
func (c *Crowd) choose(wish vec, speed float64) vec {
	v, failed := nearest(c.lines, wish, speed, false)
	if failed < len(c.lines) {
		v = c.least(failed, v, speed)
	}
	return v
}

// nearest searches line by line: while v is on the safe side of the next, it
// stays; else the best lies on that line. With far the wish is a direction to go
// as far as possible in. It returns the number of the line that leaves nothing, or
// how many there are.
func nearest(lines []line, wish vec, speed float64, far bool) (v vec, failed int) {
	switch l := wish.lenSq(); {
	case far:
		v = wish.mul(speed)
	case l > float64(speed*speed):
		v = wish.mul(speed / math.Sqrt(l))
	default:
		v = wish
	}
	for i := range lines {
		if lines[i].outside(v) <= 0 {
			continue
		}
		on, ok := onLine(lines[:i], &lines[i], wish, speed, far)
		if !ok {
			return v, i
		}
		v = on
	}
	return v, len(lines)
}

// onLine returns the best place on a line within speed and on the safe side of the
// others, if there is one.
func onLine(others []line, l *line, wish vec, speed float64, far bool) (vec, bool) {
	along := l.at.dot(l.dir)
	root := float64(along*along) + float64(speed*speed) - l.at.lenSq()
	if root < 0 {
		return vec{}, false
	}
	root = math.Sqrt(root)
	lo, hi := -along-root, -along+root
	for i := range others {
		o := &others[i]
		den, num := l.dir.cross(o.dir), o.dir.cross(l.at.sub(o.at))
		if math.Abs(den) <= parallel {
			if num < 0 {
				return vec{}, false
			}
			continue
		}
		if t := num / den; den > 0 {
			hi = math.Min(hi, t)
		} else {
			lo = math.Max(lo, t)
		}
		if lo > hi {
			return vec{}, false
		}
	}
	t := geom.Clamp(l.dir.dot(wish.sub(l.at)), lo, hi)
	if far {
		t = lo
		if wish.dot(l.dir) > 0 {
			t = hi
		}
	}
	return l.at.along(l.dir, t), true
}

// least returns the velocity whose worst violation of the lines from the failed
// one on is smallest: for each line that v violates more than the worst so far, go
// as far inside it as lets all before it be violated equally.
func (c *Crowd) least(failed int, v vec, speed float64) vec {
	worst := 0.0
	for i := failed; i < len(c.lines); i++ {
		l := &c.lines[i]
		if l.outside(v) <= worst {
			continue
		}
		c.relax = c.relax[:0]
		for k := range i {
			if m, ok := between(&c.lines[k], l); ok {
				c.relax = append(c.relax, m)
			}
		}
		if w, failed := nearest(c.relax, vec{-l.dir.z, l.dir.x}, speed, true); failed == len(c.relax) {
			v = w
		}
		worst = l.outside(v)
	}
	return v
}

// between returns the line of those velocities that violate both lines equally.
// Two that run the same way have none.
func between(o, l *line) (line, bool) {
	den := l.dir.cross(o.dir)
	var at vec
	if math.Abs(den) <= parallel {
		if l.dir.dot(o.dir) > 0 {
			return line{}, false
		}
		at = l.at.add(o.at).mul(0.5)
	} else {
		at = l.at.along(l.dir, o.dir.cross(l.at.sub(o.at))/den)
	}
	return line{at, o.dir.sub(l.dir).unit()}, true
}
