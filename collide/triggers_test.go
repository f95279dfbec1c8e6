package collide

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// predict triggers mover 1 as the step of a client's command does.
func predict(w *World, log *Triggers, number uint32, stamp, duration clock.Micros, pressed bool) {
	log.Open(TriggerCause{Number: number, Predicted: true}, stamp-duration)
	defer log.Close()
	if v := (WorldAt{World: w, At: stamp}); pressed {
		v.Trigger(1, Press)
	}
}

// BAS-13: a command that is simulated again triggers once; what it does not cause any more goes;
// and the server's answer takes the place of the prediction, or rolls it back.
func TestPredictedTriggers(t *testing.T) {
	const d = 16 * ms
	at := func(number uint32) clock.Micros { return clock.Second + clock.Micros(number)*d }
	count := func(log *Triggers) int { return len(log.Log(1).Entries()) }
	w, log := triggered(t, slide(), Trigger{Kind: Toggle})
	for n := uint32(1); n <= 20; n++ {
		predict(w, log, n, at(n), d, n == 5 || n == 15)
	}
	if count(log) != 2 {
		t.Fatalf("two presses are %d triggers", count(log))
	}
	for n := uint32(3); n <= 20; n++ { // a correction of move 2
		predict(w, log, n, at(n), d, n == 5 || n == 15)
	}
	if e := log.Log(1).Entries(); len(e) != 2 || e[0].At != at(5) || e[1].At != at(15) {
		t.Fatalf("after a replay: %+v, want presses at %d and %d", e, at(5), at(15))
	}
	for n := uint32(10); n <= 20; n++ { // and one of move 9, after which it stands elsewhere
		predict(w, log, n, at(n), d, false)
	}
	if count(log) != 1 {
		t.Fatalf("a press that a replay does not make is still there: %+v", log.Log(1).Entries())
	}
	predict(w, log, 21, at(21), d, true) // and 22 is combined with it: one longer command
	predict(w, log, 21, at(22), 2*d, true)
	if e := log.Log(1).Entries(); len(e) != 2 || e[1].At != at(22) {
		t.Fatalf("a combined command: %+v, want one press at %d beside the first", e, at(22))
	}
	var server TriggerLog // has run all up to 10, of which 5 triggered
	server.insert(&TriggerEntry{At: at(5)})
	log.Replace(1, &server)
	log.Acknowledge(10)
	if e := log.Log(1).Entries(); len(e) != 2 || e[0].Predicted || !e[1].Predicted {
		t.Fatalf("after the answer to 5: %+v, want it confirmed and 21 predicted", e)
	}
	log.Acknowledge(21)
	if count(log) != 1 {
		t.Errorf("a press that the server refused stays: %+v", log.Log(1).Entries())
	}
	if v := (WorldAt{World: w, At: 9 * clock.Second}); v.Trigger(1, Press) || count(log) != 1 {
		t.Error("a trigger is recorded in a query")
	}
	log.Open(TriggerCause{Number: 30, Predicted: true}, at(29)) // a command that is simulated in two pieces
	(&WorldAt{World: w, At: at(30)}).Trigger(1, Press)
	log.Open(TriggerCause{Number: 30, Predicted: true}, at(30))
	(&WorldAt{World: w, At: at(39)}).Trigger(1, Press)
	log.Close()
	log.Replace(1, &server) // says nothing of these
	if e := log.Log(1).Entries(); len(e) != 3 || e[1].At != at(30) || e[2].At != at(39) {
		t.Fatalf("a command of two pieces: %+v, want a press in each, at %d and %d", e, at(30), at(39))
	}
	log.Acknowledge(30)
	if count(log) != 1 {
		t.Errorf("presses that the server refused stay after an answer in between: %+v", log.Log(1).Entries())
	}
}

// BAS-13: a command that came late moves a mover as one of MaxTriggerDelay ago, so nobody opens a
// door in the past.
func TestLateTriggers(t *testing.T) {
	w, log := triggered(t, slide(), Trigger{Kind: Toggle})
	trigger(w, log, 1000*ms, 1900*ms, Press)
	if got, want := log.Log(1).Entries()[0].At, 1650*ms; got != want {
		t.Errorf("a command of 1000 ms at 1900 ms triggers at %d, want %d", got, want)
	}
}

