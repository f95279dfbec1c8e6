package udpwire

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"slices"
	"testing"
	"time"
)

// doormen is a server's part and a client's, and the address of the latter.
func doormen(t testing.TB, now time.Time) (*Doorman, *Handshake) {
	t.Helper()
	d, err := NewDoorman()
	if err != nil {
		t.Fatal(err)
	}
	h, err := NewHandshake(d.Ticket(now))
	if err != nil {
		t.Fatal(err)
	}
	return d, h
}

// challenge takes a client past its challenge and returns its response.
func challenge(t testing.TB, d *Doorman, h *Handshake, now time.Time) []byte {
	t.Helper()
	reply := d.Request(nil, h.Packet(), clientAddress, now)
	if len(reply) == 0 || !h.Receive(reply) {
		t.Fatalf("the request was answered with % x", reply)
	}
	return h.Packet()
}

// Both ends have the same keys after the handshake, no answer is longer than what it answers, and the keys of two
// connections differ. [THR-01]
func TestAHandshake(t *testing.T) {
	now := time.Now()
	d, h := doormen(t, now)
	response := challenge(t, d, h, now)
	a, ok := d.Response(response, clientAddress, now)
	if !ok || !a.New || a.Keys != h.Keys || a.ID != h.ID {
		t.Fatalf("got %+v, %v; the client has %+v", a, ok, h.Keys)
	}
	if a.Keys.Up == a.Keys.Down {
		t.Error("both directions have one key")
	}
	if challengeBytes > requestBytes || downHeader+1+8+tagBytes > responseBytes {
		t.Error("an answer is longer than what it answers")
	}
	if again, ok := d.Response(response, clientAddress, now); !ok || again.New || again.Public != a.Public {
		t.Errorf("the response again: got %+v, %v; want no new connection", again, ok)
	}
}

// What a ticket is not: forged in any bit, expired, of another server or of an earlier start of the same, used by
// another key, at an address that did not return the challenge. None gets a connection, and only the address that
// sent a valid ticket an answer. [THR-05]
func TestTicketsThatAreRefused(t *testing.T) {
	now := time.Now()
	d, h := doormen(t, now)
	request := slices.Clone(h.Packet())
	response := slices.Clone(challenge(t, d, h, now))
	flipped := 0
	for i := range (prefix + TicketBytes) * 8 {
		b := slices.Clone(request)
		b[i/8] ^= 1 << (i % 8)
		if reply := d.Request(nil, b, clientAddress, now); len(reply) != 0 {
			t.Errorf("request with bit %d flipped: answered", i)
		}
		flipped++
	}
	for i := range len(response) * 8 {
		b := slices.Clone(response)
		b[i/8] ^= 1 << (i % 8)
		if _, ok := d.Response(b, clientAddress, now); ok {
			t.Errorf("response with bit %d flipped: taken", i)
		}
		flipped++
	}
	for name, c := range map[string]struct {
		b    []byte
		from netip.AddrPort
		at   time.Time
	}{
		"a second too late":   {response, clientAddress, now.Add(TicketLife + time.Second)},
		"a late cookie":       {response, clientAddress, now.Add(cookieLife + time.Second)},
		"another port":        {response, netip.AddrPortFrom(clientAddress.Addr(), 1001), now},
		"another address":     {response, serverAddress, now},
		"before it was made":  {response, clientAddress, now.Add(-time.Second)},
		"cut":                 {response[:len(response)-1], clientAddress, now},
		"with something more": {append(slices.Clone(response), 0), clientAddress, now},
	} {
		if _, ok := d.Response(c.b, c.from, c.at); ok {
			t.Errorf("%s: taken", name)
		}
	}
	if reply := d.Request(nil, request, clientAddress, now.Add(TicketLife+time.Second)); len(reply) != 0 {
		t.Error("an expired ticket is answered")
	}
	if reply := d.Request(nil, request[:len(request)-1], clientAddress, now); len(reply) != 0 {
		t.Error("a request that is not padded is answered")
	}
	other, _ := doormen(t, now)
	if reply := other.Request(nil, request, clientAddress, now); len(reply) != 0 {
		t.Error("another server's ticket is answered")
	}
	if len(d.used) != 0 {
		t.Errorf("%d tickets were noted as used", len(d.used))
	}
	if a, ok := d.Response(response, clientAddress, now); !ok || !a.New {
		t.Error("the response itself is refused")
	}
	thief, err := NewHandshake(h.ticket) // with another key, and the whole join answer
	if err != nil {
		t.Fatal(err)
	}
	if a, ok := d.Response(challenge(t, d, thief, now), clientAddress, now); a.New {
		t.Errorf("a used ticket opened a second connection: %+v, %v", a, ok)
	}
	d.Sweep(now.Add(2 * TicketLife))
	if len(d.used) != 0 {
		t.Error("an expired ticket is still noted")
	}
	t.Logf("%d flipped bits refused", flipped)
}

// Who has read the packets but not the join answer has no use of the ticket, and who has read the answer but has
// not the client's key cannot read the packets: the keys need both.
func TestKeysNeedTheSecretAndTheExchange(t *testing.T) {
	now := time.Now()
	d, h := doormen(t, now)
	stolen := *h.ticket
	stolen.Secret = [KeyBytes]byte{}
	thief, err := NewHandshake(&stolen)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := d.Response(challenge(t, d, thief, now), clientAddress, now); ok {
		t.Error("a ticket without its secret was taken")
	}
	reader, err := NewHandshake(h.ticket)
	if err != nil {
		t.Fatal(err)
	}
	if reader.Keys == h.Keys {
		t.Error("the join answer is enough to compute the keys")
	}
}

