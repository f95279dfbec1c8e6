package protocolmodel

// Bounds are how large the queues of one player may get. An action that would go beyond is left out: the
// network is not that bad.
type Bounds struct {
	Unrun   int // moves made that the server has not run
	Unacked int // moves run without an acknowledgement at the client
	Behind  int // corrections begun that the client has not applied
	Up      int // datagrams of one player in flight to the server, at most maxSlots
	Down    int // and from it
	Flight  int // datagrams of all players in flight, in both directions
}

const (
	maxUnrun = 3
	maxSlots = 2
)

// Phase is how far a client has got.
type Phase uint8

// The phases.
const (
	Playing Phase = iota
	Away          // its connection has ended
	Joining       // it has the seat back, and waits for its state
)

// Claim is where a client says that a move ended.
type Claim struct {
	Made   bool  // false: the datagram says nothing of it
	Behind uint8 // corrections begun since the one that the client had applied
	Stale  bool  // the prediction is not what the server has
}

// Upward is a datagram of a client: all its moves that are not acknowledged.
type Upward struct {
	Sent   bool  // false: there is none in this slot
	Newest int8  // move that it carries, after the newest run; 0 and less: all were run
	Claim  Claim // of the newest
	Old    bool  // of a connection that has ended
}

// Downward is a datagram of the server: a verdict.
type Downward struct {
	Sent       bool  // false: there is none in this slot
	Correction bool  // false: an acknowledgement
	Number     uint8 // moves run since the one that it acknowledges
	Behind     uint8 // corrections begun since this one
	Stale      bool  // its state is not what the server has any more
	Old        bool  // of a connection that has ended
}

// Queued is a move that waits at the server.
type Queued struct {
	There bool  // false: it has not come
	Claim Claim // that it came with
}

// Player is the state of one player, both ends and the network between them. Numbers are relative to the
// newest move that the server has run.
type Player struct {
	Phase   Phase // of its client
	Newest  uint8 // moves made since the newest run
	Unacked uint8 // moves run since the newest acknowledged
	Behind  uint8 // corrections begun since the newest applied
	Stale   bool  // the client's prediction is not what the server has

	Fix Downward // a correction that the next frame applies

	Queue      [maxUnrun]Queued // of the moves after the newest run
	Correcting bool             // no datagram has shown the newest correction
	Unsent     bool             // and it was never sent
	Held       uint8            // moves run since the one that the last correction acknowledged
	Disturbed  bool             // the next move ends elsewhere than its client can know

	Up   [maxSlots]Upward   // in flight to the server
	Down [maxSlots]Downward // in flight to the client
}

// Quiet reports agreement: nothing is under way, and the client has what the server has.
func (p *Player) Quiet() bool { return *p == Player{} }

