package replicate

import (
	"encoding/hex"
	"flag"
	"os"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

var update = flag.Bool("update", false, "rewrite testdata")

// snapshots runs some ticks of a scene and returns each tick's parts, in datagrams of a size, for a
// client that acknowledges nothing.
func snapshots(runners, ticks, size int, rules Rules) (out [][][]byte) {
	sc := newScene(31)
	populate(sc, runners, 3, 20)
	s := NewSender(NewMatch(sc.frames, nil, rules), 0)
	for range ticks {
		sc.tick()
		s.Begin(uint32(sc.n), track.Entity{})
		var parts [][]byte
		for s.HasMore() {
			var p bits.Packer
			p.Write(make([]byte, size))
			s.Pack(&p)
			parts = append(parts, p.Bytes())
		}
		out = append(out, parts)
	}
	return out
}

// readParts reads parts of a tick in the given order and returns the snapshot, if it was completed.
func readParts(t *testing.T, in *Inbox, tick uint32, seen track.Received, parts [][]byte, order ...int) (whole *track.Snapshot) {
	t.Helper()
	have := track.NewSnapshotHistory(2 * track.ReceivedWindow)
	for _, i := range order {
		var p bits.Packer
		p.Read(parts[i])
		f := in.Read(&p, tick, clock.TickTime(int64(tick), 60), seen, have)
		if p.Err() != nil {
			t.Fatalf("part %d: %v", i, p.Err())
		}
		if f != nil {
			whole = f
		}
	}
	return whole
}

// A snapshot counts when its last missing part arrives, in whatever order, and not before; a part
// that arrives twice changes nothing.
func TestASnapshotCountsWhenComplete(t *testing.T) {
	parts := snapshots(60, 1, 200, Rules{Budget: 4000})[0]
	if len(parts) < 4 {
		t.Fatalf("%d parts, want several", len(parts))
	}
	for first := range parts {
		var in Inbox
		for i := range parts {
			k := (first + i) % len(parts)
			got := readParts(t, &in, 1, track.Received{}, parts, k, k)
			if (got != nil) != (i == len(parts)-1) || got != nil && got.Len() != 63 {
				t.Fatalf("after %d parts of %d: %v", i+1, len(parts), got)
			}
		}
	}
}

// One part lost of every other snapshot: those never count, the others do, and nothing accumulates.
// A snapshot that arrived before or is too old is not even read, and parts of older ones never
// displace newer ones.
func TestPartsOfManySnapshots(t *testing.T) {
	all := snapshots(20, 120, 200, Rules{Budget: 4000})
	var in Inbox
	var seen track.Received
	for i, parts := range all {
		tick, order := uint32(i+1), []int{}
		for k := i % 2; k < len(parts); k++ {
			order = append(order, k)
		}
		slices.Reverse(order)
		if got := readParts(t, &in, tick, seen, parts, order...); (got != nil) != (i%2 == 0) {
			t.Fatalf("tick %d: whole %v", tick, got != nil)
		} else if got != nil {
			seen.Mark(tick)
		}
	}
	if seen.Newest != 119 || seen.Mask != 0xAAAAAAAAAAAAAAAA {
		t.Errorf("seen %d %#x", seen.Newest, seen.Mask)
	}
	var p bits.Packer
	p.Read([]byte{0xff, 0xff})
	if in.Read(&p, 119, 0, seen, track.NewSnapshotHistory(128)) != nil || p.Err() != nil {
		t.Errorf("a tick that was received before: %v", p.Err())
	}
	in = Inbox{}
	for _, i := range []int{7, 6, 5, 4, 0, 1, 2, 3} {
		readParts(t, &in, uint32(i+1), track.Received{}, all[i], 0)
	}
	for i := range 8 {
		rest := []int{}
		for k := 1; k < len(all[i]); k++ {
			rest = append(rest, k)
		}
		if got := readParts(t, &in, uint32(i+1), track.Received{}, all[i], rest...); (got != nil) != (i >= 4) {
			t.Errorf("tick %d: whole %v, want %v", i+1, got != nil, i >= 4)
		}
	}
}

// wanted is a part written by hand.
type wanted struct {
	part, back      int
	removed, ids    []track.ID
	ref             []bool // the bits of each entity's reference
	last, keyframes bool
}

func (w *wanted) bytes() []byte {
	var p bits.Packer
	p.Write(make([]byte, 4096))
	h := partHeader{part: w.part, back: uint64(w.back), keyframes: w.keyframes}
	h.pack(&p)
	more, some := true, w.removed != nil
	if p.Bool(&some); some {
		before := track.ID(0)
		for _, id := range w.removed {
			p.Bool(&more)
			packID(&p, &id, &before)
		}
		more = false
		p.Bool(&more)
	}
	before := track.ID(0)
	for _, id := range w.ids {
		more = true
		p.Bool(&more)
		packID(&p, &id, &before)
		if w.keyframes {
			kinked := false
			p.Bool(&kinked)
		}
		for _, b := range w.ref {
			p.Bool(&b)
		}
		s := track.Quantise(track.Sample{At: 1e6, Pose: track.Pose{Position: geom.V(1, 2, 3)}})
		s.PackDelta(&p, 1e6, nil, 0)
	}
	more = false
	p.Bool(&more)
	p.Bool(&w.last)
	return p.Bytes()
}

// Hostile parts are errors and leave nothing behind: ids beyond the largest, parts that contradict
// each other, ids that go back from one part to the next, entities both present and removed,
// references to what was never received, keyframes that are announced and missing (REP-08).
func TestHostileParts(t *testing.T) {
	ids := []track.ID{1, 2, 3}
	two := []bool{false, false}
	for _, c := range []struct {
		name  string
		parts [][]byte
		want  error
	}{
		{"a byte too many", [][]byte{append((&wanted{ids: ids, last: true}).bytes(), 0)}, bits.ErrLong},
		{"cut", [][]byte{(&wanted{ids: ids, last: true}).bytes()[:20]}, bits.ErrShort},
		{"nothing", [][]byte{{}}, bits.ErrShort},
		{"part 16", [][]byte{{0x01 | 0x0f<<1, 0, 0}}, bits.ErrRange},
		{"ids go back", [][]byte{(&wanted{ids: ids}).bytes(), (&wanted{part: 1, ids: ids, last: true}).bytes()}, errParts},
		{"removed ids go back", [][]byte{(&wanted{removed: ids}).bytes(), (&wanted{part: 1, removed: ids, last: true}).bytes()}, errParts},
		{"a part after the last", [][]byte{(&wanted{part: 2, ids: ids}).bytes(), (&wanted{part: 1, last: true}).bytes()}, errParts},
		{"two last parts", [][]byte{(&wanted{part: 2, last: true}).bytes(), (&wanted{part: 3, last: true}).bytes()}, errParts},
		{"present and removed", [][]byte{(&wanted{removed: []track.ID{2}, ids: ids, last: true}).bytes()}, errParts},
		{"present and removed in another part", [][]byte{(&wanted{removed: []track.ID{9}}).bytes(), (&wanted{part: 1, ids: []track.ID{9}, last: true}).bytes()}, errParts},
		{"some removed, but none", [][]byte{(&wanted{removed: []track.ID{}, last: true}).bytes()}, bits.ErrRange},
		{"keyframes flagged, but no entity has one", [][]byte{(&wanted{ids: ids, keyframes: true, last: true}).bytes()}, bits.ErrRange},
		{"keyframes flagged, but no entity", [][]byte{(&wanted{keyframes: true, last: true}).bytes()}, bits.ErrRange},
		{"a baseline that was never received", [][]byte{(&wanted{back: 3, last: true}).bytes()}, errReference},
		{"a baseline before the first tick", [][]byte{(&wanted{back: 63, last: true}).bytes()}, errReference},
		{"the usual reference to what is not there", [][]byte{(&wanted{back: 1, ids: ids, ref: []bool{true}, last: true}).bytes()}, errReference},
		{"a reference to what is not there", [][]byte{(&wanted{back: 1, ids: ids, ref: []bool{false, true, true, false, false, false, false, false}, last: true}).bytes()}, errReference},
		{"a reference to a tick that was never received", [][]byte{(&wanted{back: 1, ids: ids, ref: []bool{false, true, false, true, false, false, false, false}, last: true}).bytes()}, errReference},
		{"a reference to itself", [][]byte{(&wanted{back: 1, ids: ids, ref: []bool{false, true, false, false, false, false, false, false}, last: true}).bytes()}, errReference},
	} {
		var in Inbox
		have := track.NewSnapshotHistory(2 * track.ReceivedWindow)
		have.Record(59, 0).Add(77, track.Sample{})
		for i, b := range c.parts {
			var p bits.Packer
			p.Read(b)
			f := in.Read(&p, 60, 1e6, track.Received{}, have)
			if last := i == len(c.parts)-1; f != nil || last != (p.Err() != nil) || last && p.Err() != c.want {
				t.Errorf("%s, part %d: got %v (%v), want %v", c.name, i, f, p.Err(), c.want)
			}
		}
		var p bits.Packer
		p.Read((&wanted{back: 1, ids: ids, ref: two, removed: []track.ID{77}, last: true}).bytes())
		if f := in.Read(&p, 60, 1e6, track.Received{}, have); f == nil || f.Len() != 3 || len(f.Removed) != 1 {
			t.Errorf("%s: a good snapshot afterwards: %v, %v", c.name, f, p.Err())
		}
	}
	for _, id := range []track.ID{track.MaxID + 1, 4000} {
		var p bits.Packer
		p.Read((&wanted{ids: []track.ID{1, id}, last: true}).bytes())
		if in := new(Inbox); in.Read(&p, 60, 1e6, track.Received{}, track.NewSnapshotHistory(128)) != nil || p.Err() == nil {
			t.Errorf("id %d is read", id)
		}
	}
}

// played is a client some way into a match, and what was sent to it since.
func played() (have *track.SnapshotHistory, seen track.Received, at uint32, packets [][]byte) {
	sc := newScene(12)
	populate(sc, 10, 6, 20)
	c := newClient(&testing.T{}, sc, NewMatch(sc.frames, nil, Rules{}), 1, 12)
	for range 100 {
		sc.tick()
		if sc.n%2 == 0 {
			c.send()
		}
		c.receive()
	}
	for range 6 {
		sc.tick()
		if sc.n == 102 {
			sc.find(4).dies = 103
		}
		if sc.n%2 == 0 {
			c.send()
			packets = append(packets, c.down.under[len(c.down.under)-1].b)
		}
	}
	return c.frames, c.seen, 102, packets
}

// The bytes of some snapshots, frozen (GAP-04).
func TestGoldenSnapshots(t *testing.T) {
	_, _, _, packets := played()
	var got []byte
	for _, b := range packets {
		got = append(hex.AppendEncode(got, b), '\n')
	}
	const file = "testdata/snapshots.hex"
	if *update {
		os.WriteFile(file, got, 0o644)
	}
	want, err := os.ReadFile(file)
	if err != nil || string(got) != string(want) {
		t.Errorf("%s:\n got %swant %s%v", file, got, want, err)
	}
}

// Any bytes are a part or an error. What is accepted is quantised, in order, and no more than a
// snapshot may hold. [THR-13, THR-14]
func FuzzInbox(f *testing.F) {
	have, seen, at, packets := played()
	for _, b := range packets {
		f.Add(b)
	}
	for _, parts := range snapshots(12, 2, 150, Rules{}) {
		for _, b := range parts {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var in Inbox
		var p bits.Packer
		p.Read(b)
		whole := in.Read(&p, at, 1_700_000, seen, have)
		if len(in.scratch.entities) > int(track.MaxID) || len(in.scratch.removed) > int(track.MaxID) {
			t.Fatalf("%d entities, %d removed", len(in.scratch.entities), len(in.scratch.removed))
		}
		if p.Err() != nil || whole == nil {
			return
		}
		entities, keyframes := whole.Entities(nil), whole.Keyframes(nil)
		if len(keyframes) > track.MaxKeyframes*len(entities) {
			t.Fatalf("%d keyframes of %d entities", len(keyframes), len(entities))
		}
		for _, list := range [][]track.Entity{entities, keyframes} {
			last := track.ID(0)
			for i := range list {
				e := &list[i]
				if track.Quantise(e.Sample) != e.Sample || e.ID < last || e.ID > track.MaxID || e.ID == 0 {
					t.Fatalf("%d after %d: %+v", e.ID, last, e.Sample)
				}
				last = e.ID
			}
		}
	})
}
