package session

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/backstep-net/backstep/bits"
)

// joiner is a peer whose hello was accepted.
type joiner struct {
	peer    Peer
	name    string
	account string
	data    []byte // the identity's, for the game
	options string // the client's, for the game
	strays  int    // datagrams that it sent while queued
}

// admit handles a hello: the peer gets its own seat, by account or key, or else a free one, or a place in
// the queue. The error says why it gets none.
func (s *Server[S, C]) admit(t *seat[S, C], from Peer) error {
	h := hello{}
	h.pack(&s.packer)
	s.packer.End()
	if err := s.packer.Err(); err != nil {
		return err
	}
	if t != nil || s.Queued(from) {
		return errTwice
	}
	if h.format != s.format {
		return formatError{ours: s.format, theirs: h.format}
	}
	identity := s.identity(from)
	n := joiner{peer: from, name: cmp.Or(identity.Name, h.name), account: identity.Account, data: identity.Data, options: h.options}
	if err := CheckName(n.name); err != nil {
		return err
	}
	if t = s.seats.of(identity.Account, h.key); t != nil {
		s.takeSeat(t, &n)
		s.leaveQueue(n.account)
		return nil
	}
	// After the search for its seat: a player that has the key of a seat needs no token to come back.
	if identity.Refused != "" {
		return errRefused(identity.Refused)
	}
	// A seat that became free in this tick is for the first in the queue, which gets it in the next Tick.
	if t = s.seats.free(); t != nil && len(s.queue) == 0 {
		s.takeSeat(t, &n)
		return nil
	}
	return s.enqueue(&n)
}

// takeSeat gives a seat to a joiner. A player that returns keeps key, traffic and state; its earlier
// connection is closed and everything queued for it is dropped, because the new client counts
// commands and datagrams from the beginning.
func (s *Server[S, C]) takeSeat(t *seat[S, C], n *joiner) {
	again := t.taken && !t.reserved
	if t.present() {
		s.kick(t, t.peer, joinedElsewhere)
	}
	if !t.taken {
		t.key = s.config.NewKey()
	}
	t.taken, t.reserved, t.away = true, false, 0
	t.name, t.account = s.seats.uniqueName(n.name, t), cmp.Or(n.account, t.account)
	s.seatOf[n.peer] = t.id
	s.startCombat()
	w := welcome{len(s.seats), int(t.id), t.key, s.sent.schedule, s.config.LevelHash, s.config.PlayersBlock, s.config.LagCompensationOptOut, s.seed, s.config.MatchInfo, s.weapons}
	s.message(n.peer, messageWelcome, func(p *bits.Packer) { w.pack(p) })
	s.clearDiscrepancy(t)
	s.connect(t, n.peer)
	s.event(Event{Kind: Joined, Player: t.id, Peer: n.peer, Name: t.name, Account: t.account, Text: n.options, Bytes: n.data, Reconnected: again})
}

// connect begins a connection of a seat: what belongs to the player goes on.
func (s *Server[S, C]) connect(t *seat[S, C], peer Peer) {
	t.discrepancy.earlier = t.timeDiscrepancy()
	// The totals go on; the error is that of the authority of the new connection.
	t.discrepancy.earlier.Error, t.discrepancy.earlier.Resolving = 0, false
	authority, entered := t.authority, t.remote.entered
	t.authority, t.remote, t.combat = nil, t.remote.vacated(), t.combat.Reconnected()
	t.connection = connection{peer: peer}
	if authority != nil {
		s.SetState(t.id, *authority.State())
		t.authority.Continue(authority, s.now)
		t.remote.entered = entered
	}
}

// uniqueName returns a name for the player of a seat, with a number appended if another player has it.
func (s seats[S, C]) uniqueName(name string, of *seat[S, C]) string {
	for n, unique := 2, name; ; n++ {
		taken := false
		for i := range s {
			t := &s[i]
			taken = taken || t != of && t.taken && strings.EqualFold(t.name, unique)
		}
		if !taken {
			return unique
		}
		number := " (" + strconv.Itoa(n) + ")"
		letters := []rune(name)
		unique = strings.TrimRight(string(letters[:min(len(letters), MaxName-len(number))]), " ") + number
	}
}

// vacate frees a seat. Its time is at least 1, because 0 means a seat that was never given up.
func (s *Server[S, C]) vacate(t *seat[S, C]) {
	s.clearDiscrepancy(t)
	s.combat.RemoveProjectiles(t.id)
	s.event(Event{Kind: Left, Player: t.id, Peer: t.peer, Name: t.name})
	s.fields.Clear(t.id, s.tick)
	*t = seat[S, C]{id: t.id, remote: t.remote.vacated(), away: max(s.now, 1)}
}
