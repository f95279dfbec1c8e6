package damage

// Team is a side of a match. Zero is no team: friendly fire never applies to it.
type Team uint8

// Vitals is the health, armour and team of a character: plain data, == compares it. The zero
// Vitals is dead and in life 0.
type Vitals struct {
	Health uint16 // points; 0 is dead
	Armour uint16 // points; 0 is none
	Team   Team   // 0 is none
	Life   uint8  // number of the life: track.Sample.Life
}

// Dead reports whether the health is 0.
func (v *Vitals) Dead() bool { return v.Health == 0 }