// BAS-13: a client that triggers a mover with every command fills nothing: the log stays
// within its bounds, and the mover still turns round at every eighth of a second at most.
func TestManyTriggers(t *testing.T) {
	w, log := triggered(t, slide(), Trigger{Kind: Toggle})
	made := 0
	for at := clock.Micros(0); at < 60*clock.Second; at += 4 * ms {
		if trigger(w, log, at, at, Press) {
			made++
		}
	}
	if want := 60_000/125 + 1; made > want || made < want-40 {
		t.Errorf("%d triggers in a minute, want at most %d and nearly as many", made, want)
	}
	if n := len(log.Log(1).Entries()); n > MaxEntries {
		t.Errorf("%d entries", n)
	}
}

// GAP-46: a player knows of a trigger from the snapshot that can have brought it, and of its own
// from its command on.
func TestWhatAPlayerKnows(t *testing.T) {
	w, log := triggered(t, slide(), Trigger{Kind: Once})
	log.Open(TriggerCause{Now: clock.Second, By: 3, Tick: 70}, 0)
	v := WorldAt{World: w, At: clock.Second}
	v.Trigger(1, Press)
	log.Close()
	var scratch KnownWorld
	for _, c := range []struct {
		by   uint16
		tick uint32
		want float64
	}{{4, 69, 0}, {4, 70, 2}, {4, 90, 2}, {3, 1, 2}} {
		known := w.KnownBy(c.by, c.tick, &scratch)
		if got := known.Pose(1, 2*clock.Second).Translation.X; got != c.want {
			t.Errorf("player %d with snapshot %d sees the gate at %v, want %v", c.by, c.tick, got, c.want)
		}
	}
	if w.KnownBy(4, 70, &scratch) != w {
		t.Error("a player that knows all gets a copy")
	}
	back, turns := triggered(t, slide(), Trigger{Kind: Toggle}) // opened in snapshot 70, closed in 90
	for i, tick := range []uint32{70, 90} {
		turns.Open(TriggerCause{Now: 3 * clock.Second, Tick: tick}, 0)
		(&WorldAt{World: back, At: clock.Micros(2750+150*i) * ms}).Trigger(1, Press)
		turns.Close()
	}
	for tick, want := range map[uint32]float64{69: 0, 70: 4, 89: 4, 90: 0} {
		if got := back.KnownBy(4, tick, &scratch).Pose(1, 9*clock.Second).Translation.X; got != want {
			t.Errorf("with snapshot %d the door that was closed again is at %v, want %v", tick, got, want)
		}
	}
	if got := w.Pose(1, 2*clock.Second).Translation.X; got != 2 {
		t.Errorf("the match's own gate is at %v, want 2", got)
	}
}

// BAS-13: a log that was sent says the same on the other end; damaged bytes are an error or a
// log that says the same again, and never a panic.
func TestLogsTravel(t *testing.T) {
	const seed = 1217
	r := rand.New(rand.NewPCG(seed, 0))
	var p bits.Packer
	var buffer [1024]byte
	most := 0
	for k := range 400 {
		w, log := randomDoor(t, r)
		now := clock.Second
		for range r.IntN(30) {
			now += clock.Micros(r.IntN(1_000_000))
			trigger(w, log, now, now, r.IntN(w.Mover(1).waypoints()+1))
		}
		sent := log.Log(1)
		if sent == nil {
			continue
		}
		p.Write(buffer[:])
		sent.Pack(&p, now)
		most = max(most, p.Bits())
		packed := append([]byte(nil), p.Bytes()...)
		var got TriggerLog
		p.Read(packed)
		got.Pack(&p, now)
		if p.End(); p.Err() != nil {
			t.Fatalf("seed %d, log %d: %v", seed, k, p.Err())
		}
		var far Triggers
		far.Replace(1, &got)
		there := w.WithTriggers(&far)
		for range 50 {
			at := now - 1200*ms + clock.Micros(r.IntN(9_000_000))
			if got, want := there.Pose(1, at), w.Pose(1, at); got != want {
				t.Fatalf("seed %d, log %d: at %d it is at %v, want %v", seed, k, at, got, want)
			}
		}
		for range 20 {
			bad := append([]byte(nil), packed...)
			bad[r.IntN(len(bad))] ^= byte(1 << r.IntN(8))
			p.Read(bad)
			got.Pack(&p, now)
			far.Replace(1, &got)
			there.Pose(1, now)
			if p.Err() != nil && got.count != 0 {
				t.Fatalf("seed %d, log %d: an error leaves %+v", seed, k, got)
			}
		}
	}
	t.Logf("at most %d bits", most)
	if most > TriggerLogBits {
		t.Errorf("a log took %d bits, more than TriggerLogBits, %d", most, TriggerLogBits)
	}
}

