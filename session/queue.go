package session

import (
	"slices"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// MaxQueue is the largest number of players that can wait for a seat.
const MaxQueue = 1024

// repeatPlace is how often a queued player is sent its place although it is the same: from silence it learns that
// the server is gone, which a WebSocket does not notice.
const repeatPlace = 5 * clock.Second

// joinedElsewhere is what a player's earlier connection reads.
const joinedElsewhere = "session: you joined from elsewhere"

// enqueue appends a player to the queue and sends its place. It returns errFull if the queue is full. An
// account or peer is queued once.
func (s *Server[S, C]) enqueue(n *joiner) error {
	if i := s.placeOf(n.account); i >= 0 { // it keeps its place: a connection was lost, or it opened a second page
		old := s.queue[i].peer
		s.queue[i] = *n
		s.kick(nil, old, joinedElsewhere)
		s.sendQueuePlace(i)
		return nil
	}
	if len(s.queue) >= s.config.Queue {
		return errFull
	}
	s.queue = append(s.queue, *n)
	s.sendQueuePlace(len(s.queue) - 1)
	return nil
}

// placeOf returns where an account waits in the queue, or −1.
func (s *Server[S, C]) placeOf(account string) int {
	return slices.IndexFunc(s.queue, func(n joiner) bool { return account != "" && n.account == account })
}

// leaveQueue removes an account from the queue, because it has a seat: it came back by the key of one that it took
// without the account.
func (s *Server[S, C]) leaveQueue(account string) {
	if i := s.placeOf(account); i >= 0 {
		peer := s.queue[i].peer
		s.dequeue(peer)
		s.kick(nil, peer, joinedElsewhere)
	}
}

// QueueLength returns how many players wait for a seat.
func (s *Server[S, C]) QueueLength() int { return len(s.queue) }

// Queued reports whether a peer waits for a seat.
func (s *Server[S, C]) Queued(peer Peer) bool {
	return slices.ContainsFunc(s.queue, func(n joiner) bool { return n.peer == peer })
}

// dequeue removes a peer from the queue and sends those behind it their new places. It reports whether
// the peer was queued.
func (s *Server[S, C]) dequeue(peer Peer) bool {
	i := slices.IndexFunc(s.queue, func(n joiner) bool { return n.peer == peer })
	if i < 0 {
		return false
	}
	s.queue = slices.Delete(s.queue, i, i+1)
	for ; i < len(s.queue); i++ {
		s.sendQueuePlace(i)
	}
	return true
}

// admitFromQueue gives free seats to the first in the queue. [THR-37]
func (s *Server[S, C]) admitFromQueue() {
	if s.Every(repeatPlace) {
		for i := range s.queue {
			s.sendQueuePlace(i)
		}
	}
	for len(s.queue) > 0 {
		t := s.seats.free()
		if t == nil {
			return
		}
		// A copy, because dequeue moves the others up.
		n := s.queue[0]
		s.dequeue(n.peer)
		s.takeSeat(t, &n)
	}
}

// sendQueuePlace sends a queued player its place, 1 for the first.
func (s *Server[S, C]) sendQueuePlace(i int) {
	place := i + 1
	s.message(s.queue[i].peer, messageQueued, func(p *bits.Packer) { p.Ranged(&place, 1, MaxQueue) })
}

// receiveQueued reads the client's place in the queue.
func (c *Client[S, C]) receiveQueued() error {
	p := &c.packer
	var place int
	p.Ranged(&place, 1, MaxQueue)
	p.End()
	switch {
	case p.Err() != nil:
	case c.phase != Outside || !c.greeted:
		return errKind
	default:
		c.place = place
	}
	return p.Err()
}

// QueuePlace returns the client's place among those that wait for a seat, 1 is the next; 0 while it does
// not wait. Its Phase is Outside meanwhile.
func (c *Client[S, C]) QueuePlace() int { return c.place }
