package session

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/replicate"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

var update = flag.Bool("update", false, "rewrite testdata")

// written returns what a message packs to, and its bits.
func written(pack func(*bits.Packer)) ([]byte, int) {
	var p bits.Packer
	p.Write(make([]byte, 8192))
	pack(&p)
	if p.Err() != nil {
		panic(p.Err())
	}
	return bytes.Clone(p.Bytes()), p.Bits()
}

// Which snapshots have come, in any pattern, is read as it was written, in as many
// bits as the table says, and in one way only.
func TestReceivedOnTheWire(t *testing.T) {
	const seed = 1
	w := rand.New(rand.NewPCG(seed, 0))
	for i := range 5000 {
		want := track.Received{Newest: 1000, Mask: 1<<64 - 1}
		for range i % 16 {
			want.Mask &^= 1 << w.IntN(64)
		}
		if i%100 == 0 {
			want = track.Received{Newest: uint32(w.IntN(70))}
			want.Mask = w.Uint64() & (1<<(max(want.Newest, 1)-1) - 1)
		}
		b, n := written(func(p *bits.Packer) { packReceived(p, &want) })
		var got track.Received
		var p bits.Packer
		p.Read(b)
		packReceived(&p, &got)
		if p.End(); p.Err() != nil || got != want || n > 100 {
			t.Fatalf("seed %d: %x in %d bits: got %x (%v)", seed, want, n, got, p.Err())
		}
	}
	for _, c := range []struct {
		r    track.Received
		want int
	}{{track.Received{}, 32}, {track.Received{Newest: 99, Mask: 1<<64 - 1}, 36},
		{track.Received{Newest: 99, Mask: 1<<64 - 2}, 42}, {track.Received{Newest: 99}, 100}} {
		if _, n := written(func(p *bits.Packer) { packReceived(p, &c.r) }); n != c.want {
			t.Errorf("%x: %d bits, want %d", c.r, n, c.want)
		}
	}
	full, n := uint64(1<<64-2), 11
	for _, newest := range []uint32{99, 5} {
		b, _ := written(func(p *bits.Packer) { p.Uint32(&newest); p.Ranged(&n, 0, 11); p.Uint(&full, 64) })
		var got track.Received
		var p bits.Packer
		p.Read(b)
		if packReceived(&p, &got); p.Err() != bits.ErrRange {
			t.Errorf("a mask where places are shorter, or ticks before the first: %v", p.Err())
		}
	}
	full = 0xff
	b, _ := written(func(p *bits.Packer) { newest := uint32(5); p.Uint32(&newest); p.Ranged(&n, 0, 11); p.Uint(&full, 64) })
	var got track.Received
	var p bits.Packer
	p.Read(b)
	if packReceived(&p, &got); p.Err() != bits.ErrRange {
		t.Errorf("ticks before the first: %v", p.Err())
	}
}

// The bounds by which a datagram's room is planned hold for the largest that can be
// said; so a correction of 800 bytes always fits beside a status and an entity.
func TestTheLargestNewsFits(t *testing.T) {
	far := geom.V(1e9, -1e9, 1e9)
	r := shot.Receipt{Shot: math.MaxUint32, Shooter: track.MaxID, Weapon: 255, ViewAsked: 1 << 53, ViewGranted: 1<<53 - 1,
		Verdict: shot.Hit, Reason: shot.AlreadyDead, Damage: 65535, Agrees: true}
	r.Outcome.Mark = rewind.Mark{Kind: rewind.Player, Target: track.MaxID, Part: rewind.Head}
	r.Outcome.Life, r.Outcome.Distance, r.Outcome.Point = 255, 4096, far
	if _, n := written(r.Pack); n > receiptBits {
		t.Errorf("a receipt takes %d bits, planned are %d", n, receiptBits)
	}
	n := news{hasStatus: true, status: make([]byte, MaxStatus)}
	_, base := written(n.pack)
	if base > statusBits+countBits {
		t.Errorf("a status takes %d bits, planned are %d", base, statusBits+countBits)
	}
	n.sights = []sight{{65535, MaxPlayers, far, far.Neg()}}
	if _, size := written(n.pack); size-base > sightBits {
		t.Errorf("a sight takes %d bits, planned are %d", size-base, sightBits)
	}
	h := serverHeader{tick: 1, heard: true}
	_, head := written(h.pack)
	if verdict := 1 + 42 + maxState*8; head+verdict+statusBits+countBits+replicate.Room > maxDatagram*8 {
		t.Errorf("a correction of %d bytes does not fit: %d bits", maxState, head+verdict+statusBits+countBits+replicate.Room)
	}
}

