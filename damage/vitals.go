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

// Pack packs v without loss, in 4 bytes where both are below 128: for a player's status.
func (v *Vitals) Pack(p *bits.Packer) {
	packPoints(p, &v.Health)
	packPoints(p, &v.Armour)
	p.Byte((*uint8)(&v.Team))
	p.Byte(&v.Life)
}

// packPoints packs points: 8 bits up to 127.
func packPoints(p *bits.Packer, v *uint16) {
	n := uint64(*v)
	if p.Uvarint(&n); n > 1<<16-1 {
		p.Fail(bits.ErrRange)
		n = 0
	}
	*v = uint16(n)
}
