package track

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/smoothing"
)

// The figures of the rows. The lengths and time constants are those of package smoothing, which the
// owner's view has too.
const (
	longestLag = clock.Second / 2 // by which the linear mode's clock lags [SMO-05]
	overshoot  = 0.15             // of the time between two samples [SMO-06]
	alphaDone  = 1 - 1e-4         // SMO-08
	speedNone  = 1e-3             // m/s: below it velocity is nearly zero [SMO-08]
)

// place is a position and a rotation.
type place struct {
	at   geom.Vec3
	turn geom.Quat
}

// smoother is the remaining corrections of one entity: it is drawn at its body plus this. The zero
// smoother is no correction.
//
// In the exponential mode that is the offset alone. The linear mode cannot use its decay, because it
// ends when the next sample is due: it scales the position of the last correction by clocks that
// follow the stamps of the samples, and turns from one rotation to another [SMO-03, SMO-05].
type smoother struct {
	offset smoothing.Offset

	// The rest is the linear mode's.
	original       geom.Vec3 // the offset when the last correction came, metres
	turn, from, to geom.Quat // the drawn rotation, on its way between two
	// client is the stamp that the drawing has reached, server that of the newest sample, and target
	// how far apart they were when it arrived [SMO-05].
	client, server, target clock.Micros
	begun                  bool // client and server are set
	busy                   bool // something is left
}

// reset removes all corrections: at the first sample and where a path breaks.
func (g *smoother) reset(body place, stamp clock.Micros) {
	*g = smoother{from: body.turn, to: body.turn, client: stamp, server: stamp, begun: true}
}

// correct adds the correction of a new sample that moved the body from old to new, both of the
// frame's instant; stamp is that sample's [SMO-01, SMO-03 … SMO-05].
func (g *smoother) correct(m DrawMode, old, new place, stamp clock.Micros) {
	g.offset.Move(old.at, new.at, smoothing.Full, smoothing.Snap)
	if m == DrawExponential {
		g.offset.Turn(old.turn, new.turn)
		return
	}
	if !g.busy {
		g.turn = old.turn
	}
	g.original, g.from, g.to, g.busy = g.offset.Position, g.turn, new.turn, true
	g.stamp(stamp)
}

// stamp sets the linear mode's clocks [SMO-05].
func (g *smoother) stamp(stamp clock.Micros) {
	if g.client > g.server {
		g.client = g.server + (g.client-g.server)/2
	}
	before := g.server
	g.server = stamp
	if !g.begun {
		g.client, before, g.begun = stamp, stamp, true
	}
	apart := g.server - before
	most := min(max(apart+apart/4, smoothing.Time), longestLag)
	g.client = min(max(g.client, g.server-most), g.server)
	g.target = g.server - g.client
}

// tick advances by d; still says that the body's velocity is nearly zero, body is the body's
// rotation now.
func (g *smoother) tick(m DrawMode, d clock.Micros, still bool, body geom.Quat) {
	if m == DrawExponential {
		g.decay(d, still)
		return
	}
	if !g.busy {
		return
	}
	alpha, over := g.advance(d)
	g.to = body // follows a body that turned meanwhile [SMO-14]
	switch {
	case alpha < alphaDone:
		g.offset.Position = g.original.Mul(1 - alpha)
		g.turn = nlerp(g.from, g.to, alpha)
	case still:
		g.offset.Position, g.turn, g.client, g.busy = geom.Vec3{}, g.to, g.server, false
	default: // by at most 15 % more, since the next sample is due [SMO-08]
		g.offset.Position, g.turn = g.original.Mul(1-alpha), g.to
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

// decay is a tick of the exponential mode. On an entity that stands, the eye sees the offset move,
// so it takes half the time [SMO-10].
func (g *smoother) decay(d clock.Micros, still bool) {
	t := smoothing.Time
	if still {
		t /= 2
	}
	g.offset.Decay(d, t, smoothing.TurnTime)
}

// place returns where an entity is drawn if its body is at that place [SMO-12, SMO-13].
func (g *smoother) place(m DrawMode, body place) place {
	if m == DrawLinear && g.busy {
		body.turn = g.turn
	}
	body.at, body.turn = g.offset.Place(body.at, body.turn)
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
