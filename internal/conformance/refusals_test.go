package conformance

import (
	"testing"

	"github.com/backstep-net/backstep/bits"
)

// stage is where in the sleds' recording bad packets come: right before a line at which
// client 1's datagram of moves, or the server's with news, is received.
type stage struct {
	line   int
	packet Hex
	trace  []Line
}

// stages finds the two places.
func stages(t *testing.T, log []Entry) (up, down stage) {
	r := NewReader(&log[0])
	read := map[int]*Vector{}
	traces := map[int][]Line{}
	for i := range log {
		if v, lines, _ := r.Next(&log[i]); v != nil {
			read[log[i].Packet], traces[log[i].Packet] = v, lines
		}
		e := log[i]
		v := read[e.Packet]
		if e.Do != "receive" || v == nil {
			continue
		}
		s := stage{i + 1, v.Bytes, traces[e.Packet]}
		if up.line == 0 && e.Peer == 1 && e.At > 900_000 && v.Up != nil && v.Up.Moves != nil && v.Up.Moves.Based && v.Up.Received != nil {
			up = s
		}
		if down.line == 0 && e.End == "client 1" && v.Down != nil && v.Down.News != nil && v.Down.Heard != nil && v.Down.Verdict != nil {
			down = s
		}
	}
	if up.line == 0 || down.line == 0 {
		t.Fatal("the recording has no place for bad packets")
	}
	return up, down
}

// asking gathers packets and what must come of them.
type asking struct {
	t        *testing.T
	log      []Entry
	up, down stage
	list     []Answer
}

// server adds a packet of a peer's for the server.
func (a *asking) server(name, answer string, peer, channel int, b Hex) {
	a.list = append(a.list, Answer{Name: name, Before: a.up.line, To: "server", Peer: peer, Channel: channel, Bytes: b, Answer: answer})
}

// client adds a packet for client 1.
func (a *asking) client(name, answer string, channel int, b Hex) {
	a.list = append(a.list, Answer{Name: name, Before: a.down.line, To: "client 1", Channel: channel, Bytes: b, Answer: answer})
}

// set returns the packet of a stage with another number in a field.
func (a *asking) set(s stage, name string, v uint64) Hex {
	b, err := edit(s.packet, s.trace, name, v)
	if err != nil {
		a.t.Fatal(err)
	}
	return b
}

// longer returns bytes with one more behind them.
func longer(b Hex) Hex { return append(append(Hex{}, b...), 0) }

// datagrams are those that a client may send.
func (a *asking) datagrams() {
	u := a.up
	add := func(name, answer string, b Hex) { a.server(name, answer, 1, 0, b) }
	add("nothing at all", "error", Hex{})
	add("a probe of transport's", "error", Hex{0})
	add("the server's kind of datagram", "error", a.set(u, "kind", 2))
	add("cut short", "error", u.packet[:len(u.packet)-1])
	add("a byte too many", "error", longer(u.packet))
	add("a longer header alone", "error", Hex{1, 0, 0})
	add("filling that is not zero", "error", raw(func(p *bits.Packer) { uints(p, 1, 3, 77, 10, 0, 1, 0, 1, 1, 1) }))
	add("acknowledges a snapshot that was not sent", "error", a.set(u, "received newest, low bits", 4000))
	add("a base that nobody knows", "ignored", a.set(u, "base, low bits", 700))
	add("more moves than there are", "error", a.set(u, "count", 15))
	add("another epoch", "taken", a.set(u, "epoch", 40))
	add("an honest datagram", "taken", u.packet)
	section := func(name, answer string, list ...uint64) {
		add(name, answer, raw(func(p *bits.Packer) { uints(p, append([]uint64{1, 3, 77, 10, 0, 1, 1, 1}, list...)...) }))
	}
	section("a count of few in the long form", "error", 0, 6, 0, 4, 3, 7)
	section("121 moves", "error", 0, 6, 0, 4, 121, 7)
	section("a first move of no duration", "error", 0, 6, 1, 4, 0, 1, 9, 16, 25_000, 19, 0, 12, 3, 2, 0, 38)
	section("a first move of 125.04 ms", "error", 0, 6, 1, 4, 0, 1, 9, 16, 25_000, 19, 3126, 12, 3, 2, 0, 38)
	section("a stamp before the match began", "error", 0, 6, 1, 4, 0, 1, 9, 16, 500_000, 19, 400, 12, 1, 2, 0, 38)
	section("a pause of zero in the long form", "error", 0, 6, 2, 4, 0, 1, 9, 16, 25_000, 19, 400, 12, 1, 2, 1, 1, 0, 1, 0, 5, 1, 2, 0, 38)
	section("a duration in a longer form", "error", 0, 6, 2, 4, 0, 1, 9, 16, 25_000, 19, 400, 12, 1, 2, 0, 3, 401, 12, 1, 1, 1, 2, 0, 38)
	section("a stamp that does not advance", "error", 0, 6, 2, 4, 0, 1, 9, 16, 25_000, 19, 1, 12, 1, 2, 1, 1, 0, 1, 1, 5, 1, 2, 0, 38)
	section("an empty section", "taken", 0, 6, 0, 4, 0, 7)
	a.server("moves of somebody without a seat", "error", 9, 0, u.packet)
}

