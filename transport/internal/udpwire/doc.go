// Package udpwire is what the two ends of transport/udp share: the handshake, sealed packets, and a
// [transport.Conn] over them. Start at [Conn]; [Doorman] is the server's part of the handshake and [Handshake]
// the client's. docs/protocol.md, "UDP", specifies the bytes.
//
// Nothing here starts a goroutine or owns a socket: packets are handed in (Receive), packets go out by a
// [Sender], and [Conn.Sweep], called every [SweepInterval], does what time asks for. So one goroutine serves all
// connections of a server, and a test is a pair of connections in one bubble of testing/synctest.
package udpwire

import (
	"time"

	"github.com/backstep-net/backstep/transport"
)

// The first byte of each packet. Its two highest bits are 0, as in no packet of QUIC (RFC 9000 sets the second in
// each), so both share a port.
const (
	kindRequest   byte = 0x30
	kindChallenge byte = 0x31
	kindResponse  byte = 0x32
	kindData      byte = 0x33
)

// IsPacket reports whether a datagram belongs to this protocol rather than to QUIC, by its first byte.
func IsPacket(first byte) bool { return first&0xc0 == 0 }

// IsHandshake reports whether a datagram, by its first byte, is a part of a handshake: of this protocol, or of QUIC,
// which has long headers in it.
func IsHandshake(first byte) bool {
	return first == kindRequest || first == kindResponse || first&0x80 != 0
}

// Arrival converts the time at which the kernel received a packet, in nanoseconds since 1970, into a time of this
// process. A time in the future or more than a second ago means that the clock was set since: the packet counts as
// arriving now.
func Arrival(now time.Time, stamp int64) time.Time {
	age := time.Duration(now.UnixNano() - stamp)
	if age < 0 || age > time.Second {
		return now
	}
	return now.Add(-age)
}

const (
	// MaxPacket is the longest packet in bytes of UDP payload. A request is as long, so a path that does not carry
	// it fails before the game begins.
	MaxPacket = 1200
	// SweepInterval is how often Conn.Sweep is called: the precision of every timer.
	SweepInterval = 10 * time.Millisecond
	// Resend is how long a client waits for the answer to a packet of the handshake before it sends it again.
	Resend = 150 * time.Millisecond
	// HandshakeTimeout is how long a handshake takes at most: a network that drops UDP does not say so. At 30 % loss 1 of
	// 400 fails, and the client goes on to QUIC.
	HandshakeTimeout = 2 * time.Second

	// maxSegment is how many bytes of the stream one packet carries.
	maxSegment = 1100
	// window is how many segments may be under way, in each direction. It bounds what one connection holds.
	window = 64
	// firstFlight is how many segments are sent before anything is acknowledged, and maxBurst how many at once.
	firstFlight, maxBurst = 10, 10
	// minFlight is the least that losses reduce the segments under way to.
	minFlight = 4

	// pingInterval is how often a packet that goes out anyway measures the round trip.
	pingInterval = time.Second
	// keepAlive is the silence after which a packet goes out for its own sake.
	keepAlive = transport.IdleTimeout / 3
	// maxHold is how long an answer (an acknowledgement, a pong) waits for a packet that goes out anyway.
	maxHold = 20 * time.Millisecond
	// minRetransmit and maxRetransmit bound the time after which a segment is sent again.
	minRetransmit, maxRetransmit = 60 * time.Millisecond, 2 * time.Second
	// stallTimeout is how long segments may wait without progress before the connection ends. A silence of more than
	// keepAlive does not count: then the network is away, for which a connection has transport.IdleTimeout.
	stallTimeout = 10 * time.Second

	// closeTries and closeInterval are how often a close is repeated until the other side has confirmed it. At 30 %
	// loss seven of them fail once in 4,500.
	closeTries    = 7
	closeInterval = 40 * time.Millisecond
	// linger is how long a connection that the other side has closed still confirms it.
	linger = closeTries * closeInterval
	// pathInterval is the least time between two challenges of a new address.
	pathInterval = 50 * time.Millisecond
)
