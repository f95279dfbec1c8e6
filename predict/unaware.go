package predict

import "github.com/backstep-net/backstep/clock"

// unawareMost is for how long beyond the round trip an owner may go on without knowing
// of an alteration: the wait for a packet, and one or two that are lost. An
// owner that says longer that it does not know gains nothing by it from then on.
const unawareMost = 250 * clock.Millisecond

// unaware is what an owner predicts while it does not know what Alter changed: the same
// moves from the state without the change. A push displaces a character on the server
// a round trip before its owner can know, and meanwhile the owner aims and shoots from
// where it draws itself. Shots that left from the pushed state instead would hit what
// the screen did not show.
type unaware[S comparable] struct {
	state, before S            // after and before the newest step
	left          clock.Micros // for how much simulated time the owner may still not know
	number        uint32       // the first move that the owner made knowing, if known
	epoch         uint8        // of the correction that tells the owner
	known, held   bool
}

// begin notes the state without a change that the correction of an epoch tells. A further
// change before the owner knows of the first changes nothing here.
func (u *unaware[S]) begin(unaltered *S, epoch uint8, left clock.Micros) {
	if !u.held {
		*u = unaware[S]{state: *unaltered, before: *unaltered, left: left, epoch: epoch, held: true}
	}
}

// learn takes in that a packet whose newest move has a number shows which correction its
// owner applied. That move was made knowing; those before it in the packet were in others,
// too, unless those were lost, and count as made without.
func (u *unaware[S]) learn(applied uint8, number uint32) {
	if !u.held || int8(applied-u.epoch) < 0 {
		return
	}
	if !u.known || newer(u.number, number) > 0 {
		u.number, u.known = number, true
	}
}

// steps reports whether a move with that number, which lasts for d, was made without
// knowing, and makes what the newest step left the state before it.
func (u *unaware[S]) steps(number uint32, d clock.Micros) bool {
	if u.held && (u.left < d || u.known && newer(number, u.number) >= 0) {
		u.held = false
	}
	if u.held {
		u.before = u.state
		u.left -= d
	}
	return u.held
}
