package shot

import (
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
)

// step flies one FlightStep in the scene of its end, and returns what ended the flight.
func (f *Flight) step(w *Weapon, scene *rewind.Scene) (o rewind.Outcome, normal geom.Vec3, over bool) {
	return o, normal, false
}

// burst ends the flight where it is.
func (f *Flight) burst(w *Weapon, end End, o rewind.Outcome, normal geom.Vec3, past Past, scene *rewind.Scene) Burst {
	return Burst{Shooter: f.Shooter, Shot: f.Shot, Weapon: f.Weapon, At: f.At(), View: f.Meets(w, f.At()), End: end, Point: f.Position, Normal: normal}
}

var _ collide.BodyID