// hellos are those of somebody new.
func (a *asking) hellos() {
	hello := func(name, answer string, change func(h *Hello)) {
		h := *readHello(a.t, a.log)
		change(&h)
		b, err := (&Vector{Channel: 1, Stream: &Stream{Kind: kindHello, Hello: &h}}).Write()
		if err != nil {
			a.t.Fatal(name, err)
		}
		a.server(name, answer, 9, 1, b)
	}
	hello("a stray connection", "kicked", func(h *Hello) { h.Magic++ })
	hello("another version", "kicked", func(h *Hello) { h.Version = 2 })
	hello("another format", "kicked", func(h *Hello) { h.Format++ })
	hello("no name", "kicked", func(h *Hello) { h.Name = "" })
	hello("a name that ends in a space", "kicked", func(h *Hello) { h.Name = "Ann " })
	hello("a name of control characters", "kicked", func(h *Hello) { h.Name = "A\u0007" })
	hello("a name of 25 characters", "kicked", func(h *Hello) { h.Name = "abcdefghijklmnopqrstuvwxy" })
	hello("a name that is not UTF-8", "kicked", func(h *Hello) { h.Name = "\xff\xfe" })
	hello("a third seat", "taken", func(h *Hello) { h.Name = "Cy" })
}

// messages are the others on the stream.
func (a *asking) messages() {
	add := func(name string, b Hex) { a.server(name, "kicked", 1, 1, b) }
	add("hello said twice", firstOf(a.log, "client 1", 1))
	add("nothing on the stream", Hex{})
	add("a message of no kind", Hex{9})
	add("a server's evidence", Hex{kindEvidence, 0, 0, 0, 0, 0})
	add("a dispute cut short", Hex{kindDispute, 1, 0, 0})
	add("a server's message", Hex{kindRefused, 0})
	add("leave with something behind", Hex{kindLeave, 0})
	add("a delay of 251 ms", Hex{kindDelay, 251})
	add("a message cut short", Hex{kindGame, 5, 0, 'h', 'i'})
	add("a message of 4,097 bytes", append(Hex{kindGame, 4097 & 255, 4097 >> 8}, make(Hex, 4097)...))
	a.server("a game's message before hello", "kicked", 9, 1, Hex{kindGame, 0, 0})
}

// forClients are a server's packets.
func (a *asking) forClients() {
	d := a.down
	a.client("a client's kind of datagram", "error", 0, a.set(d, "kind", 1))
	a.client("tick 0", "error", 0, a.set(d, "tick", 0))
	a.client("hears a datagram that was not sent", "error", 0, a.set(d, "heard newest, low bits", 900))
	a.client("a snapshot cut short", "error", 0, d.packet[:len(d.packet)-2])
	a.client("a snapshot with a byte too many", "error", 0, longer(d.packet))
	a.client("a snapshot told against one that never came", "error", 0, a.set(d, "base, ticks back", 1))
	a.client("an honest snapshot", "taken", 0, d.packet)
	a.client("news of nothing", "error", 0, raw(func(p *bits.Packer) {
		uints(p, 2, 3, 50, 32, 0, 1, 0, 1, 0, 1, 1, 1, 0, 1, 0, 5, 0, 5, 0, 5, 0, 1, 0, 6, 0, 1, 0, 1, 0, 1, 1, 1)
	}))
	a.client("a snapshot with bent set and nothing kinked", "error", 0, raw(func(p *bits.Packer) {
		uints(p, 2, 3, 50, 32, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 6, 1, 1, 0, 1, 0, 1, 1, 1)
	}))
	a.client("a cause of 5", "error", 0, raw(func(p *bits.Packer) {
		uints(p, 2, 3, 50, 32, 0, 1, 1, 1, 9, 32, 1, 1, 5, 3, 0, 8, 0, 8, 0, 10, 0, 1, 0, 4, 0, 1, 1, 1)
	}))
	a.client("a second welcome", "error", 1, firstOf(a.log, "server", 1))
	a.client("a message of no kind", "error", 1, Hex{9})
	a.client("a client's dispute", "error", 1, Hex{kindDispute, 1, 0, 0, 0})
}

// uints writes numbers, each followed by its bits.
func uints(p *bits.Packer, list ...uint64) {
	for i := 0; i < len(list); i += 2 {
		p.Uint(&list[i], int(list[i+1]))
	}
}

func readHello(t *testing.T, log []Entry) *Hello {
	v := Vector{From: "client", Channel: 1, Bytes: firstOf(log, "client 1", 1)}
	if _, err := v.Read(); err != nil {
		t.Fatal(err)
	}
	return v.Stream.Hello
}

// firstOf returns the first packet that an end sent on a channel.
func firstOf(log []Entry, end string, channel int) Hex {
	for _, e := range log {
		if e.End == end && e.Do == "send" && e.Channel == channel {
			return e.Bytes
		}
	}
	return nil
}

// Each bad packet is answered as the file says, and what must change nothing changes
// nothing: the match goes on as recorded, byte for byte. [THR-13, REP-08]
func TestAnswersToBadPackets(t *testing.T) {
	log, err := ReadLines[Entry](golden("sled-session.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	a := asking{t: t, log: log}
	a.up, a.down = stages(t, log)
	a.datagrams()
	a.hellos()
	a.messages()
	a.forClients()
	list := a.list
	for i := range list {
		list[i].hear(t, log)
	}
	compare(t, "answers.jsonl", Lines(list))
	for i := range list {
		if err := list[i].Check(sleds(t), log[1:]); err != nil {
			t.Error(err)
		}
	}
}

// hear fills in our words.
func (a *Answer) hear(t *testing.T, log []Entry) {
	m := sleds(t)
	_ = m.Replay(log[1:], "", func(i int) bool {
		if i+2 != a.Before {
			return false
		}
		_, err := m.Do(&Entry{End: a.To, Do: "receive", Peer: a.Peer, Channel: a.Channel, Bytes: a.Bytes, At: lastAt(log[1:i+1], a.To)})
		a.Words = wordsOf(err)
		return true
	})
}
