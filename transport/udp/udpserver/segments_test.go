//go:build linux

package udpserver

import (
	"bytes"
	"net"
	"net/netip"
	"slices"
	"testing"
	"unsafe"

	"golang.org/x/net/ipv4"
	"golang.org/x/sys/unix"
)

// controlMessage returns one control message.
func controlMessage(level, kind int32, body ...byte) []byte {
	b := make([]byte, unix.CmsgSpace(len(body)))
	h := (*unix.Cmsghdr)(unsafe.Pointer(&b[0]))
	h.Level, h.Type = level, kind
	h.SetLen(unix.CmsgLen(len(body)))
	copy(b[unix.CmsgLen(0):], body)
	return b
}

// quic-go hands over several packets end to end, with their size in the control data: each leaves by itself, with what
// else the control data says.
func TestPacketsEndToEnd(t *testing.T) {
	l, err := Listen(Config{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	to, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	source, ecn := sourceControl(netip.MustParseAddr("127.0.0.1")), controlMessage(unix.IPPROTO_IP, unix.IP_TOS, 2)
	size := []byte{0, 0}
	*(*uint16)(unsafe.Pointer(&size[0])) = 1200
	control := slices.Concat(source, controlMessage(unix.IPPROTO_UDP, unix.UDP_SEGMENT, size...), ecn)
	packets := bytes.Repeat([]byte("a"), 2500)
	o := l.socket.out
	if !o.queue(packets, control, netip.MustParseAddrPort(to.LocalAddr().String())) {
		t.Error("the first that queues a packet does not flush it")
	}
	if o.queue(packets[:10], control, netip.MustParseAddrPort(to.LocalAddr().String())) {
		t.Error("the second flushes too")
	}
	for i, want := range []int{1200, 1200, 100, 10} {
		if got := o.sizes[i]; got != want {
			t.Errorf("packet %d has %d bytes, want %d", i, got, want)
		}
		if got, want := o.control[i][:o.controls[i]], slices.Concat(source, ecn); !bytes.Equal(got, want) {
			t.Errorf("packet %d has the control data %x, want %x", i, got, want)
		}
	}
	o.Flush()
	b := make([]byte, 2000)
	for i, want := range []int{1200, 1200, 100, 10} {
		if n, _, err := to.ReadFrom(b); err != nil || n != want {
			t.Errorf("packet %d came with %d bytes (%v), want %d", i, n, err, want)
		}
	}
}

// quic-go takes several packets with one call. Each counts for how long the reader sleeps, and each may begin a handshake;
// otherwise the kernel would keep more than it has room for, and a handshake behind other packets would be slow.
func TestEachPacketOfABatchCounts(t *testing.T) {
	l, err := Listen(Config{Addr: "127.0.0.1:0", Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Socket().Close()
	defer l.Close()
	from, err := net.Dial("udp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	for _, packet := range []string{"@one", "@two", "@three", "\xc3handshake"} {
		_, _ = from.Write([]byte(packet))
	}
	messages := make([]ipv4.Message, 8)
	for i := range messages {
		messages[i].Buffers = [][]byte{make([]byte, 1500)}
	}
	s := l.socket
	if n, err := s.ReadBatch(messages, 0); n != 4 || err != nil {
		t.Fatalf("got %d packets (%v), want 4", n, err)
	}
	if s.pace.packets != 4 || !s.pace.hurry.After(s.now) {
		t.Errorf("got %d packets and a handshake until %v, want 4 and one under way at %v", s.pace.packets, s.pace.hurry, s.now)
	}
}
