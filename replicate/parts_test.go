package replicate

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

var update = flag.Bool("update", false, "rewrite testdata")

// datagram is what a snapshot's part may take.
const datagram = 1024

// crowd returns a frame of n things that run about; ids have gaps.
func crowd(tick uint32, n int, r *rand.Rand) *track.Frame {
	f := &track.Frame{Tick: tick, At: clock.TickTime(int64(tick), 60)}
	id := track.ID(0)
	for range n {
		id += track.ID(1 + r.IntN(3))
		f.Add(id, track.Sample{
			At:       f.At - clock.Micros(r.Int64N(40000)),
			Position: geom.V(r.NormFloat64()*40, r.NormFloat64(), r.NormFloat64()*40),
			Velocity: geom.V(r.NormFloat64()*4, 0, r.NormFloat64()*4),
			Yaw:      r.NormFloat64(), Mode: 1, Life: uint8(r.IntN(4)),
		})
	}
	return f
}

// bend gives about half the things of a frame one kink or two.
func bend(f *track.Frame, r *rand.Rand) *track.Frame {
	for _, e := range f.Entities {
		for n := r.IntN(2 * (track.MaxKinks + 1)); n > 0 && n <= track.MaxKinks; n-- {
			k := e
			k.At -= 16650 * clock.Micros(n)
			k.Position = k.Position.Add(geom.V(r.NormFloat64(), 0, .5))
			k.Crouched = r.IntN(2) == 0
			k.Sample = track.Quantise(k.Sample)
			f.Kinks = append(f.Kinks, k)
		}
	}
	return f
}

// split returns the parts of a frame as bytes, each in at most size bytes.
func split(f *track.Frame, except track.ID, size int) [][]byte {
	var parts [][]byte
	for s := Split(f, except); s.More(); {
		var p bits.Packer
		p.Write(make([]byte, size))
		s.Pack(&p)
		if p.Err() != nil {
			panic(p.Err())
		}
		parts = append(parts, slices.Clone(p.Bytes()))
	}
	return parts
}

// without returns what the receiver is to get of a list.
func without(list []track.Entity, except track.ID) []track.Entity {
	return slices.DeleteFunc(slices.Clone(list), func(e track.Entity) bool { return e.ID == except })
}

// read reads parts of a tick in the given order and returns the frame, if it got
// whole.
func read(t *testing.T, in *WholeInbox, tick uint32, seen track.Received, parts [][]byte, order []int) *track.Frame {
	t.Helper()
	var whole *track.Frame
	for _, i := range order {
		var p bits.Packer
		p.Read(parts[i])
		f := in.Read(&p, tick, clock.TickTime(int64(tick), 60), seen)
		if p.Err() != nil {
			t.Fatalf("part %d: %v", i, p.Err())
		}
		if f != nil {
			whole = f
		}
	}
	return whole
}

// Every player to every other player: 0, 1, 10, 64 and 200 of them, in parts that
// come in any order, each but the receiver, bit for bit as recorded.
func TestSnapshotsArriveAsTheyWereRecorded(t *testing.T) {
	const seed = 21
	r := rand.New(rand.NewPCG(seed, 0))
	var in WholeInbox
	for tick, n := range []int{0, 1, 2, 10, 64, 200, 64, 10, 1, 0} {
		f := crowd(uint32(tick+1), n, r)
		if tick > 5 {
			bend(f, r)
		}
		except := track.ID(0)
		if n > 0 {
			except = f.Entities[r.IntN(n)].ID
		}
		parts := split(f, except, datagram)
		got := read(t, &in, f.Tick, track.Received{}, parts, r.Perm(len(parts)))
		if got == nil || got.Tick != f.Tick || got.At != f.At || !slices.Equal(got.Entities, without(f.Entities, except)) ||
			!slices.Equal(got.Kinks, without(f.Kinks, except)) {
			t.Fatalf("seed %d: %d things in %d parts: got %v\nwant %v", seed, n, len(parts), got, f)
		}
		total := 0
		for _, b := range parts {
			total += len(b)
		}
		t.Logf("%d things, %d kinks: %d parts, %d bytes", n, len(f.Kinks), len(parts), total)
	}
}

// A snapshot counts when its last missing part comes, and not before; a part that
// comes twice changes nothing.
func TestASnapshotCountsWhenAllPartsHaveCome(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	f := crowd(9, 64, r)
	parts := split(f, 0, 400)
	if len(parts) < 4 {
		t.Fatalf("%d parts, want several", len(parts))
	}
	var in WholeInbox
	for i := range parts {
		got := read(t, &in, 9, track.Received{}, parts, []int{i, i})
		if (got != nil) != (i == len(parts)-1) {
			t.Fatalf("after part %d of %d: whole %v", i, len(parts), got != nil)
		}
	}
}