// News that says nothing has one form: a single bit.
func TestNoNewsIsOneBit(t *testing.T) {
	n := news{}
	if _, size := written(n.pack); size != 1 {
		t.Errorf("%d bits, want 1", size)
	}
	b, _ := written(func(p *bits.Packer) {
		yes, no, zero := true, false, 0
		p.Bool(&yes)
		p.Bool(&no)
		p.Ranged(&zero, 0, maxPending)
		p.Ranged(&zero, 0, maxPending)
	})
	var p bits.Packer
	p.Read(b)
	if n.pack(&p); p.Err() != bits.ErrRange {
		t.Errorf("news of nothing: %v, want %v", p.Err(), bits.ErrRange)
	}
}

// A hold beyond a second says so, and never wraps.
func TestHold(t *testing.T) {
	for _, c := range []struct{ in, want clock.Micros }{
		{-5, 0}, {0, 0}, {15, 0}, {16, 16}, {500_000, 500_000}, {maxHold, maxHold}, {1 << 50, maxHold},
	} {
		d := c.in
		if written(func(p *bits.Packer) { packHold(p, &d) }); d != c.want {
			t.Errorf("%d: got %d, want %d", c.in, d, c.want)
		}
	}
}

// A budget lets its burst pass at once and its rate in the long run, and is full
// again after a pause.
func TestAllowance(t *testing.T) {
	var a allowance
	count := func(now clock.Micros, tries int) (n int) {
		for range tries {
			if a.take(now, 1, 30, 120) {
				n++
			}
		}
		return n
	}
	if n := count(0, 1000); n != 120 {
		t.Errorf("at once: %d, want 120", n)
	}
	n := 0
	for s := range clock.Micros(100) {
		n += count((s+1)*clock.Second/10, 100)
	}
	if n != 300 {
		t.Errorf("in ten seconds: %d, want 300", n)
	}
	if n := count(60*clock.Second, 1000); n != 120 {
		t.Errorf("after a pause: %d, want 120", n)
	}
	if a.take(1e15, 200, 30, 120) {
		t.Error("more than ever fits is taken")
	}
}

// What waits for an acknowledgement: what did not fit is not taken for sent, what is
// acknowledged goes, and the oldest gives way.
func TestUntil(t *testing.T) {
	var u until[int]
	for i := range 5 {
		u.push(i, 10)
	}
	if got := u.first(2, 11); len(got) != 2 || got[1] != 1 {
		t.Errorf("got %v, want the first two", got)
	}
	if u.acknowledged(10); u.n != 3 || u.items[0] != 2 {
		t.Errorf("%d wait, from %d; want 3 from 2", u.n, u.items[0])
	}
	if u.acknowledged(9); u.n != 3 {
		t.Errorf("%d wait after an old acknowledgement, want 3", u.n)
	}
	for i := range 40 {
		u.push(100+i, 20)
	}
	if u.n != maxPending || u.items[0] != 140-maxPending {
		t.Errorf("%d wait, from %d", u.n, u.items[0])
	}
	if got := u.first(-1, 21); len(got) != 0 {
		t.Errorf("no room: got %v", got)
	}
	if u.acknowledged(20); u.n != maxPending {
		t.Errorf("%d wait, of which none was sent", u.n)
	}
}

// GAP-04: the format is frozen; a change of these bytes is a new protocol.
func TestGoldenMessages(t *testing.T) {
	var got bytes.Buffer
	line := func(name string, pack func(*bits.Packer)) {
		b, n := written(pack)
		fmt.Fprintf(&got, "%s, %d bits: %s\n", name, n, hex.EncodeToString(b))
	}
	key := Key{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	h := hello{magic, Version, "red", "Ada ❤", key}
	line("hello", h.pack)
	w := welcome{7, key, 60, "9f86d081", true}
	line("welcome", w.pack)
	c := clientHeader{sent: 123456789, hold: 16000, received: track.Received{Newest: 3675, Mask: 1<<64 - 1 - 1<<5 - 1<<63}, moves: true}
	line("client's header", c.pack)
	c.received.Mask = 0xF0F0F0F0F0F0F0F0
	line("client's header, many missing", c.pack)
	c = clientHeader{sent: 1}
	line("client's first header", c.pack)
	s := serverHeader{tick: 3675, heard: true, sent: 123456789, hold: 8000}
	line("server's header", s.pack)
	s = serverHeader{tick: 1}
	line("server's first header", s.pack)
	n := news{hasStatus: true, status: []byte("ok"), receipts: []shot.Receipt{{Shot: 9, Shooter: 1, Verdict: shot.Miss}},
		sights: []sight{{3, 2, geom.V(1, 2, 3), geom.V(-4, 5, -6)}}}
	line("news", n.pack)
	const file = "testdata/messages.hex"
	if *update {
		os.MkdirAll("testdata", 0o755)
		os.WriteFile(file, got.Bytes(), 0o644)
	}
	want, err := os.ReadFile(file)
	if err != nil || got.String() != string(want) {
		t.Errorf("got\n%swant\n%s%v", got.String(), want, err)
	}
}