// A flood of requests, of valid tickets from as many addresses, leaves nothing behind and makes no garbage. [THR-02]
func TestAFloodOfRequestsKeepsNoState(t *testing.T) {
	now := time.Now()
	d, h := doormen(t, now)
	request := h.Packet()
	var reply []byte
	n := uint32(0)
	one := func() {
		n++
		var ip [4]byte
		binary.BigEndian.PutUint32(ip[:], n)
		reply = d.Request(reply[:0], request, netip.AddrPortFrom(netip.AddrFrom4(ip), uint16(n)), now)
	}
	one()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	const count = 200_000
	begin := time.Now()
	for range count {
		one()
	}
	took := time.Since(begin)
	runtime.GC()
	runtime.ReadMemStats(&after)
	t.Logf("%d requests: %d bytes kept, %d bytes of garbage, %v each", count, int64(after.HeapAlloc)-int64(before.HeapAlloc), after.TotalAlloc-before.TotalAlloc, took/count)
	if len(d.used) != 0 {
		t.Errorf("%d tickets noted", len(d.used))
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 64<<10 {
		t.Errorf("%d bytes kept", grown)
	}
	if n := testing.AllocsPerRun(100, one); n != 0 {
		t.Errorf("%v allocations a request, want 0", n)
	}
}

// No bytes, whoever sends them, make a doorman or a client's handshake panic, answer at length or accept.
func FuzzHandshake(f *testing.F) { // THR-13
	now := time.Now()
	d, h := doormen(f, now)
	request := slices.Clone(h.Packet())
	reply := d.Request(nil, request, clientAddress, now)
	f.Add(request)
	f.Add(reply)
	h.Receive(reply)
	f.Add(h.Packet())
	f.Fuzz(func(t *testing.T, b []byte) {
		if reply := d.Request(nil, b, clientAddress, now); len(reply) > len(b) {
			t.Fatalf("%d bytes answered with %d", len(b), len(reply))
		}
		d.Response(b, clientAddress, now)
		client, err := NewHandshake(h.ticket)
		if err != nil {
			t.Fatal(err)
		}
		client.Receive(b)
		PacketID(b)
	})
}

// Whatever parses is written again as it was.
func FuzzPacket(f *testing.F) { // THR-13
	for _, p := range []packet{
		{}, {has: hasDatagram, datagram: []byte("x")}, {has: hasClose, confirms: true, reason: []byte("bye")},
		{has: hasPing | hasPong | hasAck | hasSegment, ping: 1, pong: 2, held: 3, ackNext: 4, ackMask: 5, segment: 6, data: []byte("seg")},
		{has: hasPathChallenge | hasPathResponse, challenge: 1, response: 2},
	} {
		f.Add(p.appendTo(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var p packet
		if p.parse(b) == nil {
			if again := p.appendTo(nil); string(again) != string(b) {
				t.Fatalf("% x was written again as % x", b, again)
			}
		}
	})
}

// A player that seals what it likes, packet after packet, ends its connection at worst, and the server holds a
// bounded part of it. [THR-11]
func FuzzHostilePeer(f *testing.F) { // THR-13
	f.Add([]byte{3, hasDatagram, 1, 1, 9, hasSegment, 0, 0, 0, 2, 1, 'a', 0, 0})
	f.Add([]byte{12, hasAck, 0, 9, 0, 0, 0, 0, 0, 0, 0, 255, 3, hasPing, 1, 1})
	f.Fuzz(func(t *testing.T, script []byte) {
		now := time.Unix(1_000_000, 0)
		var k Keys
		server := New(Config{Sender: &box{}, Keys: k, ID: 7, Remote: clientAddress, Server: true}, now)
		up := newSealer(&k.Up)
		server.Stream([]byte("something to acknowledge"))
		for len(script) > 0 {
			n := min(int(script[0]), len(script)-1)
			b := append(make([]byte, upHeader, MaxPacket), script[1:1+n]...)
			b[0] = kindData
			script = script[1+n:]
			now = now.Add(7 * time.Millisecond)
			server.Receive(up.seal(b, upHeader), clientAddress, now)
			server.Answer(now)
			server.Sweep(now)
			held := len(server.stream.message)
			for _, s := range server.stream.segments {
				held += len(s)
			}
			if most := transport64 + window*maxSegment; held > most {
				t.Fatalf("%d bytes held, want at most %d", held, most)
			}
			if o := &server.out; o.base > o.next || o.next-o.base > window {
				t.Fatalf("segments %d to %d are under way", o.base, o.next)
			}
		}
	})
}

// transport64 is the longest message with its prefix, and a segment.
const transport64 = 64<<10 + 3 + maxSegment

// Segment numbers wrap without effect: a stream that is 200,000 segments old goes on. [THR-31]
func TestSegmentNumbersWrap(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 0))
	var s sendStream
	var r receiveStream
	now := time.Unix(0, 0)
	got, want := 0, 0
	for s.next < 200_000 {
		now = now.Add(time.Millisecond)
		if len(s.queue) == 0 {
			s.push([]byte{2, 'h', 'i'}, now)
			want++
		}
		if _, ok := s.cut(); ok {
			s.sent(s.next-1, now)
		}
		for n := s.base; n < s.next; n++ {
			if random.IntN(3) > 0 {
				r.put(uint16(n), s.at(n).data)
			}
		}
		if err := r.take(func(m []byte) bool { got++; return string(m) == "hi" }); err != nil {
			t.Fatal(err)
		}
		next, mask := r.ack()
		if random.IntN(3) > 0 {
			s.acknowledge(next, mask, now)
		}
	}
	if want-got > window {
		t.Errorf("%d of %d messages came", got, want)
	}
}
