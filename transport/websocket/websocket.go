// Package websocket implements the transport for browsers without WebTransport and for networks
// that block UDP: the same two channels in the binary frames of one WebSocket, where a lost
// TCP segment delays everything after it. Start at [New] on a server, which is an
// http.Handler and a [transport.Listener], and at [Dial] in a client.
//
// Each binary message is one packet: byte 0 is the channel (0 datagram, 1 stream), the rest
// is its bytes, at most 1,024 for a datagram and 65,536 for a stream message. Anything else
// (text, an empty message, another channel, more bytes) ends the connection. Compression is
// off. When the socket's buffer is full, the latest batch of datagrams replaces the waiting
// one.
//
// Under GOOS=js Dial uses the WebSocket of the browser, or of Node from version 22, and
// there is no Listener.
package websocket

import (
	"errors"
	"fmt"
	"time"

	"github.com/backstep-net/backstep/transport"
)

// Bounds of one socket.
const (
	// readLimit is the longest frame: a stream message and its channel.
	readLimit = transport.MaxMessage + 1
	// sendBuffer is the kernel's send buffer in bytes. Unbounded it grows to megabytes,
	// which is minutes of stale snapshots. A browser's buffer is kept below it.
	sendBuffer = 64 << 10
	// closeTimeout bounds the closing handshake; coder/websocket would wait for ten seconds.
	closeTimeout = time.Second
)

// errFrame is the reason for closing on an invalid frame.
var errFrame = errors.New("websocket: bad frame")

// check refuses frames that are not packets. Datagrams that are too long are left to the
// inbox, which counts them.
func check(binary bool, b []byte) error {
	switch {
	case !binary:
		return fmt.Errorf("%w: text", errFrame)
	case len(b) == 0:
		return fmt.Errorf("%w: empty", errFrame)
	case b[0] > byte(transport.Stream):
		return fmt.Errorf("%w: channel %d", errFrame, b[0])
	}
	return nil
}
