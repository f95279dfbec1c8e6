//go:build linux

package host

import (
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"testing"
)

// gateOf opens a gate at a free port of this machine, whose addresses count like any others.
func gateOf(t *testing.T, limits Limits, trusted ...netip.Prefix) (g *gate, connect func(from string) *tcpConn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	limits.Loopback, limits.Requests = true, -1
	g = newGate(l, limits, trusted, slog.New(slog.DiscardHandler))
	return g, func(from string) *tcpConn {
		t.Helper()
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		client, err := dialer.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		server, err := g.Accept()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { client.Close(); server.Close() })
		return server.(*tcpConn)
	}
}

// At its bound an address loses its own connection that has been idle for longest, and at the bound of all the one that has
// been so of anybody; one that answers a request never gives way. Only where all do is a new one refused. [THR-42]
func TestWhichConnectionGivesWay(t *testing.T) {
	g, connect := gateOf(t, Limits{AddressSockets: 2, Sockets: 3})
	left := func(what string, want ...*tcpConn) {
		t.Helper()
		if len(g.conns) != len(want) || slices.ContainsFunc(want, func(c *tcpConn) bool { _, ok := g.conns[c]; return !ok }) {
			t.Fatalf("%s: %d connections are left, want others than these %d", what, len(g.conns), len(want))
		}
	}
	b1 := connect("127.0.0.3")
	a1 := connect("127.0.0.2")
	g.begin(a1)
	a2 := connect("127.0.0.2")
	left("at no bound", a1, a2, b1)
	a3 := connect("127.0.0.2")
	left("a third one of an address, whose first answers", a1, a3, b1)
	b2 := connect("127.0.0.3")
	left("a fourth one in all", a1, a3, b2)
	g.begin(a3)
	g.begin(b2)
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 4)}}
	late, err := dialer.Dial("tcp", g.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer late.Close()
	accepted := make(chan net.Conn)
	go func() { c, _ := g.Accept(); accepted <- c }()
	if _, err := late.Read(make([]byte, 1)); err == nil {
		t.Error("a new one is not refused while all others answer")
	}
	g.end(a1)
	if late, err = dialer.Dial("tcp", g.Addr().String()); err != nil {
		t.Fatal(err)
	}
	defer late.Close()
	c1 := (<-accepted).(*tcpConn)
	defer c1.Close()
	left("one has answered", c1, a3, b2)
	g.release(b2) // it has become a WebSocket
	if _ = b2.Close(); g.addresses[b2.block].open != 0 || g.addresses[a3.block].open != 1 {
		t.Errorf("%d and %d connections count, want 0 and 1", g.addresses[b2.block].open, g.addresses[a3.block].open)
	}
}

// A proxy that the server trusts has the connections of all its players, so they have no bound as those of one address; and
// below zero is no limit at all. [THR-43]
func TestConnectionsWithoutABound(t *testing.T) {
	for what, c := range map[string]struct {
		limits  Limits
		trusted []netip.Prefix
	}{
		"a proxy":  {Limits{AddressSockets: 2}, []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")}},
		"no limit": {Limits{AddressSockets: -1, Sockets: -1}, nil},
	} {
		g, connect := gateOf(t, c.limits, c.trusted...)
		for range 6 {
			connect("127.0.0.2")
		}
		if len(g.conns) != 6 {
			t.Errorf("%s: %d of 6 connections are left", what, len(g.conns))
		}
	}
}
