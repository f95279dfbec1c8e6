package quicserver

import (
	"net"
	"testing"
	"time"

	raw "github.com/backstep-net/backstep/transport/quic"
)

// Of newcomers in a flood the first few of a second begin at once, and the others prove their address. The bound is
// no window: whoever comes a moment later finds what has been given back since. [THR-01, THR-02]
func TestAFloodProvesItsAddress(t *testing.T) {
	h := newHandshakes(3, 100)
	now := time.Unix(1000, 0)
	for i, want := range []bool{false, false, false, true, true} {
		if got := h.validate(now); got != want {
			t.Errorf("newcomer %d at once: validate %v, want %v", i+1, got, want)
		}
	}
	if now = now.Add(400 * time.Millisecond); h.validate(now) || !h.validate(now) {
		t.Error("0.4 s later, at 3 a second: want one without validation and no second")
	}
}

// One validated address begins 64 connections at once and 32 a second, and no other address pays for it; an address that
// is only claimed costs its owner nothing, and this machine's own has no bound. All together have theirs. [THR-02]
func TestHandshakesOfAnAddressAreBounded(t *testing.T) {
	now := time.Unix(1000, 0)
	at := func(ip string) net.Addr { return &net.UDPAddr{IP: net.ParseIP(ip), Port: 1234} }
	admitted := func(h *handshakes, ip string, validated bool, tries int) (n int) {
		for range tries {
			if h.admit(at(ip), validated, now) == nil {
				n++
			}
		}
		return n
	}
	h := newHandshakes(32, 10000)
	for _, c := range []struct {
		ip        string
		validated bool
		want      int
	}{
		{"198.51.100.7", false, 1000}, {"198.51.100.7", true, 64}, {"198.51.100.8", true, 64}, {"127.0.0.9", true, 1000},
		{"2001:db8::1", true, 64}, {"2001:db8::2", true, 0}, {"2001:db8:0:1::2", true, 64},
	} {
		if got := admitted(h, c.ip, c.validated, 1000); got != c.want {
			t.Errorf("%s, validated %v: %d of 1000 at once, want %d", c.ip, c.validated, got, c.want)
		}
	}
	now = now.Add(time.Second)
	if got := admitted(h, "198.51.100.7", true, 1000); got != 32 {
		t.Errorf("a second later: %d, want 32", got)
	}
	h = newHandshakes(32, 100)
	if got := admitted(h, "127.0.0.1", true, 1000); got != 100 {
		t.Errorf("all together: %d of 1000 at once, want 100", got)
	}
}

// A spray of addresses is forgotten when it has been quiet: the server keeps no list of the world.
func TestAddressesAreForgotten(t *testing.T) {
	h := newHandshakes(32, 1<<20)
	now := time.Unix(1000, 0)
	for i := range 20 * maxAddresses {
		now = now.Add(time.Millisecond)
		_ = h.admit(&net.UDPAddr{IP: net.IPv4(10, byte(i>>16), byte(i>>8), byte(i)), Port: 1}, true, now)
	}
	if got := len(h.byAddress); got > 2*maxAddresses {
		t.Errorf("%d addresses are remembered of %d that came once, want at most %d", got, 20*maxAddresses, 2*maxAddresses)
	}
}

// A client that is refused hears it at once and does not wait for an answer that never comes. [THR-02]
func TestARefusedHandshakeIsHeardAtOnce(t *testing.T) {
	_, addr, hashes := listen(t, Config{Handshakes: 1, RetryAbove: -1})
	first, err := raw.Dial(within(t), addr, hashes)
	if err != nil {
		t.Fatal(err)
	}
	defer shut(first)
	ctx := within(t)
	if second, err := raw.Dial(ctx, addr, hashes); err == nil {
		shut(second)
		t.Error("a second connection within the second was accepted, want it refused")
	} else if ctx.Err() != nil {
		t.Errorf("the second connection waited until its time was over: %v", err)
	}
}
