package collide

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// maxTriggerAge is how far from the time of its message, in either direction, a log may reach:
// far longer than a match.
const maxTriggerAge = int64(1) << 50

// TriggerLogBits is the largest size of a packed TriggerLog, in bits.
const TriggerLogBits = 1 + 64 + 48 + 16 + 5 + MaxEntries*(64+16)

// Pack packs the part of the log that a client needs, in either direction, in a message of
// match time at: the Start, and the time and waypoint of each entry. Entries that are nearer to
// each other than MinTriggerInterval, or do not ascend, are bits.ErrRange.
func (l *TriggerLog) Pack(p *bits.Packer, at clock.Micros) {
	moved := l.Start.Waypoint != 0
	p.Bool(&moved)
	if moved {
		packAge(p, &l.Start.At, at)
		progress := uint64(l.Start.Progress)
		p.Uvarint(&progress)
		packWaypoint(p, &l.Start.Waypoint)
		if progress > uint64(MaxPathTime) || l.Start.Waypoint == 0 {
			p.Fail(bits.ErrRange)
		}
		l.Start.Progress = clock.Micros(progress)
	} else {
		l.Start = Motion{}
	}
	p.Ranged(&l.count, 0, MaxEntries)
	for i := range l.entries[:l.count] {
		e := &l.entries[i]
		if !p.Writing() {
			*e = TriggerEntry{}
		}
		packAge(p, &e.At, at)
		packWaypoint(p, &e.Waypoint)
		if i > 0 && e.At-l.entries[i-1].At < MinTriggerInterval {
			p.Fail(bits.ErrRange)
		}
	}
	if p.Err() != nil && !p.Writing() {
		*l = TriggerLog{}
	}
}

// packAge packs a match time as its age at the time at.
func packAge(p *bits.Packer, t *clock.Micros, at clock.Micros) {
	age := int64(at - *t)
	p.Varint(&age)
	if age > maxTriggerAge || age < -maxTriggerAge {
		p.Fail(bits.ErrRange)
		age = 0
	}
	*t = at - clock.Micros(age)
}

// packWaypoint packs a waypoint; 0 is Press.
func packWaypoint(p *bits.Packer, s *uint16) {
	n := uint64(*s)
	p.Uvarint(&n)
	if n > MaxKeys {
		p.Fail(bits.ErrRange)
		n = 0
	}
	*s = uint16(n)
}
