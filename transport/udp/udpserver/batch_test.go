package udpserver

import (
	"net"
	"net/netip"
	"testing"
)

// BenchmarkOutbox is what the kernel takes for a packet in a full batch, with nothing sealed.
func BenchmarkOutbox(b *testing.B) {
	to, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		b.Fatal(err)
	}
	defer to.Close()
	l, err := Listen(Config{Addr: "127.0.0.1:0"})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	address := netip.MustParseAddrPort(to.LocalAddr().String())
	packet := make([]byte, 320)
	b.Run("in batches", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			l.socket.out.send(packet, address, nil)
		}
		l.socket.out.Flush()
	})
	b.Run("one by one", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			l.socket.out.send(packet, address, nil)
			l.socket.out.Flush()
		}
	})
}
