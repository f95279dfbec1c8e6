// Package transport carries the bytes of a match between two machines. Every transport
// offers the same two channels, datagrams and one reliable stream, and none of them delays
// a tick.
//
// Start at [Conn], which a server loop or a client holds, and choose a transport:
// transport/udp (encrypted datagrams, for native clients), transport/quic (raw QUIC and, for browsers,
// WebTransport, on the same UDP port),
// transport/websocket (the fallback), or transport/mem (inside one process, with a
// simulated bad network).
//
// docs/transport.md specifies the same for clients in other languages.
package transport

import (
	"context"
	"errors"
	"net"
	"time"
)

// Channel is how bytes travel.
type Channel uint8

// The two channels. Their numbers are on the wire, as the first byte of a WebSocket frame.
const (
	// Datagram bytes may be lost, duplicated or reordered, and are at most [MaxDatagram]
	// long: commands, snapshots and acknowledgements.
	Datagram Channel = 0
	// Stream bytes are whole messages of at most [MaxMessage] that arrive once and in
	// order: joining, chat, level data.
	Stream Channel = 1
)

// String returns "datagram" or "stream".
func (c Channel) String() string {
	switch c {
	case Datagram:
		return "datagram"
	case Stream:
		return "stream"
	}
	return "unknown channel"
}

// The limits of every transport, in both directions.
const (
	// MaxDatagram is the longest datagram, in bytes: the smallest limit among browsers
	// (Firefox 1,024, Chromium 1,215).
	MaxDatagram = 1024
	// MaxBatch is the most datagrams that one call of [Conn.Datagrams] sends. It is half
	// of what quic-go queues before its own send blocks.
	MaxBatch = 16
	// MaxMessage is the longest stream message, in bytes. The sender splits longer data.
	MaxMessage = 64 << 10
	// MaxReason is the longest close reason that is sent, in bytes: a WebSocket close
	// frame holds 123.
	MaxReason = 120
	// MaxAge is how long a batch of datagrams may wait to be sent before it is dropped as
	// stale.
	MaxAge = 100 * time.Millisecond
	// HelloTimeout is how long a new connection may take to send its first stream message
	// before the server closes it [THR-04].
	HelloTimeout = 3 * time.Second
	// IdleTimeout is how long a connection lives without receiving anything. It is longer
	// than the 14 s for which a browser may freeze a tab [THR-28].
	IdleTimeout = 15 * time.Second
)

// The most memory that one connection's queues hold: at most 512 KiB in all for a hostile
// client [THR-11].
const (
	// MaxQueued is how many bytes of stream messages may wait to be sent.
	MaxQueued = 128 << 10
	// MaxInboxMessages is how many bytes of stream messages may wait for [Conn.Drain].
	// Above it the connection stops reading its stream, so the sender's queue fills and
	// its Stream returns [ErrFull].
	MaxInboxMessages = 128 << 10
	// MaxInboxDatagrams is how many datagrams may wait for [Conn.Drain]; above it the
	// oldest is dropped.
	MaxInboxDatagrams = 64
)

// The errors of [Conn.Stream]; test with errors.Is.
var (
	// ErrClosed means that the connection has ended; [Conn.Err] returns why.
	ErrClosed = errors.New("transport: connection closed")
	// ErrFull means that [MaxQueued] bytes are waiting because the other side reads too
	// slowly. A later call may succeed.
	ErrFull = errors.New("transport: stream queue full")
	// ErrTooLong means that a message is longer than [MaxMessage].
	ErrTooLong = errors.New("transport: message too long")
)

// Packet is one received datagram or stream message.
type Packet struct {
	Channel Channel // Datagram or Stream
	// At is when it arrived at this machine's socket, by this machine's clock.
	At time.Time
	// Bytes belong to the receiver, which may keep and change them.
	Bytes []byte
}

