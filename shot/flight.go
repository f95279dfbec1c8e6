package shot

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// Flight is a projectile on its way: plain data, moved on by the same code on the shooter's
// client, at once, and on the server, which catches up with it when the command comes.
type Flight struct {
	Shooter track.ID
	Shot    uint32 // number of the command that fired it
	Weapon  uint8
	// Fired is when it left, by the shooter's platform time; Steps is how many of
	// FlightStep it has flown since.
	Fired clock.Micros
	Steps uint32
	// Lag is how far behind Fired the picture was that it was aimed at: it meets everybody
	// as they were so much before, as far as Favour.Flight says.
	Lag      clock.Micros
	Position geom.Vec3 // metres
	Velocity geom.Vec3 // m/s
}

// FlightStep is how long one step of a flight is: each meets the world, its bodies and
// everybody at an instant of its own.
const FlightStep = clock.Second / 120
