package movement

import (
	"math"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

const (
	// wedgeNear in metres is how much farther from surfaces than it hovers above them
	// a walker may be and be held by them: how far a slice may bring it off the middle
	// of a ditch. A faller must touch them (wedgeTouch).
	wedgeNear, wedgeTouch = MaxFloor, 2 * skin
	// wedgeShift in metres is the longest motion that brings a walker back to the
	// middle of a ditch.
	wedgeShift = 4 * MaxFloor
	// sameWay is the sine of the angle below which two normals count as one. A way
	// that leads into a surface by less than twice that is not blocked by it, or the
	// rounding of rough triangles would hold a body on a steep face.
	sameWay = 1e-3
)

// wedge is what several surfaces carry together.
type wedge struct {
	normal geom.Vec3 // of the one surface on which the body would slide the same way
	a, b   int       // the contacts whose crease that way is; −1 for none
}

// hover returns how far from a surface with contact normal n a walker keeps, along n:
// midFloor above it, and a skin beside it.
func (f *StepContext) hover(n geom.Vec3) float64 {
	return math.Max(skin, float64(midFloor*n.Dot(f.Up)))
}

// wedged makes what a probe found below the body a floor to stand on, although it is
// none by itself, if the surfaces around the body are one together (GRD-19, JMP-05): if
// the steepest way down that they leave open is no steeper than what is walkable. They
// are looked at from where the body would stand on them. Inside tells that the probe
// began in contact, and fl says nothing.
func (f *StepContext) wedged(fl *Floor, inside bool) bool {
	lift, near := midFloor-fl.Distance, wedgeTouch
	if inside {
		lift = 0
	}
	if f.Mode == Walking {
		near = wedgeNear
	}
	f.Queries++
	at := f.body().Moved(f.Up.Mul(lift))
	c := f.bearing(f.World.Contacts(at, MaxFloor+near, f.contacts[:0]), near)
	w, ok := f.combine(c)
	if !ok {
		return false
	}
	if inside && !f.above(c, fl) {
		return false
	}
	on := w.carrier(c)
	fl.Normal, fl.Shape, fl.Body = w.normal, on.Shape, on.Body
	fl.Rise = fl.Distance + f.foot(c, &w)
	fl.Walkable, fl.Ray = true, false
	f.held, f.wide = true, false
	f.centre(c, &w, fl, lift)
	return true
}

// bearing keeps those contacts that are no farther than near beyond where a walker
// hovers.
func (f *StepContext) bearing(c []collide.Contact, near float64) []collide.Contact {
	kept := c[:0]
	for i := range c {
		if c[i].Distance <= f.hover(c[i].Normal)+near {
			kept = append(kept, c[i])
		}
	}
	return kept
}

// above tells how far above the contacts the body is, where no probe could, unless it
// is in one of them.
func (f *StepContext) above(c []collide.Contact, fl *Floor) bool {
	*fl = Floor{Distance: midFloor}
	for i := range c {
		if c[i].Distance < -nearlyZero {
			return false
		}
		if up := c[i].Normal.Dot(f.Up); up > steepest {
			fl.Distance = math.Min(fl.Distance, c[i].Distance/up)
		}
	}
	return true
}

// combine finds the steepest way down that the contacts leave open, and reports whether
// it is walkable. There is none in a pit. Ways lead along one contact or along the
// crease of two; from an edge, down either of its faces, for however level the edge
// itself is, a body on a ridge is held by nothing.
func (f *StepContext) combine(c []collide.Contact) (w wedge, ok bool) {
	w = wedge{f.Up, -1, -1}
	if free(c, f.Up.Neg()) {
		return w, false
	}
	least := math.Inf(1)
	for i := range c {
		if free(c, f.downFace(&c[i])) {
			if !f.bears(c[i].FaceNormal, c[i].Body, c[i].Shape) {
				return w, false
			}
			w, least = w.steeper(c[i].FaceNormal, i, -1, least, f.Up)
		}
		for j := range c[:i] {
			way := c[i].Normal.Cross(c[j].Normal)
			if way.LenSq() < sameWay*sameWay {
				continue
			}
			if way = way.Unit(); way.Dot(f.Up) > 0 {
				way = way.Neg()
			}
			if free(c, way) {
				w, least = w.steeper(f.Up.MulAdd(way, -way.Dot(f.Up)).Unit(), i, j, least, f.Up)
			}
		}
	}
	return w, w.a < 0 || least >= f.walkable
}

// steeper returns the wedge with that normal, if it is steeper than w.
func (w wedge) steeper(normal geom.Vec3, a, b int, least float64, up geom.Vec3) (wedge, float64) {
	if x := normal.Dot(up); x < least {
		return wedge{normal, a, b}, x
	}
	return w, least
}

// downFace returns the way down the contact's face, along the contact: level where
// that is on top of an edge. It is zero where the face is level or leads up.
func (f *StepContext) downFace(c *collide.Contact) geom.Vec3 {
	way := c.FaceNormal.Flat(f.Up)
	way = way.MulAdd(c.Normal, -way.Dot(c.Normal))
	if way.LenSq() < steepest*steepest || way.Dot(f.Up) > nearlyZero {
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

// foot returns how high above the feet the lowest point is at which the body touches
// what decided: what a step out of the wedge is measured from.
func (f *StepContext) foot(c []collide.Contact, w *wedge) float64 {
	least := math.Inf(1)
	for i := range c {
		if w.a < 0 || i == w.a || i == w.b {
			least = math.Min(least, c[i].Point.Sub(f.Position).Dot(f.Up))
		}
	}
	return least
}

// carrier returns the contact of those that decided, or of all in a pit, with what
// carries the body: what stands still before what moves, and then the lower id.
func (w *wedge) carrier(c []collide.Contact) *collide.Contact {
	if w.a >= 0 && w.b < 0 {
		return &c[w.a]
	}
	best := -1
	for i := range c {
		if (w.a < 0 || i == w.a || i == w.b) && (best < 0 || c[i].Body < c[best].Body) {
			best = i
		}
	}
	return &c[best]
}

// centre finds the motion that brings the body to where it hovers above both surfaces
// of a ditch, without one along it, and remembers the two as walls: whatever leads into
// them is not motion. Both are zero where it is there, or where there is no ditch.
func (f *StepContext) centre(c []collide.Contact, w *wedge, fl *Floor, lift float64) {
	f.sink, f.banks = geom.Vec3{}, [2]geom.Vec3{}
	a, b := w.a, w.b
	if b < 0 {
		b = f.nearest(c, a)
	}
	off := fl.Distance < MinFloor || fl.Distance > MaxFloor
	if off {
		f.sink = f.Up.Mul(lift)
	}
	if a < 0 || b < 0 {
		return
	}
	na, nb := c[a].Normal, c[b].Normal
	f.banks = [2]geom.Vec3{f.wallOn(na, w.normal), f.wallOn(nb, w.normal)}
	side := f.Up.Cross(na.Cross(nb).Flat(f.Up).Unit())
	xa, xb, ya, yb := na.Dot(side), nb.Dot(side), na.Dot(f.Up), nb.Dot(f.Up)
	ea, eb := c[a].Distance-f.hover(na), c[b].Distance-f.hover(nb)
	det := float64(xa*yb) - float64(xb*ya)
	if math.Abs(det) < sameWay || !off && f.inBand(ea-float64(lift*ya), ya) && f.inBand(eb-float64(lift*yb), yb) {
		return
	}
	by := side.Mul((float64(eb*ya)-float64(ea*yb))/det).MulAdd(f.Up, (float64(xb*ea)-float64(xa*eb))/det)
	if by.LenSq() <= wedgeShift*wedgeShift {
		f.sink = by.MulAdd(f.Up, lift)
	}
}

// nearest returns the contact other than a that the body is nearest to, −1 for none.
func (f *StepContext) nearest(c []collide.Contact, a int) int {
	best, least := -1, math.Inf(1)
	for i := range c {
		if e := c[i].Distance - f.hover(c[i].Normal); a >= 0 && i != a && e < least {
			best, least = i, e
		}
	}
	return best
}

// inBand reports whether excess metres beyond where a walker hovers above a surface,
// whose normal has that upward part, is near enough.
func (f *StepContext) inBand(excess, up float64) bool {
	return math.Abs(excess) <= math.Max(skin, float64((MaxFloor-midFloor)*up))
}

// settleWedge brings the body into the middle of the wedge that holds it: no motion of
// its own.
func (f *StepContext) settleWedge(fl *Floor) {
	for _, w := range f.banks {
		f.Velocity = deflect(f.Velocity, w, geom.Vec3{})
	}
	if f.sink.IsZero() {
		return
	}
	was := f.Position
	f.Move(f.sink)
	f.from = f.from.Add(f.Position.Sub(was))
	if now, inside, _ := f.probe(f.Model.Radius, f.floorReach()); !inside && now != (Floor{}) {
		fl.Rise += now.Distance - fl.Distance - f.Position.Sub(was).Dot(f.Up)
		fl.Distance = now.Distance
	}
	f.lift(fl) // above what else is there
}
