package host

import (
	"context"
	"crypto/tls"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"
)

// newServer returns an HTTP server. Its timeouts do not affect WebSockets, which are
// hijacked, and downloads move that for writing. It speaks HTTP/1.1 only, over TLS too: a page is a dozen files,
// which six connections load as fast, and the floods of HTTP/2 (streams that are reset at once, endless headers)
// have no place to begin.
func newServer(handler http.Handler, g *gate, to *slog.Logger) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Server{
		Handler:           handler,
		Protocols:         protocols,
		ConnContext:       connContext,
		ConnState:         g.connState,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      smallTimeout,
		IdleTimeout:       15 * time.Second,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          log.New(httpErrors{to}, "", 0),
	}
}

// shutDown ends a server: answers that are on their way are written until the grace is over.
func shutDown(server *http.Server, grace context.Context) error {
	if server.Shutdown(grace) == nil {
		return nil
	}
	return server.Close() // a download is still running
}

// smallTimeout is how long an answer that is no download may take. It fits in the kernel's buffer, unless the client
// has let many answers lie.
const smallTimeout = 5 * time.Second

// secured returns the listener of HTTP, or with a certificate of HTTPS.
func secured(g *gate, certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)) net.Listener {
	if certificate == nil {
		return g
	}
	return tls.NewListener(g, &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: certificate,
		NextProtos:     []string{"http/1.1", acmeProtocol},
	})
}

// acmeProtocol is the protocol by which an authority tests that a server has a name (RFC 8737).
const acmeProtocol = "acme-tls/1"

// httpErrors writes what the HTTP server has to say, such as failed handshakes, as one kind of line: each names
// an address, and as a message of its own it would have no bound. [THR-36]
type httpErrors struct{ log *slog.Logger }

// Write implements io.Writer.
func (e httpErrors) Write(b []byte) (int, error) {
	e.log.Warn("HTTP", "why", strings.TrimSpace(string(b)))
	return len(b), nil
}
