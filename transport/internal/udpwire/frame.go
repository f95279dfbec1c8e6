package udpwire

import (
	"encoding/binary"
	"errors"

	"github.com/backstep-net/backstep/transport"
)

// The sections of a packet, each a bit of its first plaintext byte, in the order in which they follow it.
const (
	hasPing          byte = 1 << iota // number, 2 bytes: a pong is wanted
	hasPong                           // the ping's number, 2 bytes; for how long it was held, 2 bytes of holdUnit
	hasAck                            // the next segment, 2 bytes; which of the 64 after it have arrived, 8 bytes
	hasSegment                        // number, 2 bytes; length, 2 bytes; bytes of the stream
	hasPathChallenge                  // 8 bytes, to be sent back from the address at which they arrived
	hasPathResponse                   // these 8 bytes
	hasClose                          // whether it confirms the other's, 1 byte; the reason, which is the rest
	hasDatagram                       // the datagram, which is the rest
)

// holdUnit is the unit of a pong's holding time, in microseconds.
const holdUnit = 100

// packet is the plaintext of a packet. Its slices are parts of the buffer that it was read from.
type packet struct {
	has       byte
	ping      uint16
	pong      uint16
	held      uint16
	ackNext   uint16
	ackMask   uint64 // bit i: the segment ackNext+1+i has arrived
	segment   uint16
	data      []byte // of the segment
	challenge uint64
	response  uint64
	confirms  bool
	reason    []byte
	datagram  []byte
}

// errPacket is an authenticated packet that is none: the other side is broken.
var errPacket = errors.New("udp: malformed packet")

// appendTo appends the plaintext to b.
func (p *packet) appendTo(b []byte) []byte {
	b = append(b, p.has)
	if p.has&hasPing != 0 {
		b = binary.BigEndian.AppendUint16(b, p.ping)
	}
	if p.has&hasPong != 0 {
		b = binary.BigEndian.AppendUint16(b, p.pong)
		b = binary.BigEndian.AppendUint16(b, p.held)
	}
	if p.has&hasAck != 0 {
		b = binary.BigEndian.AppendUint16(b, p.ackNext)
		b = binary.BigEndian.AppendUint64(b, p.ackMask)
	}
	if p.has&hasSegment != 0 {
		b = binary.BigEndian.AppendUint16(b, p.segment)
		b = binary.BigEndian.AppendUint16(b, uint16(len(p.data)))
		b = append(b, p.data...)
	}
	if p.has&hasPathChallenge != 0 {
		b = binary.BigEndian.AppendUint64(b, p.challenge)
	}
	if p.has&hasPathResponse != 0 {
		b = binary.BigEndian.AppendUint64(b, p.response)
	}
	if p.has&hasClose != 0 {
		confirms := byte(0)
		if p.confirms {
			confirms = 1
		}
		b = append(append(b, confirms), p.reason...)
	}
	return append(b, p.datagram...)
}

// reader takes numbers off a buffer; short is set when it had too few bytes.
type reader struct {
	b     []byte
	short bool
}

func (r *reader) take(n int) []byte {
	if len(r.b) < n {
		r.short, r.b = true, nil
		return make([]byte, n)
	}
	taken := r.b[:n]
	r.b = r.b[n:]
	return taken
}

// parse reads a plaintext. The error is errPacket.
func (p *packet) parse(b []byte) error {
	*p = packet{}
	if len(b) == 0 {
		return errPacket
	}
	p.has = b[0]
	r := reader{b: b[1:]}
	if p.has&hasPing != 0 {
		p.ping = binary.BigEndian.Uint16(r.take(2))
	}
	if p.has&hasPong != 0 {
		p.pong = binary.BigEndian.Uint16(r.take(2))
		p.held = binary.BigEndian.Uint16(r.take(2))
	}
	if p.has&hasAck != 0 {
		p.ackNext = binary.BigEndian.Uint16(r.take(2))
		p.ackMask = binary.BigEndian.Uint64(r.take(8))
	}
	if p.has&hasSegment != 0 {
		p.segment = binary.BigEndian.Uint16(r.take(2))
		n := int(binary.BigEndian.Uint16(r.take(2)))
		if n == 0 || n > maxSegment || n > len(r.b) {
			return errPacket
		}
		p.data = r.take(n)
	}
	if p.has&hasPathChallenge != 0 {
		p.challenge = binary.BigEndian.Uint64(r.take(8))
	}
	if p.has&hasPathResponse != 0 {
		p.response = binary.BigEndian.Uint64(r.take(8))
	}
	return p.parseRest(&r)
}

// parseRest reads what ends a packet: a close, a datagram, or nothing.
func (p *packet) parseRest(r *reader) error {
	switch {
	case p.has&hasClose != 0:
		confirms := r.take(1)[0]
		if p.has&hasDatagram != 0 || confirms > 1 || len(r.b) > transport.MaxReason {
			return errPacket
		}
		p.confirms, p.reason, r.b = confirms == 1, r.b, nil
	case p.has&hasDatagram != 0:
		if len(r.b) == 0 || len(r.b) > transport.MaxDatagram {
			return errPacket
		}
		p.datagram, r.b = r.b, nil
	}
	if r.short || len(r.b) != 0 {
		return errPacket
	}
	return nil
}
