package predict

// confirmed keeps the newest state that an owner and its authority agree on, for a client that draws its
// character without prediction.
type confirmed[S comparable] struct {
	on    bool
	state S
	from  uint32        // the first move whose state is in ends
	ends  [ownerMoves]S // the states after the newest moves, by number
}

// KeepConfirmed makes the owner keep what Confirmed returns, from now on, or ends that. The first time
// it allocates the states of 512 moves.
func (o *Owner[S, C]) KeepConfirmed(on bool) {
	if o.confirmed == nil {
		if !on {
			return
		}
		o.confirmed = &confirmed[S]{from: o.number + 1}
	}
	c := o.confirmed
	if on && !c.on {
		c.state = o.state
		o.updateConfirmed()
	}
	c.on = on
}

// Confirmed returns the newest state that the authority is known to have: after the newest move that it
// acknowledged, or that of its newest correction. It is the State at KeepConfirmed until a later move is
// acknowledged; without KeepConfirmed it is State. It may be read until the next Receive.
func (o *Owner[S, C]) Confirmed() *S {
	if c := o.confirmed; c != nil && c.on {
		return &c.state
	}
	return &o.state
}

// noteEnd keeps the state after a move.
func (o *Owner[S, C]) noteEnd(number uint32) {
	if o.confirmed != nil {
		o.confirmed.ends[number%ownerMoves] = o.state
	}
}

// updateConfirmed sets the state to that after the newest acknowledged move, or to the waiting
// correction's.
func (o *Owner[S, C]) updateConfirmed() {
	c := o.confirmed
	switch {
	case c == nil:
	case o.waiting:
		c.state = o.correction.State
	case newer(o.acked, c.from) >= 0:
		c.state = c.ends[o.acked%ownerMoves]
	}
}
