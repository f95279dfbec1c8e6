package predict

import (
	"errors"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// The encoding of moves.
const (
	epochBits    = 6
	fewBits      = 4 // of a count of 1 … fewMoves
	fewMoves     = 1<<fewBits - 1
	manyBits     = 7 // of any other, after a zero
	numberBits   = 16
	stampBits    = 19 // quanta: 21 s
	durationBits = 12 // quanta: up to 164 ms
	nearBits     = 5  // of the difference between two durations, besides its sign
	nearMin      = 2  // quanta: the difference that a zero in them means
	nearMax      = nearMin + 1<<nearBits - 1
	maxBehind    = 255     // moves between a baseline and the first move
	maxPause     = 1 << 35 // quanta between two moves: 15 days
)

// Errors of a section of moves that cannot be read.
var (
	errCount        = errors.New("predict: more moves than a packet may carry")
	errDuration     = errors.New("predict: a move's duration is not 40 µs to 125 ms")
	errStamp        = errors.New("predict: a move's stamp is not after the one before")
	errBaseline     = errors.New("predict: a move is too long after the one it is coded against")
	errNonCanonical = errors.New("predict: non-canonical encoding of a move")
)

// packet is one section of moves: successive numbers, oldest first, each coded as the difference
// from the one before, the first as the difference from baseline if there is one.
type packet[S comparable, C any] struct {
	epoch           uint8 // low 6 bits of the newest one that the owner has applied
	missingBaseline bool  // its baseline is unknown, so its moves were not read
	count           int
	baseline        *Command[C] // of the first move, or nil; not changed
	moves           [MaxMoves]Command[C]
	claim           claim      // for the newest move
	zero            Command[C] // precedes the first where there is no baseline
}

// pack packs the section in either direction, in bits:
//
//	epoch 6 · count: 1 … 15 in 4, or 0 in 4 and 0 or 16 … MaxMoves in 7
//	nothing more where count is 0
//	based 1
//	  if so: the baseline's number, low 10 · moves between it and the first, Uvarint ≤ 255
//	         · first move: duration, pause, input against the baseline's
//	  if not: number, low 16 · stamp in quanta, low 19 · duration in quanta 12
//	         · input against the zero one
//	each further move: duration, pause, input against the one before
//	claim of the newest move: X 10 · Y 10 · Z 10 · check 8
//
// A quantum is TimeQuantum. Duration, against the one before: 1 the same; 01, then 1 for one
// quantum more or 0 for one less; 001, then 1 for more or 0 for less, then the difference in
// quanta less 2 in 5 bits; 000, then 12 bits of quanta, only where no shorter form fits.
//
// Pause: 1 where a move begins when the one before ended; else 0 and a Varint, not 0, of the
// quanta between them, negative where they overlap. Moves between the baseline and the first are
// assumed to have lasted as long as the baseline, and the pause is the difference from that.
//
// When reading, past resolves a baseline and the high bits of the number; now is any match time
// within 10 s of the first stamp. Where the baseline is unknown, missingBaseline is set and reading
// stops without an error.
func (m *packet[S, C]) pack(p *bits.Packer, rules Rules[S, C], now clock.Micros, past *baselineTable[C]) {
	epoch := uint64(m.epoch)
	p.Uint(&epoch, epochBits)
	m.epoch, m.missingBaseline = uint8(epoch), false
	m.packCount(p)
	if m.count == 0 {
		return
	}
	before, behind := &m.zero, 0
	hasBaseline := packBit(p, m.baseline != nil)
	if hasBaseline {
		behind = m.packBaseline(p, past)
		before = m.baseline
	} else {
		m.baseline = nil
		m.packFirst(p, now, past)
	}
	for i := range m.count {
		if m.missingBaseline || p.Err() != nil {
			return
		}
		c := &m.moves[i]
		if i > 0 || hasBaseline {
			packNext(p, c, before, behind)
		}
		if !p.Writing() {
			c.Input = m.zero.Input
		}
		rules.PackCommand(p, &c.Input, &before.Input)
		before, behind = c, 0
	}
	m.claim.pack(p)
}

// packCount packs the number of moves.
func (m *packet[S, C]) packCount(p *bits.Packer) {
	few := uint64(m.count)
	if m.count > fewMoves {
		few = 0
	}
	p.Uint(&few, fewBits)
	if few > 0 {
		m.count = int(few)
		return
	}
	many := uint64(m.count)
	p.Uint(&many, manyBits)
	if many > MaxMoves {
		p.Fail(errCount)
	} else if many > 0 && many <= fewMoves {
		p.Fail(errNonCanonical)
	}
	if m.count = int(many); p.Err() != nil {
		m.count = 0
	}
}

// packBaseline packs the baseline of the first move and returns how many moves lie between them.
func (m *packet[S, C]) packBaseline(p *bits.Packer, past *baselineTable[C]) int {
	var low, behind uint64
	if p.Writing() {
		low = uint64(m.baseline.Number) & (1<<baselineBits - 1)
		behind = uint64(m.moves[0].Number - m.baseline.Number - 1)
	}
	p.Uint(&low, baselineBits)
	p.Uvarint(&behind)
	if behind > maxBehind {
		p.Fail(errBaseline)
	}
	if p.Writing() || p.Err() != nil {
		return int(behind)
	}
	m.baseline = past.find(uint32(low))
	m.missingBaseline = m.baseline == nil
	return int(behind)
}

// packFirst packs number, stamp and duration of a first move without a baseline.
func (m *packet[S, C]) packFirst(p *bits.Packer, now clock.Micros, past *baselineTable[C]) {
	c := &m.moves[0]
	number := uint64(c.Number) & (1<<numberBits - 1)
	p.Uint(&number, numberBits)
	stamp := uint64(c.Stamp/TimeQuantum) & (1<<stampBits - 1)
	p.Uint(&stamp, stampBits)
	d := uint64(c.Duration / TimeQuantum)
	p.Uint(&d, durationBits)
	if p.Writing() || p.Err() != nil {
		return
	}
	c.Number = past.last + uint32(int32(int16(uint16(number)-uint16(past.last))))
	ref := int64(now / TimeQuantum)
	off := (int64(stamp) - ref) & (1<<stampBits - 1)
	if off >= 1<<(stampBits-1) {
		off -= 1 << stampBits
	}
	if ref+off < 1 { // TIM-05
		p.Fail(errStamp)
	}
	if d < 1 || d > uint64(MaxDuration/TimeQuantum) {
		p.Fail(errDuration)
	}
	c.Stamp, c.Duration = clock.Micros(ref+off)*TimeQuantum, clock.Micros(d)*TimeQuantum
}

// packNext packs number, duration and stamp of c against b, which is behind+1 moves older.
func packNext[C any](p *bits.Packer, c, b *Command[C], behind int) {
	d := int64(c.Duration / TimeQuantum)
	packDuration(p, &d, int64(b.Duration/TimeQuantum))
	between := clock.Micros(behind) * b.Duration
	pause := int64((c.Stamp - b.Stamp - c.Duration - between) / TimeQuantum)
	packPause(p, &pause)
	if p.Writing() || p.Err() != nil {
		return
	}
	if pause < -maxPause || pause > maxPause {
		pause = 0
		p.Fail(errStamp)
	}
	c.Number = b.Number + 1 + uint32(behind)
	c.Duration = clock.Micros(d) * TimeQuantum
	c.Stamp = b.Stamp + between + c.Duration + clock.Micros(pause)*TimeQuantum
	if c.Stamp <= b.Stamp {
		p.Fail(errStamp)
	}
}

// packDuration packs a duration in quanta against the one before.
func packDuration(p *bits.Packer, d *int64, before int64) {
	more := *d - before
	size := max(more, -more)
	switch {
	case packBit(p, size == 0):
		more = 0
	case packBit(p, size == 1):
		packSigned(p, &more, 1, 0)
	case packBit(p, size <= nearMax):
		packSigned(p, &more, nearMin, nearBits)
	default:
		v := uint64(*d)
		p.Uint(&v, durationBits)
		if more = int64(v) - before; max(more, -more) <= nearMax && p.Err() == nil {
			p.Fail(errNonCanonical)
		}
	}
	if *d = before + more; *d < 1 || *d > int64(MaxDuration/TimeQuantum) {
		p.Fail(errDuration)
	}
}

// packBit packs one bit and returns it.
func packBit(p *bits.Packer, yes bool) bool {
	p.Bool(&yes)
	return yes
}

// packSigned packs a difference of ±(least … least + 2ⁿ − 1).
func packSigned(p *bits.Packer, more *int64, least int64, n int) {
	up := *more > 0
	p.Bool(&up)
	v := uint64(0)
	if n > 0 {
		v = uint64(max(*more, -*more) - least)
		p.Uint(&v, n)
	}
	if *more = int64(v) + least; !up {
		*more = -*more
	}
}

// packPause packs a zero in one bit and anything else as a Varint after it.
func packPause(p *bits.Packer, v *int64) {
	zero := *v == 0
	p.Bool(&zero)
	if zero {
		*v = 0
		return
	}
	p.Varint(v)
	if *v == 0 {
		p.Fail(errNonCanonical)
	}
}
