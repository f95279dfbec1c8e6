package shot

import (
	"slices"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/track"
)

// MaxName is the longest name of a weapon, in bytes.
const MaxName = 32

// maxTable is the most bytes that a packed table takes.
const maxTable = 4096

// Append appends the packed table to b. A server sends it in its welcome, so clients have the same
// numbers and need no files. It panics if Check fails.
func (t Table) Append(b []byte) []byte {
	if err := t.Check(); err != nil {
		panic("shot: Table.Append: " + err.Error())
	}
	var p bits.Packer
	p.Write(make([]byte, maxTable))
	n := len(t)
	p.Ranged(&n, 1, MaxWeapons)
	for i := range t {
		w := t[i]
		w.Spread.Pattern = slices.Clone(w.Spread.Pattern) // packing writes to it, and matches share tables
		packWeapon(&p, &w)
	}
	if err := p.Err(); err != nil {
		panic("shot: Table.Append: " + err.Error())
	}
	return append(b, p.Bytes()...)
}

// ReadTable reads a table that Append wrote. Other bytes are an error of bits or of Check.
func ReadTable(b []byte) (Table, error) {
	var p bits.Packer
	p.Read(b)
	n := 0
	p.Ranged(&n, 1, MaxWeapons)
	t := make(Table, n)
	for i := range t {
		packWeapon(&p, &t[i])
	}
	if p.End(); p.Err() != nil {
		return nil, p.Err()
	}
	if err := t.Check(); err != nil {
		return nil, err
	}
	return t, nil
}

// packWeapon packs a weapon without loss.
func packWeapon(p *bits.Packer, w *Weapon) {
	name := []byte(w.Name)
	p.Blob(&name, MaxName)
	w.Name = string(name)
	packEnum(p, &w.Kind, Projectile)
	packFloat(p, &w.Reach)
	packTimes(p, &w.Cooldown, &w.Reload, &w.Draw, &w.Swing.Begins, &w.Swing.Lasts, &w.Flight.Fuse, &w.LagCompensation.Cap, &w.LagCompensation.Cover)
	p.Byte(&w.Magazine)
	for i := range w.Damage {
		packCount(p, &w.Damage[i])
	}
	packFloat(p, &w.Falloff.From, &w.Falloff.To, &w.Falloff.Least)
	packEnum(p, &w.Policy, rewind.HeadFirst)
	packEnum(p, &w.Pellets, MaxPellets)
	packSpread(p, &w.Spread)
	packFloat(p, &w.Swing.Arc, &w.Swing.Tilt, &w.Swing.Radius)
	packFloat(p, &w.Flight.Speed, &w.Flight.Gravity, &w.Flight.Radius, &w.Flight.Bounce)
	looks := uint8(w.Flight.EntityKind)
	p.Byte(&looks)
	w.Flight.EntityKind = track.Kind(looks)
	packFloat(p, &w.Blast.Radius, &w.Blast.Inner, &w.Blast.Least, &w.Blast.Self, &w.Blast.Push)
	packCount(p, &w.Blast.Damage)
	packEnum(p, &w.LagCompensation.Beyond, Present)
	packEnum(p, &w.LagCompensation.Flight, TimelinePresent)
}

func packSpread(p *bits.Packer, s *Spread) {
	packFloat(p, &s.Cone)
	p.Bool(&s.Secret)
	n := len(s.Pattern)
	p.Ranged(&n, 0, MaxPellets)
	if !p.Writing() {
		s.Pattern = nil
		if n > 0 {
			s.Pattern = make([][2]float64, n)
		}
	}
	for i := range s.Pattern {
		packFloat(p, &s.Pattern[i][0], &s.Pattern[i][1])
	}
}

// packFloat packs finite numbers without loss, each in one bit where it is 0.
func packFloat(p *bits.Packer, all ...*float64) {
	for _, x := range all {
		some := *x != 0
		p.Bool(&some)
		if !some {
			*x = 0
			continue
		}
		if p.Float64(x); *x == 0 {
			p.Fail(bits.ErrRange) // one bit says so
		}
	}
}

// packTimes packs times of 0 … maxWait.
func packTimes(p *bits.Packer, all ...*clock.Micros) {
	for _, t := range all {
		packTimer(p, t, 0)
	}
}

func packCount(p *bits.Packer, n *uint16) {
	v := uint64(*n)
	if p.Uvarint(&v); v > 65535 {
		p.Fail(bits.ErrRange)
		v = 0
	}
	*n = uint16(v)
}
