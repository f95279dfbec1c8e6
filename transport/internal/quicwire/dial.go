package quicwire

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/backstep-net/backstep/transport"
)

// Hash is the SHA-256 of a certificate's DER bytes, as in a browser's
// serverCertificateHashes and as pinned by a client.
type Hash [sha256.Size]byte

// ErrUnknownCertificate means that the server's certificate is not among the pinned ones.
var ErrUnknownCertificate = errors.New("quic: the server's certificate is not one of the pinned ones")

// ServerConfig bounds the memory that a client can make the server hold: 64 KiB in flight
// per stream and 128 KiB together.
func ServerConfig() *quic.Config {
	return &quic.Config{
		HandshakeIdleTimeout:           3 * time.Second,
		MaxIdleTimeout:                 transport.IdleTimeout,
		KeepAlivePeriod:                transport.IdleTimeout / 3,
		InitialStreamReceiveWindow:     64 << 10,
		MaxStreamReceiveWindow:         64 << 10,
		InitialConnectionReceiveWindow: 128 << 10,
		MaxConnectionReceiveWindow:     128 << 10,
		// A browser has two open: the session's and ours. HTTP/3 needs three
		// unidirectional ones.
		MaxIncomingStreams:               4,
		MaxIncomingUniStreams:            4,
		EnableDatagrams:                  true,
		EnableStreamResetPartialDelivery: true,
	}
}

// ClientConfig lets the server send faster than the client: levels are downloaded this way.
func ClientConfig() *quic.Config {
	c := ServerConfig()
	c.InitialStreamReceiveWindow, c.MaxStreamReceiveWindow = 256<<10, 1<<20
	c.InitialConnectionReceiveWindow, c.MaxConnectionReceiveWindow = 512<<10, 2<<20
	return c
}

// Dial makes a QUIC connection on a socket of its own, which the caller closes after the
// connection. Without hashes the certificate must be one of an authority.
func Dial(ctx context.Context, addr, alpn string, hashes []Hash) (*quic.Conn, io.Closer, error) {
	to, err := transport.ResolveUDP(ctx, addr)
	if err != nil {
		return nil, nil, err
	}
	udp, err := net.ListenUDP("udp", nil)
	if err != nil {
		return nil, nil, err
	}
	conf := &tls.Config{MinVersion: tls.VersionTLS13, NextProtos: []string{alpn}}
	if host, _, err := net.SplitHostPort(addr); err == nil {
		conf.ServerName = host
	}
	pinCertificates(conf, hashes)
	s := &socket{udp: udp, over: &quic.Transport{Conn: udp, ConnectionIDGenerator: noConnectionID{}}}
	conn, err := s.over.Dial(ctx, net.UDPAddrFromAddrPort(to), conf, ClientConfig())
	if err != nil {
		s.Close()
		return nil, nil, err
	}
	s.conn = conn
	return conn, s, nil
}

// noConnectionID is for a client that has one connection on a socket of its own. A server on quic-go loses a
// client with connection IDs when its address has changed three times: it has used them up then
// (quic-go issue 5814). [THR-07]
type noConnectionID struct{}

// GenerateConnectionID implements the ConnectionIDGenerator of quic-go.
func (noConnectionID) GenerateConnectionID() (quic.ConnectionID, error) {
	return quic.ConnectionID{}, nil
}

// ConnectionIDLen implements the ConnectionIDGenerator of quic-go.
func (noConnectionID) ConnectionIDLen() int { return 0 }

// socket is a client's UDP socket and the QUIC transport on it.
type socket struct {
	udp  *net.UDPConn
	over *quic.Transport
	conn *quic.Conn
}

// Close closes both, a moment after the connection: if its last packet is lost, QUIC answers what still comes
// with another, and so the server hears the goodbye. The moment is three round trips and 50 ms, 500 ms at most.
func (s *socket) Close() error {
	if s.conn != nil {
		time.Sleep(min(50*time.Millisecond+3*s.conn.ConnectionStats().SmoothedRTT, 500*time.Millisecond))
	}
	s.over.Close()
	return CloseUDP(s.udp)
}

// CloseUDP closes the socket; it is no error if it is closed already.
func CloseUDP(c io.Closer) error {
	if err := c.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// pinCertificates makes a TLS client accept exactly the certificates with these hashes,
// within their validity; without hashes it verifies as usual.
func pinCertificates(conf *tls.Config, hashes []Hash) {
	if len(hashes) == 0 {
		return
	}
	conf.InsecureSkipVerify = true // VerifyConnection below is stricter
	conf.VerifyConnection = func(cs tls.ConnectionState) error {
		leaf := cs.PeerCertificates[0]
		sum := sha256.Sum256(leaf.Raw)
		for _, h := range hashes {
			if bytes.Equal(h[:], sum[:]) {
				return CheckValidity(leaf, time.Now())
			}
		}
		return ErrUnknownCertificate
	}
}

// CheckValidity checks a certificate's dates.
func CheckValidity(c *x509.Certificate, t time.Time) error {
	if t.Before(c.NotBefore) || t.After(c.NotAfter) {
		return fmt.Errorf("quic: the server's certificate is valid from %v to %v only", c.NotBefore, c.NotAfter)
	}
	return nil
}
