package session

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/replicate"
	"github.com/backstep-net/backstep/shot"
)

// news is what a player is told beside moves and poses, repeated until it has
// arrived.
type news struct {
	hasStatus bool
	status    []byte
	receipts  []shot.Receipt
	sights    []sight
}

// sightScale is grid units a metre of where a shot seen went.
const sightScale = 64

func (n *news) pack(p *bits.Packer) {
	p.Bool(&n.hasStatus)
	if n.hasStatus {
		p.Blob(&n.status, MaxStatus)
	}
	resize(p, &n.receipts, maxReceipts)
	for i := range n.receipts {
		n.receipts[i].Pack(p)
	}
	resize(p, &n.sights, maxSights)
	for i := range n.sights {
		g := &n.sights[i]
		p.Uint16(&g.number)
		p.Uint16((*uint16)(&g.shooter))
		p.Vec(&g.from, sightScale)
		p.Vec(&g.to, sightScale)
	}
}

// resize packs the length of a list of at most max items and, reading, gives the
// list that length.
func resize[T any](p *bits.Packer, list *[]T, max int) {
	n := len(*list)
	p.Ranged(&n, 0, max)
	if p.Writing() {
		return
	}
	if cap(*list) < max {
		*list = make([]T, max)
	}
	*list = (*list)[:n]
}

// Send puts into the outbox what everybody is told of this tick: call it after
// Tick, and after the game has reacted to it.
func (s *Server[S, C]) Send() {
	for i := range s.seats {
		if t := &s.seats[i]; t.peer != 0 {
			s.sendTo(t)
		}
	}
}

// sendTo sends one player the snapshot of this tick. What concerns the player
// alone rides in its first datagram, which has room for all of it beside at least
// one entity.
func (s *Server[S, C]) sendTo(t *seat[S, C]) {
	frame := s.history.Frames.Frame(s.tick)
	first := true
	for parts := replicate.Split(frame, t.id); parts.More(); first = false {
		p := &s.packer
		p.Write(s.scratch[:maxDatagram])
		h := serverHeader{tick: s.tick, heard: t.heard, sent: t.sent, hold: s.now - t.arrived}
		h.pack(p)
		s.packVerdict(t, first)
		n := news{}
		if first {
			n = t.news()
		}
		n.pack(p)
		parts.Pack(p)
		if err := p.Err(); err != nil {
			panic("session: a snapshot cannot be packed: " + err.Error())
		}
		b := p.Bytes()
		s.outbox.send(t.peer, Datagram, b)
		t.traffic.DatagramsOut++
		t.traffic.BytesOut += uint64(len(b))
	}
}

// packVerdict writes what the server says of the player's moves.
func (s *Server[S, C]) packVerdict(t *seat[S, C], first bool) {
	var v *predict.Verdict[S]
	if first && t.authority != nil {
		v = t.authority.Verdict(s.now)
	}
	judged := v != nil
	s.packer.Bool(&judged)
	if judged {
		predict.PackVerdict(&s.packer, &s.rules, v)
	}
}

// news is what the player has not acknowledged yet.
func (t *seat[S, C]) news() news {
	return news{
		hasStatus: t.status.since != 0,
		status:    t.status.bytes[:t.status.len],
		receipts:  t.receipts.items[:t.receipts.n],
		sights:    t.sights.items[:t.sights.n],
	}
}