// InFlight returns the number of datagrams.
func (p *Player) InFlight() (n int) {
	for i := range p.Up {
		n += count(p.Up[i].Sent) + count(p.Down[i].Sent)
	}
	return n
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// Flaws are faults that may be planted into the model, to see that it finds them.
type Flaws struct {
	AckWhileCorrecting bool // a held correction acknowledges newer moves than it had
	AckPastFix         bool // a client takes acknowledgements newer than a correction that waits
	OldCorrections     bool // a client takes corrections older than its newest acknowledgement
	OldConnections     bool // datagrams of a connection that has ended are taken
	PassedMoves        bool // the server queues moves that it has run
	NoRepeat           bool // a correction is sent once
	NoTest             bool // claims are not tested
	KeptMoves          bool // a client that comes back sends again what was not acknowledged
}

// diverge makes all that was predicted until now stale: the server has done what no client knows.
func (p *Player) diverge() {
	p.Stale = p.Phase == Playing
	if p.Fix.Sent {
		p.Fix.Stale = true
	}
	for i := range p.Queue {
		p.Queue[i].Claim.Stale = p.Queue[i].Claim.Made
	}
	for i := range p.Up {
		if p.Up[i].Sent && p.Up[i].Claim.Made {
			p.Up[i].Claim.Stale = true
		}
		if p.Down[i].Sent && p.Down[i].Correction {
			p.Down[i].Stale = true
		}
	}
}

// correct begins a correction.
func (p *Player) correct() {
	p.Correcting, p.Unsent = true, true
	if p.Phase == Playing {
		p.Behind++
	}
	if p.Fix.Sent {
		p.Fix.Behind++
	}
	for i := range p.Queue {
		if p.Queue[i].Claim.Made {
			p.Queue[i].Claim.Behind++
		}
	}
	for i := range p.Up {
		if p.Up[i].Sent {
			p.Up[i].Claim.Behind++
		}
		if p.Down[i].Sent && p.Down[i].Correction {
			p.Down[i].Behind++
		}
	}
}

// run runs the next move, which is queued, and tests its claim.
func (p *Player) run(f Flaws) {
	claim := p.Queue[0].Claim
	copy(p.Queue[:], p.Queue[1:])
	p.Queue[maxUnrun-1] = Queued{}
	if p.Phase == Playing {
		p.Newest--
		p.Unacked++
	}
	if p.Held++; p.Fix.Sent {
		p.Fix.Number++
	}
	for i := range p.Up {
		if p.Up[i].Sent {
			p.Up[i].Newest = max(p.Up[i].Newest-1, 0)
			if p.Up[i].Newest == 0 { // nothing in it but what it shows as applied
				p.Up[i].Claim.Made, p.Up[i].Claim.Stale = false, false
			}
		}
		if p.Down[i].Sent {
			p.Down[i].Number++
		}
	}
	if p.Disturbed {
		p.Disturbed = false
		p.diverge()
		claim.Stale = claim.Made
	}
	if claim.Made && !f.NoTest && !p.Correcting && claim.Behind == 0 && claim.Stale {
		p.correct()
	}
}

// tidy gives fields that decide nothing one value, so that states that act alike are one.
func (p *Player) tidy() {
	if !p.Correcting {
		p.Held = 0
	}
	if p.Up[0].Sent != p.Up[1].Sent && p.Up[1].Sent || p.Up[0].Sent && p.Up[1].Sent && later(p.Up[0].key(), p.Up[1].key()) {
		p.Up[0], p.Up[1] = p.Up[1], p.Up[0]
	}
	if p.Down[0].Sent != p.Down[1].Sent && p.Down[1].Sent || p.Down[0].Sent && p.Down[1].Sent && later(p.Down[0].key(), p.Down[1].key()) {
		p.Down[0], p.Down[1] = p.Down[1], p.Down[0]
	}
}

func later(a, b int) bool { return a > b }

// key orders datagrams: a network has no places.
func (u *Upward) key() int {
	return int(u.Newest)<<8 | int(u.Claim.Behind)<<4 | count(u.Claim.Stale)<<2 | count(u.Claim.Made)<<1 | count(u.Old)
}

func (d *Downward) key() int {
	return int(d.Number)<<8 | int(d.Behind)<<4 | count(d.Correction)<<2 | count(d.Stale)<<1 | count(d.Old)
}

// within reports whether a state keeps the bounds.
func (p *Player) within(b *Bounds) bool {
	ok := int(p.Newest) <= b.Unrun && int(p.Unacked) <= b.Unacked && int(p.Behind) <= b.Behind && int(p.Held) <= b.Unacked && int(p.Fix.Behind) <= b.Behind
	up, down := 0, 0
	for i := range p.Up {
		up += count(p.Up[i].Sent)
		down += count(p.Down[i].Sent)
		ok = ok && int(p.Up[i].Claim.Behind) <= b.Behind && int(p.Down[i].Behind) <= b.Behind && int(p.Down[i].Number) <= b.Unacked+1
	}
	return ok && up <= b.Up && down <= b.Down && int(p.Fix.Number) <= b.Unacked+1
}
