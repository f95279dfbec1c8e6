package pump

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
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
	slow     int   // bytes that one write takes; 0: all
	writeErr error // of every write
	written  []byte
}

var errBroken = errors.New("the path is gone")

func (r *fakeWire) Kind() string                     { return "test" }
func (r *fakeWire) Remote() string                   { return "nowhere" }
func (r *fakeWire) Measure(*transport.Stats)         {}
func (r *fakeWire) Cause(err error) error            { return err }
func (r *fakeWire) Explain(err error) string         { return err.Error() }
func (r *fakeWire) AppendFrame(dst, m []byte) []byte { return AppendFrame(dst, m) }

func (r *fakeWire) Datagram(b []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch string(b) {
	case "wide":
		return ErrTooLarge
	case "broken":
		return errBroken
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
	if r.slow > 0 {
		b = b[:min(len(b), r.slow)]
	}
	if r.writeErr != nil {
		defer r.mu.Unlock()
		return 0, r.writeErr
	}
	if !deaf {
		r.written = append(r.written, b...)
	}
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
			t.Errorf("%d of %d sets were sent past the stuck message", got, sets)
		}
		if r.messages > 700 {
			t.Errorf("%d attempts to write, want a few a tick", r.messages)
		}
		<-c.Finished()
		if r.reason != "the other side does not read" {
			t.Errorf("Shut got the reason %q", r.reason)
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

// A wire that fails ends the connection with the transport's error; what waits is dropped,
// and further calls say so.
func TestAFailingWireEndsTheConnection(t *testing.T) {
	for name, fail := range map[string]func(c *Conn, w *fakeWire){
		"datagram": func(c *Conn, _ *fakeWire) { c.Datagrams([]byte("a"), []byte("broken"), []byte("b")) },
		"message": func(c *Conn, w *fakeWire) {
			w.mu.Lock()
			w.writeErr = errBroken
			w.mu.Unlock()
			c.Stream([]byte("hello"))
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := &fakeWire{}
			c := New(w)
			if c.Err() != nil || c.Closed() {
				t.Fatal("ended before it began")
			}
			fail(c, w)
			<-c.Finished()
			var why *transport.CloseError
			if err := c.Err(); !errors.As(err, &why) || !why.Remote || !errors.Is(err, errBroken) || why.Reason != errBroken.Error() {
				t.Errorf("%s: got %v, want %v", name, err, errBroken)
			}
			c.Close("too late")
			if c.Err().(*transport.CloseError).Reason != errBroken.Error() {
				t.Errorf("%s: a second end changed the reason", name)
			}
			c.Datagrams([]byte("c"))
			if err := c.Stream([]byte("d")); !errors.Is(err, transport.ErrClosed) {
				t.Errorf("%s: Stream after the end: got %v", name, err)
			}
			if c.Receive(transport.Datagram, []byte("e"), time.Now()) {
				t.Errorf("%s: Receive after the end goes on", name)
			}
		})
	}
}

// A wire that takes a few bytes at a time gets every message whole and in order, and
// datagrams pass between the pieces.
func TestASlowWireGetsMessagesInPieces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &fakeWire{slow: 7}
		c := New(w)
		var want []byte
		for i := range 40 {
			m := bytes.Repeat([]byte{byte(i)}, i*13)
			want = AppendFrame(want, m)
			if err := c.Stream(m); err != nil {
				t.Fatal(err)
			}
		}
		c.Datagrams([]byte("between"))
		synctest.Wait()
		if !bytes.Equal(w.written, want) {
			t.Errorf("%d bytes written, want the %d of 40 messages", len(w.written), len(want))
		}
		s := c.Stats()
		if s.MessagesOut != 40 || s.DatagramsOut != 1 || s.BytesOut != 39*40/2*13+7 || w.said() != "[between]" {
			t.Errorf("counted %+v, sent %s", s, w.said())
		}
		c.Close("")
		<-c.Finished()
	})
}

