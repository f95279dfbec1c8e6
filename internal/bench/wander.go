package bench

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/benchscene"
	"github.com/backstep-net/backstep/track"
)

// The tunables of a Wanderer: the defaults of MoveWander's source. The radius of the spawn is in an asset that is not
// in that repository, and chosen here.
const (
	wanderCircle     = 1.0 // radius, in metres
	wanderTurnChance = .05 // of a tick
	wanderRadius     = 5.0 // beyond which an object turns back, in metres
	wanderSpeed      = 3.0 // m/s
	wanderMass       = 15.0
	wanderMaxForce   = 15.0
	wanderSpawn      = 5.0 // metres from the middle, by axis
)

// Wanderer is an object of the benchmark MoveWander of the project unity-netcode-benchmark: it steers to random
// directions about the middle of space and looks where it flies.
type Wanderer struct {
	dice                      benchscene.Draw
	position, velocity, force geom.Vec3
}

// NewWanderer returns object number i at its start.
func NewWanderer(i int) *Wanderer {
	w := &Wanderer{dice: benchscene.Draw(uint32(i) * 2654435761)}
	w.velocity = w.inside(true).Unit()
	w.turn()
	w.position = geom.V(w.dice.Within(wanderSpawn), w.dice.Within(wanderSpawn), w.dice.Within(wanderSpawn))
	return w
}

// inside returns a random point of the unit ball, or of the unit disc of X and Y, that is not its middle.
func (w *Wanderer) inside(ball bool) geom.Vec3 {
	for {
		p := geom.V(w.dice.Within(1), w.dice.Within(1), 0)
		if ball {
			p.Z = w.dice.Within(1)
		}
		if n := p.LenSq(); n > 0 && n <= 1 {
			return p
		}
	}
}

// turn draws the direction to steer to: a point of a disc across the way, ahead of the object.
func (w *Wanderer) turn() {
	ahead := w.velocity.Unit()
	right := geom.Up.Cross(ahead).Unit()
	p := w.inside(false).Mul(wanderCircle)
	w.force = ahead.MulAdd(right, p.X).MulAdd(ahead.Cross(right), p.Y)
}

// Step moves the object by a tick. As in the original, chance and force are per tick, whatever the tick's length.
func (w *Wanderer) Step(tick clock.Micros) {
	if w.position.Len() > wanderRadius {
		w.force = w.velocity.Unit().Sub(w.position.Unit())
	} else if w.dice.Unit() < wanderTurnChance {
		w.turn()
	}
	steering := w.force.Unit().Mul(wanderSpeed).Sub(w.velocity).ClampLen(wanderMaxForce)
	w.velocity = w.velocity.MulAdd(steering, 1/wanderMass).ClampLen(wanderSpeed)
	w.position = w.position.MulAdd(w.velocity, tick.Seconds())
}

// Sample returns what others see of the object: where it is, where it flies, and where it looks.
func (w *Wanderer) Sample() track.Sample {
	v := w.velocity
	return track.Sample{Pose: track.Pose{
		Position: w.position, Velocity: v, Yaw: math.Atan2(-v.X, -v.Z), Pitch: math.Atan2(v.Y, math.Hypot(v.X, v.Z)),
	}}
}