// BAS-13: a log that no server has cannot be sent: triggers nearer than an eighth of a second or out of order,
// beyond any match, of a waypoint or a place that no path has.
func TestLogsThatCannotBe(t *testing.T) {
	now := 100 * clock.Second
	two := func(a, b TriggerEntry) TriggerLog {
		return TriggerLog{count: 2, entries: [MaxEntries]TriggerEntry{a, b}}
	}
	for _, c := range []struct {
		name string
		log  TriggerLog
		want error
	}{
		{"two triggers", two(TriggerEntry{At: now}, TriggerEntry{At: now + MinTriggerInterval}), nil},
		{"too near", two(TriggerEntry{At: now}, TriggerEntry{At: now + MinTriggerInterval - 1}), bits.ErrRange},
		{"out of order", two(TriggerEntry{At: now}, TriggerEntry{At: now - clock.Second}), bits.ErrRange},
		{"a waypoint of the longest path", TriggerLog{Start: Motion{Waypoint: MaxKeys}}, nil},
		{"a waypoint of none", TriggerLog{Start: Motion{Waypoint: MaxKeys + 1}}, bits.ErrRange},
		{"a place of none", TriggerLog{Start: Motion{Waypoint: 1, Progress: MaxPathTime + 1}}, bits.ErrRange},
		{"before all time", TriggerLog{Start: Motion{Waypoint: 1, At: now - clock.Micros(maxTriggerAge) - 1}}, bits.ErrRange},
		{"after all time", TriggerLog{Start: Motion{Waypoint: 1, At: now + clock.Micros(maxTriggerAge) + 1}}, bits.ErrRange},
	} {
		var p bits.Packer
		p.Write(make([]byte, 256))
		if c.log.Pack(&p, now); p.Err() != c.want {
			t.Errorf("%s: error %v, want %v", c.name, p.Err(), c.want)
		}
	}
}

// Two readers of a log, as a server's clients and its recording are, each learn of every trigger once.
func TestReadersOfALogLearnOfEachTriggerOnce(t *testing.T) {
	w, log := triggered(t, slide(), Trigger{Kind: Toggle})
	often, first := log.Changed(0, nil)
	trigger(w, log, clock.Second, clock.Second, Press)
	often, first = log.Changed(first, often)
	again, _ := log.Changed(first, nil)
	trigger(w, log, 2*clock.Second, 2*clock.Second, Press)
	often, _ = log.Changed(first, often)
	rare, _ := log.Changed(0, nil)
	if got, want := fmt.Sprint(often, again, rare), "[1 1] [] [1]"; got != want {
		t.Errorf("a reader after each trigger, another time, and one at the end: got %s want %s", got, want)
	}
	var none *Triggers
	if got, next := none.Changed(3, nil); got != nil || next != 3 {
		t.Errorf("without a log: got %v, %d", got, next)
	}
}

// Triggers and the poses that follow from them allocate nothing.
func TestTriggersAllocateNothing(t *testing.T) {
	w, log := triggered(t, slide(), Trigger{Kind: Toggle, Delay: 100 * ms})
	trigger(w, log, 0, 0, Press)
	at, x, since := clock.Second, 0.0, uint64(0)
	var changed [4]MoverID
	if n := testing.AllocsPerRun(1000, func() {
		at += 40 * ms
		trigger(w, log, at, at, Press)
		predict(w, log, uint32(at/ms), at, 16*ms, true)
		log.Acknowledge(uint32(at / ms))
		_, since = log.Changed(since, changed[:0])
		v := WorldAt{World: w, At: at}
		x += v.Pose(1).Translation.X + v.VelocityAt(1, v.Pose(1).Translation).X
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