// One part lost in every other snapshot: those never count, the others do, and
// nothing piles up.
func TestLostParts(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	var in WholeInbox
	var seen track.Received
	for tick := uint32(1); tick <= 200; tick++ {
		f := crowd(tick, 40, r)
		parts := split(f, 0, 300)
		order := r.Perm(len(parts))
		if tick%2 == 0 {
			order = order[1:]
		}
		got := read(t, &in, tick, seen, parts, order)
		if (got != nil) != (tick%2 == 1) {
			t.Fatalf("tick %d: whole %v", tick, got != nil)
		}
		if got != nil {
			seen.Mark(tick)
		}
	}
	if seen.Newest != 199 || seen.Mask != 0xAAAAAAAAAAAAAAAA {
		t.Errorf("seen %d %#x", seen.Newest, seen.Mask)
	}
}

// A snapshot that came before, or is too old to be of use, is dropped.
func TestUnwantedSnapshots(t *testing.T) {
	f := crowd(100, 3, rand.New(rand.NewPCG(3, 0)))
	parts := split(f, 0, datagram)
	for _, c := range []struct {
		seen track.Received
		want bool
	}{
		{track.Received{}, true}, {track.Received{Newest: 99}, true}, {track.Received{Newest: 100}, false},
		{track.Received{Newest: 101, Mask: 1}, false}, {track.Received{Newest: 101}, true},
		{track.Received{Newest: 164}, true}, {track.Received{Newest: 165}, false},
	} {
		var in WholeInbox
		if got := read(t, &in, 100, c.seen, parts, []int{0}); (got != nil) != c.want {
			t.Errorf("tick 100 after %+v: taken %v, want %v", c.seen, got != nil, c.want)
		}
	}
}

// Parts of older snapshots never push newer ones out.
func TestNewerSnapshotsKeepTheirPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 0))
	var in WholeInbox
	var all [][][]byte
	for tick := uint32(1); tick <= 8; tick++ {
		all = append(all, split(crowd(tick, 40, r), 0, 400))
	}
	for _, i := range []int{7, 6, 5, 4, 0, 1, 2, 3} {
		read(t, &in, uint32(i+1), track.Received{}, all[i], []int{0})
	}
	for i := range all {
		rest := make([]int, 0, 8)
		for k := 1; k < len(all[i]); k++ {
			rest = append(rest, k)
		}
		if got := read(t, &in, uint32(i+1), track.Received{}, all[i], rest); (got != nil) != (i >= 4) {
			t.Errorf("tick %d: whole %v, want %v", i+1, got != nil, i >= 4)
		}
	}
}

// rawPart writes a part by hand.
func rawPart(part int, ids []track.ID, last bool) []byte {
	var p bits.Packer
	p.Write(make([]byte, 2048))
	p.Ranged(&part, 0, MaxParts-1)
	before := track.ID(0)
	for _, id := range ids {
		e := track.Entity{ID: id}
		packEntity(&p, &e, &before, 0)
		writeKinks(&p, &e, nil)
	}
	more := false
	p.Bool(&more)
	p.Bool(&last)
	return p.Bytes()
}

// Hostile parts are errors and leave nothing behind: ids beyond the largest, parts
// that contradict each other, ids that go back from one part to the next.
func TestBadParts(t *testing.T) {
	ids := []track.ID{1, 2, 3}
	for _, c := range []struct {
		name  string
		parts [][]byte
		want  error
	}{
		{"id 1024", [][]byte{rawPart(0, []track.ID{1, 1024}, true)}, bits.ErrRange},
		{"a byte too many", [][]byte{append(rawPart(0, ids, true), 0)}, bits.ErrLong},
		{"cut", [][]byte{rawPart(0, ids, true)[:30]}, bits.ErrShort},
		{"ids go back", [][]byte{rawPart(0, ids, false), rawPart(1, ids, true)}, errOrder},
		{"a part after the last", [][]byte{rawPart(2, ids, false), rawPart(1, []track.ID{9}, true)}, errOrder},
	} {
		var in WholeInbox
		for i, b := range c.parts {
			var p bits.Packer
			p.Read(b)
			f := in.Read(&p, 5, 0, track.Received{})
			if last := i == len(c.parts)-1; f != nil || last != (p.Err() != nil) || last && p.Err() != c.want {
				t.Errorf("%s, part %d: got %v (%v), want %v", c.name, i, f, p.Err(), c.want)
			}
		}
		good := rawPart(0, ids, true)
		if f := read(t, &in, 5, track.Received{}, [][]byte{good}, []int{0}); f == nil || len(f.Entities) != 3 {
			t.Errorf("%s: a good snapshot afterwards: %v", c.name, f)
		}
	}
}

// Misuse by the caller panics with a sentence: too little room, or nothing left.
func TestMisusePanics(t *testing.T) {
	f := crowd(1, 1, rand.New(rand.NewPCG(5, 0)))
	small, done := Split(f, 0), Split(f, 0)
	var p bits.Packer
	p.Write(make([]byte, datagram))
	done.Pack(&p)
	for name, do := range map[string]func(){
		"too little room": func() { p.Write(make([]byte, Room/8)); small.Pack(&p) },
		"nothing left":    func() { p.Write(make([]byte, datagram)); done.Pack(&p) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			do()
		}()
	}
}

