package conformance

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/session"
)

// Answer is a packet that is handed to an end in the sleds' recording, right before the
// line Before, and what the end must answer.
type Answer struct {
	Name    string `json:"name"`
	Before  int    `json:"before"` // line, from 1
	To      string `json:"to"`     // "server" or "client 1"
	Peer    int    `json:"peer,omitempty"`
	Channel int    `json:"channel"`
	Bytes   Hex    `json:"bytes"`
	// Answer is "error" (counted as a fault, and nothing changes), "ignored" (nothing
	// changes, no fault), "kicked" (the server sends refused and closes) or "accepted".
	Answer string `json:"answer"`
	Words  string `json:"words,omitempty"` // of our error
}

// check plays the recording up to the packet, hands that in, and, where it must change
// nothing, plays on to the end. It fills in Words.
func (a *Answer) check(m *Machine[SledState, SledInput], log []Entry) error {
	unchanged := a.Answer == "error" || a.Answer == "ignored"
	done := false
	var result error
	err := m.Replay(log, "", func(i int) bool {
		if i+2 == a.Before { // log leaves out the first line
			e := Entry{End: a.To, Do: "receive", Peer: a.Peer, Channel: a.Channel, Bytes: a.Bytes, At: lastAt(log[:i], a.To)}
			out, err := m.Do(&e)
			a.Words, done = wordsOf(err), true
			result = a.compare(err, out)
		}
		return done && (!unchanged || result != nil)
	})
	switch {
	case !done:
		return fmt.Errorf("%s: there is no line %d", a.Name, a.Before)
	case result != nil:
		return result
	case err != nil:
		return fmt.Errorf("%s: after it: %w", a.Name, err)
	}
	return nil
}

// lastAt is an end's time before a line.
func lastAt(log []Entry, end string) (at int64) {
	for _, e := range log {
		if e.End == end && e.At > 0 {
			at = e.At
		}
	}
	return at
}

// compare holds the answer of our end to what it must be.
func (a *Answer) compare(err error, out []session.Packet) error {
	got := a.Answer // ignored and accepted differ in what follows
	switch {
	case err != nil && len(out) > 0:
		got = "kicked"
		words := err.Error()
		if want := append([]byte{3, byte(len(words))}, words...); !bytes.Equal(out[0].Bytes, want) || out[0].Channel != session.Stream {
			return fmt.Errorf("%s: answered with %x instead of refused", a.Name, out[0].Bytes)
		}
	case err != nil:
		got = "error"
	case a.Answer == "error" || a.Answer == "kicked":
		got = "accepted"
	}
	if got != a.Answer {
		return fmt.Errorf("%s: got %s %v, want %s", a.Name, got, err, a.Answer)
	}
	return nil
}

// answers gathers packets and their answers.
type answers struct {
	log             []Entry
	toServer        int // the line before which packets for the server come
	toClient        int // and those for client 1
	moves, snapshot Hex // what those lines receive
	list            []Answer
}

// newAnswers finds the two lines: moves and a snapshot that arrive in the middle of play.
func newAnswers(t *testing.T, log []Entry) *answers {
	a := answers{log: log}
	sent := map[int]Hex{}
	for i, e := range log {
		if e.Do == "send" {
			sent[e.Packet] = e.Bytes
		}
		if b := sent[e.Packet]; e.Do != "receive" || e.Channel != 0 || len(b) < 20 {
			continue
		} else if a.toServer == 0 && e.Peer == 1 && e.At > 900_000 {
			a.toServer, a.moves = i+1, b
		} else if a.toClient == 0 && e.End == "client 1" && e.At > 8_300_000 {
			a.toClient, a.snapshot = i+1, b
		}
	}
	if a.toServer == 0 || a.toClient == 0 {
		t.Fatal("the recording has no place for bad packets")
	}
	return &a
}

// server adds a packet of a peer for the server.
func (a *answers) server(name, answer string, peer, channel int, b Hex) {
	a.list = append(a.list, Answer{Name: name, Before: a.toServer, To: "server", Peer: peer, Channel: channel, Bytes: b, Answer: answer})
}

// client adds a packet for client 1.
func (a *answers) client(name, answer string, channel int, b Hex) {
	a.list = append(a.list, Answer{Name: name, Before: a.toClient, To: "client 1", Channel: channel, Bytes: b, Answer: answer})
}

// fields returns a message of numbers, each followed by its bits.
func fields(list ...uint64) Hex {
	var p bits.Packer
	p.Write(make([]byte, 5000))
	for i := 0; i < len(list); i += 2 {
		p.Uint(&list[i], int(list[i+1]))
	}
	return bytes.Clone(p.Bytes())
}

