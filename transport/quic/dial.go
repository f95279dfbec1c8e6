package quic

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
	"github.com/quic-go/webtransport-go"

	"github.com/backstep-net/backstep/transport"
)

// clientConfig lets the server send faster than the client: levels are downloaded this way.
func clientConfig() *quic.Config {
	c := serverConfig()
	c.InitialStreamReceiveWindow, c.MaxStreamReceiveWindow = 256<<10, 1<<20
	c.InitialConnectionReceiveWindow, c.MaxConnectionReceiveWindow = 512<<10, 2<<20
	return c
}

// Dial connects to a server over raw QUIC. hashes pin its certificate; without hashes an
// authority must have signed it. ctx bounds the handshake only. The server accepts the
// connection when the first stream message arrives: send one.
func Dial(ctx context.Context, addr string, hashes []Hash) (transport.Conn, error) {
	conn, tr, err := dial(ctx, addr, ALPN, hashes)
	if err != nil {
		return nil, fmt.Errorf("quic: dialing %s: %w", addr, err)
	}
	str, err := conn.OpenStream()
	if err != nil {
		conn.CloseWithError(0, "")
		tr.Close()
		return nil, fmt.Errorf("quic: dialing %s: %w", addr, err)
	}
	w := &wire{conn: conn, datagrams: conn, stream: str, owner: tr}
	return w.start(), nil
}

// DialWebTransport connects to Path on addr as a browser does. It is for tests and
// measurements; Go clients should use [Dial].
func DialWebTransport(ctx context.Context, addr string, hashes []Hash) (transport.Conn, error) {
	conn, tr, err := dial(ctx, addr, http3.NextProtoH3, hashes)
	if err != nil {
		return nil, fmt.Errorf("quic: dialing %s: %w", addr, err)
	}
	w, err := openSession(ctx, conn, addr)
	if err != nil {
		conn.CloseWithError(0, "")
		tr.Close()
		return nil, fmt.Errorf("quic: dialing %s: %w", addr, err)
	}
	w.owner = tr
	return w.start(), nil
}

// openSession opens a WebTransport session and its stream.
func openSession(ctx context.Context, conn *quic.Conn, addr string) (*wire, error) {
	web := &webtransport.Transport{
		Config: &webtransport.Config{MaxIncomingStreams: 1, MaxIncomingUniStreams: 1, MaxIncomingData: 1 << 20},
	}
	client, err := web.NewClientConn(conn)
	if err != nil {
		return nil, err
	}
	_, session, err := client.Dial(ctx, "https://"+addr+Path, nil)
	if err != nil {
		return nil, err
	}
	str, err := session.OpenStream()
	if err != nil {
		return nil, err
	}
	return &wire{conn: conn, session: session, datagrams: session, stream: str}, nil
}

// socket is a client's UDP socket and the QUIC transport on it.
type socket struct {
	udp  *net.UDPConn
	over *quic.Transport
}

var _ io.Closer = (*socket)(nil)

// Close closes both.
func (s *socket) Close() error {
	s.over.Close()
	return closeUDP(s.udp)
}

// dial makes a QUIC connection on a socket of its own.
func dial(ctx context.Context, addr, alpn string, hashes []Hash) (*quic.Conn, *socket, error) {
	to, err := net.ResolveUDPAddr("udp", addr)
	if err != nil {
		return nil, nil, err
	}
	udp, err := net.ListenUDP("udp", nil)
	if err != nil {
		return nil, nil, err
	}
	s := &socket{udp, &quic.Transport{Conn: udp}}
	conf := &tls.Config{MinVersion: tls.VersionTLS13, NextProtos: []string{alpn}}
	if host, _, err := net.SplitHostPort(addr); err == nil {
		conf.ServerName = host
	}
	pinCertificates(conf, hashes)
	conn, err := s.over.Dial(ctx, to, conf, clientConfig())
	if err != nil {
		s.Close()
		return nil, nil, err
	}
	return conn, s, nil
}
