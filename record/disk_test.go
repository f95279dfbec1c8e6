package record_test

import (
	"bytes"
	"errors"
	"sync"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/examples/arena/replay"
	"github.com/backstep-net/backstep/record"
	"github.com/backstep-net/backstep/session"
)

// stuck is a disk that blocks until it is freed.
type stuck struct {
	mu    sync.Mutex
	bytes bytes.Buffer
	free  chan struct{}
	begun int // writes that go through at once: those of New
}

func (s *stuck) Write(b []byte) (int, error) {
	if s.begun--; s.begun < 0 {
		<-s.free
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes.Write(b)
}

func (*stuck) Close() error { return nil }

// onto returns a match that is recorded on a disk of the test.
func onto(t testing.TB, disk interface {
	Write([]byte) (int, error)
	Close() error
}, bots int) (*play, *record.Recorder) {
	t.Helper()
	c := config()
	var w *record.Writer
	newKey := c.NewKey
	c.NewKey = func() session.Key { return w.Key(newKey)() }
	b, err := replay.Config(&c)
	if err != nil {
		t.Fatal(err)
	}
	m := arena.NewMatch(c)
	w, err = record.New(disk, record.Head{
		Game: replay.Game, Config: b, TickRate: 60, Level: c.LevelHash, Protocol: session.Version, Format: m.Format(),
	}, c.World.AppendBinary(nil))
	if err != nil {
		t.Fatal(err)
	}
	rec := w.Record(m)
	p := &play{t: t, bots: arena.NewBots(m, bots, arena.Rookie), said: map[uint32][]session.Packet{}}
	p.bots.SetEndpoint(rec)
	return p, rec
}

// THR-29: a disk that blocks for 20 s. The match goes on, outputs are left out, counted and marked in
// the file, and no input is missing.
func TestADiskThatStandsStillLosesOutputsAndNoInputs(t *testing.T) {
	disk := &stuck{free: make(chan struct{}), begun: 3}
	p, rec := onto(t, disk, 2)
	p.until(20 * clock.Second)
	close(disk.free)
	for rec.Lost() == 0 {
		t.Fatal("nothing was lost: the disk is no test")
	}
	p.until(25 * clock.Second)
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	f := read(t, disk.bytes.Bytes())
	v, err := replay.Verify(f)
	if err != nil || v.Differed || v.Ticks != 1500 {
		t.Errorf("played again: %v, %v; want 1500 ticks", v, err)
	}
	seen, lost := 0, 0
	for tick, err := range f.Ticks(0) {
		if err != nil {
			t.Fatal(err)
		}
		seen++
		lost += tick.Lost
	}
	if lost != rec.Lost() || seen+lost != 1500 {
		t.Errorf("%d ticks and %d counted as lost; want %d lost of 1500", seen, lost, rec.Lost())
	}
	t.Logf("%d of 1500 ticks lost", lost)
}

var errFull = errors.New("no space left")

// full is a disk with room for so many bytes.
type full struct {
	bytes.Buffer
	left int
}

func (f *full) Write(b []byte) (int, error) {
	n := min(len(b), f.left)
	f.left -= n
	f.Buffer.Write(b[:n])
	if n < len(b) {
		return n, errFull
	}
	return n, nil
}

func (*full) Close() error { return nil }

// A full disk ends the recording but not the match; the chunks before are readable. [THR-66]
func TestAFullDiskEndsTheRecordingAlone(t *testing.T) {
	l, _ := arenaLevel()
	begun := len(record.Begun([]byte(tinyHead), l.World.AppendBinary(nil)))
	disk := &full{left: begun + 20_000}
	p, rec := onto(t, disk, 2)
	var why error
	rec.Failed = func(err error) { why = err }
	p.until(30 * clock.Second)
	if !errors.Is(why, errFull) || p.bots.TickNumber() != 1800 {
		t.Errorf("ended with %v, after %d ticks; want the disk's error, and 1800", why, p.bots.TickNumber())
	}
	if err := rec.Close(); !errors.Is(err, errFull) {
		t.Errorf("Close: %v", err)
	}
	f := read(t, disk.Bytes())
	if v, err := replay.Verify(f); err != nil || v.Differed || v.Ticks < 60 || f.Damage() == nil {
		t.Errorf("what is there: %v, %v, damage %v", v, err, f.Damage())
	}
}

// The disk is full when the last chunk is written: Close reports it, too. [THR-66]
func TestADiskThatIsFullAtTheEndIsReported(t *testing.T) {
	disk := &full{left: 1 << 20}
	p, rec := onto(t, disk, 2)
	disk.left = 10
	var why []error
	rec.Failed = func(err error) { why = append(why, err) }
	p.until(clock.Second / 2) // the first chunk ends after a second
	if len(why) != 0 {
		t.Errorf("before the end: got %v, want no error yet", why)
	}
	if err := rec.Close(); !errors.Is(err, errFull) || len(why) != 1 || !errors.Is(why[0], errFull) {
		t.Errorf("got %v from Close and %v reported, want the disk's error once each", err, why)
	}
}

// A match that panics leaves a file that ends with the input that caused the panic.
func TestAPanicIsRecordedWithItsCause(t *testing.T) {
	var to sink
	p, rec := onto(t, &to, 1)
	p.until(clock.Second)
	func() {
		defer func() { _ = recover() }()
		rec.Tick(clock.Second) // no later tick's time: the session panics
	}()
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	n := 0
	var last record.InputKind
	for in, err := range read(t, to.Bytes()).Inputs() {
		if err != nil {
			break // the same tick twice makes no sense to a reader
		}
		n++
		last = in.Kind
	}
	if n < 120 || last == 0 {
		t.Errorf("%d inputs before the panic", n)
	}
}
