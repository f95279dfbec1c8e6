package mem

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/backstep-net/backstep/transport"
)

// arrivesAfter polls every millisecond until something comes.
func arrivesAfter(t *testing.T, c transport.Conn, begin time.Time) (time.Duration, []transport.Packet) {
	t.Helper()
	for range 10_000 {
		if got := c.Drain(nil); len(got) > 0 {
			return time.Since(begin), got
		}
		time.Sleep(ms)
	}
	t.Fatal("nothing came")
	return 0, nil
}

func TestADegradedConnectionDelaysBothWays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pipe()
		lag := Degrade(a, Network{RTT: 80 * ms}, 1)
		begin := time.Now()
		lag.Datagrams([]byte("out"))
		if d, _ := arrivesAfter(t, b, begin); d < 40*ms || d > 42*ms {
			t.Errorf("outwards it took %v, want 40 ms", d)
		}
		begin = time.Now()
		b.Stream([]byte("in"))
		d, got := arrivesAfter(t, lag, begin)
		if d < 40*ms || d > 42*ms {
			t.Errorf("inwards it took %v, want 40 ms", d)
		}
		if late := got[0].At.Sub(begin); late != 40*ms {
			t.Errorf("At says %v after it was sent, want 40 ms", late)
		}
		lag.Close("bye")
	})
}

func TestADegradedConnectionLosesDatagramsAndNoMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pipe()
		lag := Degrade(a, Network{RTT: 50 * ms, Jitter: 20 * ms, Loss: 0.5}, 1)
		grams, messages := 0, 0
		for i := range 1100 {
			if i < 1000 {
				lag.Datagrams([]byte("d"))
				if err := lag.Stream([]byte{byte(i)}); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(10 * ms)
			for _, p := range b.Drain(nil) {
				if p.Channel == transport.Datagram {
					grams++
				} else if p.Bytes[0] != byte(messages) {
					t.Fatalf("message %d came, want %d", p.Bytes[0], byte(messages))
				} else {
					messages++
				}
			}
		}
		if messages != 1000 {
			t.Errorf("%d messages came, want 1000", messages)
		}
		if grams < 430 || grams > 570 {
			t.Errorf("%d of 1000 datagrams came with 50 %% loss", grams)
		}
		lag.Close("bye")
	})
}

// A receiver that does not drain makes the queue grow to its bound and no
// further, and nothing is lost when it does drain.
func TestADegradedConnectionHoldsMessagesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pipe()
		lag := Degrade(a, Network{RTT: 100 * ms}, 1)
		sent, full := 0, 0
		for full < 20 {
			if err := lag.Stream(make([]byte, 16<<10)); err == nil {
				sent++
			} else if errors.Is(err, transport.ErrFull) {
				full++
				time.Sleep(20 * ms)
			} else {
				t.Fatal(err)
			}
		}
		if most := (transport.MaxQueued + transport.MaxInboxMessages) / (16 << 10); sent > most {
			t.Errorf("%d messages were taken, want at most %d", sent, most)
		}
		for got := 0; got < sent; {
			_, packets := arrivesAfter(t, b, time.Now())
			got += len(packets)
		}
		lag.Close("bye")
	})
}

func TestTheNetworkCanChangeInPlay(t *testing.T) { // SND-06
	synctest.Test(t, func(t *testing.T) {
		a, b := Pipe()
		lag := Degrade(a, Network{}, 1)
		lag.Change(Network{Loss: 1})
		lag.Datagrams([]byte("lost"))
		lag.Change(Network{RTT: 20 * ms})
		begin := time.Now()
		lag.Datagrams([]byte("late"))
		d, got := arrivesAfter(t, b, begin)
		if string(got[0].Bytes) != "late" || d < 10*ms {
			t.Errorf("%s after %v", got[0].Bytes, d)
		}
		lag.Close("bye")
	})
}
