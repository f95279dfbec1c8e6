package udpwire

import (
	"testing"
	"testing/synctest"
	"time"
)

// THR-28: nothing passes in either direction for twelve seconds, such as in a tunnel, and a message waits. A connection
// ends after fifteen seconds without packets, so this one goes on, and the message arrives. A client that is heard all
// the time, and takes nothing for ten seconds, is closed all the same.
func TestABlackoutIsNoReaderThatStands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(1, 0, 0, 10*time.Millisecond)
		p.until(t, time.Second, "both have measured", func() bool {
			p.server.Datagrams([]byte("tick"))
			p.client.Datagrams([]byte("move"))
			return p.server.ping.smoothed > 0 && p.client.ping.smoothed > 0
		})
		p.up.loss, p.down.loss = 1, 1
		if err := p.server.Stream([]byte("chat")); err != nil {
			t.Fatal(err)
		}
		for begin := time.Now(); time.Since(begin) < 12*time.Second; p.step() {
		}
		p.up.loss, p.down.loss = 0, 0
		p.client.Datagrams([]byte("the first that passes"))
		p.client.Drain(nil)
		p.until(t, 3*time.Second, "the message arrives", func() bool {
			if p.server.Closed() || p.client.Closed() {
				t.Fatalf("server: %v, client: %v; want both open", p.server.Err(), p.client.Err())
			}
			got := p.client.Drain(nil)
			return len(got) > 0 && string(got[len(got)-1].Bytes) == "chat"
		})
	})
	synctest.Test(t, func(t *testing.T) {
		p := newPair(1, 0, 0, 10*time.Millisecond)
		message := make([]byte, 32<<10)
		took := p.until(t, 14*time.Second, "the server closes", func() bool {
			_ = p.server.Stream(message)
			p.client.Datagrams([]byte("move"))
			return p.server.Closed()
		})
		if why := "transport: closed here: the other side does not read"; p.server.Err().Error() != why || took < stallTimeout {
			t.Errorf("after %v: %v, want %q after %v", took, p.server.Err(), why, stallTimeout)
		}
	})
}
