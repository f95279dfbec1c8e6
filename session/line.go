package session

import (
	"slices"

	"github.com/backstep-net/backstep/bits"
)

// MaxQueue is the largest number of players that can wait for a seat.
const MaxQueue = 1024

// enqueue appends a player to the queue and sends its place. It returns errFull if the queue is full. An
// account or peer is queued once.
func (s *Server[S, C]) enqueue(n *newcomer) error {
	if n.account != "" {
		i := slices.IndexFunc(s.line, func(o newcomer) bool { return o.account == n.account })
		if i >= 0 { // it keeps its place: a connection was lost, or it opened a second page
			old := s.line[i].peer
			s.line[i] = *n
			s.kick(nil, old, "session: you joined from elsewhere")
			s.tellPlace(i)
			return nil
		}
	}
	if len(s.line) >= s.config.Queue {
		return errFull
	}
	s.line = append(s.line, *n)
	s.tellPlace(len(s.line) - 1)
	return nil
}

// queued reports whether a peer waits for a seat.
func (s *Server[S, C]) queued(peer Peer) bool {
	return slices.ContainsFunc(s.line, func(n newcomer) bool { return n.peer == peer })
}

// leaveLine takes a peer out of the line and tells those behind it their new places. It reports whether
// it stood there.
func (s *Server[S, C]) leaveLine(peer Peer) bool {
	i := slices.IndexFunc(s.line, func(n newcomer) bool { return n.peer == peer })
	if i < 0 {
		return false
	}
	s.line = slices.Delete(s.line, i, i+1)
	for ; i < len(s.line); i++ {
		s.tellPlace(i)
	}
	return true
}

// admitFromLine gives the free seats to those in front.
func (s *Server[S, C]) admitFromLine() {
	for len(s.line) > 0 {
		t := s.seats.free()
		if t == nil {
			return
		}
		n := s.line[0]
		s.leaveLine(n.peer)
		s.takeSeat(t, &n)
	}
}

// tellPlace tells a newcomer how many stand before it.
func (s *Server[S, C]) tellPlace(i int) {
	place := i + 1
	s.message(s.line[i].peer, messageQueued, func(p *bits.Packer) { p.Ranged(&place, 1, MaxQueue) })
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
