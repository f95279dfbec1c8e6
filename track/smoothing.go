package track

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// Smoothing is how the linear and the exponential mode hide corrections by new samples.
type Smoothing struct {
	// Full is the longest offset between what is drawn and the body, in metres; zero means 2.56.
	// A longer one is clamped to it [SMO-01, GAP-25].
	Full float64
	// Snap is the offset from which on none is kept and the entity jumps, in metres; zero means
	// 3.84. It also bounds the sum over several corrections [GAP-25].
	Snap float64
	// Time is the time constant of the exponential mode, half of it for an entity that stands
	// still [SMO-10], and bounds how far the linear mode's clock may lag; zero means 100 ms.
	Time clock.Micros
	// Turn is Time for rotations; zero means 50 ms.
	Turn clock.Micros
	// Engine selects the reference's factor 1 − dt/T per frame, 0 for dt ≥ T. It shrinks
	// corrections more at high frame rates [SMO-11]. Without it the factor is exp(−dt/T), the
	// same at every frame rate [GAP-26].
	Engine bool
	// Flat is the movement mode in which the two ends take the height from different ground: a
	// difference in height of less than 10 cm is then no correction [SMO-01]. Zero means none.
	Flat uint8
}

// The figures of the rows.
const (
	flatHeight  = 0.10                    // m
	longestLag  = clock.Second / 2        // SMO-05
	overshoot   = 0.15                    // of the time between two samples [SMO-06]
	alphaDone   = 1 - 1e-4                // SMO-08
	offsetNone  = 1e-4                    // m [SMO-10]
	turnNone    = 1e-5                    // the same, of a quaternion's parts
	speedNone   = 1e-3                    // m/s: below it velocity is nearly zero [SMO-08]
	defaultTime = 100 * clock.Millisecond // SMO-10
	defaultTurn = 50 * clock.Millisecond
	defaultFull = 2.56
	defaultSnap = 3.84
)

// filled returns s with its zeros replaced.
func (s Smoothing) filled() Smoothing {
	if s.Full == 0 {
		s.Full = defaultFull
	}
	if s.Snap == 0 {
		s.Snap = defaultSnap
	}
	if s.Time == 0 {
		s.Time = defaultTime
	}
	if s.Turn == 0 {
		s.Turn = defaultTurn
	}
	return s
}

// place is a position and a rotation.
type place struct {
	at   geom.Vec3
	turn geom.Quat
}

// smoother is what is left of one entity's corrections: what is drawn is the body plus this. The
// zero smoother is nothing.
type smoother struct {
	offset   geom.Vec3 // what is drawn less the body, metres
	original geom.Vec3 // linear: when the last correction came
	// turn is in the exponential mode the rotation from the body's to the drawn one; in the
	// linear mode the drawn one, on its way between two [SMO-03, SMO-04].
	turn, from, to geom.Quat
	// client is the stamp that the linear mode has reached, server that of the newest sample,
	// and target how far apart they were when it arrived [SMO-05].
	client, server, target clock.Micros
	begun                  bool // client and server are set
	busy                   bool // something is left
}

// flat returns where a correction leads, with the height of the old place if the difference
// comes from the ground [SMO-01].
func (s *Smoothing) flat(c *correction) place {
	new := c.new
	if s.Flat != 0 && c.mode == s.Flat {
		if dz := c.old.at.Y - new.at.Y; dz < flatHeight && dz > -flatHeight {
			new.at.Y = c.old.at.Y
		}
	}
	return new
}

// reset leaves nothing to blend: at the first sample and where a path breaks.
func (g *smoother) reset(body place, stamp clock.Micros) {
	*g = smoother{turn: geom.IdentityQuat, from: body.turn, to: body.turn, client: stamp, server: stamp, begun: true}
}

// correct takes in that a new sample moved the body from old to new, both of the frame's
// instant; stamp is that sample's [SMO-01, SMO-03 … SMO-05].
func (g *smoother) correct(m DrawMode, s *Smoothing, old, new place, stamp clock.Micros) {
	g.addOffset(s, old.at.Sub(new.at))
	if m == DrawExponential {
		g.turn, g.busy = shorter(new.turn.Inverse().Mul(old.turn).Mul(g.turn).Unit()), true
		return
	}
	if !g.busy {
		g.turn = old.turn
	}
	g.original, g.from, g.to, g.busy = g.offset, g.turn, new.turn, true
	g.stamp(s, stamp)
}

// addOffset adds to the offset: in three zones by the length of what is added [SMO-01], and so
// that the sum is neither longer than Full nor kept beyond Snap [GAP-25].
func (g *smoother) addOffset(s *Smoothing, delta geom.Vec3) {
	sum := g.offset.Add(delta)
	if !(delta.Len() <= s.Snap) || !(sum.Len() <= s.Snap) {
		g.offset = geom.Vec3{}
		return
	}
	g.offset = g.offset.Add(delta.ClampLen(s.Full)).ClampLen(s.Full)
}

