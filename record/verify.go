package record

import (
	"fmt"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
)

// Verdict is what came of playing a match again.
type Verdict struct {
	// Ticks were played, Inputs told, and Hashes were equal.
	Ticks, Inputs, Hashes int
	// Differs is the match time of the first hash that was another, which is Got and
	// should have been Want; Differed says whether there was one.
	Differed  bool
	Differs   clock.Micros
	Got, Want uint64
}

// String says it in a line.
func (v Verdict) String() string {
	if v.Differed {
		return fmt.Sprintf("differs at %.2f s: hash %016x, recorded %016x (%d hashes were equal before)",
			v.Differs.Seconds(), v.Got, v.Want, v.Hashes)
	}
	return fmt.Sprintf("equal: %d ticks, %d inputs, %d hashes", v.Ticks, v.Inputs, v.Hashes)
}

// Verify plays the match again, in a match that remake makes of the head and the world
// with keys from newKey, and compares its hashes with those recorded, up to the first
// that differs. The error is the file's damage, or remake's; the Verdict holds up to
// there.
func (f *File) Verify(remake func(f *File, newKey func() session.Key) (Match, error)) (Verdict, error) {
	var v Verdict
	var keys []session.Key
	m, err := remake(f, func() (k session.Key) {
		if len(keys) > 0 {
			k, keys = keys[0], keys[1:]
		}
		return k
	})
	if err != nil {
		return v, err
	}
	for in, err := range f.Inputs() {
		if err != nil {
			return v, err
		}
		v.Inputs++
		switch in.Kind {
		case Drew:
			keys = append(keys, in.Key)
		case Ticked:
			v.Ticks++
			Apply(m, in)
		case Hash:
			if v.Got, v.Want = m.Hash(), in.Hash; v.Got != v.Want {
				v.Differed, v.Differs = true, in.At
				return v, nil
			}
			v.Hashes++
		default:
			Apply(m, in)
		}
	}
	return v, nil
}

// Apply tells a match what it was told when it was recorded; a key or a hash is nothing
// to tell. After a tick what it has to send is taken and forgotten.
func Apply(m Match, in *Input) {
	switch in.Kind {
	case Received:
		_ = m.Receive(in.Peer, in.Channel, in.At, in.Bytes) // refused again if it was
	case Disconnected:
		m.Disconnect(in.Peer)
	case Ticked:
		m.Tick(in.At)
		m.Outgoing()
	case Sent:
		if t, ok := m.(MessageSink); ok {
			t.SentLog(in.Bytes)
		}
	}
}
