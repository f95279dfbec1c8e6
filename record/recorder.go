package record

import (
	"bytes"
	"encoding/binary"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Match is what can be recorded: a match as a host sees it, and what a session.Server
// says of itself beside. A game's match that embeds its Server has the most of it.
type Match interface {
	Receive(from session.Peer, ch session.Channel, at clock.Micros, b []byte) error
	Disconnect(peer session.Peer)
	Tick(now clock.Micros)
	Kicked() []session.Event
	Outgoing() []session.Packet
	Report(details bool) any

	Observe(w session.Observer)
	FullSnapshot() *track.Snapshot
	Players(into []session.PlayerInfo) []session.PlayerInfo
	Hash() uint64
}

// MessageSink is a Match that is told things from outside its session, which decide how it
// goes on: Recorder.Tell.
type MessageSink interface{ SentLog(b []byte) }

// Recorder is a match that is recorded; it takes the match's place at its host. Whatever
// else is done to the match must not change what players do: their own ends on the
// server's machine (session.Local) are no inputs, and cannot be recorded.
type Recorder struct {
	Match
	// Failed is told, once and from the match's goroutine, what has ended the recording
	// before the match. Nil tells nobody; Close returns it all the same.
	Failed func(err error)

	w      *Writer
	second int64 // of match time, of the chunk
	hashed int64 // second of the last hash
	infos  []session.PlayerInfo
	roster []Player // by id
	seen   []bool   // scratch
	said   Message  // gathered
	packer bits.Packer
	shots  []Shot
}

// Record returns the match, recorded from now on: before anybody has said anything to
// it, or it cannot be played again. It takes the match's Watch.
func (w *Writer) Record(m Match) *Recorder {
	r := &Recorder{
		Match: m, w: w, hashed: -1,
		roster: make([]Player, session.MaxPlayers+1), seen: make([]bool, session.MaxPlayers+1),
	}
	m.Observe((*watcher)(r))
	return r
}

// Receive records the packet and hands it on.
func (r *Recorder) Receive(from session.Peer, ch session.Channel, at clock.Micros, b []byte) error {
	// Afterwards, so that a key stands before what drew it; and even if that panics.
	defer r.w.input(&Input{Kind: Received, Peer: from, Channel: ch, At: at, Bytes: b})
	return r.Match.Receive(from, ch, at, b)
}

// Disconnect records the end of a connection and hands it on.
func (r *Recorder) Disconnect(peer session.Peer) {
	defer r.w.input(&Input{Kind: Disconnected, Peer: peer})
	r.Match.Disconnect(peer)
}

// Tell records what the game is told from outside and hands it on. The match must be a
// Teller.
func (r *Recorder) Tell(b []byte) {
	defer r.w.input(&Input{Kind: Sent, Bytes: b})
	r.Match.(MessageSink).SentLog(b)
}

// LoggedEvents hands on what a host asks of a match that is its Noter.
func (r *Recorder) LoggedEvents() []session.Event {
	if m, ok := r.Match.(interface{ Noted() []session.Event }); ok {
		return m.Noted()
	}
	return nil
}

// Tick plays the tick, then records what came of it. Once a second of match time what
// there is goes to the disk.
func (r *Recorder) Tick(now clock.Micros) {
	if s := int64(now / clock.Second); s != r.second || len(r.w.out.bytes) >= 4*fullAt {
		r.second = s
		r.flushSaid()
		r.w.cut()
		if err := r.w.Err(); err != nil && r.Failed != nil {
			r.Failed(err)
			r.Failed = nil
		}
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
	r.flushSaid()
	r.outputs(f)
}

// play has the match tick and notes it, even if it panics.
func (r *Recorder) play(now clock.Micros) {
	defer r.w.input(&Input{Kind: Ticked, At: now})
	r.Match.Tick(now)
}

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
}

// players records who came, went, or lost or found the connection; or everybody.
func (r *Recorder) players(all bool) {
	r.infos = r.Match.Players(r.infos[:0])
	clear(r.seen)
	for i := range r.infos {
		info := &r.infos[i]
		r.seen[info.ID] = true
		p := Player{ID: info.ID, Name: info.Name, Here: true, Connected: info.Connected}
		if all || r.roster[p.ID] != p {
			r.roster[p.ID] = p
			r.w.out.bytes = p.append(r.w.out.bytes)
		}
	}
	for id := range r.roster {
		if p := &r.roster[id]; p.Here && !r.seen[id] {
			p.Here, p.Connected = false, false
			r.w.out.bytes = p.append(r.w.out.bytes)
		}
	}
}

// sayGame is the kind of a game's own message on the stream, protocol.md section 3.
const sayGame = 4

// Outgoing is the match's, with a look at what the game says to players.
func (r *Recorder) Outgoing() []session.Packet {
	packets := r.Match.Outgoing()
	for i := range packets {
		p := &packets[i]
		if p.Channel != session.Stream || len(p.Bytes) == 0 || p.Bytes[0] != sayGame {
			continue
		}
		var kind uint8
		var body []byte
		r.packer.Read(p.Bytes)
		r.packer.Byte(&kind)
		r.packer.Blob(&body, session.MaxMessage)
		if len(r.said.To) == maxTo || !bytes.Equal(body, r.said.Bytes) {
			r.flushSaid()
			r.said.Bytes = append(r.said.Bytes[:0], body...)
		}
		r.said.To = append(r.said.To, p.Peer)
	}
	return packets
}

// flushSaid records the message that was gathered.
func (r *Recorder) flushSaid() {
	if len(r.said.To) > 0 && len(r.w.out.bytes) > 0 {
		r.w.out.bytes = r.said.append(r.w.out.bytes)
	}
	r.said.To, r.said.Bytes = r.said.To[:0], r.said.Bytes[:0]
}

// Lost is how many ticks' outputs were left out because the disk did not follow.
func (r *Recorder) Lost() int { return r.w.gone }

// Close records the match's last hash and closes the file.
func (r *Recorder) Close() error {
	if !r.w.closed && r.w.tick > 0 {
		r.flushSaid()
		r.w.input(&Input{Kind: Hash, Hash: r.Match.Hash()})
	}
	return r.w.Close()
}

// watcher is a Recorder as its match sees it.
type watcher Recorder

// ObserveMove is of no interest: the frame has it.
func (*watcher) ObserveMove(*session.MoveStep) {}

// ObserveShot keeps the shot until the tick is over.
func (r *watcher) ObserveShot(s *shot.Shot, receipt *shot.Receipt, _ []track.Entity) {
	r.shots = append(r.shots, Shot{Receipt: *receipt, Eye: s.Eye, Yaw: s.Claim.Yaw, Pitch: s.Claim.Pitch})
}