// stamp sets the linear mode's clocks [SMO-05].
func (g *smoother) stamp(s *Smoothing, stamp clock.Micros) {
	if g.client > g.server {
		g.client = g.server + (g.client-g.server)/2
	}
	before := g.server
	g.server = stamp
	if !g.begun {
		g.client, before, g.begun = stamp, stamp, true
	}
	apart := g.server - before
	most := min(max(apart+apart/4, min(s.Time, longestLag)), longestLag)
	g.client = min(max(g.client, g.server-most), g.server)
	g.target = g.server - g.client
}

// tick advances by d; still says that the body's velocity is nearly zero, body is the body's
// rotation now.
func (g *smoother) tick(m DrawMode, s *Smoothing, d clock.Micros, still bool, body geom.Quat) {
	if !g.busy {
		return
	}
	if m == DrawExponential {
		g.decay(s, d, still)
		return
	}
	alpha, over := g.advance(d)
	g.to = body // follows a body that turned meanwhile [SMO-14]
	switch {
	case alpha < alphaDone:
		g.offset = g.original.Mul(1 - alpha)
		g.turn = nlerp(g.from, g.to, alpha)
	case still:
		g.offset, g.turn, g.client, g.busy = geom.Vec3{}, g.to, g.server, false
	default: // by at most 15 % more, since the next sample is due [SMO-08]
		g.offset, g.turn = g.original.Mul(1-alpha), g.to
		g.busy = !over
	}
}

// advance moves the linear mode's clock on by d. It returns which fraction of the correction is
// over, and whether that is the most it ever is [SMO-06].
func (g *smoother) advance(d clock.Micros) (alpha float64, over bool) {
	g.client += d
	if g.target <= 0 {
		return 1, false
	}
	if end := g.server + clock.Micros(float64(g.target)*overshoot); g.client >= end {
		g.client = end
		return 1 + overshoot, true
	}
	return geom.Clamp(float64(g.target-(g.server-g.client))/float64(g.target), 0, 1+overshoot), false
}

// decay is a tick of the exponential mode [SMO-10, SMO-11, GAP-26].
func (g *smoother) decay(s *Smoothing, d clock.Micros, still bool) {
	t := s.Time
	if still {
		t /= 2
	}
	g.offset = g.offset.Mul(s.left(d, t))
	g.turn = shorter(nlerp(g.turn, geom.IdentityQuat, 1-s.left(d, s.Turn)))
	if g.offset.Len() < offsetNone && isIdentity(g.turn) {
		g.offset, g.turn, g.busy = geom.Vec3{}, geom.IdentityQuat, false
	}
}

// left returns which share is left after d of what shrinks with the time constant t.
func (s *Smoothing) left(d, t clock.Micros) float64 {
	switch {
	case d <= 0:
		return 1
	case !s.Engine:
		return geom.Exp(-float64(d) / float64(t))
	case d >= t:
		return 0
	}
	return 1 - float64(d)/float64(t)
}

// place returns where the entity is drawn whose body is at that place. The offset is in the
// world's frame, so neither the body's rotation nor its scale changes it [SMO-12, SMO-13].
func (g *smoother) place(m DrawMode, body place) place {
	body.at = body.at.Add(g.offset)
	switch {
	case m == DrawExponential:
		body.turn = body.turn.Mul(g.turn).Unit()
	case g.busy:
		body.turn = g.turn
	}
	return body
}

// nlerp interpolates from a to b the shorter way, in a form that ends exactly at b, normalised
// [SMO-09].
func nlerp(a, b geom.Quat, t float64) geom.Quat {
	if dot(a, b) < 0 {
		b = geom.Quat{X: -b.X, Y: -b.Y, Z: -b.Z, W: -b.W}
	}
	u := 1 - t
	q := geom.Quat{
		X: float64(a.X*u) + float64(b.X*t), Y: float64(a.Y*u) + float64(b.Y*t),
		Z: float64(a.Z*u) + float64(b.Z*t), W: float64(a.W*u) + float64(b.W*t),
	}
	return q.Unit()
}

func dot(a, b geom.Quat) float64 {
	return float64(float64(a.X*b.X)+float64(a.Y*b.Y)) + float64(float64(a.Z*b.Z)+float64(a.W*b.W))
}

// shorter returns the one of ±q with the smaller angle.
func shorter(q geom.Quat) geom.Quat {
	if q.W < 0 {
		return geom.Quat{X: -q.X, Y: -q.Y, Z: -q.Z, W: -q.W}
	}
	return q
}

// isIdentity reports whether q is as good as no rotation.
func isIdentity(q geom.Quat) bool {
	return max(q.X, -q.X, q.Y, -q.Y, q.Z, -q.Z) < turnNone
}
