package predict

// acknowledged keeps the newest state that an owner and its authority agree on, for a client that draws its
// character without prediction.
type acknowledged[S comparable] struct {
	on    bool
	state S
	from  uint32        // the first move whose state is in ends
	ends  [ownerMoves]S // the states after the newest moves, by number
}

// KeepAcknowledgedState makes the owner keep what AcknowledgedState returns, from now on, or ends that. The first time
// it allocates the states of 512 moves.
func (o *Owner[S, C]) KeepAcknowledgedState(on bool) {
	if o.acknowledged == nil {
		if !on {
			return
		}
		o.acknowledged = &acknowledged[S]{from: o.number + 1}
	}
	c := o.acknowledged
	if on && !c.on {
		c.state = o.state
		o.updateAcknowledged()
	}
	c.on = on
}

// AcknowledgedState returns the newest state that the authority is known to have: after the newest move that it
// acknowledged, or that of its newest correction. It is the State at KeepAcknowledgedState until a later move is
// acknowledged; without KeepAcknowledgedState it is State. It may be read until the next Receive.
func (o *Owner[S, C]) AcknowledgedState() *S {
	if c := o.acknowledged; c != nil && c.on {
		return &c.state
	}
	return &o.state
}

// noteEnd keeps the state after a move.
func (o *Owner[S, C]) noteEnd(number uint32) {
	if o.acknowledged != nil {
		o.acknowledged.ends[number%ownerMoves] = o.state
	}
}

// updateAcknowledged sets the state to that after the newest acknowledged move, or to the waiting
// correction's.
func (o *Owner[S, C]) updateAcknowledged() {
	c := o.acknowledged
	switch {
	case c == nil:
	case o.waiting:
		c.state = o.correction.State
	case newer(o.acked, c.from) >= 0:
		c.state = c.ends[o.acked%ownerMoves]
	}
}
