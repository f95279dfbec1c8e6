package nav

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// lookAhead is how many corners a Follower slows down for.
const lookAhead = 5

// Follower walks a way: it turns corners into the velocity to ask movement for
// (VOL-06). It is plain memory of one walker's; the zero Follower is done. Set
// Speed and Agility, then Follow.
type Follower struct {
	// Speed in m/s on straight pieces. Zero stands.
	Speed float64
	// Acceleration in m/s² is what the walker turns and brakes with: about half its
	// MaxAcceleration is safe. Zero means 8.
	Acceleration float64
	// CornerRadius in metres is how close it comes to each corner, measured level. Zero
	// means 0.15. At sharp corners it slows down to make it.
	CornerRadius float64

	corners []Corner
	next    int
}

// Follow sets out on a way, which it copies: the corners of Query.Path.
func (f *Follower) Follow(way []Corner) {
	f.corners = append(f.corners[:0], way...)
	f.next = 0
}

// Stop forgets the way.
func (f *Follower) Stop() { f.corners, f.next = f.corners[:0], 0 }

// Done reports that no corner is left.
func (f *Follower) Done() bool { return f.next >= len(f.corners) }

// Next returns the corner it is heading for; the zero Corner when done.
func (f *Follower) Next() Corner {
	if f.Done() {
		return Corner{}
	}
	return f.corners[f.next]
}

// Passed returns how many corners are behind it.
func (f *Follower) Passed() int { return f.next }

// Kind is how the present piece is gone: by what link the corner before began.
func (f *Follower) Kind() Kind {
	if f.next == 0 || f.Done() {
		return Walk
	}
	return f.corners[f.next-1].Kind
}

// Remaining returns how far it still is along the way, in metres on the level.
func (f *Follower) Remaining(at geom.Vec3) float64 {
	sum := 0.0
	for i := f.next; i < len(f.corners); i++ {
		sum += flatDist(at, f.corners[i].At)
		at = f.corners[i].At
	}
	return sum
}

// PointAhead returns the place so many metres further along the way, for looking there;
// the goal where that is nearer, and where it is when done.
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

// Velocity returns the level velocity in m/s to go with from the feet at a place,
// and ticks off the corners it has come to. It is zero at the goal.
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

// reached reports whether the feet are at the next corner. A height further off
// than a swimmer bobs is another floor.
func (f *Follower) reached(at geom.Vec3) bool {
	c := &f.corners[f.next]
	near := f.cornerRadius()
	if f.next == len(f.corners)-1 {
		near = math.Min(near, 0.1)
	}
	return flatDist(at, c.At) <= near && math.Abs(at.Y-c.At.Y) < 1.2
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

// maxSpeed returns the speed from which every corner ahead can still be made: backwards
// from the furthest of the next few, braking with agility in between.
func (f *Follower) maxSpeed(at geom.Vec3) float64 {
	last := min(f.next+lookAhead, len(f.corners)) - 1
	a := f.acceleration()
	v := 0.0 // at the goal, or at worst further on
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
			v = math.Min(most, f.cornerSpeed(from, to, f.corners[i+1].At))
		}
		way := flatDist(from, to)
		v = math.Sqrt(float64(v*v) + float64(float64(2*a)*way))
	}
	return math.Min(v, f.Speed)
}

// cornerSpeed returns the speed at which the corner b between a and c can be cut by no
// more than near: the arc that does has the radius near·cos/(1−cos) of half the
// turn.
func (f *Follower) cornerSpeed(a, b, c geom.Vec3) float64 {
	in, out := b.Sub(a), c.Sub(b)
	in.Y, out.Y = 0, 0
	cos := in.Unit().Dot(out.Unit())
	half := math.Sqrt(math.Max((1+cos)*0.5, 0))
	if half > 0.9999 {
		return f.Speed
	}
	radius := float64(f.cornerRadius()*half) / (1 - half)
	return math.Max(math.Sqrt(float64(f.acceleration()*radius)), 0.5)
}