// longer returns bytes with one more behind them.
func longer(b Hex) Hex { return append(bytes.Clone(b), 0) }

// datagrams are those for a server.
func (a *answers) datagrams() {
	add := func(name, answer string, b Hex) { a.server(name, answer, 1, 0, b) }
	add("an empty datagram", "ignored", Hex{})
	add("a probe of the transport", "ignored", Hex{0})
	add("two zero bytes", "error", Hex{0, 0})
	add("the server's kind of datagram", "error", fields(2, 3, 77, 10, 0, 1, 0, 1))
	add("cut short", "error", a.moves[:len(a.moves)-1])
	add("a byte too many", "error", longer(a.moves))
	add("a longer header alone", "error", Hex{1, 0, 0})
	add("filling that is not zero", "error", fields(1, 3, 77, 10, 0, 1, 0, 1, 1, 1))
	add("acknowledges a snapshot that was not sent", "error", fields(1, 3, 77, 10, 1, 1, 4000, 12, 0, 1, 0, 1, 0, 1))
	add("an honest datagram", "accepted", a.moves)
	section := func(name, answer string, list ...uint64) {
		add(name, answer, fields(append([]uint64{1, 3, 77, 10, 0, 1, 1, 1}, list...)...))
	}
	section("a baseline that is not known", "ignored", 0, 6, 1, 4, 1, 1, 700, 10, 0, 5, 1, 1, 1, 1, 1, 1, 0, 1, 0, 38)
	section("more moves than there are", "error", 0, 6, 15, 4, 0, 1, 9, 16, 25_000, 19, 400, 12, 1, 2, 0, 38)
	section("another epoch", "accepted", 40, 6, 1, 4, 0, 1, 9, 16, 25_000, 19, 400, 12, 1, 2, 0, 38)
	section("few moves in the long form of the count", "error", 0, 6, 0, 4, 3, 7)
	section("121 moves", "error", 0, 6, 0, 4, 121, 7)
	section("a first move of no duration", "error", 0, 6, 1, 4, 0, 1, 9, 16, 25_000, 19, 0, 12, 3, 2, 0, 38)
	section("a first move of 125.04 ms", "error", 0, 6, 1, 4, 0, 1, 9, 16, 25_000, 19, 3126, 12, 3, 2, 0, 38)
	section("a stamp before the match began", "error", 0, 6, 1, 4, 0, 1, 9, 16, 500_000, 19, 400, 12, 1, 2, 0, 38)
	section("a pause of zero in the long form", "error", 0, 6, 2, 4, 0, 1, 9, 16, 25_000, 19, 400, 12, 1, 2, 1, 1, 0, 1, 0, 5, 1, 2, 0, 38)
	section("a duration in a longer form", "error", 0, 6, 2, 4, 0, 1, 9, 16, 25_000, 19, 400, 12, 1, 2, 0, 3, 401, 12, 1, 1, 1, 2, 0, 38)
	section("a stamp that does not advance", "error", 0, 6, 2, 4, 0, 1, 9, 16, 25_000, 19, 1, 12, 1, 2, 1, 1, 0, 1, 1, 5, 1, 2, 0, 38)
	section("an empty section", "accepted", 0, 6, 0, 4, 0, 7)
	a.server("moves of a connection without a seat", "error", 9, 0, a.moves)
}

// hellos are those of a new connection.
func (a *answers) hellos() {
	first := firstOf(a.log, "client 1", 1)
	format := binary.LittleEndian.Uint32(first[7:])
	hello := func(name, answer string, magic uint32, version uint16, format uint32, player string) {
		b := binary.LittleEndian.AppendUint32(Hex{1}, magic)
		b = binary.LittleEndian.AppendUint16(b, version)
		b = binary.LittleEndian.AppendUint32(b, format)
		b = append(append(b, 0, byte(len(player))), player...)
		a.server(name, answer, 9, 1, append(b, make(Hex, 20)...)) // no key, no token, no options
	}
	const magic = 0x42535445
	named := func(name, answer, player string) { hello(name, answer, magic, session.Version, format, player) }
	hello("another magic number", "kicked", magic+1, session.Version, format, "Ann")
	hello("another version", "kicked", magic, 2, format, "Ann")
	hello("another format", "kicked", magic, session.Version, format+1, "Ann")
	a.server("a hello cut short", "kicked", 9, 1, first[:len(first)-1])
	named("no name", "kicked", "")
	named("a name that ends in a space", "kicked", "Ann ")
	named("a name of control characters", "kicked", "A\u0007")
	named("a name of 25 characters", "kicked", "abcdefghijklmnopqrstuvwxy")
	named("a name with markup", "kicked", "<b>Ann")
	named("a name of stacked accents", "kicked", "A\u0300\u0301\u0302")
	named("a name that is not UTF-8", "kicked", "\xff\xfe")
	named("a third seat", "accepted", "Cy")
}

