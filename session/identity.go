package session

import "slices"

// Identity is what a host knows about a peer besides its hello, for example from a connect token. The zero Identity
// is an anonymous player, identified only by the key of its seat.
type Identity struct {
	// Account identifies the player permanently. An account has one seat at a time, which a new connection
	// takes over, with the seat's key or without. Empty: none.
	Account string
	// Name is the player's name in place of that of the hello; empty leaves that.
	Name string
	// Data is the game's, handed to it as Event.Bytes of Joined; it must not change afterwards.
	Data []byte
	// Refused is why the peer gets no new seat, a sentence for the player: no token, or an invalid one.
	// With the key of a seat it still gets that seat back. Empty admits it.
	Refused string
}

// identified is a peer that has not said hello yet, and its identity.
type identified struct {
	peer     Peer
	identity Identity
}

// Identify sets the identity of a peer. Call it before passing the peer's hello to Receive. A peer that was not
// identified has the zero Identity.
func (s *Server[S, C]) Identify(peer Peer, identity Identity) {
	s.identities = append(s.identities, identified{peer, identity})
}

// identity takes the identity of a peer that says hello.
func (s *Server[S, C]) identity(peer Peer) Identity {
	i := slices.IndexFunc(s.identities, func(k identified) bool { return k.peer == peer })
	if i < 0 {
		return Identity{}
	}
	identity := s.identities[i].identity
	s.identities = slices.Delete(s.identities, i, i+1)
	return identity
}

// errRefused is an identity's reason for having no seat.
type errRefused string

func (e errRefused) Error() string { return string(e) }
