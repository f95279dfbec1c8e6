package udpwire

import (
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"net/netip"
	"time"
)

// magic follows the kind of each packet of the handshake and names the version of the protocol.
const magic = "bsu1"

// The parts of a handshake, in bytes.
const (
	macBytes    = 16
	ticketID    = 16
	TicketBytes = ticketID + 8 + macBytes // ID, expiry in ms since 1970, authentication
	cookieBytes = 8 + macBytes            // when it was made, in ms since 1970, authentication
	KeyBytes    = 32                      // of X25519, and of a ticket's secret
	prefix      = 1 + len(magic)

	requestBytes   = MaxPacket
	challengeBytes = prefix + ticketID + cookieBytes
	responseBytes  = prefix + TicketBytes + cookieBytes + KeyBytes + macBytes
)

const (
	// TicketLife is how long a ticket can be used.
	TicketLife = 30 * time.Second
	// cookieLife is how long a client may take to answer a challenge.
	cookieLife = 5 * time.Second
	// maxUsed bounds the tickets that were used and have not expired. Above it newcomers are refused.
	maxUsed = 1 << 16
)

// Ticket lets one client open one connection within TicketLife: what a server's join answer holds.
type Ticket struct {
	// Bytes go over the wire.
	Bytes [TicketBytes]byte
	// Secret is known to the server and whoever was given the ticket, and Server is the server's public key. Both
	// go into the keys of the connection: who has read the join answer cannot read the packets, and who sees the
	// packets cannot use the ticket.
	Secret, Server [KeyBytes]byte
}

// Doorman is a server's part of the handshake. It keeps nothing of an address that has not returned a challenge.
// Its methods but Ticket belong to the goroutine that reads the socket.
type Doorman struct {
	secret  []byte // of this start of the server
	key     *ecdh.PrivateKey
	tickets hash.Hash // keyed with secret, for the reading goroutine
	mac     [sha256.Size]byte
	scratch [MaxPacket]byte
	used    map[[ticketID]byte]time.Time // until when
	swept   time.Time
}

// NewDoorman returns one with new secrets: tickets of another, or of another start, are foreign to it.
func NewDoorman() (*Doorman, error) {
	key, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	secret := make([]byte, 32)
	rand.Read(secret) // never fails
	return &Doorman{secret: secret, key: key, tickets: hmac.New(sha256.New, secret), used: map[[ticketID]byte]time.Time{}}, nil
}

// Ticket returns a new ticket. Any goroutine may call it.
func (d *Doorman) Ticket(now time.Time) *Ticket {
	t := &Ticket{}
	rand.Read(t.Bytes[:ticketID]) // never fails
	binary.BigEndian.PutUint64(t.Bytes[ticketID:], uint64(now.Add(TicketLife).UnixMilli()))
	h := hmac.New(sha256.New, d.secret)
	copy(t.Bytes[ticketID+8:], sum(h, d.mac[:0:0], labelTicket, t.Bytes[:ticketID+8]))
	copy(t.Secret[:], sum(h, d.mac[:0:0], labelSecret, t.Bytes[:ticketID+8]))
	copy(t.Server[:], d.key.PublicKey().Bytes())
	return t
}

// The labels keep what is authenticated under one key apart.
var labelTicket, labelSecret, labelCookie, labelResponse = []byte("ticket"), []byte("secret"), []byte("cookie"), []byte("response")

// sum appends the authentication of the parts to dst.
func sum(h hash.Hash, dst []byte, parts ...[]byte) []byte {
	h.Reset()
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(dst)
}

// valid reports whether the ticket is one of this doorman's and has not expired.
func (d *Doorman) valid(ticket []byte, now time.Time) bool {
	until := int64(binary.BigEndian.Uint64(ticket[ticketID:]))
	if left := until - now.UnixMilli(); left < 0 || left > TicketLife.Milliseconds() {
		return false
	}
	want := sum(d.tickets, d.mac[:0], labelTicket, ticket[:ticketID+8])[:macBytes]
	return hmac.Equal(want, ticket[ticketID+8:TicketBytes])
}

// cookie authenticates an address for a ticket: b gets cookieBytes, of which it has the time already.
func (d *Doorman) cookie(at, id []byte, from netip.AddrPort) []byte {
	address := d.scratch[:18]
	ip := from.Addr().As16()
	copy(address, ip[:])
	binary.BigEndian.PutUint16(address[16:], from.Port())
	return sum(d.tickets, d.mac[:0], labelCookie, at, id, address)[:macBytes]
}

// Request appends the challenge that answers a request, nothing where there is no answer.
func (d *Doorman) Request(dst, b []byte, from netip.AddrPort, now time.Time) []byte {
	if len(b) != requestBytes || b[0] != kindRequest || string(b[1:prefix]) != magic {
		return dst
	}
	ticket := b[prefix : prefix+TicketBytes]
	if !d.valid(ticket, now) {
		return dst
	}
	dst = append(append(dst, kindChallenge), magic...)
	dst = append(dst, ticket[:ticketID]...)
	dst = binary.BigEndian.AppendUint64(dst, uint64(now.UnixMilli()))
	return append(dst, d.cookie(dst[len(dst)-8:], ticket[:ticketID], from)...)
}

