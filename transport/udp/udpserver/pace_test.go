package udpserver

import (
	"testing"
	"time"
)

// The reader sleeps as long as its host lets it; less while handshakes are under way or where packets come so fast that
// the kernel might have no room for them.
func TestHowLongTheReaderSleeps(t *testing.T) {
	begin := time.Unix(1000, 0)
	for _, c := range []struct {
		what    string
		packets int // in the last 10 ms
		first   byte
		want    time.Duration
	}{
		{"nothing came", 0, 0, maxWait},
		{"40 clients at 60 Hz", 24, 0x33, maxWait},
		{"1,000 clients at 120 Hz", 1200, 0x33, 10 * time.Millisecond * maxKept / 1200},
		{"a handshake of transport/udp", 1, 0x30, hurryWait},
		{"a handshake of QUIC", 1, 0xc3, hurryWait},
		{"a flood of handshakes", 10_000, 0xc3, 10 * time.Millisecond * maxKept / 10_000},
	} {
		p := pace{slept: begin}
		now := begin.Add(10 * time.Millisecond)
		for range c.packets {
			p.see(c.first, now)
		}
		if got := p.longest(now); got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}