// What is out of bounds is refused before it costs anything: probes, oversized and too many
// datagrams, too long a message.
func TestOutOfBoundsIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &fakeWire{}
		c := New(w)
		c.Datagrams()
		c.Datagrams(Probe(), nil, make([]byte, transport.MaxDatagram+1), []byte("a"))
		synctest.Wait()
		if s := c.Stats(); s.Refused != 1 || s.DatagramsOut != 1 || w.said() != "[a]" {
			t.Errorf("got %+v, sent %s; want one refused, one sent", s, w.said())
		}
		many := make([][]byte, transport.MaxBatch+5)
		for i := range many {
			many[i] = []byte{1}
		}
		c.Datagrams(many...)
		synctest.Wait()
		if s := c.Stats(); s.Refused != 6 || s.DatagramsOut != uint64(transport.MaxBatch)+1 {
			t.Errorf("a batch of %d: got %+v", len(many), s)
		}
		if err := c.Stream(make([]byte, transport.MaxMessage+1)); !errors.Is(err, transport.ErrTooLong) {
			t.Errorf("a message of %d bytes: got %v", transport.MaxMessage+1, err)
		}
		c.Close("")
		<-c.Finished()
	})
}

// A reader whose inbox is full waits for a drain, so that the transport's flow control
// slows the other side. It stops waiting when the connection ends. [THR-11]
func TestAFullInboxMakesTheReaderWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(&fakeWire{})
		message := make([]byte, transport.MaxMessage)
		fits := 0
		for c.in.Put(transport.Stream, message, time.Now()) {
			fits++
		}
		received := make(chan bool)
		go func() { received <- c.Receive(transport.Stream, message, time.Now()) }()
		synctest.Wait()
		select {
		case <-received:
			t.Fatalf("message %d was taken though the inbox is full", fits+1)
		default:
		}
		if got := len(c.Drain(nil)); got != fits {
			t.Errorf("%d drained, want %d", got, fits)
		}
		if !<-received || len(c.Drain(nil)) != 1 {
			t.Error("after a drain the waiting message must be there")
		}
		for c.in.Put(transport.Stream, message, time.Now()) {
		}
		go func() { received <- c.Receive(transport.Stream, message, time.Now()) }()
		synctest.Wait()
		c.Close("")
		if <-received {
			t.Error("a reader goes on after the end")
		}
		<-c.Finished()
	})
}

// A reason has at most MaxReason bytes, cut between runes.
func TestReasonsAreClippedAtARune(t *testing.T) {
	for _, c := range []struct{ reason, want string }{
		{"", ""},
		{strings.Repeat("a", transport.MaxReason), strings.Repeat("a", transport.MaxReason)},
		{strings.Repeat("a", transport.MaxReason+1), strings.Repeat("a", transport.MaxReason)},
		{strings.Repeat("a", transport.MaxReason-1) + "é", strings.Repeat("a", transport.MaxReason-1)},
		{strings.Repeat("日", transport.MaxReason), strings.Repeat("日", transport.MaxReason/3)},
	} {
		if got := ClipReason(c.reason); got != c.want {
			t.Errorf("%d bytes: got %d bytes, want %d", len(c.reason), len(got), len(c.want))
		}
	}
}

// Random traffic against the plainest model of the inbox: a list in the order of arrival,
// from which a full ring loses the oldest datagram.
func TestTheInboxAgainstAList(t *testing.T) {
	const seed = 7
	r := rand.New(rand.NewPCG(seed, 0))
	q := NewInbox()
	var list []string
	for step := range 20000 {
		switch n := r.IntN(1000); {
		case n == 0:
			var got []string
			for _, p := range q.Drain(nil) {
				got = append(got, string(p.Bytes))
			}
			if !slices.Equal(got, list) {
				t.Fatalf("seed %d, step %d: %d drained, want %d", seed, step, len(got), len(list))
			}
			list = list[:0]
		case n < 100:
			if q.Put(transport.Stream, fmt.Appendf(nil, "m%d", step), time.Time{}) {
				list = append(list, fmt.Sprintf("m%d", step))
			}
		default:
			q.Put(transport.Datagram, fmt.Appendf(nil, "d%d", step), time.Time{})
			list = append(list, fmt.Sprintf("d%d", step))
			waiting := 0
			for _, p := range list {
				if p[0] == 'd' {
					waiting++
				}
			}
			if waiting > transport.MaxInboxDatagrams {
				oldest := slices.IndexFunc(list, func(p string) bool { return p[0] == 'd' })
				list = slices.Delete(list, oldest, oldest+1)
			}
		}
	}
}
