package predict

import (
	"errors"

	"github.com/backstep-net/backstep/bits"
)

// What is in this file is for values outside the predicted state, of games that have some:
// a number that is spent (Counter), a value that the player sets (Latest), a flag (Toggle).
// What can be an ordinary field of the state should be: it is predicted, corrected and
// replayed with everything else.
//
// Each has an end that plays and an end that decides, and they are types of their own, so
// that an authority never runs the client's part, also not for the player at its own
// machine, who is shown what the authority has (GAP-34 (a)). What goes between them may be
// lost, doubled and overtaken: the playing end repeats what is open, the deciding end its
// newest word.

// ErrUnknownNumber is a word about something that was never asked for (LAG-06).
var ErrUnknownNumber = errors.New("predict: the answer is to a number that was not sent")

// Word is what an authority's answer begins with.
type Word struct {
	// Number counts what the authority has said: of two words the one with the smaller
	// number is old, and means nothing any more.
	Number uint32
	// Last is the newest of the owner's numbers that it takes into account, 0 for none.
	Last uint32
}

// Pack packs w in 8 bytes.
func (w *Word) Pack(p *bits.Packer) {
	p.Uint32(&w.Number)
	p.Uint32(&w.Last)
}

// hear takes a word in the place of the newest one: false where it is older. sent is the
// newest of the owner's own numbers.
func (w *Word) hear(said Word, sent uint32) (bool, error) {
	if newer(said.Last, sent) > 0 {
		return false, ErrUnknownNumber
	}
	if newer(said.Number, w.Number) < 0 || newer(said.Last, w.Last) < 0 {
		return false, nil
	}
	*w = said
	return true, nil
}

// MaxSpends is how many spends may wait for an answer; who wants more has to wait, too.
const MaxSpends = 32

// Spend is one use of what a Counter counts: a shot, a throw.
type Spend struct {
	ID   uint32 // counts the owner's spends from 1
	Cost uint16
}

// Pack packs s in 6 bytes.
func (s *Spend) Pack(p *bits.Packer) {
	p.Uint32(&s.ID)
	p.Uint16(&s.Cost)
}

// Count is an authority's word on a Counter.
type Count struct {
	Word
	Value uint16
	// Refused says which spends were refused: bit i is Last − i.
	Refused uint32
}

// Pack packs c in 14 bytes.
func (c *Count) Pack(p *bits.Packer) {
	c.Word.Pack(p)
	p.Uint16(&c.Value)
	p.Uint32(&c.Refused)
}

// Counter is the owner's end of a number that is spent at once and decided elsewhere, as
// ammunition of a game that keeps it outside its state (LAG-07 … LAG-09, GAP-34). What is
// shown is what the authority has, less the spends it has not seen: it neither flickers nor
// is ever below zero. The zero Counter has nothing until the first Count comes.
type Counter struct {
	heard   Count
	spends  [MaxSpends]Spend // not answered yet, oldest first
	waiting int
	sent    uint32
}

// Shown is what the player is to see.
func (c *Counter) Shown() int {
	left := int(c.heard.Value)
	for _, s := range c.spends[:c.waiting] {
		left -= int(s.Cost)
	}
	return max(left, 0)
}

// Spend spends at once, and reports false, with nothing spent, where there is not enough
// (GAP-34 (d), LAG-08) or too much waits. Send what Waiting says.
func (c *Counter) Spend(cost uint16) (Spend, bool) {
	if c.Shown() < int(cost) || c.waiting == MaxSpends {
		return Spend{}, false
	}
	c.sent++
	s := Spend{ID: c.sent, Cost: cost}
	c.spends[c.waiting] = s
	c.waiting++
	return s, true
}

// Waiting are the spends without an answer, oldest first: to be sent, all of them, again
// and again until they are answered. Valid until the next Receive.
func (c *Counter) Waiting() []Spend { return c.spends[:c.waiting] }

// Receive takes the authority's word, in any order and any number of times, and appends to
// refused the ids that it newly refuses, whose effects are to be taken back. It is ErrAhead
// where the authority has seen what was never spent.
func (c *Counter) Receive(said Count, refused []uint32) ([]uint32, error) {
	if took, err := c.heard.hear(said.Word, c.sent); !took {
		return refused, err
	}
	c.heard = said
	open := 0
	for _, s := range c.spends[:c.waiting] {
		age := newer(said.Last, s.ID)
		switch {
		case age < 0:
			c.spends[open] = s
			open++
		case age < 32 && said.Refused>>age&1 != 0:
			refused = append(refused, s.ID)
		}
	}
	c.waiting = open
	return refused, nil
}

