package nav

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// lookAhead is the number of corners that a Follower slows down for.
//
// From 6 m/s at 8 m/s² a walker stops within 2.3 m: further corners matter only where many
// are close together.
const lookAhead = 5

// Follower follows a path: it turns corners into the velocity to request from movement
// [VOL-06]. It holds the state of one walker; the zero Follower is done. Set Speed and
// Acceleration, then call Follow.
type Follower struct {
	// Speed in m/s on straight segments. Zero stands still.
	Speed float64
	// Acceleration in m/s² is what the walker turns and brakes with: about half its
	// MaxAcceleration is safe. Zero means 8.
	Acceleration float64
	// CornerRadius is the horizontal distance in metres at which a corner counts as
	// reached. Zero means 0.15. The walker slows down at sharp corners to get that near.
	CornerRadius float64
	// Mesh is one that the walker cannot leave, as in mode NavWalking: it then cuts a corner only
	// where the way to the next one is open on the mesh. Nil: all corners may be cut.
	Mesh *Mesh

	corners []Corner
	next    int
}

// Follow starts to follow a path, which it copies: the corners of Query.Path.
func (f *Follower) Follow(way []Corner) {
	f.corners = append(f.corners[:0], way...)
	f.next = 0
}

// Stop forgets the path.
func (f *Follower) Stop() { f.corners, f.next = f.corners[:0], 0 }

// Left returns the corners that are not passed yet, in its own memory: they are valid until the next Follow.
func (f *Follower) Left() []Corner { return f.corners[f.next:] }

// Done reports that no corner is left.
func (f *Follower) Done() bool { return f.next >= len(f.corners) }

// Next returns the corner that it is heading for; the zero Corner when done.
func (f *Follower) Next() Corner {
	if f.Done() {
		return Corner{}
	}
	return f.corners[f.next]
}

// Kind returns how the current segment is travelled: the Kind of the corner at its start.
func (f *Follower) Kind() Kind {
	if f.next == 0 || f.Done() {
		return Walk
	}
	return f.corners[f.next-1].Kind
}

// PointAhead returns the point so many metres further along the path, for looking there;
// the goal if that is nearer, and at when done.
func (f *Follower) PointAhead(at geom.Vec3, metres float64) geom.Vec3 {
	for i := f.next; i < len(f.corners); i++ {
		to := f.corners[i].At
		d := flatDist(at, to)
		if d > metres {
			return at.Lerp(to, metres/d)
		}
		at, metres = to, metres-d
	}
	return at
}

// Velocity returns the horizontal velocity in m/s to request with the feet at a point, and
// passes the corners that are reached. It is zero at the goal.
//
// The request is a velocity and not an input: movement limits it to what the body can do, and slides
// along walls as for players.
func (f *Follower) Velocity(at geom.Vec3) geom.Vec3 {
	for !f.Done() && f.reached(at) {
		f.next++
	}
	if f.Done() {
		return geom.Vec3{}
	}
	way := f.corners[f.next].At.Sub(at)
	way.Y = 0
	return way.Unit().Mul(f.maxSpeed(at))
}

// reached reports whether the feet are at the next corner. A height difference larger than
// the bobbing of a swimmer is another floor.
func (f *Follower) reached(at geom.Vec3) bool {
	c := &f.corners[f.next]
	near := f.cornerRadius()
	if f.next == len(f.corners)-1 {
		// The goal must be reached exactly; a corner on the way may be cut.
		near = min(near, 0.1)
	}
	off := flatDist(at, c.At)
	return off <= near && math.Abs(at.Y-c.At.Y) < 1.2 && (off < onLine || f.open(at))
}

// open reports whether the way from the feet to the corner after the next is open on the mesh.
func (f *Follower) open(at geom.Vec3) bool {
	if f.Mesh == nil || f.next == len(f.corners)-1 || f.corners[f.next].Kind != Walk {
		return true
	}
	ref, on, ok := f.Mesh.Nearest(at, snapReach)
	if !ok {
		return true
	}
	_, _, hit := f.Mesh.Raycast(ref, on, f.corners[f.next+1].At)
	return !hit
}

func (f *Follower) cornerRadius() float64 {
	if f.CornerRadius == 0 {
		return 0.15
	}
	return f.CornerRadius
}

func (f *Follower) acceleration() float64 {
	if f.Acceleration == 0 {
		return 8
	}
	return f.Acceleration
}

// maxSpeed returns the largest speed at which every corner ahead can still be made:
// computed backwards from the last of the next few, braking with the acceleration in
// between.
//
// v² = v₀² + 2·a·s, backwards: as a racing driver brakes for the slowest of the next
// corners. Looking at one corner only would enter a hairpin behind a gentle bend too fast.
func (f *Follower) maxSpeed(at geom.Vec3) float64 {
	last := min(f.next+lookAhead, len(f.corners)) - 1
	a := f.acceleration()
	v := 0.0 // at the goal; further on the worst case
	for i := last; i >= f.next; i-- {
		from := at
		if i > f.next {
			from = f.corners[i-1].At
		}
		to := f.corners[i].At
		if i < len(f.corners)-1 {
			most := f.Speed
			if i < last {
				most = v
			}
			v = min(most, f.cornerSpeed(from, to, f.corners[i+1].At))
		}
		way := flatDist(from, to)
		v = math.Sqrt(float64(v*v) + float64(float64(2*a)*way))
	}
	return min(v, f.Speed)
}

// cornerSpeed returns the largest speed at which the corner b between a and c can be cut by
// no more than CornerRadius: the arc that does so has the radius CornerRadius·cos/(1−cos)
// of half the turn.
func (f *Follower) cornerSpeed(a, b, c geom.Vec3) float64 {
	in, out := b.Sub(a), c.Sub(b)
	in.Y, out.Y = 0, 0
	cos := in.Unit().Dot(out.Unit())
	half := math.Sqrt(max((1+cos)*0.5, 0))
	// Straight on: the radius is infinite.
	if half > 0.9999 {
		return f.Speed
	}
	radius := float64(f.cornerRadius()*half) / (1 - half)
	// v = √(a·r). At least half a metre per second, because the arc of a turn on the spot
	// has the radius 0 and the walker would never arrive.
	return max(math.Sqrt(float64(f.acceleration()*radius)), 0.5)
}
