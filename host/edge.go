package host

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"time"
)

// EdgeConfig configures an Edge. Its fields mean what those of Config do.
type EdgeConfig struct {
	Addr        string                                               // TCP address of HTTP; "" picks a free port
	Limits      Limits                                               // zero means the defaults
	Origins     []string                                             // nil allows no pages of others
	Proxies     []netip.Prefix                                       // nil trusts none
	Certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error) // nil means plain HTTP
	Web         string                                               // folder of the page; "" serves none
	Log         *slog.Logger                                         // nil for none
}

// Edge is the HTTP side of a server that is no host, such as a front door: with the bounds of connections and
// requests, the timeouts and the headers that a Host has.
type Edge struct {
	config EdgeConfig
	gate   *gate
	quiet  *quiet
}

// NewEdge opens the port; Run serves and closes it. The error is an [*AddressError].
func NewEdge(c EdgeConfig) (*Edge, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Web != "" {
		if _, err := os.ReadDir(c.Web); err != nil {
			return nil, &AddressError{"Web", c.Web, err}
		}
	}
	tcp, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return nil, &AddressError{"Addr", c.Addr, err}
	}
	e := &Edge{config: c, quiet: newQuiet(c.Log.Handler())}
	e.config.Log = slog.New(e.quiet)
	e.gate = newGate(tcp, c.Limits, c.Proxies, e.config.Log)
	return e, nil
}

// Close closes the port of an Edge that is not run.
func (e *Edge) Close() { _ = e.gate.Close() }

// Addr is the TCP address, as opened.
func (e *Edge) Addr() net.Addr { return e.gate.Addr() }

// Log is the logger of the config. It bounds how many lines one client causes.
func (e *Edge) Log() *slog.Logger { return e.config.Log }

// OwnPages wraps a handler and refuses requests from pages of other origins, except Origins.
func (e *Edge) OwnPages(next http.Handler) http.Handler {
	return ownPages(e.config.Origins, e.config.Log, func(string) {}, next)
}

// Page serves the page of EdgeConfig.Web, which may connect to any server: those of other hosts have to allow it, by
// Config.Origins. Without a page it answers that there is none.
func (e *Edge) Page() http.Handler {
	if e.config.Web == "" {
		return http.NotFoundHandler()
	}
	return newDownloads(e.config.Limits.Loopback).limit(pages(newPage(e.config.Web), e.config.Origins, anyServer))
}

// Run serves until the context ends, and then at most two seconds longer.
func (e *Edge) Run(ctx context.Context, handler http.Handler) error {
	server := newServer(e.gate.bound(secure(handler)), e.gate, e.config.Log)
	served := make(chan error, 1)
	go func() { served <- server.Serve(secured(e.gate, e.config.Certificate)) }()
	defer e.quiet.flush()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	_ = shutDown(server, grace)
	<-served
	return nil
}
