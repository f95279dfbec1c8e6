package udpwire

import (
	"crypto/cipher"
	"encoding/binary"
	"errors"

	"golang.org/x/crypto/chacha20poly1305"
)

// Keys seal the packets of one connection, one key for each direction.
type Keys struct {
	Up, Down [chacha20poly1305.KeySize]byte // client to server, server to client
}

// The layout of a data packet: its kind, upwards the connection's ID, the low 16 bits of its number, then
// ciphertext and tag.
const (
	idBytes     = 4
	numberBytes = 2
	tagBytes    = chacha20poly1305.Overhead
	downHeader  = 1 + numberBytes
	upHeader    = 1 + idBytes + numberBytes
)

// errOpen is a packet that was not sealed by the other side, or not for this direction.
var errOpen = errors.New("udp: packet cannot be opened")

// errReplayed is a packet that has arrived already, or is so old that the window does not know.
var errReplayed = errors.New("udp: packet arrived before")

// PacketID returns the ID of the connection to which a client's data packet belongs.
func PacketID(b []byte) (id uint32, ok bool) {
	if len(b) < upHeader+tagBytes || b[0] != kindData {
		return 0, false
	}
	return binary.BigEndian.Uint32(b[1:]), true
}

// sealer numbers and seals packets of one direction. The number is the nonce, so it never repeats.
type sealer struct {
	aead  cipher.AEAD
	nonce [chacha20poly1305.NonceSize]byte
	next  uint64
}

func newSealer(key *[chacha20poly1305.KeySize]byte) sealer {
	aead, err := chacha20poly1305.New(key[:])
	if err != nil {
		panic("udpwire: " + err.Error()) // the key has the right length
	}
	return sealer{aead: aead}
}

// seal seals the packet in place: b has the header, whose last two bytes become the number, and the plaintext.
// It returns the packet with its tag, for which b has capacity.
func (s *sealer) seal(b []byte, header int) []byte {
	binary.BigEndian.PutUint16(b[header-numberBytes:], uint16(s.next))
	binary.BigEndian.PutUint64(s.nonce[4:], s.next)
	s.next++
	return s.aead.Seal(b[:header], s.nonce[:], b[header:], b[:header])
}

// opener opens packets of one direction, each once.
type opener struct {
	aead  cipher.AEAD
	nonce [chacha20poly1305.NonceSize]byte
	seen  replayWindow
}

func newOpener(key *[chacha20poly1305.KeySize]byte) opener { return opener{aead: newSealer(key).aead} }

// open opens a packet in place. newest reports that no packet with a higher number came before.
func (o *opener) open(b []byte, header int) (plain []byte, newest bool, err error) {
	if len(b) < header+tagBytes {
		return nil, false, errOpen
	}
	number := o.seen.expand(binary.BigEndian.Uint16(b[header-numberBytes:]))
	if !o.seen.fresh(number) {
		return nil, false, errReplayed
	}
	binary.BigEndian.PutUint64(o.nonce[4:], number)
	plain, err = o.aead.Open(b[header:header], o.nonce[:], b[header:], b[:header])
	if err != nil {
		return nil, false, errOpen
	}
	newest = number >= o.seen.next
	o.seen.mark(number)
	return plain, newest, nil
}

// replayBits is how many numbers below the highest a replay window remembers: a second of the fastest game, so
// that a packet which the network has reordered still counts.
const replayBits = 1024

// replayWindow knows which packets have arrived.
type replayWindow struct {
	next uint64 // one above the highest
	bits [replayBits / 64]uint64
}

// expand returns the number with these low 16 bits that is nearest to the next expected one.
func (w *replayWindow) expand(low uint16) uint64 {
	n := w.next&^0xffff | uint64(low)
	switch {
	case n+1<<15 < w.next:
		return n + 1<<16
	case n > w.next+1<<15 && n >= 1<<16:
		return n - 1<<16
	}
	return n
}

// fresh reports whether a packet of this number has not arrived and is not too old.
func (w *replayWindow) fresh(n uint64) bool {
	if n >= w.next {
		return true
	}
	return w.next-n <= replayBits && w.bits[n/64%(replayBits/64)]>>(n%64)&1 == 0
}

// mark notes the arrival of a number that is fresh.
func (w *replayWindow) mark(n uint64) {
	if n >= w.next {
		for i := w.next; i <= n && i < w.next+replayBits; i++ {
			w.bits[i/64%(replayBits/64)] &^= 1 << (i % 64)
		}
		if n-w.next >= replayBits { // all that it knew is too old; the loop has cleared all
			w.bits = [replayBits / 64]uint64{}
		}
		w.next = n + 1
	}
	w.bits[n/64%(replayBits/64)] |= 1 << (n % 64)
}