// Tally is the authority's end of a Counter. The zero Tally has no room: make one with
// NewTally.
type Tally struct {
	count    Count
	capacity uint16
}

// NewTally returns a full tally.
func NewTally(capacity uint16) Tally {
	return Tally{count: Count{Word: Word{Number: 1}, Value: capacity}, capacity: capacity}
}

// Value is how much there is: for who plays on the authority's own machine, what is shown.
func (t *Tally) Value() int { return int(t.count.Value) }

// Word is what to tell the owner, again and again.
func (t *Tally) Word() Count { return t.count }

// Take takes a spend that came, and reports whether it counts: not what was taken before,
// not what the game does not allow, and not what there is not enough for. Spends that were
// overtaken by a newer one are refused, and told so.
func (t *Tally) Take(s Spend, allowed bool) bool {
	step := newer(s.ID, t.count.Last)
	if step <= 0 {
		return false
	}
	fine := allowed && s.Cost <= t.count.Value
	t.count.Refused = ^(^t.count.Refused << min(step, 32)) // those between were refused
	if fine {
		t.count.Refused &^= 1
		t.count.Value -= s.Cost
	}
	t.count.Last = s.ID
	t.count.Number++
	return fine
}

// Use is Take for who plays on the authority's own machine: it reports whether there is
// enough.
func (t *Tally) Use(cost uint16) bool {
	if cost > t.count.Value {
		return false
	}
	t.count.Value -= cost
	t.count.Number++
	return true
}

// Add adds what was picked up or reloaded, up to the capacity, or takes what is below zero,
// down to nothing (LAG-08, LAG-09).
func (t *Tally) Add(n int) {
	n = min(max(n, -int(t.capacity)), int(t.capacity))
	t.count.Value = uint16(min(max(int(t.count.Value)+n, 0), int(t.capacity)))
	t.count.Number++
}

// Latest is the owner's end of a value that each change of overwrites: what is aimed at,
// which weapon is wished for (LAG-06). It shows the owner's own until the authority's word
// is about nothing older. The zero Latest has T's zero and nothing to send. It is for what
// changes now and then: what changes all the time never meets the authority's (GAP-33).
type Latest[T any] struct {
	heard   Word
	value   T
	sent    uint32
	waiting bool
}

// Value is what the owner is to see.
func (l *Latest[T]) Value() T { return l.value }

// Set changes it at once. Send what Waiting says.
func (l *Latest[T]) Set(v T) {
	l.sent++
	l.value, l.waiting = v, true
}

// Waiting is what to send, again and again, and whether there is anything.
func (l *Latest[T]) Waiting() (number uint32, v T, open bool) { return l.sent, l.value, l.waiting }

// Receive takes the authority's word, in any order and any number of times, and reports
// whether its value was adopted: not where it is about an older change than the newest, or
// older than another word. It is ErrAhead where it is about a newer one.
func (l *Latest[T]) Receive(said Word, v T) (adopted bool, err error) {
	took, err := l.heard.hear(said, l.sent)
	if !took || said.Last != l.sent {
		return false, err
	}
	l.value, l.waiting = v, false
	return true, nil
}

// Decided is the authority's end of a Latest, and of a Toggle. The zero Decided has T's
// zero.
type Decided[T any] struct {
	word  Word
	value T
}

// Value is what is.
func (d *Decided[T]) Value() T { return d.value }

// Word is what to tell the owner, again and again, with Value.
func (d *Decided[T]) Word() Word { return d.word }

// Take takes a change that came, and reports whether it counts: not what is older than what
// was taken, and not what the game does not allow, which the owner is told by the answer.
func (d *Decided[T]) Take(number uint32, v T, allowed bool) bool {
	if newer(number, d.word.Last) <= 0 {
		return false
	}
	d.word.Last = number
	d.word.Number++
	if allowed {
		d.value = v
	}
	return allowed
}

// Set changes it without having been asked: who plays on the authority's own machine, or
// the game.
func (d *Decided[T]) Set(v T) {
	d.value = v
	d.word.Number++
}

// Toggle is the owner's end of a flag: aiming, a torch (LAG-10). Its own flips are seen at
// once and never undone by the echo of an older one.
type Toggle struct{ Latest[bool] }

// Flip changes it over.
func (t *Toggle) Flip() { t.Set(!t.Value()) }
