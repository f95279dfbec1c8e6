package predict

import "github.com/backstep-net/backstep/clock"

// MaxGap is the longest gap before a move that both ends simulate: together with the move
// itself a second, for which an authority goes on with what a silent owner held (Limits.InputHoldTime).
const MaxGap = clock.Second - MaxDuration

// gap is the time between the move before, which ended at a stamp, and this one, which lasts
// as long as a move may: the part of a frame that was too long for one move (TIM-04). Both
// ends simulate it with what was held before (Rules.Carry), as the authority does anyway
// while nothing comes. It is 0 where the frame was longer than that.
func (c *Command[C]) gap(before clock.Micros) clock.Micros {
	g := c.Stamp - c.Duration - before
	if c.Duration < MaxDuration || g < TimeQuantum || g > MaxGap {
		return 0
	}
	return g
}

// fill simulates the gap before a saved move.
func (o *Owner[S, C]) fill(s *S, m *Command[C]) {
	last := &o.slot(m.Number - 1).Command
	if last.Number != m.Number-1 || last.Duration == 0 {
		return
	}
	gap := m.gap(last.Stamp)
	if gap == 0 {
		return
	}
	c := &o.second
	*c = *last
	o.rules.Carry(&c.Input)
	for gap > 0 {
		c.Duration = min(gap, MaxDuration)
		c.Stamp += c.Duration
		gap -= c.Duration
		o.rules.Step(s, c)
	}
}

// drawn is what an owner drew before a frame in which the authority went on without it.
type drawn[S comparable] struct {
	state  S
	at     clock.Micros // the stamp
	since  clock.Micros // what that was when the authority went on
	number uint32       // the move that it follows
	held   bool         // there is one
	ran    bool         // the move that follows it is the one that was run last
}

// leave notes where the owner stands before the authority goes on without it.
func (a *Authority[S, C]) leave() {
	if !a.drawn.held || a.drawn.ran {
		a.drawn = drawn[S]{a.state, a.stamp, a.stamp, a.last, true, false}
	}
}

// follow notes that a move came too late to be run, from which its owner goes on: the next
// one's gap begins where it ends.
func (a *Authority[S, C]) follow(c *Command[C]) {
	if a.left(c) && c.Stamp-a.drawn.since <= a.Limits.SilenceTimeout {
		a.drawn.at, a.drawn.number = c.Stamp, c.Number
	}
}

// comeBack notes that a move of the owner's is run, and where its frame began.
func (a *Authority[S, C]) comeBack(c *Command[C]) {
	if a.drawn.held = a.left(c); a.drawn.held {
		a.drawn.ran, a.began = true, a.drawn.at
	}
}

// left reports whether the next move follows the one after which the authority went on
// without its owner.
func (a *Authority[S, C]) left(c *Command[C]) bool {
	return a.drawn.held && !a.drawn.ran && c.Number == a.drawn.number+1
}

// DrawnState returns the state that the owner drew before it made the move that Next ran: that
// after the move before, even where the authority has gone on without it since, and without
// what Alter changed of which the owner did not know yet. It is what a shot of that move
// leaves from. Of moves that came too late in between, within Limits.SilenceTimeout,
// it knows nothing; where the move before is missing it is Before.
func (a *Authority[S, C]) DrawnState() *S {
	if a.drawn.held && a.drawn.ran {
		return &a.drawn.state
	}
	if a.unaware.held {
		return &a.unaware.before
	}
	return &a.before
}

// known is the state after the newest move as its owner can go on from: without the time
// that the authority has gone on without it, while the owner will simulate that itself as
// the gap before its next move.
func (a *Authority[S, C]) known() *S {
	if a.drawn.held && !a.drawn.ran && a.drawn.number == a.last && a.drawn.at == a.drawn.since && a.stamp-a.drawn.at <= MaxGap {
		return &a.drawn.state
	}
	return &a.state
}

// mayMiss is how much time before the next move is simulated: what moves that never came
// may have covered, or the gap that its owner simulated.
func (a *Authority[S, C]) mayMiss(c *Command[C]) clock.Micros {
	switch {
	case c.Number != a.last+1:
		return MaxDuration
	case !a.drawn.held || a.drawn.ran:
		return c.gap(a.stamp)
	case a.left(c):
		return c.gap(a.drawn.at)
	}
	return 0
}
