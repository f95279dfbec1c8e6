package movement

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// Mesh is what nav-walking needs of a navigation mesh; nav.Mesh is one. Places on
// it are feet on the floor, without the hover of a walker. It must give the same
// answers on every machine.
type Mesh interface {
	// Nearest returns the place on the mesh nearest to p, no further than reach
	// metres away, and its polygon: 1 and up.
	Nearest(p geom.Vec3, reach float64) (polygon uint32, at geom.Vec3, ok bool)
	// MoveAlong moves over the mesh from a place on the polygon straight towards
	// another, sliding along borders. It returns the polygon and place reached, and
	// whether a border was in the way.
	MoveAlong(polygon uint32, from, to geom.Vec3) (end uint32, at geom.Vec3, blocked bool)
}

const (
	// navReach in metres is how far off the mesh one can start to nav-walk.
	navReach = 0.5
	// navLost in metres is how much further than its motion the mesh may take a body before its
	// polygon counts as wrong, because something else moved the body.
	navLost = 0.05
	// navSteep is how much the mesh rises or falls over its length before the feet
	// are projected at once instead of at the interval: on stairs the error of the
	// mesh changes every few centimetres.
	navSteep = 0.1
	// navOff in metres is the distance between mesh and ground above which the feet are also projected
	// at once: beside the edge of a step it changes every few centimetres.
	navOff = 0.005
	// navLift in metres is how far above and below the mesh the ground is looked
	// for, or StepHeight if that is less.
	navLift = 0.25
	// navRest bounds Nav.Since in a packet.
	navRest = 3600 * clock.Second
)

// Nav is the state of nav-walking between moves. The zero Nav knows nothing yet.
type Nav struct {
	// Polygon of the mesh that the feet are on, 0 for not known.
	Polygon uint32
	// From and To are heights above the mesh at the last two projections onto the
	// world, in metres, and Since the time since the last.
	From, To float64
	Since    clock.Micros
}

// navWalker is mode NavWalking.
type navWalker struct{ *StepContext }

// walk moves level over the mesh, at the height that the world
// has there, with a sweep now and then instead of several a slice [VOL-04]. The
// mesh is level in Y, so up must be.
func (f navWalker) walk() {
	f.Floor, f.Base = Floor{}, Base{}
	if f.polygon() == 0 {
		f.WantsWalking = true
	}
	if f.WantsWalking {
		f.leaveMesh()
	}
	for f.slicing(NavWalking) {
		if f.polygon() == 0 { // nor room to walk
			f.Remaining = 0
			return
		}
		f.slice(f.TakeSlice())
	}
}

// polygon returns the polygon of the mesh under the feet, looked for where it is
// not known; 0 where there is none, or where up is not the mesh's.
func (f navWalker) polygon() uint32 {
	switch {
	case f.Mesh == nil || f.Up != geom.Up:
		return 0
	case f.Nav.Polygon == 0:
		f.findPolygon()
	}
	return f.Nav.Polygon
}

// findPolygon looks for the mesh near the feet, and forgets what was projected.
func (f navWalker) findPolygon() {
	f.Nav = Nav{}
	feet := f.Position.MulAdd(f.Up, -midFloor)
	if polygon, at, ok := f.Mesh.Nearest(feet, navReach); ok {
		off := feet.Y - at.Y
		f.Nav = Nav{Polygon: polygon, From: off, To: off, Since: f.navInterval()}
	}
}

// leaveMesh makes the body walk if there is room nearby [PRF-09]; otherwise it stays a nav-walker, and
// WantsWalking stays set.
func (f navWalker) leaveMesh() {
	if was := f.Position; f.World.Overlaps(f.capsule()) && !f.unstick() {
		f.Position = was
		return
	}
	f.WantsWalking, f.Nav = false, Nav{}
	f.SetMode(Walking)
	f.refind()
}

// slice is one slice of nav-walking.
func (f navWalker) slice(dt float64) {
	if f.motion.on && f.rootMotion().lift(dt) {
		return
	}
	f.Velocity = f.groundVelocity(dt)
	if f.motion.on {
		f.rootMotion().walk()
	}
	from := f.Position
	to := from.MulAdd(f.Velocity, dt)
	polygon, at, blocked := f.Mesh.MoveAlong(f.Nav.Polygon, from, to)
	if f.astray(at, to) {
		if f.findPolygon(); f.Nav.Polygon == 0 {
			f.Remaining += dt
			f.WantsWalking = true
			f.leaveMesh()
			return
		}
		polygon, at, blocked = f.Mesh.MoveAlong(f.Nav.Polygon, from, to)
	}
	if blocked {
		f.Velocity = at.Sub(from).Flat(f.Up).ClampLen(float64(f.Velocity.Len() * dt)).Div(dt)
	}
	f.Nav.Polygon = polygon
	rise := at.Y + midFloor + f.Nav.To - from.Y
	steep := math.Abs(rise) > float64(navSteep*at.Sub(from).Flat(f.Up).Len()) || math.Abs(f.Nav.To) > navOff
	at.Y += f.heightOver(at, steep, dt) + midFloor
	f.Position = at
}

// astray reports that the mesh led further than a slice can: its polygon is one where the body no longer
// is.
func (f navWalker) astray(at, to geom.Vec3) bool {
	off := at.Sub(f.Position)
	far := to.Sub(f.Position).Len() + navLost
	return off.Flat(f.Up).LenSq() > float64(far*far) || math.Abs(off.Y) > f.Model.StepHeight+far
}

// heightOver returns how high the feet are above the mesh at a place: between the
// last two projections, or by a new one.
func (f navWalker) heightOver(at geom.Vec3, steep bool, dt float64) float64 {
	n, interval := &f.Nav, f.navInterval()
	n.Since = min(n.Since+clock.Micros(float64(dt*1e6)+0.5), interval)
	if !steep && n.Since < interval {
		return n.now(interval)
	}
	if !steep && f.Velocity.IsZero() && n.From == n.To {
		return n.To
	}
	n.From, n.Since = n.now(interval), 0
	if n.To = f.projected(at, steep); steep {
		n.From = n.To
	}
	return n.From
}

// now returns the height between the two projections.
func (n *Nav) now(interval clock.Micros) float64 {
	if interval <= 0 {
		return n.To
	}
	share := geom.Clamp(float64(n.Since)/float64(interval), 0, 1)
	return n.From + float64((n.To-n.From)*share)
}

// navInterval is Model.NavInterval.
func (f navWalker) navInterval() clock.Micros {
	return clock.Micros(float64(f.Model.NavInterval*1e6) + 0.5)
}

// projected returns how high above a place of the mesh the body's round end comes
// to rest: on the static world, as the mesh is. Where that is no floor near
// it returns zero: the mesh decides. On ground as even as the mesh says
// a ray is enough.
func (f navWalker) projected(at geom.Vec3, steep bool) float64 {
	lift := min(f.Model.StepHeight, navLift)
	way := float64(2 * lift)
	down := f.Up.Mul(-way)
	f.Queries++
	if !steep {
		hit, ok := f.World.World.Ray(at.MulAdd(f.Up, lift), down)
		off := lift - float64(hit.Fraction*way)
		if ok && math.Abs(off) <= navOff && f.stands(&hit) {
			return off
		}
		f.Queries++
	}
	r := f.Model.Radius
	centre := at.MulAdd(f.Up, r+lift)
	hit, ok := f.World.World.SweepCapsule(geom.Capsule{A: centre, B: centre, Radius: r}, down)
	if !ok || hit.Penetrating || !f.stands(&hit) {
		return 0
	}
	return lift - float64(hit.Fraction*way)
}
