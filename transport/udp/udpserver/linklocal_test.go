package udpserver_test

import (
	"net"
	"net/netip"
	"strconv"
	"testing"
	"time"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/quic"
	"github.com/backstep-net/backstep/transport/quic/quicserver"
	"github.com/backstep-net/backstep/transport/udp"
	"github.com/backstep-net/backstep/transport/udp/udpserver"
)

// linkLocal returns a link-local address of this machine with its zone, "" if it has none.
func linkLocal() string {
	all, _ := net.Interfaces()
	for _, i := range all {
		addresses, _ := i.Addrs()
		for _, a := range addresses {
			if n, ok := a.(*net.IPNet); ok && n.IP.To4() == nil && n.IP.IsLinkLocalUnicast() {
				return n.IP.String() + "%" + i.Name
			}
		}
	}
	return ""
}

// A client of the same network reaches the server by its link-local address, which is what a name in .local may lead to.
// Such an address means a machine only together with the interface.
func TestLinkLocalClients(t *testing.T) {
	host := linkLocal()
	if host == "" {
		t.Skip("no interface with a link-local address of IPv6 here")
	}
	l, err := udpserver.Listen(udpserver.Config{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	q, err := quicserver.Listen(quicserver.Config{Socket: l.Socket()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { l.Close(); q.Close() }()
	hashes, err := q.Hashes()
	if err != nil {
		t.Fatal(err)
	}
	address := net.JoinHostPort(host, strconv.Itoa(int(netip.MustParseAddrPort(l.Addr().String()).Port())))
	for kind, dial := range map[string]func() (transport.Conn, error){
		"udp":  func() (transport.Conn, error) { return udp.Dial(within(t, 4*time.Second), address, l.Ticket()) },
		"quic": func() (transport.Conn, error) { return quic.Dial(within(t, 4*time.Second), address, hashes) },
	} {
		c, err := dial()
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		finish(t, c)
	}
}
