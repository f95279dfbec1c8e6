package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/replicate"
	"github.com/backstep-net/backstep/track"
)

// ackWindow is how long after a client's newest datagram its acknowledgement is repeated: long enough that a
// lost snapshot does not lose it.
const ackWindow = clock.Second

// maxState is the longest state that SetState takes, in bytes: a correction must fit
// into a datagram beside notices and the head of a part.
const maxState = 780

// Send puts the snapshots of this tick into the outbox, if the tick is one of those that are sent. Call it
// once after each Tick, and after the game has reacted to its events.
func (s *Server[S, C]) Send() {
	if s.history.Snapshots.Snapshot(s.tick) == nil {
		panic("session: Send belongs after Tick")
	}
	if !s.sends(s.tick) {
		return
	}
	s.timeline.send()
	s.noteTriggers()
	w := &s.batches
	w.active = w.active[:0]
	for i := range s.seats {
		t := &s.seats[i]
		if t.peer == 0 {
			continue
		}
		if !t.link.due(s.now) || !t.link.down.advance(s.now) || t.link.behind(&s.timeline, s.now) {
			t.link.skipped += 1 + s.skipped
			continue
		}
		w.active = append(w.active, int32(i))
	}
	if len(w.active) == 0 {
		return
	}
	s.replicator.Begin(s.tick)
	for _, l := range w.runInBatches(len(w.all), w.sendBatch)[1:] {
		for _, p := range l.output.take() {
			s.packets.send(p.Peer, p.Channel, p.Bytes)
		}
	}
}

// sendSeats makes the snapshots of a batch of players.
func (s *Server[S, C]) sendSeats(n int) {
	l := s.batches.all[n]
	frame := s.history.Snapshots.Snapshot(s.tick)
	for _, i := range l.seats {
		s.sendTo(l, &s.seats[i], frame)
	}
}

// snapshotRules are the rules of snapshots, with what the match adds to them.
func (s *Server[S, C]) snapshotRules() replicate.Rules {
	r := s.config.Snapshot
	if s.config.PlayersBlock {
		r.Near = max(r.Near, blockNear)
	}
	if s.visible != nil {
		others := r.Visible
		r.Visible = func(viewer, thing *track.Entity) bool {
			return s.visible.Visible(viewer.ID, thing.ID) && (others == nil || others(viewer, thing))
		}
	}
	return r
}

// sendTo sends one player the snapshot of this tick. What concerns the player
// alone is part of its first datagram.
func (s *Server[S, C]) sendTo(l *batch[S, C], t *seat[S, C], frame *track.Snapshot) {
	if t.link.firstSent == 0 {
		t.link.firstSent, t.link.sender, t.link.viewAge = s.tick, replicate.NewSender(s.replicator, t.id), newViewAgeEstimate(s.sent.schedule, &s.gaps)
		s.resendTriggers(t)
	}
	t.link.viewer.ID = t.id
	frame.Find(t.id, &t.link.viewer.Sample)
	t.link.sender.Use(l.snapshots)
	t.link.sender.SetBudget(t.link.budget())
	t.link.sender.Begin(s.tick, t.link.viewer)
	bits, size := 0, 0
	for first := true; t.link.sender.HasMore(); first = false {
		p := &l.packer
		p.Write(l.datagram[:])
		h := serverHeader{tick: s.tick, skipped: min(s.skipped+t.link.skipped, maxSkipped)}
		acked := t.link.arrivals.ack(s.now)
		if h.ackDelay = s.now - acked.at; first && h.ackDelay < ackWindow {
			h.received = acked.received
		}
		h.pack(p, &ackCodec{width: sequenceBits})
		s.packVerdict(l, t, first)
		s.packNotices(l, t, first)
		// The parts are what the budget bounds; all else in the datagrams is link.head.
		bits -= p.Bits()
		t.link.sender.Pack(p)
		bits += p.Bits()
		if err := p.Err(); err != nil {
			panic("session: a snapshot cannot be packed: " + err.Error())
		}
		b := p.Bytes()
		l.output.send(t.peer, Datagram, b)
		t.traffic.DatagramsOut++
		t.traffic.BytesOut += uint64(len(b))
		size += len(b)
	}
	t.link.skipped, t.link.head, t.link.first = 0, size-bits/8, t.link.first+bits/8
	t.link.down.spend(s.tick, s.now, size)
	t.snapshots.add(t.link.sender.Counts(), bits)
}

// packVerdict writes the verdict on the player's moves.
func (s *Server[S, C]) packVerdict(l *batch[S, C], t *seat[S, C], first bool) {
	var v *predict.Verdict[S]
	if first && t.authority != nil {
		v = t.authority.Verdict(s.now)
	}
	judged := v != nil
	l.packer.Bool(&judged)
	if judged {
		predict.PackVerdict(&l.packer, l.rules, v)
	}
}