// messages are the others on the stream.
func (a *answers) messages() {
	add := func(name string, b Hex) { a.server(name, "kicked", 1, 1, b) }
	add("a second hello", firstOf(a.log, "client 1", 1))
	add("an empty message", Hex{})
	add("a message of an unknown kind", Hex{11})
	add("a server's place in line", Hex{9, 0, 0})
	add("a server's shot debug", Hex{8, 0, 0, 0, 0, 0})
	add("a request for a shot debug, cut short", Hex{7, 1, 0, 0})
	add("a server's message", Hex{3, 0})
	add("leave with a byte behind", Hex{5, 0})
	add("a delay of 251 ms", Hex{6, 251})
	add("an opt-out with a bit too many", Hex{10, 3})
	add("a message cut short", Hex{4, 5, 0, 'h', 'i'})
	add("a message of 4,097 bytes", append(Hex{4, 4097 & 255, 4097 >> 8}, make(Hex, 4097)...))
	a.server("a game's message before hello", "kicked", 9, 1, Hex{4, 0, 0})
}

// forClients are a server's packets.
func (a *answers) forClients() {
	add := func(name, answer string, b Hex) { a.client(name, answer, 0, b) }
	bare := func(name, answer string, tick uint64, list ...uint64) {
		add(name, answer, fields(append([]uint64{2, 3, tick, 32, 0, 1}, list...)...))
	}
	nothing := []uint64{0, 1, 0, 1, 0, 1, 0, 1, 0, 6, 0, 1, 0, 1, 0, 1, 1, 1}
	add("an empty datagram", "ignored", Hex{})
	add("a probe of the transport", "ignored", Hex{0})
	add("a client's kind of datagram", "error", fields(1, 3, 77, 10, 0, 1, 0, 1))
	bare("tick 0", "error", 0, nothing...)
	bare("acknowledges a datagram that was not sent", "error", 50, append([]uint64{1, 1, 900, 10, 0, 1, 0, 1}, nothing[2:]...)...)
	add("a snapshot cut short", "error", a.snapshot[:len(a.snapshot)-2])
	add("a snapshot with a byte too many", "error", longer(a.snapshot))
	bare("a snapshot whose baseline never came", "error", 50, 0, 1, 0, 1, 0, 1, 0, 1, 1, 6, 0, 1, 0, 1, 0, 1, 1, 1)
	add("an honest snapshot", "accepted", a.snapshot)
	bare("notices without a notice", "error", 50, 0, 1, 0, 1, 1, 1, 0, 1, 0, 1, 0, 5, 0, 5, 0, 5, 0, 1, 0, 1, 0, 6, 0, 1, 0, 1, 0, 1, 1, 1)
	bare("the triggers of mover 0 of 1,000", "error", 50, 0, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 5, 1023, 10, 0, 1, 0, 5, 0, 5, 0, 5, 0, 5, 0, 1, 0, 1, 0, 6, 0, 1, 0, 1, 0, 1, 1, 1)
	bare("hasKeyframes without a keyframe", "error", 50, 0, 1, 0, 1, 0, 1, 0, 1, 0, 6, 1, 1, 0, 1, 0, 1, 1, 1)
	bare("a cause of 5", "error", 50, 0, 1, 1, 1, 9, 32, 1, 1, 5, 3, 0, 8, 0, 8, 0, 10, 0, 1, 0, 1, 0, 6, 0, 1, 0, 1, 0, 1, 1, 1)
	a.client("a second welcome", "error", 1, firstOf(a.log, "server", 1))
	a.client("a message of an unknown kind", "error", 1, Hex{10})
	a.client("a second answer to the hello, a place in line", "error", 1, Hex{9, 0, 0})
	a.client("a client's request for a shot debug", "error", 1, Hex{7, 1, 0, 0, 0})
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
	log := record(t, sleds(t), sledScript())
	a := newAnswers(t, log)
	a.datagrams()
	a.hellos()
	a.messages()
	a.forClients()
	for i := range a.list {
		if err := a.list[i].check(sleds(t), log[1:]); err != nil {
			t.Error(err)
		}
	}
	compare(t, "answers.jsonl", a.list)
}
