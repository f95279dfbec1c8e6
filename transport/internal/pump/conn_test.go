package pump

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/backstep-net/backstep/transport"
)

// fakeWire is a Wire in memory whose traffic can be stopped.
type fakeWire struct {
	mu       sync.Mutex
	held     bool // datagrams stay in the machine
	deaf     bool // the other side takes no messages
	sent     []string
	messages int
	reason   string
}

func (r *fakeWire) Kind() string                     { return "test" }
func (r *fakeWire) Remote() string                   { return "nowhere" }
func (r *fakeWire) RTT() time.Duration               { return 0 }
func (r *fakeWire) Explain(err error) string         { return err.Error() }
func (r *fakeWire) AppendFrame(dst, m []byte) []byte { return AppendFrame(dst, m) }

func (r *fakeWire) Datagram(b []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if string(b) == "wide" {
		return ErrTooLarge
	}
	r.sent = append(r.sent, string(b))
	return nil
}

func (r *fakeWire) Ready() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.held
}

func (r *fakeWire) Write(b []byte, until time.Time) (int, error) {
	r.mu.Lock()
	deaf := r.deaf
	r.messages++
	r.mu.Unlock()
	if deaf {
		time.Sleep(time.Until(until))
		return 0, nil
	}
	return len(b), nil
}

func (r *fakeWire) Shut(reason string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reason = reason
}

func (r *fakeWire) hold(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held = on
}

func (r *fakeWire) said() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return fmt.Sprint(r.sent)
}

// THR-12: a blackout must not deliver what is seconds old.
func TestWhileTheWireIsBlockedTheLatestBatchWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &fakeWire{held: true}
		c := New(r)
		c.Datagrams([]byte("a1"), []byte("a2"))
		time.Sleep(16 * time.Millisecond)
		c.Datagrams([]byte("b1"), []byte("b2"))
		time.Sleep(16 * time.Millisecond)
		c.Datagrams([]byte("c1"))
		time.Sleep(16 * time.Millisecond)
		r.hold(false)
		time.Sleep(maxPoll)
		synctest.Wait()
		if got := r.said(); got != "[c1]" {
			t.Errorf("sent %s, want [c1]", got)
		}
		if got := c.Stats(); got.DroppedOut != 4 || got.DatagramsOut != 1 {
			t.Errorf("dropped %d, sent %d; want 4 and 1", got.DroppedOut, got.DatagramsOut)
		}
		c.Close("")
		<-c.Finished()
	})
}

func TestABatchThatWaitedTooLongIsDropped(t *testing.T) { // THR-12
	synctest.Test(t, func(t *testing.T) {
		r := &fakeWire{held: true}
		c := New(r)
		c.Datagrams([]byte("old"))
		time.Sleep(transport.MaxAge + time.Millisecond)
		r.hold(false)
		time.Sleep(time.Second)
		c.Datagrams([]byte("new"))
		synctest.Wait()
		if got := r.said(); got != "[new]" {
			t.Errorf("sent %s, want [new]", got)
		}
		c.Close("")
		<-c.Finished()
	})
}

func TestADatagramTooWideForThePathIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &fakeWire{}
		c := New(r)
		c.Datagrams([]byte("a"), []byte("wide"), []byte("b"))
		synctest.Wait()
		if got := r.said(); got != "[a b]" || c.Stats().Refused != 1 || c.Stats().DatagramsOut != 2 {
			t.Errorf("sent %s, stats %+v", got, c.Stats())
		}
		c.Close("")
		<-c.Finished()
	})
}

func TestAPeerThatTakesNoMessagesIsClosedAndCostsLittle(t *testing.T) { // THR-12
	synctest.Test(t, func(t *testing.T) {
		r := &fakeWire{deaf: true}
		c := New(r)
		for c.Stream(make([]byte, 8000)) == nil {
		}
		if err := c.Stream(make([]byte, 8000)); !errors.Is(err, transport.ErrFull) {
			t.Errorf("the queue takes no more, but Stream says %v", err)
		}
		begin, sets := time.Now(), 0
		for !c.Closed() {
			c.Datagrams([]byte("tick"))
			sets++
			time.Sleep(16 * time.Millisecond)
			synctest.Wait()
		}
		if d := time.Since(begin); d < stallTimeout || d > stallTimeout+time.Second {
			t.Errorf("closed after %v, want %v", d, stallTimeout)
		}
		if got := len(r.sent); got < sets-2 {
			t.Errorf("%d of %d sets went past the stuck message", got, sets)
		}
		if r.messages > 700 {
			t.Errorf("%d attempts to write, want a few a tick", r.messages)
		}
		<-c.Finished()
		if r.reason != "the other side does not read" {
			t.Errorf("the road was told %q", r.reason)
		}
	})
}

func TestTheInboxDropsItsOldestDatagramsAndKeepsTheOrder(t *testing.T) {
	q := NewInbox()
	for i := range transport.MaxInboxDatagrams + 10 {
		if i%20 == 0 {
			q.Put(transport.Stream, fmt.Appendf(nil, "m%d", i), time.Time{})
		}
		q.Put(transport.Datagram, fmt.Appendf(nil, "d%d", i), time.Time{})
	}
	got := q.Drain(nil)
	if len(got) != transport.MaxInboxDatagrams+4 || q.Counts().DroppedIn != 10 {
		t.Fatalf("%d drained, %d dropped", len(got), q.Counts().DroppedIn)
	}
	want := []string{"m0", "d10", "d11"}
	for i, w := range want {
		if string(got[i].Bytes) != w {
			t.Errorf("packet %d is %s, want %s", i, got[i].Bytes, w)
		}
	}
	for i := 1; i < len(got); i++ {
		if string(got[i].Bytes) == "m20" && string(got[i+1].Bytes) != "d20" {
			t.Errorf("after m20 comes %s, want d20", got[i+1].Bytes)
		}
	}
	if again := q.Drain(nil); len(again) != 0 {
		t.Errorf("a second drain gives %d", len(again))
	}
}

func TestAFloodOfEmptyMessagesFillsTheInboxToo(t *testing.T) {
	q := NewInbox()
	n := 0
	for q.Put(transport.Stream, nil, time.Time{}) {
		n++
	}
	if n > transport.MaxInboxMessages/messageOverhead {
		t.Errorf("%d empty messages wait", n)
	}
}

func TestATickDoesNotAllocate(t *testing.T) {
	r := &fakeWire{held: true}
	c := New(r)
	a, b := make([]byte, 900), make([]byte, 400)
	tick := func() { c.Datagrams(a, b) }
	for range 100 {
		tick()
	}
	if n := testing.AllocsPerRun(1000, tick); n > 0.1 {
		t.Errorf("%v allocations a tick, want 0", n)
	}
	c.Close("")
	<-c.Finished()
}
