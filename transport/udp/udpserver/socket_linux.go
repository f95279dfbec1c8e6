package udpserver

import (
	"encoding/binary"
	"net"
	"net/netip"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/net/ipv4"
	"golang.org/x/sys/unix"

	"github.com/backstep-net/backstep/transport/internal/udpwire"
)

const (
	// maxDatagram is how much of a datagram is read; quic-go takes 1,452 bytes.
	maxDatagram = 1500
	// maxControl is how much control data (ECN, the address that a packet was sent to) comes with one.
	maxControl = 128
)

// message is the kernel's struct mmsghdr.
type message struct {
	header unix.Msghdr
	length uint32
}

// Socket is a UDP socket that hands the packets of transport/udp to its listener and returns those of QUIC. quic-go
// reads such a socket in batches.
type Socket struct {
	*net.UDPConn
	raw  syscall.RawConn
	to   receiver
	six  bool // the socket's addresses are those of IPv6
	read func(fd uintptr) bool

	got      int
	errno    syscall.Errno
	at       int // the next message of the batch that has not been looked at
	messages [batchSize]message
	vectors  [batchSize]unix.Iovec
	names    [batchSize]unix.RawSockaddrInet6
	control  [batchSize][maxControl]byte
	bytes    [batchSize][maxDatagram]byte
}

func newSocket(udp *net.UDPConn, to receiver) (*Socket, error) {
	s := &Socket{UDPConn: udp, to: to}
	var err error
	if s.raw, err = udp.SyscallConn(); err != nil {
		return nil, err
	}
	family := 0
	if e := s.raw.Control(func(fd uintptr) { family, err = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_DOMAIN) }); e != nil {
		return nil, e
	}
	s.six = family == unix.AF_INET6
	for i := range s.messages {
		s.vectors[i].Base = &s.bytes[i][0]
		s.vectors[i].SetLen(maxDatagram)
		h := &s.messages[i].header
		h.Name, h.Iov = (*byte)(unsafe.Pointer(&s.names[i])), &s.vectors[i]
		h.SetIovlen(1)
		h.Control = &s.control[i][0]
	}
	s.read = s.receiveMany // made once: a method value allocates
	return s, err
}

// receiveMany receives a batch; it returns false where nothing is there, to wait for it.
func (s *Socket) receiveMany(fd uintptr) bool {
	for i := range s.messages {
		h := &s.messages[i].header
		h.Namelen = unix.SizeofSockaddrInet6
		h.SetControllen(maxControl)
	}
	n, _, errno := unix.Syscall6(unix.SYS_RECVMMSG, fd, uintptr(unsafe.Pointer(&s.messages[0])), batchSize, 0, 0, 0)
	if s.errno = errno; errno == unix.EAGAIN || errno == unix.EINTR {
		return false
	}
	s.got = int(n)
	return true
}

// next receives until a packet of QUIC is there, and returns its index. The listener has taken its own by then.
func (s *Socket) next() (int, error) {
	now := time.Time{}
	for {
		for ; s.at < s.got; s.at++ {
			b := s.bytes[s.at][:s.messages[s.at].length]
			if len(b) == 0 || !udpwire.IsPacket(b[0]) {
				s.at++
				return s.at - 1, nil
			}
			if now.IsZero() {
				now = time.Now()
			}
			s.to.receive(b, s.address(s.at), s.local(s.at), now)
		}
		if !now.IsZero() {
			s.to.batchEnd(now)
			now = time.Time{}
		}
		s.at, s.got = 0, 0
		if err := s.raw.Read(s.read); err != nil {
			return 0, err
		}
		if s.errno != 0 {
			return 0, s.errno
		}
	}
}

// discard reads packets that belong to nobody, until the socket is closed.
func (s *Socket) discard() bool {
	_, err := s.next()
	return err == nil
}

// address returns where a message came from.
func (s *Socket) address(i int) netip.AddrPort {
	n := &s.names[i]
	port := binary.BigEndian.Uint16((*[2]byte)(unsafe.Pointer(&n.Port))[:])
	if n.Family == unix.AF_INET {
		four := (*unix.RawSockaddrInet4)(unsafe.Pointer(n))
		return netip.AddrPortFrom(netip.AddrFrom4(four.Addr), port)
	}
	return netip.AddrPortFrom(netip.AddrFrom16(n.Addr).Unmap(), port)
}

