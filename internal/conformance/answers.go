package conformance

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/session"
)

// Answer is a packet and what must come of it in the sleds' recording, right before the
// line Before.
type Answer struct {
	Name    string `json:"name"`
	Before  int    `json:"before"` // line, from 1
	To      string `json:"to"`     // "server" or "client 1"
	Peer    int    `json:"peer,omitempty"`
	Channel int    `json:"channel"`
	Bytes   Hex    `json:"bytes"`
	// Answer is "error" (it is counted, and nothing changes), "ignored" (likewise, and no
	// fault), "kicked" (the server says refused and closes) or "taken".
	Answer string `json:"answer"`
	Words  string `json:"words,omitempty"` // ours
}

// Check plays the recording up to the packet, hands it in, and, where it must change
// nothing, plays on to the end. Empty Answer and Words are filled in.
func (a *Answer) Check(m *Machine[SledState, SledInput], log []Entry) error {
	var got error
	var out []session.Packet
	done := false
	stop := func(i int) bool {
		if i+2 != a.Before { // log leaves out the first line
			return done && a.Answer != "error" && a.Answer != "ignored"
		}
		e := Entry{End: a.To, Do: "receive", Peer: a.Peer, Channel: a.Channel, Bytes: a.Bytes, At: lastAt(log[:i], a.To)}
		out, got = m.Do(&e)
		out, done = cloned(out), true
		return a.Answer != "error" && a.Answer != "ignored"
	}
	if err := m.Replay(log, "", stop); err != nil {
		return fmt.Errorf("%s: after it: %w", a.Name, err)
	}
	if !done {
		return fmt.Errorf("%s: there is no line %d", a.Name, a.Before)
	}
	return a.compare(got, out)
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

// compare holds what came of the packet to what must.
func (a *Answer) compare(got error, out []session.Packet) error {
	answer := "taken"
	switch {
	case got != nil && len(out) > 0:
		answer = "kicked"
		want := Stream{Kind: kindRefused, Why: wordsOf(got)}
		var t Tape
		t.Packer.Write(make([]byte, 300))
		if want.Pack(&t); !bytes.Equal(out[0].Bytes, t.Bytes()) || out[0].Channel != session.Stream {
			return fmt.Errorf("%s: answered %x and not refused in words", a.Name, out[0].Bytes)
		}
	case got != nil:
		answer = "error"
	case a.Answer == "ignored":
		answer = "ignored" // what came after it was as without it
	}
	if words := wordsOf(got); answer != a.Answer || words != a.Words {
		return fmt.Errorf("%s: got %s %q, want %s %q", a.Name, answer, words, a.Answer, a.Words)
	}
	return nil
}

// edit returns a copy of a packet in which the field of that name, found by the trace,
// is another number.
func edit(b Hex, lines []Line, name string, value uint64) (Hex, error) {
	b = bytes.Clone(b)
	for _, l := range lines {
		if l.Name != name {
			continue
		}
		for i := range l.Bits {
			at := l.From + i
			b[at/8] = b[at/8]&^(1<<(at%8)) | byte(value>>i&1)<<(at%8)
		}
		return b, nil
	}
	return nil, errors.New("conformance: no field " + name)
}

// raw returns bits that a function writes, with no rules.
func raw(write func(p *bits.Packer)) Hex {
	var p bits.Packer
	p.Write(make([]byte, 5000))
	write(&p)
	return bytes.Clone(p.Bytes())
}
