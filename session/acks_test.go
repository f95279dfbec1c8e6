package session

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// Which snapshots and which datagrams have come, in any pattern, of every number and of
// those that a match at 60 ticks with 20, 25 or 30 snapshots sends, is read as it was
// written, wherever the reader's newest number is by now.
func TestReceivedOnTheWire(t *testing.T) {
	const seed = 1
	w := rand.New(rand.NewPCG(seed, 0))
	for i := range 20000 {
		of := ackCodec{width: 10 + 2*(i&1), schedule: []schedule{{}, {60, 20}, {60, 25}, {60, 30}}[i/2%4]}
		want := track.Received{Newest: 1 + uint32(w.IntN(5000))}
		for range w.IntN(70) {
			want.Mask |= 1 << w.IntN(64)
		}
		if w.IntN(2) == 0 {
			want.Mask = 1<<64 - 1 - 1<<w.IntN(64)
		}
		for k := range uint32(64) {
			if k+1 >= want.Newest || !of.schedule.sends(want.Newest-1-k) {
				want.Mask &^= 1 << k
			}
		}
		b, n := written(func(p *bits.Packer) { of.pack(p, &want) })
		of.newest = want.Newest + uint32(w.IntN(1<<of.width-1))
		var got track.Received
		var p bits.Packer
		p.Read(b)
		of.pack(&p, &got)
		if p.End(); p.Err() != nil || got != want || n > 82 {
			t.Fatalf("seed %d: %x of %+v in %d bits: got %x (%v)", seed, want, of, n, got, p.Err())
		}
	}
}

// What it costs: nothing but the number where all have come, and at 30 snapshots of 60
// ticks no more than at 60.
func TestReceivedIsShort(t *testing.T) {
	all := track.Received{Newest: 99, Mask: 1<<64 - 1}
	for _, c := range []struct {
		what     string
		r        track.Received
		schedule schedule
		want     int
	}{
		{"nothing", track.Received{}, schedule{}, 1},
		{"all", all, schedule{}, 1 + 12 + 1},
		{"all of those that are sent", track.Received{Newest: 100, Mask: 0xAAAAAAAAAAAAAAAA}, schedule{60, 30}, 1 + 12 + 1},
		{"all since the first", track.Received{Newest: 7, Mask: 1<<6 - 1}, schedule{}, 1 + 12 + 1},
		{"all but one", track.Received{Newest: 99, Mask: 1<<64 - 2}, schedule{}, 1 + 12 + 1 + 4 + 6},
		{"none of 64", track.Received{Newest: 99}, schedule{}, 1 + 12 + 1 + 4 + 64},
	} {
		of := ackCodec{width: 12, schedule: c.schedule}
		if _, n := written(func(p *bits.Packer) { of.pack(p, &c.r) }); n != c.want {
			t.Errorf("%s: %d bits, want %d", c.what, n, c.want)
		}
	}
}

// There is one way to say it: whatever bits are read without an error are written again
// as the same ones. [WIR-15]
func TestReceivedHasOneForm(t *testing.T) {
	const seed = 2
	w := rand.New(rand.NewPCG(seed, 0))
	read := 0
	for i := range 50000 {
		of := ackCodec{width: 10, newest: []uint32{0, 1, 5, 40, 900, 100000}[i%6], schedule: []schedule{{}, {60, 25}}[i%2]}
		b := make([]byte, 14)
		for k := range b {
			b[k] = byte(w.Uint32() & w.Uint32())
		}
		b[0] |= 1
		var r track.Received
		var p bits.Packer
		p.Read(b)
		of.pack(&p, &r)
		if p.Err() != nil {
			continue
		}
		read++
		n := p.Bits()
		again, m := written(func(p *bits.Packer) { of.pack(p, &r) })
		var q bits.Packer
		q.Read(b)
		for k := 0; k < n; k++ {
			var one, two uint64
			q.Uint(&one, 1)
			if two = uint64(again[k/8] >> (k % 8) & 1); one != two || n != m {
				t.Fatalf("seed %d: %x of %+v: %d bits of %x are written as %d of %x", seed, r, of, n, b, m, again)
			}
		}
	}
	if read < 1000 {
		t.Errorf("only %d were read", read)
	}
}

// A delay beyond 131 ms is not sent, and none ever wraps.
func TestHold(t *testing.T) {
	for _, c := range []struct{ in, want clock.Micros }{
		{-5, noAckDelay}, {noAckDelay, noAckDelay}, {0, 0}, {63, 0}, {64, 64}, {100_000, 99_968}, {131_071, 131_008},
		{131_072, noAckDelay}, {1 << 50, noAckDelay},
	} {
		d, r := c.in, track.Received{Newest: 1}
		if written(func(p *bits.Packer) { packAck(p, &ackCodec{width: 10}, &r, &d) }); d != c.want {
			t.Errorf("%d: got %d, want %d", c.in, d, c.want)
		}
	}
}

// The share that did not come and the longest run, of those that were sent at all; the
// newest four may have been overtaken and are not counted.
func TestLost(t *testing.T) {
	all := uint64(1<<64 - 1)
	for _, c := range []struct {
		what     string
		r        track.Received
		first    uint32
		schedule schedule
		share    float64
		run      int
	}{
		{"nothing was sent", track.Received{}, 1, schedule{}, 0, 0},
		{"the first", track.Received{Newest: 1}, 1, schedule{}, 0, 0},
		{"the first came and seven more", track.Received{Newest: 8, Mask: 127}, 1, schedule{}, 0, 0},
		{"all came", track.Received{Newest: 500, Mask: all}, 1, schedule{}, 0, 0},
		{"the one before is late", track.Received{Newest: 500, Mask: all - 1}, 1, schedule{}, 0, 0},
		{"three in a row are lost", track.Received{Newest: 500, Mask: all &^ (7 << 20)}, 1, schedule{}, 3. / 60, 3},
		{"three apart are lost", track.Received{Newest: 500, Mask: all &^ (1<<20 | 1<<30 | 1<<40)}, 1, schedule{}, 3. / 60, 1},
		{"everything but the newest", track.Received{Newest: 500}, 1, schedule{}, 1, 60},
		{"joined 10 ago", track.Received{Newest: 500, Mask: 1<<10 - 1}, 490, schedule{}, 0, 0},
		{"every other tick is sent", track.Received{Newest: 500, Mask: 0xAAAAAAAAAAAAAAAA}, 1, schedule{60, 30}, 0, 0},
		{"and one of those is lost", track.Received{Newest: 500, Mask: 0xAAAAAAAAAAAAAAAA &^ (1 << 31)}, 1, schedule{60, 30}, 1. / 30, 1},
	} {
		of := ackCodec{schedule: c.schedule}
		if share, run := of.lost(c.r, c.first); share != c.share || run != c.run {
			t.Errorf("%s: got %v, %d; want %v, %d", c.what, share, run, c.share, c.run)
		}
	}
}
