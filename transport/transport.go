// Package transport carries the bytes of a match between two machines over
// whichever road both of them have: every road offers the same two channels,
// datagrams and one reliable stream, and none of them ever makes a tick wait.
//
// Start with [Conn], which is what a server loop or a client holds, and pick
// a road: transport/quic (raw QUIC for Go clients and WebTransport for
// browsers, on one UDP port), transport/websocket (the fallback), or
// transport/mem (inside one process, with a bad network on demand).
//
// docs/transport.md is the same agreement written for clients in other
// languages.
package transport

import (
	"context"
	"errors"
	"net"
	"time"
)

// Channel says how bytes travel.
type Channel uint8

// The two channels. Their numbers are on the wire: they are the first byte
// of a WebSocket frame.
const (
	// Datagram bytes may be lost, duplicated or overtaken, and are at most
	// [MaxDatagram] long. Commands, snapshots and acknowledgements.
	Datagram Channel = 0
	// Stream bytes are whole messages of at most [MaxMessage] that arrive
	// once, in order, however long it takes. Joining, chat, level data.
	Stream Channel = 1
)

// String is "datagram" or "stream", for logs and tests.
func (c Channel) String() string {
	switch c {
	case Datagram:
		return "datagram"
	case Stream:
		return "stream"
	}
	return "unknown channel"
}

// What every road guarantees and enforces, in both directions.
const (
	// MaxDatagram is the longest datagram, in bytes. It is what the narrowest
	// browser takes (Firefox 1,024, Chromium 1,215).
	MaxDatagram = 1024
	// MaxSet is the most datagrams that one call of [Conn.Datagrams] sends.
	// It is half of what quic-go queues before its own send blocks.
	MaxSet = 16
	// MaxMessage is the longest stream message, in bytes. Longer things are
	// cut up by whoever sends them.
	MaxMessage = 64 << 10
	// MaxReason is the longest close reason that is sent, in bytes: a
	// WebSocket close frame holds 123.
	MaxReason = 120
	// MaxAge is how long a set of datagrams may wait to leave before it is
	// dropped: what is older than this helps nobody.
	MaxAge = 100 * time.Millisecond
	// HelloDeadline is how long a new connection may take to send its first
	// stream message before the server closes it (THR-04).
	HelloDeadline = 3 * time.Second
	// IdleTimeout is how long a connection lives without hearing from the
	// other side. It outlasts a browser tab frozen for 14 s (THR-28).
	IdleTimeout = 15 * time.Second
)

// The most memory that one connection's queues hold (THR-11: in
// all at most 512 KiB for a hostile client).
const (
	// MaxQueued is how many bytes of stream messages may wait to be sent.
	MaxQueued = 128 << 10
	// MaxInboxMessages is how many bytes of stream messages may wait for
	// [Conn.Drain]. Above it the connection stops reading its stream, so the
	// other side's queue fills up and its Stream says [ErrFull].
	MaxInboxMessages = 128 << 10
	// MaxInboxDatagrams is how many datagrams may wait for [Conn.Drain];
	// above it the oldest is dropped.
	MaxInboxDatagrams = 64
)

// Reasons why [Conn.Stream] refuses a message; test with errors.Is.
var (
	// ErrClosed means that the connection has ended; [Conn.Err] says why.
	ErrClosed = errors.New("transport: connection closed")
	// ErrFull means that [MaxQueued] bytes are waiting: the other side reads
	// too slowly. A later call may succeed.
	ErrFull = errors.New("transport: stream queue full")
	// ErrTooLong means a message above [MaxMessage] bytes.
	ErrTooLong = errors.New("transport: message too long")
)

// Packet is one datagram or one stream message that has arrived.
type Packet struct {
	Channel Channel
	// At is when it arrived at this machine's socket, by its own clock.
	At time.Time
	// Bytes belong to the receiver, which may keep and change them.
	Bytes []byte
}

// Conn is one end of a connection. All its methods may be called from any
// goroutine; none of them blocks on the network.
type Conn interface {
	// Datagrams hands over the datagrams of one tick, in order, and copies
	// their bytes. When the previous set has not left yet it is dropped for
	// this one: the latest set wins, as a whole. A set that waits longer than
	// [MaxAge] is dropped too. A datagram longer than [MaxDatagram] and any
	// beyond [MaxSet] are left out and counted in [Stats.Refused]; an empty
	// one, and one of a single zero byte, is left out: on the wire that is a
	// probe. An empty set changes nothing. After the end of the connection Datagrams does nothing.
	//
	// While nothing at all is heard from the other side, sets are held back:
	// see docs/transport.md, "Blackouts".
	Datagrams(set ...[]byte)

	// Stream queues one reliable message and copies its bytes. The error is
	// [ErrClosed], [ErrFull] or [ErrTooLong]; then nothing was queued.
	Stream(msg []byte) error

	// Drain appends what has arrived since the last call, oldest first. What
	// arrived before the connection ended can still be drained afterwards.
	Drain(into []Packet) []Packet

	// Closed reports whether the connection has ended, by either side.
	Closed() bool

	// Err is why the connection ended, nil while it is open. It is an
	// [*Ended] whichever side ended it.
	Err() error

	// Close ends the connection and tells the other side why, with at most
	// [MaxReason] bytes of reason. What is queued may not arrive any more.
	// Only the first call counts.
	Close(reason string)

	// Remote is the other side's address, for logs.
	Remote() string

	// Kind is "quic", "webtransport", "websocket" or "mem".
	Kind() string

	// Stats is what has passed so far.
	Stats() Stats
}

// Listener hands out the connections that arrive at one place.
type Listener interface {
	// Accept waits for the next connection. A connection is handed out when
	// its first stream message has arrived whole (it is in the inbox), so one
	// that only opens sockets never reaches the game. The error is the
	// context's, or net.ErrClosed after Close.
	Accept(ctx context.Context) (Conn, error)

	// Close stops accepting and ends every connection that it handed out.
	Close() error

	// Addr is where it listens.
	Addr() net.Addr
}

// Stats counts one connection's traffic since it began. Bytes are payload,
// without framing and headers.
type Stats struct {
	DatagramsIn, DatagramsOut uint64
	MessagesIn, MessagesOut   uint64
	BytesIn, BytesOut         uint64
	// DroppedIn counts datagrams pushed out of a full inbox.
	DroppedIn uint64
	// DroppedOut counts datagrams replaced by a newer set or too old to send.
	DroppedOut uint64
	// Refused counts datagrams too long or beyond a set's size, both ways.
	Refused uint64
	// RTT is the road's own smoothed estimate; zero where it has none.
	RTT time.Duration
}

// Ended is why a connection ended.
type Ended struct {
	// Remote is whether the other side, or the network, ended it.
	Remote bool
	// Reason is what [Conn.Close] was given, on either side; or what this
	// package found wrong.
	Reason string
	// Cause is the road's own error, if there is one.
	Cause error
}

// Error names the side, the reason and the cause.
func (e *Ended) Error() string {
	s := "transport: closed here"
	if e.Remote {
		s = "transport: closed by the other side"
	}
	if e.Reason != "" {
		s += ": " + e.Reason
	}
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

// Unwrap gives the road's own error, so that errors.Is and errors.As see it.
func (e *Ended) Unwrap() error { return e.Cause }

// Is makes every Ended match [ErrClosed].
func (e *Ended) Is(target error) bool { return target == ErrClosed }
