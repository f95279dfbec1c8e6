package shot

import (
	"math"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// MaxPellets is the most rays of a shot.
const MaxPellets = 16

// Directions appends to into the unit vectors along which a weapon's rays leave, all of them
// within Spread.Cone of the claim's aim (LAG-05): by the pattern or, without one, drawn at
// random from the seed, who shoots and with which command, so that both ends draw the same
// and nothing of it travels (LAG-04). The seed is the match's, which both know; where
// Spread.Secret it is the server's own and a client may give any (THR-25).
func Directions(w *Weapon, c *Claim, shooter track.ID, number uint32, seed uint64, into []geom.Vec3) []geom.Vec3 {
	aim := c.Aim()
	if w.Spread.Cone == 0 {
		for range w.pellets() {
			into = append(into, aim)
		}
		return into
	}
	right := geom.Right(c.Yaw)
	up := right.Cross(aim)
	dice := draw{seed ^ uint64(shooter)<<32 ^ uint64(number)}
	for i := range w.pellets() {
		x, y := dice.disc()
		if i < len(w.Spread.Pattern) {
			x, y = w.Spread.Pattern[i][0], w.Spread.Pattern[i][1]
		}
		into = append(into, astray(aim, right, up, x, y, w.Spread.Cone))
	}
	return into
}

// pellets is how many rays a shot has.
func (w *Weapon) pellets() int { return min(max(int(w.Pellets), 1), MaxPellets) }

// astray turns an aim by shares of a cone to the right and up.
func astray(aim, right, up geom.Vec3, x, y, cone float64) geom.Vec3 {
	r := math.Sqrt(float64(x*x) + float64(y*y))
	if r < 1e-12 {
		return aim
	}
	sin, cos := geom.SinCos(float64(min(r, 1) * cone))
	return aim.Mul(cos).MulAdd(right, float64(sin*x)/r).MulAdd(up, float64(sin*y)/r).Unit()
}

// draw is a row of random numbers: splitmix64, by Sebastiano Vigna.
type draw struct{ state uint64 }

func (d *draw) next() uint64 {
	d.state += 0x9e3779b97f4a7c15
	z := d.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// disc returns a point of the unit disc, everywhere equally likely.
func (d *draw) disc() (x, y float64) {
	r := math.Sqrt(float64(d.next()>>11) / (1 << 53))
	sin, cos := geom.SinCos(float64(float64(d.next()>>11)/(1<<53)) * (2 * math.Pi))
	return float64(r * cos), float64(r * sin)
}
