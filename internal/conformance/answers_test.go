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

// answers are the packets that are handed in, and what must come of them.
func answers(t *testing.T, log []Entry) (list []Answer) {
	u, d := stages(t, log)
	add := func(name, answer, to string, peer, channel int, b Hex) {
		line := u.line
		if to != "server" {
			line = d.line
		}
		list = append(list, Answer{Name: name, Before: line, To: to, Peer: peer, Channel: channel, Bytes: b, Answer: answer})
	}
	set := func(s stage, name string, v uint64) Hex {
		b, err := edit(s.packet, s.trace, name, v)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	toServer := func(name, answer string, b Hex) { add(name, answer, "server", 1, 0, b) }
	toServer("nothing at all", "error", Hex{})
	toServer("a probe of transport's", "error", Hex{0})
	toServer("the server's kind of datagram", "error", set(u, "kind", 2))
	toServer("cut short", "error", u.packet[:len(u.packet)-1])
	toServer("a byte too many", "error", append(Hex{}, append(u.packet, 0)...))
	toServer("a longer header alone", "error", Hex{1, 0, 0})
	toServer("acknowledges a snapshot that was not sent", "error", set(u, "received newest, low bits", 4000))
	toServer("a base that nobody knows", "ignored", set(u, "base, low bits", 700))
	toServer("moves twice as many as there are", "error", set(u, "count", 15))
	toServer("another epoch", "taken", set(u, "epoch", 40))
	toServer("an honest datagram", "taken", u.packet)
	toServer("a count of few in the long form", "error", movesOf(func(p *bits.Packer) { uints(p, 0, 6, 0, 4, 3, 7) }))
	toServer("121 moves", "error", movesOf(func(p *bits.Packer) { uints(p, 0, 6, 0, 4, 121, 7) }))
	toServer("a first move of no duration", "error", movesOf(func(p *bits.Packer) { uints(p, 0, 6, 1, 4, 0, 1, 9, 16, 25_000, 19, 0, 12, 3, 2, 0, 38) }))
	toServer("a first move of 125.04 ms", "error", movesOf(func(p *bits.Packer) { uints(p, 0, 6, 1, 4, 0, 1, 9, 16, 25_000, 19, 3126, 12, 3, 2, 0, 38) }))
	toServer("a stamp before the match began", "error", movesOf(func(p *bits.Packer) { uints(p, 0, 6, 1, 4, 0, 1, 9, 16, 500_000, 19, 400, 12, 1, 2, 0, 38) }))
	toServer("filling that is not zero", "error", raw(func(p *bits.Packer) { uints(p, 1, 3, 77, 10, 0, 1, 0, 1, 1, 1) }))
	toServer("an empty section", "taken", movesOf(func(p *bits.Packer) { uints(p, 0, 6, 0, 4, 0, 7) }))
	add("moves of somebody without a seat", "error", "server", 9, 0, u.packet)

	stream := func(name, answer string, peer int, s Stream, change func(Hex) Hex) {
		v := Vector{Channel: 1, Stream: &s}
		b, err := v.Write()
		if err != nil {
			t.Fatal(name, err)
		}
		if change != nil {
			b = change(b)
		}
		add(name, answer, "server", peer, 1, b)
	}
	hello := *readHello(t, log)
	asked := func(change func(h *Hello)) Stream {
		h := hello
		change(&h)
		return Stream{Kind: kindHello, Hello: &h}
	}
	stream("hello said twice", "kicked", 1, asked(func(*Hello) {}), nil)
	stream("a stray connection", "kicked", 9, asked(func(h *Hello) { h.Magic++ }), nil)
	stream("another version", "kicked", 9, asked(func(h *Hello) { h.Version = 2 }), nil)
	stream("another format", "kicked", 9, asked(func(h *Hello) { h.Format++ }), nil)
	stream("no name", "kicked", 9, asked(func(h *Hello) { h.Name = "" }), nil)
	stream("a name that ends in a space", "kicked", 9, asked(func(h *Hello) { h.Name = "Ann " }), nil)
	stream("a name of control characters", "kicked", 9, asked(func(h *Hello) { h.Name = "A\u0007" }), nil)
	stream("a name of 25 characters", "kicked", 9, asked(func(h *Hello) { h.Name = "abcdefghijklmnopqrstuvwxy" }), nil)
	stream("a name that is not UTF-8", "kicked", 9, asked(func(h *Hello) { h.Name = "\xff\xfe" }), nil)
	stream("a third seat", "taken", 9, asked(func(h *Hello) { h.Name = "Cy" }), nil)
	stream("a game's message before hello", "kicked", 9, Stream{Kind: kindGame, Body: Hex("hi")}, nil)
	stream("a message of no kind", "kicked", 1, Stream{Kind: kindLeave}, func(Hex) Hex { return Hex{7} })
	stream("a server's message", "kicked", 1, Stream{Kind: kindLeave}, func(Hex) Hex { return Hex{kindRefused, 0} })
	stream("leave with something behind", "kicked", 1, Stream{Kind: kindLeave}, func(b Hex) Hex { return append(b, 0) })
	stream("a delay of 251 ms", "kicked", 1, Stream{Kind: kindDelay}, func(Hex) Hex { return Hex{kindDelay, 251} })
	stream("a message cut short", "kicked", 1, Stream{Kind: kindGame, Body: Hex("hello")}, func(b Hex) Hex { return b[:5] })
	stream("a message of 4,097 bytes", "kicked", 1, Stream{Kind: kindGame}, func(Hex) Hex {
		return raw(func(p *bits.Packer) {
			uints(p, kindGame, 8, 4097, 13, 0, 3)
			for range 4097 {
				uints(p, 0, 8)
			}
		})
	})

	toClient := func(name, answer string, channel int, b Hex) { add(name, answer, "client 1", 0, channel, b) }
	toClient("a client's kind of datagram", "error", 0, set(d, "kind", 1))
	toClient("tick 0", "error", 0, set(d, "tick", 0))
	toClient("hears a datagram that was not sent", "error", 0, set(d, "heard newest, low bits", 900))
	toClient("a snapshot cut short", "error", 0, d.packet[:len(d.packet)-2])
	toClient("a snapshot with a byte too many", "error", 0, append(Hex{}, append(d.packet, 0)...))
	toClient("an honest snapshot", "taken", 0, d.packet)
	toClient("news of nothing", "error", 0, raw(func(p *bits.Packer) { uints(p, 2, 3, 50, 32, 0, 1, 0, 1, 1, 1, 0, 1, 0, 5, 0, 5, 0, 4, 0, 1, 1, 1) }))
	toClient("a cause of 5", "error", 0, raw(func(p *bits.Packer) {
		uints(p, 2, 3, 50, 32, 0, 1, 1, 1, 9, 32, 1, 1, 5, 3, 0, 8, 0, 8, 0, 10, 0, 1, 0, 4, 0, 1, 1, 1)
	}))
	toClient("a second welcome", "error", 1, welcomeOf(t, log))
	toClient("a message of no kind", "error", 1, Hex{9})
	return list
}

// movesOf returns a client's datagram that acknowledges nothing, with a section of moves.
func movesOf(write func(p *bits.Packer)) Hex {
	return raw(func(p *bits.Packer) {
		uints(p, 1, 3, 77, 10, 0, 1, 1, 1)
		write(p)
	})
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

func welcomeOf(t *testing.T, log []Entry) Hex { return firstOf(log, "server", 1) }

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
// nothing: the match goes on as recorded, byte for byte (threats).
func TestAnswersToBadPackets(t *testing.T) {
	log, err := ReadLines[Entry](golden("sled-session.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	list := answers(t, log)
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
