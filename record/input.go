package record

import (
	"encoding/binary"
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
)

// InputKind is the kind of an Input.
type InputKind uint8

// The kinds of inputs. Hash is no input, but the hash of the match at that time.
const (
	// Received: Bytes arrived from Peer on Channel at match time At.
	Received InputKind = 1 + iota
	// Disconnected: Peer's connection was closed.
	Disconnected
	// Ticked: the match played up to At.
	Ticked
	// GeneratedKey: the match generated that random Key during the next input.
	GeneratedKey
	_ // 5 is no kind: it was one, and the kinds after it keep their numbers
	// Hash is session.Server.Hash after the tick before.
	Hash
	// Identified: the host set the identity Who of Peer, before its hello.
	Identified
	// Kicked: Player was kicked from outside of the match, for the reason Why.
	Kicked
	// Draining: the host said that the server stops after Left at the latest (host.Drainer).
	Draining
)

// Input is one input of a match.
type Input struct {
	Kind InputKind // decides which of the other fields are used; the others are zero
	// Peer is the connection, of Received, Disconnected and Identified. Channel is how Bytes arrived, of
	// Received.
	Peer    session.Peer
	Channel session.Channel
	// At is the match time of the arrival for Received, else of the newest tick.
	At    clock.Micros
	Bytes []byte           // of Received, the packet; valid until the next input
	Key   session.Key      // of GeneratedKey, the key that the match generated
	Hash  uint64           // of Hash, the hash of the match
	Who   session.Identity // of Identified
	// Player and Why are of Kicked.
	Player session.PlayerID
	Why    string       // see Player
	Left   clock.Micros // of Draining
}

// maxBytes bounds the bytes of one input or message.
const maxBytes = 1 << 20

// append appends the input; now is the time of the newest tick, which a tick sets. It is 0 at the
// beginning of each chunk.
func (in *Input) append(dst []byte, now *clock.Micros) []byte {
	dst = append(dst, byte(in.Kind))
	switch in.Kind {
	case Received:
		dst = binary.AppendUvarint(dst, uint64(in.Peer))
		dst = append(dst, byte(in.Channel))
		dst = binary.AppendVarint(dst, int64(in.At-*now))
		dst = appendBytes(dst, in.Bytes)
	case Disconnected:
		dst = binary.AppendUvarint(dst, uint64(in.Peer))
	case Ticked:
		dst = binary.AppendVarint(dst, int64(in.At-*now))
		*now = in.At
	case GeneratedKey:
		dst = append(dst, in.Key[:]...)
	case Hash:
		dst = binary.LittleEndian.AppendUint64(dst, in.Hash)
	case Kicked:
		dst = appendBytes(binary.AppendUvarint(dst, uint64(in.Player)), []byte(in.Why))
	case Draining:
		dst = binary.AppendVarint(dst, int64(in.Left))
	case Identified:
		dst = binary.AppendUvarint(dst, uint64(in.Peer))
		for _, s := range []string{in.Who.Account, in.Who.Name, string(in.Who.Data), in.Who.Refused} {
			dst = appendBytes(dst, []byte(s))
		}
	}
	return dst
}

// read reads what append wrote.
func (in *Input) read(s *source, now *clock.Micros) {
	*in = Input{Kind: InputKind(s.byte()), At: *now}
	switch in.Kind {
	case Received:
		in.Peer = session.Peer(s.uvarint(1<<32 - 1))
		in.Channel = session.Channel(s.byte())
		in.At = *now + clock.Micros(s.varint())
		in.Bytes = s.bytes(maxBytes)
		if in.Peer == 0 || in.Channel > session.Stream {
			s.fail(errValue)
		}
	case Disconnected:
		in.Peer = session.Peer(s.uvarint(1<<32 - 1))
	case Ticked:
		in.At = *now + clock.Micros(s.varint())
		*now = in.At
	case GeneratedKey:
		copy(in.Key[:], s.take(len(in.Key)))
	case Hash:
		if b := s.take(8); b != nil {
			in.Hash = binary.LittleEndian.Uint64(b)
		}
	case Identified:
		in.Peer = session.Peer(s.uvarint(1<<32 - 1))
		text := func() string { return string(s.bytes(maxBytes)) }
		in.Who = session.Identity{Account: text(), Name: text(), Data: append([]byte(nil), text()...), Refused: text()}
	case Kicked:
		in.Player = session.PlayerID(s.uvarint(session.MaxPlayers))
		in.Why = string(s.bytes(maxBytes))
		if in.Player == 0 {
			s.fail(errValue)
		}
	case Draining:
		in.Left = clock.Micros(s.varint())
	default:
		s.fail(errOp)
	}
	if in.At < 0 || in.At > maxTime {
		s.fail(errValue)
	}
}

// after returns the number of the tick that the input plays, which must be later than the last.
func (in *Input) after(s *source, last int64, rate int) int64 {
	n := clock.TickAt(in.At, rate)
	if n <= last || n > math.MaxUint32 {
		s.fail(errValue)
	}
	return n
}

// maxTime bounds match time: 2⁴⁶ µs, 814 days.
const maxTime = 1 << 46
