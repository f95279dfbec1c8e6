package shot

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/rewind"
)

// Weapon is a hit-scan weapon as data. Both ends hold the same table; a command
// names a weapon by its index there.
type Weapon struct {
	Name     string
	Reach    float64      // metres a shot goes
	Cooldown clock.Micros // between shots; must be positive
	Reload   clock.Micros // to fill the magazine
	Magazine uint8        // rounds when full
	// Damage by the part that is hit. It is only ever taken from the server's own
	// table (HIT-10).
	Damage [rewind.Parts]uint16
}

// Rifle returns the first weapon: 100 m, a shot in 100 ms, 30 rounds, 2 s to
// reload, no spread, 25 to the body and 60 to the head.
func Rifle() Weapon {
	return Weapon{
		Name:     "rifle",
		Reach:    100,
		Cooldown: 100 * clock.Millisecond,
		Reload:   2 * clock.Second,
		Magazine: 30,
		Damage:   [rewind.Parts]uint16{rewind.Body: 25, rewind.Head: 60},
	}
}