// A frame that needs more than 16 datagrams is an error, not an endless loop.
func TestTooManyParts(t *testing.T) {
	f := crowd(1, 300, rand.New(rand.NewPCG(9, 0)))
	var p bits.Packer
	n, err := 0, error(nil)
	for s := Split(f, 0); s.More(); n++ {
		p.Write(make([]byte, Room/8+1))
		if s.Pack(&p); p.Err() != nil {
			err = p.Err()
		}
	}
	if err != bits.ErrRange || n != MaxParts+1 {
		t.Errorf("%d parts, %v; want an error at part 17", n, err)
	}
}

// GAP-04: the format is frozen; a change of these bytes is a new protocol.
func TestGoldenSnapshot(t *testing.T) {
	f := &track.Frame{Tick: 3675, At: 61_250_000}
	f.Add(2, track.Sample{At: 61_240_000, Position: geom.V(1, 2, 3), Velocity: geom.V(6, 0, 0), Yaw: 1, Mode: 1})
	f.Add(3, track.Sample{})
	f.Add(700, track.Sample{At: 61_260_000, Position: geom.V(-50, 0, 50), Dead: true, Life: 9})
	for _, at := range []clock.Micros{61_230_000, 61_243_350} {
		f.Kinks = append(f.Kinks, track.Entity{ID: 700, Sample: track.Sample{At: at, Position: geom.V(-51, 0, 50), Dead: true, Life: 9}})
	}
	got := hex.EncodeToString(split(f, 3, datagram)[0]) + "\n"
	const file = "testdata/snapshot.hex"
	if *update {
		os.WriteFile(file, []byte(got), 0o644)
	}
	want, err := os.ReadFile(file)
	if err != nil || got != string(want) {
		t.Errorf("%s:\n got %swant %s%v", file, got, want, err)
	}
}

// bench.md: 0 allocations a tick, either end.
func TestNoAllocations(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 0))
	f := bend(crowd(1, 64, r), r)
	buf := make([]byte, datagram)
	var in WholeInbox
	var p bits.Packer
	whole := 0
	round := func() {
		for s := Split(f, 5); s.More(); {
			p.Write(buf)
			s.Pack(&p)
			p.Read(p.Bytes())
			if in.Read(&p, f.Tick, f.At, track.Received{}) != nil {
				whole++
			}
		}
		f.Tick++
	}
	for range 8 {
		round()
	}
	if n := testing.AllocsPerRun(100, round); n != 0 || whole != 109 {
		t.Errorf("%v allocations, %d snapshots; want 0 and 109", n, whole)
	}
}

// Threats 13, 14: any bytes are a part or an error; what was read is written as
// the same bytes; nothing more is kept than a snapshot may hold.
func FuzzWholeInbox(f *testing.F) {
	r := rand.New(rand.NewPCG(7, 0))
	for _, n := range []int{0, 1, 30} {
		for _, b := range split(crowd(7, n, r), 0, 600) {
			f.Add(b)
		}
		for _, b := range split(bend(crowd(7, n, r), r), 0, 600) {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var in WholeInbox
		var p bits.Packer
		p.Read(b)
		whole := in.Read(&p, 7, 50, track.Received{})
		if len(in.scratch.entities) > int(track.MaxID) {
			t.Fatalf("%d things", len(in.scratch.entities))
		}
		if p.Err() != nil || whole == nil {
			return
		}
		if len(whole.Kinks) > track.MaxKinks*len(whole.Entities) {
			t.Fatalf("%d kinks of %d things", len(whole.Kinks), len(whole.Entities))
		}
		again := split(whole, 0, len(b)+Room)
		if len(again) != 1 || !bytes.Equal(again[0], b) {
			t.Fatalf("read %x, wrote %x", b, again)
		}
	})
}

// bench.md: build and pack for one client, 10 and 64 others in view: ≤ 4, ≤ 20 µs.
func BenchmarkPack(b *testing.B) {
	for _, n := range []int{10, 64} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f := crowd(1, n, rand.New(rand.NewPCG(8, 0)))
			buf := make([]byte, datagram)
			var p bits.Packer
			for b.Loop() {
				for s := Split(f, 1); s.More(); {
					p.Write(buf)
					s.Pack(&p)
				}
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	for _, n := range []int{10, 64} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			parts := split(crowd(1, n, rand.New(rand.NewPCG(8, 0))), 0, datagram)
			var in WholeInbox
			var p bits.Packer
			for b.Loop() {
				for _, bytes := range parts {
					p.Read(bytes)
					in.Read(&p, 1, 50, track.Received{})
				}
			}
		})
	}
}
