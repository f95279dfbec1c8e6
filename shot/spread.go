package shot

import (
	"math"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// MaxPellets is the most rays of a shot.
const MaxPellets = 16

// Directions appends the unit vectors of a weapon's rays to into, all within Spread.Cone of the
// claim's aim (LAG-05): by the pattern, or without one at random from the seed, the shooter and
// the number of the command, so both ends get the same and nothing is sent (LAG-04). The seed is
// that of the match; with Spread.Secret it is the server's own, and a client may pass any
// (THR-25).
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
	// From the shot's own number and not from a running generator: a lost or refused shot does not
	// shift the spread of those after it.
	dice := splitmix{seed ^ uint64(shooter)<<32 ^ uint64(number)}
	for i := range w.pellets() {
		// Also drawn where a pattern is used, so that the pellets beyond a short pattern are the
		// same.
		x, y := dice.disc()
		if i < len(w.Spread.Pattern) {
			x, y = w.Spread.Pattern[i][0], w.Spread.Pattern[i][1]
		}
		into = append(into, deflect(aim, right, up, x, y, w.Spread.Cone))
	}
	return into
}

// pellets returns the number of rays of a shot.
func (w *Weapon) pellets() int { return min(max(int(w.Pellets), 1), MaxPellets) }

// deflect turns an aim by the shares x and y of a cone to the right and up.
func deflect(aim, right, up geom.Vec3, x, y, cone float64) geom.Vec3 {
	r := math.Sqrt(float64(x*x) + float64(y*y))
	if r < 1e-12 {
		return aim
	}
	sin, cos := geom.SinCos(float64(min(r, 1) * cone))
	return aim.Mul(cos).MulAdd(right, float64(sin*x)/r).MulAdd(up, float64(sin*y)/r).Unit()
}

// splitmix is the random number generator splitmix64, by Sebastiano Vigna.
type splitmix struct{ state uint64 }

func (d *splitmix) next() uint64 {
	d.state += 0x9e3779b97f4a7c15
	z := d.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// disc returns a uniformly distributed point of the unit disc.
func (d *splitmix) disc() (x, y float64) {
	// The root makes the density even: without it half of the pellets would be in the inner quarter
	// of the disc.
	r := math.Sqrt(float64(d.next()>>11) / (1 << 53))
	sin, cos := geom.SinCos(float64(float64(d.next()>>11)/(1<<53)) * (2 * math.Pi))
	return float64(r * cos), float64(r * sin)
}
