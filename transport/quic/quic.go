// Package quic implements the client's end of raw QUIC, for servers without transport/udp. It connects
// to the UDP port of a transport/quic/quicserver, where browsers connect by WebTransport. Start at
// [Dial]. The package links no server and no HTTP/3.
//
// On raw QUIC ([ALPN] "backstep/1") and in a WebTransport session the client opens one
// bidirectional stream. It carries messages in both directions, each preceded by its length
// as an unsigned LEB128 number. QUIC datagrams are datagrams of the channel, unchanged.
// 0-RTT and session resumption are off.
package quic

import (
	"context"
	"fmt"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/internal/quicwire"
)

// ALPN is the protocol name of raw QUIC connections.
const ALPN = quicwire.ALPN

// Hash is the SHA-256 of a certificate's DER bytes, as in a browser's
// serverCertificateHashes and as pinned by [Dial].
type Hash = quicwire.Hash

// ErrUnknownCertificate means that the server's certificate is not among the pinned ones:
// the hashes are old, or the connection is intercepted.
var ErrUnknownCertificate = quicwire.ErrUnknownCertificate

// Dial connects to a server over raw QUIC. hashes pin its certificate; without hashes an
// authority must have signed it. ctx bounds the handshake only. The server accepts the
// connection when the first stream message arrives: send one.
func Dial(ctx context.Context, addr string, hashes []Hash) (transport.Conn, error) {
	conn, owner, err := quicwire.Dial(ctx, addr, ALPN, hashes)
	if err != nil {
		return nil, fmt.Errorf("quic: dialing %s: %w", addr, err)
	}
	str, err := conn.OpenStream()
	if err != nil {
		conn.CloseWithError(0, "")
		owner.Close()
		return nil, fmt.Errorf("quic: dialing %s: %w", addr, err)
	}
	w := quicwire.New(conn, conn, str)
	w.Owner = owner
	return w.Start(), nil
}
