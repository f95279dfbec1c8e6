package rootmotion

import (
	"math"
	"strconv"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// Library is the tables that sources point into: part of a character's model,
// equal on client and server, only read during a step. A nil Library is empty.
type Library struct {
	// Curves of strength, progress and fall-off. A source's index 0 is none, so
	// index n is Curves[n-1].
	Curves []Curve
	// Offsets of paths; a source's index n is Offsets[n-1].
	Offsets []Track
	// Clips; a source's index n is Clips[n].
	Clips []Clip
}

// Curve is a number over a share of 0 … 1: straight between its keys, the first
// key's value before it, the last one's after it.
type Curve []Key

// Key is one point of a Curve.
type Key struct {
	At    float64 // share, 0 … 1, above the At of the key before
	Value float64 // in the unit of what the curve scales
}

// Track is a displacement and a turn over a share of 0 … 1, straight between its
// keys as Curve.
type Track []Pose

// Pose is one point of a Track.
type Pose struct {
	At   float64   // share, 0 … 1, above the At of the pose before
	Move geom.Vec3 // metres, −Z forward, Y up, X right
	Turn float64   // radians about +Y, to the left; it may be many turns
}

// Clip is what moves of an animation: its root's way from where and how it stood
// when the clip began.
type Clip struct {
	// Name, for people; both ends agree on a clip by its index.
	Name string
	// Length of the clip, 10 ms … an hour.
	Length clock.Micros
	// Root track over Length. Its first pose is at 0 and all zero.
	Root Track
	// Flies: in the air the root's vertical motion replaces gravity [RMS-19].
	Flies bool
	// Loop begins again at the end, from where the root got to.
	Loop bool
}

// minClip is the shortest clip: so that a slice passes its end a bounded number
// of times.
const minClip = 10 * clock.Millisecond

// BadLibrary names what of a Library makes no sense.
type BadLibrary struct {
	// Name of the field in Go: Clips[0].Root[1].At.
	Name string
	// What is wrong with it, in words.
	What string
}

// Error says both.
func (e *BadLibrary) Error() string { return "rootmotion: " + e.Name + " " + e.What }

// Check returns a *BadLibrary for the first thing that makes no sense, or nil: a
// table with more entries than a source can name, an empty curve, a key out of
// order, a number that is not finite, a clip without length.
func (l *Library) Check() error {
	if l == nil {
		return nil
	}
	if len(l.Curves) > 255 || len(l.Offsets) > 255 || len(l.Clips) > 256 {
		return &BadLibrary{"Library", "has more tables than a source can name"}
	}
	for i, c := range l.Curves {
		if err := c.check("Curves" + index(i)); err != nil {
			return err
		}
	}
	for i, t := range l.Offsets {
		if err := t.check("Offsets" + index(i)); err != nil {
			return err
		}
	}
	for i := range l.Clips {
		if err := l.Clips[i].check("Clips" + index(i)); err != nil {
			return err
		}
	}
	return nil
}

func index(i int) string { return "[" + strconv.Itoa(i) + "]" }

func (c Curve) check(name string) error {
	if len(c) == 0 {
		return &BadLibrary{name, "has no keys"}
	}
	before := -1.0
	for i, k := range c {
		name := name + index(i)
		if !(k.At > before && k.At >= 0 && k.At <= 1) {
			return &BadLibrary{name + ".At", outOfOrder(k.At)}
		}
		if !(math.Abs(k.Value) <= maxCoordinate) {
			return &BadLibrary{name + ".Value", notFinite}
		}
		before = k.At
	}
	return nil
}

func (t Track) check(name string) error {
	if len(t) == 0 {
		return &BadLibrary{name, "has no keys"}
	}
	before := -1.0
	for i, k := range t {
		name := name + index(i)
		switch {
		case !(k.At > before && k.At >= 0 && k.At <= 1):
			return &BadLibrary{name + ".At", outOfOrder(k.At)}
		case !bounded(k.Move):
			return &BadLibrary{name + ".Move", notFinite}
		case !(math.Abs(k.Turn) <= 1e4):
			return &BadLibrary{name + ".Turn", notFinite}
		}
		before = k.At
	}
	return nil
}

func (c *Clip) check(name string) error {
	if c.Length < minClip || c.Length > 3600*clock.Second {
		return &BadLibrary{name + ".Length", "is not within 10 ms … an hour"}
	}
	if err := c.Root.check(name + ".Root"); err != nil {
		return err
	}
	if c.Root[0] != (Pose{}) {
		return &BadLibrary{name + ".Root[0]", "is not all zero"}
	}
	return nil
}

const notFinite = "is not finite or far too large"

func outOfOrder(at float64) string {
	return "is " + strconv.FormatFloat(at, 'g', 6, 64) + ", not within 0 … 1 and above the one before"
}

// curve returns the curve that a source's index names, or nil.
func (l *Library) curve(n uint8) Curve {
	if l == nil || n == 0 || int(n) > len(l.Curves) {
		return nil
	}
	return l.Curves[n-1]
}

// offset returns the track that a source's index names, or nil.
func (l *Library) offset(n uint8) Track {
	if l == nil || n == 0 || int(n) > len(l.Offsets) {
		return nil
	}
	return l.Offsets[n-1]
}

// clip returns the clip that a source's index names, or nil.
func (l *Library) clip(n uint8) *Clip {
	if l == nil || int(n) >= len(l.Clips) {
		return nil
	}
	return &l.Clips[n]
}

// At returns the curve's value at share x, and 0 of an empty curve.
func (c Curve) At(x float64) float64 {
	if len(c) == 0 {
		return 0
	}
	for i := range c {
		if x >= c[i].At {
			continue
		}
		if i == 0 {
			return c[0].Value
		}
		a, b := c[i-1], c[i]
		t := (x - a.At) / (b.At - a.At)
		return float64(a.Value*(1-t)) + float64(b.Value*t)
	}
	return c[len(c)-1].Value
}

// Mean returns the curve's mean over shares a … b exactly, so that what a source
// gives does not depend on how its life is cut into slices.
func (c Curve) Mean(a, b float64) float64 {
	if b-a < 1e-12 {
		return c.At(a)
	}
	sum, from, was := 0.0, a, c.At(a)
	for i := range c {
		if c[i].At <= from || c[i].At >= b {
			continue
		}
		sum += float64((c[i].At - from) * float64(0.5*(was+c[i].Value)))
		from, was = c[i].At, c[i].Value
	}
	sum += float64((b - from) * float64(0.5*(was+c.At(b))))
	return sum / (b - a)
}

// At returns the track's pose at share x, and the zero Pose of an empty track.
func (t Track) At(x float64) Pose {
	if len(t) == 0 {
		return Pose{}
	}
	for i := range t {
		if x >= t[i].At {
			continue
		}
		if i == 0 {
			return t[0]
		}
		a, b := t[i-1], t[i]
		s := (x - a.At) / (b.At - a.At)
		return Pose{At: x, Move: a.Move.Lerp(b.Move, s), Turn: float64(a.Turn*(1-s)) + float64(b.Turn*s)}
	}
	return t[len(t)-1]
}

// between returns how the root goes from second a to second b of the clip: the
// displacement in the frame of how it stands at a, and the turn.
func (c *Clip) between(a, b float64) (move geom.Vec3, turn float64) {
	long := c.Length.Seconds()
	if c.Loop {
		whole := float64(math.Floor(a/long) * long)
		a, b = a-whole, b-whole
	}
	for n := 0; c.Loop && b > long && n < 1000; n++ {
		m, t := c.within(a, long)
		move = move.Add(turned(m, turn))
		turn += t
		a, b = 0, b-long
	}
	m, t := c.within(a, min(b, long))
	return move.Add(turned(m, turn)), turn + t
}

// within is between inside one play of the clip.
func (c *Clip) within(a, b float64) (move geom.Vec3, turn float64) {
	long := c.Length.Seconds()
	from, to := c.Root.At(a/long), c.Root.At(b/long)
	return turned(to.Move.Sub(from.Move), -from.Turn), to.Turn - from.Turn
}

// turned turns v about +Y.
func turned(v geom.Vec3, by float64) geom.Vec3 {
	if by == 0 {
		return v
	}
	sin, cos := geom.SinCos(by)
	return geom.Vec3{
		X: float64(v.X*cos) + float64(v.Z*sin),
		Y: v.Y,
		Z: float64(v.Z*cos) - float64(v.X*sin),
	}
}
