package record

import (
	"fmt"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
)

// VerifyResult is the result of replaying a match.
type VerifyResult struct {
	// Ticks and Inputs were played, and Hashes were equal.
	Ticks, Inputs, Hashes int
	// Differs is the match time of the first different hash, Got instead of Want, where Differed.
	Differed  bool
	Differs   clock.Micros
	Got, Want uint64
}

// String returns the result in one line.
func (v VerifyResult) String() string {
	switch {
	case v.Differed && v.Hashes == 0:
		return fmt.Sprintf("differs from the first hash on, at %.2f s: hash %016x, recorded %016x; set the match up as it was recorded, with its number of bots",
			v.Differs.Seconds(), v.Got, v.Want)
	case v.Differed:
		return fmt.Sprintf("differs at %.2f s: hash %016x, recorded %016x (%d hashes were equal before)",
			v.Differs.Seconds(), v.Got, v.Want, v.Hashes)
	}
	return fmt.Sprintf("equal: %d ticks, %d inputs, %d hashes", v.Ticks, v.Inputs, v.Hashes)
}

// Verify replays the inputs in a match that remake builds from the head and the world with keys from
// newKey, and compares its hashes with the recorded ones, up to the first that differs. The error
// is the file's damage, or remake's; the result holds up to there.
func (f *File) Verify(remake func(f *File, newKey func() session.Key) (Match, error)) (VerifyResult, error) {
	var v VerifyResult
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
		case GeneratedKey:
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

// Apply feeds a recorded input to a match; keys and hashes are ignored. After a tick the packets of
// the match are discarded.
func Apply(m Match, in *Input) {
	switch in.Kind {
	case Received:
		_ = m.Receive(in.Peer, in.Channel, in.At, in.Bytes) // refused as it was recorded
	case Identified:
		m.Identify(in.Peer, in.Who)
	case Kicked:
		for _, p := range m.Players(nil) { // a forged file may name anybody
			if p.ID == in.Player {
				m.Kick(in.Player, in.Why)
			}
		}
	case Draining:
		if d, ok := m.(drainer); ok {
			d.Drain(time.Duration(in.Left) * time.Microsecond)
		}
	case Disconnected:
		m.Disconnect(in.Peer)
	case Ticked:
		m.Tick(in.At)
		m.Outgoing()
	}
}