// Conn is one end of a connection. Its methods may be called from any goroutine and never
// block on the network.
type Conn interface {
	// Datagrams queues the datagrams of one tick, in order, and copies their bytes. If the
	// previous batch has not been sent yet, this one replaces it as a whole. A batch that
	// waits longer than [MaxAge] is dropped. Datagrams longer than [MaxDatagram] and those
	// beyond [MaxBatch] are left out and counted in Stats.Refused. Empty datagrams and
	// those of a single zero byte are left out: on the wire they are probes. An empty
	// batch changes nothing. After the end of the connection Datagrams does nothing.
	//
	// While nothing arrives from the other side, batches wait: see docs/transport.md,
	// "Blackouts".
	Datagrams(set ...[]byte)

	// Stream queues one reliable message and copies its bytes. The error is [ErrClosed],
	// [ErrFull] or [ErrTooLong]; nothing is queued then.
	Stream(msg []byte) error

	// Drain appends what has arrived since the last call, oldest first. Packets that
	// arrived before the end of the connection can be drained after it.
	Drain(into []Packet) []Packet

	// Closed reports whether the connection has ended, by either side.
	Closed() bool

	// Err returns why the connection ended, nil while it is open. It is a [*CloseError]
	// whichever side ended it.
	Err() error

	// Close ends the connection and sends the reason, cut to [MaxReason] bytes. Queued
	// data may not arrive. Only the first call counts.
	Close(reason string)

	// Remote returns the other side's address, for logs.
	Remote() string

	// Kind returns "udp", "quic", "webtransport", "websocket" or "mem".
	Kind() string

	// Stats returns the counts so far.
	Stats() Stats
}

// Listener accepts connections.
type Listener interface {
	// Accept waits for the next connection. It returns a connection once its first stream
	// message is in the inbox, so a client that only opens sockets never reaches the game.
	// The error is the context's, or net.ErrClosed after Close.
	Accept(ctx context.Context) (Conn, error)

	// Close stops accepting and ends every connection that it returned.
	Close() error

	// Addr returns the address it listens on.
	Addr() net.Addr
}

// Stats counts one connection's traffic since it began, in bytes of payload without framing
// and headers.
type Stats struct {
	DatagramsIn, DatagramsOut uint64 // DatagramsIn includes DroppedIn
	MessagesIn, MessagesOut   uint64 // of the stream
	BytesIn, BytesOut         uint64 // of datagrams and messages
	// DroppedIn counts datagrams that a full inbox dropped.
	DroppedIn uint64
	// DroppedOut counts datagrams that a newer batch replaced or that were too old to
	// send.
	DroppedOut uint64
	// Refused counts datagrams that were too long or beyond a batch's size, in both
	// directions.
	Refused uint64
	// RTT is the transport's own smoothed estimate; zero if it has none.
	RTT time.Duration
	// PacketsIn counts the packets that have arrived over UDP, and EncryptedIn their bytes without the headers of UDP
	// and IP; zero for other transports.
	PacketsIn, EncryptedIn uint64
}

// CloseError is why a connection ended.
type CloseError struct {
	// Remote reports whether the other side, or the network, ended it.
	Remote bool
	// Reason is the argument of [Conn.Close] on either side, or the fault that this
	// package found.
	Reason string
	// Cause is the transport's own error, if there is one.
	Cause error
}

// Error names the side, the reason and the cause.
func (e *CloseError) Error() string {
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

// Unwrap returns the transport's own error.
func (e *CloseError) Unwrap() error { return e.Cause }

// Is makes every CloseError match [ErrClosed].
func (e *CloseError) Is(target error) bool { return target == ErrClosed }

// Flusher is a Conn whose datagrams may wait for those of other connections of its listener, so that one system call
// sends them all: a loop calls Flush of one of them after it has called Datagrams of all.
type Flusher interface{ Flush() }

// Releaser is a Conn that takes the buffers of drained datagrams back: a loop that is done with them spares the
// garbage. Their Bytes are nil then.
type Releaser interface{ Release(packets []Packet) }
