package record

import (
	"bytes"
	"encoding/binary"
	"time"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Match is a match that can be recorded: a match as hosts know it, and further methods of a
// session.Server. A game's match that embeds its Server has most of them.
type Match interface {
	Identify(peer session.Peer, who session.Identity)
	Receive(from session.Peer, ch session.Channel, at clock.Micros, b []byte) error
	Disconnect(peer session.Peer)
	Kick(id session.PlayerID, why string)
	Tick(now clock.Micros)
	Kicked() []session.Event
	Outgoing() []session.Packet
	Report() any
	Format() uint32
	LevelHash() string

	Observe(w session.Observer)
	Seats() int
	FullSnapshot() *track.Snapshot
	ChangedFields(since uint64, visit func(id track.ID, name string, number int64, text string)) uint64
	World() *collide.World
	Players(into []session.PlayerInfo) []session.PlayerInfo
	Hash() uint64
}

// Recorder is a match that is recorded; it takes the match's place at its host. Everything that
// changes the match must pass through it, the packets of players in the same process
// (session.Loopback) too.
type Recorder struct {
	Match
	// Failed is called once with the error that ended the recording before the match, from the match's
	// goroutine: within a second of match time, or by Close. Nil is not called; Close returns the error too.
	Failed func(err error)

	w       *Writer
	second  int64 // of match time, of the chunk
	hashed  int64 // second of the last hash
	infos   []session.PlayerInfo
	roster  []Player          // by id
	fields  uint64            // the newest change of a field that the file has
	noted   uint64            // the newest trigger that the chunk has
	moved   []collide.MoverID // scratch
	seen    []bool            // scratch
	pending Message           // gathered
	packer  bits.Packer
	shots   []Shot
	// visit is the method field, made once because a method value allocates.
	visit func(id track.ID, name string, number int64, text string)
}

// Record returns the match, recorded from now on. The match must not have had inputs, or it cannot be
// replayed. Record takes the match's Observe.
func (w *Writer) Record(m Match) *Recorder {
	r := &Recorder{
		Match: m, w: w, hashed: -1,
		roster: make([]Player, m.Seats()+1), seen: make([]bool, m.Seats()+1),
	}
	r.visit = r.field
	m.Observe((*observer)(r))
	return r
}

// Receive records the packet and passes it on.
func (r *Recorder) Receive(from session.Peer, ch session.Channel, at clock.Micros, b []byte) error {
	// Deferred, so that a key is recorded before the input that drew it, even if that panics.
	defer r.w.input(&Input{Kind: Received, Peer: from, Channel: ch, At: at, Bytes: b})
	return r.Match.Receive(from, ch, at, b)
}

// Identify records the identity of a peer and passes it on.
func (r *Recorder) Identify(peer session.Peer, who session.Identity) {
	defer r.w.input(&Input{Kind: Identified, Peer: peer, Who: who})
	r.Match.Identify(peer, who)
}

// Disconnect records the end of a connection and passes it on.
func (r *Recorder) Disconnect(peer session.Peer) {
	defer r.w.input(&Input{Kind: Disconnected, Peer: peer})
	r.Match.Disconnect(peer)
}

// Kick records that a player is kicked by the host, and passes it on. What the match's own rules do while
// it ticks needs no record.
func (r *Recorder) Kick(id session.PlayerID, why string) {
	defer r.w.input(&Input{Kind: Kicked, Player: id, Why: why})
	r.Match.Kick(id, why)
}

// drainer is a match that takes part in the end of its server: host.Drainer.
type drainer interface{ Drain(left time.Duration) }

// Drain records that the server is about to stop, and passes it on if the match takes part in that.
func (r *Recorder) Drain(left time.Duration) {
	if m, ok := r.Match.(drainer); ok {
		at := clock.Micros(left.Microseconds())
		defer r.w.input(&Input{Kind: Draining, Left: at})
		m.Drain(time.Duration(at) * time.Microsecond) // as it is recorded
	}
}

// HostEvents returns what the host logs and counts of the match, if the match has any.
func (r *Recorder) HostEvents() []session.Event {
	if m, ok := r.Match.(interface{ HostEvents() []session.Event }); ok {
		return m.HostEvents()
	}
	return nil
}

// Tick plays the tick, then records its outputs. Chunks are written once per second of match time.
func (r *Recorder) Tick(now clock.Micros) {
	if s := int64(now / clock.Second); s != r.second || len(r.w.out.bytes) >= 4*fullAt {
		r.second = s
		r.flushMessage()
		r.w.cut()
		r.report(r.w.Err())
	}
	r.shots = r.shots[:0]
	r.play(now)
	f := r.Match.FullSnapshot()
	if f == nil || r.w.closed {
		return
	}
	r.w.tick = f.Tick
	r.w.in.note(f.Tick)
	if r.hashed != r.second {
		r.hashed = r.second
		r.w.input(&Input{Kind: Hash, Hash: r.Match.Hash()})
	}
	r.flushMessage()
	r.outputs(f)
}

// report calls Failed with the first error.
func (r *Recorder) report(err error) {
	if err != nil && r.Failed != nil {
		r.Failed(err)
		r.Failed = nil
	}
}

// play ticks the match and records that, even if it panics.
func (r *Recorder) play(now clock.Micros) {
	defer r.w.input(&Input{Kind: Ticked, At: now})
	r.Match.Tick(now)
}

// outputs records what a tick did. A chunk begins with the number of ticks lost before it and with
// all taken seats, fields and triggers, so that it can be read without the chunks before.
func (r *Recorder) outputs(f *track.Snapshot) {
	w := r.w
	fresh := len(w.out.bytes) == 0
	if fresh && w.lost > 0 {
		w.out.bytes = binary.AppendUvarint(append(w.out.bytes, outLost), uint64(w.lost))
	}
	w.frame(f)
	for i := range r.shots {
		w.out.bytes = r.shots[i].append(w.out.bytes)
	}
	r.players(fresh)
	r.changedFields(fresh)
	r.triggers(fresh, f.At)
}

// changedFields records the fields that changed, or all that ever did.
func (r *Recorder) changedFields(all bool) {
	if all {
		r.fields = 0
	}
	r.fields = r.Match.ChangedFields(r.fields, r.visit)
}

// field records a field that changed.
func (r *Recorder) field(id track.ID, name string, number int64, text string) {
	f := Field{ID: id, Name: name, Number: number, Text: text}
	r.w.out.bytes = f.append(r.w.out.bytes)
}

// triggers records the movers that were triggered since the last tick, or ever.
func (r *Recorder) triggers(all bool, at clock.Micros) {
	if all {
		r.noted = 0
	}
	log := r.Match.World().Triggers()
	r.moved, r.noted = log.Changed(r.noted, r.moved[:0])
	for _, id := range r.moved {
		r.w.out.bytes = appendTriggers(r.w.out.bytes, id, log.Log(id), at)
	}
}

// players records the seats that changed, or all taken seats.
func (r *Recorder) players(all bool) {
	r.infos = r.Match.Players(r.infos[:0])
	clear(r.seen)
	for i := range r.infos {
		info := &r.infos[i]
		r.seen[info.ID] = true
		p := Player{ID: info.ID, Name: info.Name, Taken: true, Connected: info.Connected}
		if all || r.roster[p.ID] != p {
			r.roster[p.ID] = p
			r.w.out.bytes = p.append(r.w.out.bytes)
		}
	}
	for id := range r.roster {
		if p := &r.roster[id]; p.Taken && !r.seen[id] {
			p.Taken, p.Connected = false, false
			r.w.out.bytes = p.append(r.w.out.bytes)
		}
	}
}

// gameMessage is the kind of a game's own message on the stream (protocol.md, section 3).
const gameMessage = 4

// Outgoing returns the match's packets, and records the game's messages among them.
func (r *Recorder) Outgoing() []session.Packet {
	packets := r.Match.Outgoing()
	for i := range packets {
		p := &packets[i]
		if p.Channel != session.Stream || len(p.Bytes) == 0 || p.Bytes[0] != gameMessage {
			continue
		}
		var kind uint8
		var body []byte
		r.packer.Read(p.Bytes)
		r.packer.Byte(&kind)
		r.packer.Blob(&body, session.MaxMessage)
		if len(r.pending.To) == maxTo || !bytes.Equal(body, r.pending.Bytes) {
			r.flushMessage()
			r.pending.Bytes = append(r.pending.Bytes[:0], body...)
		}
		r.pending.To = append(r.pending.To, p.Peer)
	}
	return packets
}

// flushMessage records the pending message.
func (r *Recorder) flushMessage() {
	if len(r.pending.To) > 0 && len(r.w.out.bytes) > 0 {
		r.w.out.bytes = r.pending.append(r.w.out.bytes)
	}
	r.pending.To, r.pending.Bytes = r.pending.To[:0], r.pending.Bytes[:0]
}

// Lost returns the number of ticks that have no outputs because the disk was too slow.
func (r *Recorder) Lost() int { return r.w.lostTotal }

// Close records the match's last hash and closes the file.
func (r *Recorder) Close() error {
	if !r.w.closed && r.w.tick > 0 {
		r.flushMessage()
		r.w.input(&Input{Kind: Hash, Hash: r.Match.Hash()})
	}
	err := r.w.Close()
	r.report(err)
	return err
}

// observer observes the match for a Recorder.
type observer Recorder

// ObserveMove ignores moves: the frame has their poses.
func (*observer) ObserveMove(*session.MoveStep) {}

// ObserveShot keeps the shot until the end of the tick.
func (r *observer) ObserveShot(s *shot.Shot, receipt *shot.Receipt, _ []track.Entity) {
	r.shots = append(r.shots, Shot{Receipt: *receipt, Eye: s.Eye, Yaw: s.Claim.Yaw, Pitch: s.Claim.Pitch})
}