// Accepted is a client that has returned its challenge.
type Accepted struct {
	ID     uint32         // of its connection
	Public [KeyBytes]byte // the client's
	// New is whether its ticket is used for the first time; then Keys are those of the connection. Otherwise the
	// client has sent its response again, if the connection of that ID has the same Public.
	New  bool
	Keys Keys
}

// Response checks a client's response. ok is false where it gets no answer.
func (d *Doorman) Response(b []byte, from netip.AddrPort, now time.Time) (a Accepted, ok bool) {
	if len(b) != responseBytes || b[0] != kindResponse || string(b[1:prefix]) != magic {
		return a, false
	}
	ticket, rest := b[prefix:prefix+TicketBytes], b[prefix+TicketBytes:]
	cookie, public := rest[:cookieBytes], rest[cookieBytes:cookieBytes+KeyBytes]
	if age := now.UnixMilli() - int64(binary.BigEndian.Uint64(cookie)); age < 0 || age > cookieLife.Milliseconds() {
		return a, false
	}
	if !hmac.Equal(d.cookie(cookie[:8], ticket[:ticketID], from), cookie[8:]) || !d.valid(ticket, now) {
		return a, false
	}
	secret := sum(d.tickets, nil, labelSecret, ticket[:ticketID+8])
	if !hmac.Equal(responseMAC(secret, b), b[responseBytes-macBytes:]) {
		return a, false
	}
	a.ID = ticketConnection(ticket)
	copy(a.Public[:], public)
	id := [ticketID]byte(ticket)
	if _, used := d.used[id]; used {
		return a, true
	}
	if len(d.used) >= maxUsed {
		return a, false
	}
	d.used[id] = now.Add(TicketLife) // before the costly part: a ticket pays for one
	theirs, err := ecdh.X25519().NewPublicKey(public)
	if err != nil {
		return a, false
	}
	a.New = true
	a.Keys, err = deriveKeys(d.key, theirs, secret, ticket, public, d.key.PublicKey().Bytes())
	return a, err == nil
}

// Sweep forgets used tickets that have expired.
func (d *Doorman) Sweep(now time.Time) {
	if now.Sub(d.swept) < time.Second {
		return
	}
	d.swept = now
	for id, until := range d.used {
		if now.After(until) {
			delete(d.used, id)
		}
	}
}

// ticketConnection returns the ID of the connection that a ticket opens.
func ticketConnection(ticket []byte) uint32 { return binary.BigEndian.Uint32(ticket) }

// responseMAC authenticates a response by the ticket's secret.
func responseMAC(secret, response []byte) []byte {
	return sum(hmac.New(sha256.New, secret), nil, labelResponse, response[:responseBytes-macBytes])[:macBytes]
}

// deriveKeys returns the keys of a connection: of what only the two ends can compute, and of the ticket's secret.
func deriveKeys(own *ecdh.PrivateKey, theirs *ecdh.PublicKey, secret, ticket, client, server []byte) (k Keys, err error) {
	shared, err := own.ECDH(theirs)
	if err != nil {
		return k, err
	}
	info := string(ticket) + string(client) + string(server)
	b, err := hkdf.Key(sha256.New, append(shared, secret...), []byte("backstep udp 1"), info, len(k.Up)+len(k.Down))
	if err != nil {
		return k, err
	}
	copy(k.Up[:], b)
	copy(k.Down[:], b[len(k.Up):])
	return k, nil
}

// Handshake is a client's part: send [Handshake.Packet] again and again until a packet of the server can be opened with its Keys.
type Handshake struct {
	Keys     Keys   // of the connection
	ID       uint32 // of the connection
	ticket   *Ticket
	key      *ecdh.PrivateKey
	response []byte // nil until a challenge came
}

// NewHandshake begins a handshake.
func NewHandshake(t *Ticket) (*Handshake, error) {
	key, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	server, err := ecdh.X25519().NewPublicKey(t.Server[:])
	if err != nil {
		return nil, errors.New("udp: the server's key is no key of X25519")
	}
	h := &Handshake{ticket: t, key: key, ID: ticketConnection(t.Bytes[:])}
	h.Keys, err = deriveKeys(key, server, t.Secret[:], t.Bytes[:], key.PublicKey().Bytes(), t.Server[:])
	return h, err
}

// Packet returns what to send now: the request, or the response to the challenge.
func (h *Handshake) Packet() []byte {
	if h.response != nil {
		return h.response
	}
	b := make([]byte, 0, requestBytes)
	b = append(append(append(b, kindRequest), magic...), h.ticket.Bytes[:]...)
	return b[:requestBytes]
}

// Receive takes a challenge; it reports whether the datagram was one, so that Packet has another answer.
func (h *Handshake) Receive(b []byte) bool {
	if len(b) != challengeBytes || b[0] != kindChallenge || string(b[1:prefix]) != magic ||
		string(b[prefix:prefix+ticketID]) != string(h.ticket.Bytes[:ticketID]) {
		return false
	}
	r := make([]byte, 0, responseBytes)
	r = append(append(append(r, kindResponse), magic...), h.ticket.Bytes[:]...)
	r = append(r, b[prefix+ticketID:]...)
	r = append(r, h.key.PublicKey().Bytes()...)[:responseBytes]
	copy(r[responseBytes-macBytes:], responseMAC(h.ticket.Secret[:], r))
	h.response = r
	return true
}

// Responded reports whether a challenge has come: then data packets may.
func (h *Handshake) Responded() bool { return h.response != nil }
