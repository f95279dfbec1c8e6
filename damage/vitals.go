package damage

import "github.com/backstep-net/backstep/bits"

// Team is a side of a match. Zero is none: who is on none is nobody's friend.
type Team uint8

// Vitals is what keeps somebody alive: plain data, == compares it. The zero Vitals is
// nobody's: dead, and of no life.
type Vitals struct {
	Health uint16 // points; 0 is dead
	Armour uint16 // points; 0 is none
	Team   Team
	Life   uint8 // which life this is: track.Sample.Life
}

// Dead reports whether nothing hurts any more.
func (v *Vitals) Dead() bool { return v.Health == 0 }

// Pack packs v without loss, in 6 bytes: for a player's status.
func (v *Vitals) Pack(p *bits.Packer) {
	p.Uint16(&v.Health)
	p.Uint16(&v.Armour)
	p.Byte((*uint8)(&v.Team))
	p.Byte(&v.Life)
}