// local returns the address that a message was sent to, if the kernel says it: quic-go asks for that on a socket of
// every address. An answer comes from there, since a client behind NAT hears from nowhere else.
func (s *Socket) local(i int) (a netip.Addr) {
	for rest := s.control[i][:s.messages[i].header.Controllen]; len(rest) >= unix.SizeofCmsghdr; {
		header, body, next, err := unix.ParseOneSocketControlMessage(rest)
		if err != nil {
			return a
		}
		switch rest = next; {
		case header.Level == unix.IPPROTO_IP && header.Type == unix.IP_PKTINFO && len(body) >= unix.SizeofInet4Pktinfo:
			a = netip.AddrFrom4([4]byte(body[4:])) // after the interface
		case header.Level == unix.IPPROTO_IPV6 && header.Type == unix.IPV6_PKTINFO && len(body) >= unix.SizeofInet6Pktinfo:
			a = netip.AddrFrom16([16]byte(body)).Unmap()
		}
	}
	return a
}

// ReadBatch is what quic-go reads with: it copies packets of QUIC into messages, until all that the kernel handed
// over in one call are taken.
func (s *Socket) ReadBatch(messages []ipv4.Message, _ int) (int, error) {
	i, err := s.next()
	if err != nil {
		return 0, err
	}
	n := 0
	for {
		h, m := &s.messages[i], &messages[n]
		m.N = copy(m.Buffers[0], s.bytes[i][:h.length])
		m.NN = copy(m.OOB, s.control[i][:h.header.Controllen])
		m.Flags, m.Addr = int(h.header.Flags), net.UDPAddrFromAddrPort(s.address(i))
		n++
		if n == len(messages) || s.at == s.got || udpwire.IsPacket(s.bytes[s.at][0]) || s.messages[s.at].length == 0 {
			return n, nil
		}
		i = s.at
		s.at++
	}
}

// sendBatch is the kernel's view of an outbox.
type sendBatch struct {
	write    func(fd uintptr) bool
	from, to int
	messages [batchSize]message
	vectors  [batchSize]unix.Iovec
	names    [batchSize]unix.RawSockaddrInet6
	control  [batchSize]sourceControl
}

// sourceControl is the control message that names the address from which a packet is sent: a struct in6_pktinfo, or
// the shorter in_pktinfo.
type sourceControl struct {
	header unix.Cmsghdr
	info   [unix.SizeofInet6Pktinfo]byte
	_      [8]byte // the kernel counts whole words
}

// set makes the message for a source, and returns its length; 0 for none.
func (c *sourceControl) set(from netip.Addr) int {
	clear(c.info[:])
	switch {
	case !from.IsValid():
		return 0
	case from.Is4():
		c.header.Level, c.header.Type = unix.IPPROTO_IP, unix.IP_PKTINFO
		four := from.As4()
		copy(c.info[4:], four[:])
		c.header.SetLen(unix.CmsgLen(unix.SizeofInet4Pktinfo))
		return unix.CmsgSpace(unix.SizeofInet4Pktinfo)
	}
	c.header.Level, c.header.Type = unix.IPPROTO_IPV6, unix.IPV6_PKTINFO
	sixteen := from.As16()
	copy(c.info[:], sixteen[:])
	c.header.SetLen(unix.CmsgLen(unix.SizeofInet6Pktinfo))
	return unix.CmsgSpace(unix.SizeofInet6Pktinfo)
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
		n := b.control[i].set(o.from[i])
		if h.SetControllen(n); n > 0 {
			h.Control = (*byte)(unsafe.Pointer(&b.control[i]))
		}
	}
	b.from, b.to = 0, o.n
	_ = o.socket.raw.Write(b.write) // the socket is closed: all are lost
}

// setName writes an address as the kernel reads it, and returns its size.
func (b *sendBatch) setName(i int, to netip.AddrPort, six bool) uint32 {
	n := &b.names[i]
	binary.BigEndian.PutUint16((*[2]byte)(unsafe.Pointer(&n.Port))[:], to.Port())
	if six {
		n.Family, n.Addr = unix.AF_INET6, to.Addr().As16()
		return unix.SizeofSockaddrInet6
	}
	n.Family = unix.AF_INET
	(*unix.RawSockaddrInet4)(unsafe.Pointer(n)).Addr = to.Addr().As4()
	return unix.SizeofSockaddrInet4
}

// sendMany sends the rest of a batch. It never waits.
func (b *sendBatch) sendMany(fd uintptr) bool {
	for b.from < b.to {
		n, _, errno := unix.Syscall6(unix.SYS_SENDMMSG, fd, uintptr(unsafe.Pointer(&b.messages[b.from])), uintptr(b.to-b.from), 0, 0, 0)
		switch {
		case errno == unix.EINTR:
		case errno == unix.EAGAIN: // its buffer is full
			return true
		case errno != 0: // the first cannot be sent, the next may
			b.from++
		default:
			b.from += int(n)
		}
	}
	return true
}
