package udpserver

import (
	"encoding/binary"
	"net/netip"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sendBatch is the kernel's view of an outbox.
type sendBatch struct {
	write    func(fd uintptr)
	from, to int
	messages [batchSize]message
	vectors  [batchSize]unix.Iovec
	names    [batchSize]unix.RawSockaddrInet6
}

func (b *sendBatch) init(o *outbox) {
	for i := range b.messages {
		b.vectors[i].Base = &o.bytes[i][0]
		h := &b.messages[i].header
		h.Name, h.Iov = (*byte)(unsafe.Pointer(&b.names[i])), &b.vectors[i]
		h.SetIovlen(1)
	}
	b.write = b.sendMany
}

// send sends what the outbox holds. What the kernel does not take is lost: no tick waits for the network.
func (b *sendBatch) send(o *outbox) {
	for i := range o.n {
		b.vectors[i].SetLen(o.sizes[i])
		h := &b.messages[i].header
		h.Namelen = b.setName(i, o.to[i], o.socket.six)
		h.Control = nil
		n := o.controls[i]
		if h.SetControllen(n); n > 0 {
			h.Control = &o.control[i][0]
		}
	}
	b.from, b.to = 0, o.n
	_ = o.socket.raw.Control(b.write) // the socket is closed: all are lost
}

// setName writes an address as the kernel reads it, and returns its size.
func (b *sendBatch) setName(i int, to netip.AddrPort, six bool) uint32 {
	n := &b.names[i]
	binary.BigEndian.PutUint16((*[2]byte)(unsafe.Pointer(&n.Port))[:], to.Port())
	if six {
		n.Family, n.Addr, n.Scope_id = unix.AF_INET6, to.Addr().As16(), 0
		if zone := to.Addr().Zone(); zone != "" {
			scope, _ := strconv.ParseUint(zone, 10, 32) // Socket.address has made it
			n.Scope_id = uint32(scope)
		}
		return unix.SizeofSockaddrInet6
	}
	n.Family = unix.AF_INET
	(*unix.RawSockaddrInet4)(unsafe.Pointer(n)).Addr = to.Addr().As4()
	return unix.SizeofSockaddrInet4
}

// sendMany sends the rest of a batch. It never waits.
func (b *sendBatch) sendMany(fd uintptr) {
	for b.from < b.to {
		n, _, errno := unix.Syscall6(unix.SYS_SENDMMSG, fd, uintptr(unsafe.Pointer(&b.messages[b.from])), uintptr(b.to-b.from), unix.MSG_DONTWAIT, 0, 0)
		switch {
		case errno == unix.EINTR:
		case errno == unix.EAGAIN: // its buffer is full
			return
		case errno != 0: // the first cannot be sent, the next may
			b.from++
		default:
			b.from += int(n)
		}
	}
}

// sourceControl returns the control data that names the address from which a packet is sent: a struct in6_pktinfo, or
// the shorter in_pktinfo. It is empty for none.
func sourceControl(from netip.Addr) []byte {
	switch {
	case !from.IsValid():
		return nil
	case from.Is4():
		four := from.As4()
		return unix.PktInfo4(&unix.Inet4Pktinfo{Spec_dst: four})
	}
	return unix.PktInfo6(&unix.Inet6Pktinfo{Addr: from.As16()})
}

// readControl copies control data without the size of segments, which it returns; 0 if it names none.
func readControl(to, control []byte) (n, segment int) {
	for len(control) >= unix.SizeofCmsghdr {
		header, body, next, err := unix.ParseOneSocketControlMessage(control)
		if err != nil {
			return n, segment
		}
		if header.Level == unix.IPPROTO_UDP && header.Type == unix.UDP_SEGMENT && len(body) >= 2 {
			segment = int(binary.NativeEndian.Uint16(body))
		} else {
			n += copy(to[n:], control[:len(control)-len(next)])
		}
		control = next
	}
	return n, segment
}
