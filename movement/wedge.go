package movement

import (
	"math"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

const (
	// wedgeNear in metres is how much farther from surfaces than it hovers above them
	// a walker may be and be held by them: how far a slice may bring it off the middle
	// of a groove. A faller must touch them (wedgeTouch).
	wedgeNear, wedgeTouch = MaxFloor, 2 * skin
	// wedgeShift in metres is the longest motion that brings a walker back to the
	// middle of a groove.
	wedgeShift = 4 * MaxFloor
	// sameWay is the sine of the angle below which two normals count as one. A way
	// that leads into a surface by less than twice that is not blocked by it, or the
	// rounding of rough triangles would hold a body on a steep face.
	sameWay = 1e-3
)

// wedge is a group of surfaces that together carry a body which none of them could.
type wedge struct {
	*Body
	touching []collide.Contact
	normal   geom.Vec3 // of the one surface on which the body would slide the same way
	a, b     int       // the contacts whose crease that way is; −1 for none
}

// groove is the middle of a wedge with two sides, like a V; the zero groove is none.
type groove struct {
	sink  geom.Vec3    // the motion that brings the body to the middle, in metres
	walls [2]geom.Vec3 // its sides as walls: what leads into them is no motion
}

// wedged makes what a probe found below the body a floor to stand on, although it is
// none by itself, if the surfaces around the body are one together [GRD-19, JMP-05]: if
// the steepest way down that they leave open is no steeper than what is walkable. They
// are examined from where the body would stand on them. Where the probe began in
// contact, its floor says nothing.
func (b floorProbe) wedged(r *floorResult) bool {
	lift, near := midFloor-r.Distance, wedgeTouch
	if r.inside {
		lift = 0
	}
	if b.Mode == Walking {
		near = wedgeNear
	}
	b.Queries++
	at := b.capsule().Moved(b.Up.Mul(lift))
	w := wedge{Body: b.Body, normal: b.Up, a: -1, b: -1}
	w.touching = bearing(b.World.Contacts(at, MaxFloor+near, b.contacts[:0]), near, b.Up)
	if !w.solve() || r.inside && !w.above(&r.Floor) {
		return false
	}
	on := w.carrier()
	r.Normal, r.Shape, r.Mover = w.normal, on.Shape, on.Mover
	r.Rise = r.Distance + w.foot()
	r.Walkable, r.Ray = true, false
	r.inside, r.wide = false, false
	b.groove = w.grooveMiddle(r.Distance, lift)
	r.groove = &b.groove
	return true
}

// bearing keeps those contacts that are no farther than near beyond where a walker
// hovers.
func bearing(c []collide.Contact, near float64, up geom.Vec3) []collide.Contact {
	kept := c[:0]
	for i := range c {
		if c[i].Distance <= hover(c[i].Normal, up)+near {
			kept = append(kept, c[i])
		}
	}
	return kept
}

// above measures how far above the contacts the body is, where no probe could. It
// reports false where the body is in one of them.
func (w *wedge) above(fl *Floor) bool {
	*fl = Floor{Distance: midFloor}
	for i := range w.touching {
		c := &w.touching[i]
		if c.Distance < -nearlyZero {
			return false
		}
		if up := c.Normal.Dot(w.Up); up > steepest {
			fl.Distance = min(fl.Distance, c.Distance/up)
		}
	}
	return true
}

// solve finds the steepest way down that the contacts leave open, and reports whether
// it is walkable. There is none in a pit. Ways lead along one contact or along the
// crease of two; from an edge, down either of its faces: however level the edge itself
// is, nothing holds a body on a ridge.
func (w *wedge) solve() bool {
	c, least := w.touching, math.Inf(1)
	if free(c, w.Up.Neg()) {
		return false
	}
	for i := range c {
		if free(c, downFace(&c[i], w.Up)) {
			if !w.bears(c[i].FaceNormal, c[i].Mover, c[i].Shape) {
				return false
			}
			least = w.steeper(c[i].FaceNormal, i, -1, least)
		}
		for j := range c[:i] {
			way := c[i].Normal.Cross(c[j].Normal)
			if way.LenSq() < sameWay*sameWay {
				continue
			}
			if way = way.Unit(); way.Dot(w.Up) > 0 {
				way = way.Neg()
			}
			if free(c, way) {
				least = w.steeper(w.Up.MulAdd(way, -way.Dot(w.Up)).Unit(), i, j, least)
			}
		}
	}
	return w.a < 0 || least >= w.walkable
}

// steeper makes normal the wedge's if it is steeper than least, its upward part so far,
// and returns the lesser of the two.
func (w *wedge) steeper(normal geom.Vec3, a, b int, least float64) float64 {
	x := normal.Dot(w.Up)
	if !(x < least) {
		return least
	}
	w.normal, w.a, w.b = normal, a, b
	return x
}

// downFace returns the way down the contact's face, along the contact: level where
// that is on top of an edge. It is zero where the face is level or leads up.
func downFace(c *collide.Contact, up geom.Vec3) geom.Vec3 {
	way := c.FaceNormal.Flat(up)
	way = way.MulAdd(c.Normal, -way.Dot(c.Normal))
	if way.LenSq() < steepest*steepest || way.Dot(up) > nearlyZero {
		return geom.Vec3{}
	}
	return way.Unit()
}

// free reports whether the contacts leave the way, of length 1, open; zero is none.
func free(c []collide.Contact, way geom.Vec3) bool {
	for i := range c {
		if way.Dot(c[i].Normal) < -2*sameWay {
			return false
		}
	}
	return !way.IsZero()
}

// decides reports whether contact i carries the body: all do in a pit.
func (w *wedge) decides(i int) bool { return w.a < 0 || i == w.a || i == w.b }

// foot returns how high above the feet the lowest point is at which the body touches
// what decided: what a step out of the wedge is measured from.
func (w *wedge) foot() float64 {
	least := math.Inf(1)
	for i := range w.touching {
		if w.decides(i) {
			least = min(least, w.touching[i].Point.Sub(w.Position).Dot(w.Up))
		}
	}
	return least
}

// carrier returns the contact, of those that decided, with what carries the body: what
// stands still before what moves, and then the lower id.
func (w *wedge) carrier() *collide.Contact {
	best := -1
	for i := range w.touching {
		if w.decides(i) && (best < 0 || w.touching[i].Mover < w.touching[best].Mover) {
			best = i
		}
	}
	return &w.touching[best]
}

// grooveMiddle returns how the body gets to where it hovers above both surfaces of a groove,
// without a motion along it. The body has distance metres to fall, and was examined
// lift metres higher than it is.
func (w *wedge) grooveMiddle(distance, lift float64) (d groove) {
	a, b, up := w.a, w.b, w.Up
	if b < 0 {
		b = w.nearest(a)
	}
	off := distance < MinFloor || distance > MaxFloor
	if off {
		d.sink = up.Mul(lift)
	}
	if a < 0 || b < 0 {
		return d
	}
	na, nb := w.touching[a].Normal, w.touching[b].Normal
	d.walls = [2]geom.Vec3{wallOn(na, w.normal, up), wallOn(nb, w.normal, up)}
	side := up.Cross(na.Cross(nb).Flat(up).Unit())
	xa, xb, ya, yb := na.Dot(side), nb.Dot(side), na.Dot(up), nb.Dot(up)
	ea, eb := w.excess(a), w.excess(b)
	det := float64(xa*yb) - float64(xb*ya)
	if math.Abs(det) < sameWay || !off && inBand(ea-float64(lift*ya), ya) && inBand(eb-float64(lift*yb), yb) {
		return d
	}
	by := side.Mul((float64(eb*ya)-float64(ea*yb))/det).MulAdd(up, (float64(xb*ea)-float64(xa*eb))/det)
	if by.LenSq() <= wedgeShift*wedgeShift {
		d.sink = by.MulAdd(up, lift)
	}
	return d
}

// nearest returns the contact other than a that the body is nearest to, −1 for none.
func (w *wedge) nearest(a int) int {
	best, least := -1, math.Inf(1)
	for i := range w.touching {
		if e := w.excess(i); a >= 0 && i != a && e < least {
			best, least = i, e
		}
	}
	return best
}

// excess returns how much farther from contact i the body is than where a walker hovers.
func (w *wedge) excess(i int) float64 {
	return w.touching[i].Distance - hover(w.touching[i].Normal, w.Up)
}

// inBand reports whether excess metres beyond where a walker hovers above a surface,
// whose normal has that upward part, is near enough.
func inBand(excess, up float64) bool {
	return math.Abs(excess) <= max(skin, float64((MaxFloor-midFloor)*up))
}

// settleWedge brings the body into the middle of the wedge that holds it.
func (b floorProbe) settleWedge(r *floorResult) {
	for _, wall := range r.groove.walls {
		b.Velocity = deflect(b.Velocity, wall, geom.Vec3{})
	}
	if r.groove.sink.IsZero() {
		return
	}
	b.moveAside(r, r.groove.sink)
	b.lift(r) // above what else is there
}
