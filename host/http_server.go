package host

import (
	"crypto/tls"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"
)

// server returns the HTTP server. Its timeouts do not affect WebSockets, which are
// hijacked, and downloads move that for writing. It speaks HTTP/1.1 only, over TLS too: a page is a dozen files,
// which six connections load as fast, and the floods of HTTP/2 (streams that are reset at once, endless headers)
// have no place to begin.
func (h *Host) server() *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Server{
		Handler:           h.routes(),
		Protocols:         protocols,
		ConnContext:       connContext,
		ConnState:         h.gate.connState,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      smallTimeout,
		IdleTimeout:       15 * time.Second,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          log.New(httpErrors{h.config.Log}, "", 0),
	}
}

// smallTimeout is how long an answer that is no download may take. It fits in the kernel's buffer, unless the client
// has let many answers lie.
const smallTimeout = 5 * time.Second

// listener returns the listener of HTTP or HTTPS.
func (h *Host) listener() net.Listener {
	if h.config.Certificate == nil {
		return h.gate
	}
	return tls.NewListener(h.gate, &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: h.config.Certificate,
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
