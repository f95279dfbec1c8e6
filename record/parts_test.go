package record

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// A header is read as it was written; one that no writer makes is refused by its first wrong field.
func TestHeadersOfChunks(t *testing.T) {
	payload := []byte("a payload")
	good := chunk{kind: outputChunk, raw: 100, first: 60, last: 119}
	b := good.append(nil, payload)
	var got chunk
	if err := got.parse(b); err != nil || got.kind != outputChunk || got.raw != 100 || got.first != 60 || got.last != 119 || got.length != uint32(len(payload)) || !got.whole(b, payload) {
		t.Errorf("%v; got %+v", err, got)
	}
	if got.whole(b, []byte("a pay1oad")) {
		t.Error("a changed payload has the checksum of the old one")
	}
	put := func(at int, x uint32) func(b []byte) {
		return func(b []byte) { binary.LittleEndian.PutUint32(b[at:], x) }
	}
	for what, c := range map[string]struct {
		change func(b []byte)
		want   string
	}{
		"kind 0":                          {put(8, 0), errHeader.Error()},
		"a kind after the last":           {put(8, uint32(kinds)), errHeader.Error()},
		"padding that is not zero":        {put(8, uint32(outputChunk)|1<<16), errHeader.Error()},
		"ticks backwards":                 {put(12, 120), errHeader.Error()},
		"an unpacked size above the most": {put(4, maxChunk+1), "record: a chunk of 9 bytes, 8388609 unpacked, is too large"},
		"a size above the most":           {put(0, maxChunk+1025), "record: a chunk of 8389633 bytes, 100 unpacked, is too large"},
	} {
		b := bytes.Clone(b)
		c.change(b)
		if err := new(chunk).parse(b); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", what, err, c.want)
		}
	}
	if world := (chunk{kind: worldChunk, raw: maxWorld}); world.parse(world.append(nil, nil)) != nil {
		t.Error("a world of 64 MiB is refused")
	}
	if got := fmt.Sprint(headChunk, worldChunk, inputChunk, outputChunk, indexChunk, kind(9)); got != "head world inputs outputs index kind 9" {
		t.Errorf("the kinds are called %s", got)
	}
}

// An index is read as it was written; one that is out of order, beyond its own offset or cut is not.
func TestIndexes(t *testing.T) {
	chunks := []chunk{
		{offset: 8, kind: headChunk}, {offset: 100, kind: worldChunk}, {offset: 1 << 33, kind: inputChunk, first: 1, last: 60},
		{offset: 1<<33 + 40, kind: outputChunk, first: 61, last: math.MaxUint32},
	}
	const end = 1<<33 + 1000
	b := appendIndex(nil, chunks)
	if got, err := readIndex(b, end); err != nil || !slices.Equal(got, chunks) {
		t.Errorf("%v\n got %+v\nwant %+v", err, got, chunks)
	}
	for n := 1; n < len(b); n++ {
		if got, err := readIndex(b[:n], end); err == nil && len(got) == len(chunks) {
			t.Errorf("cut to %d of %d bytes: all %d chunks are read", n, len(b), len(got))
		}
	}
	for what, bad := range map[string][]chunk{
		"within another chunk": {{offset: 8, kind: headChunk}, {offset: 20, kind: worldChunk}},
		"beyond the index":     {{offset: end - 3, kind: headChunk}},
		"an index of an index": {{offset: 8, kind: indexChunk}},
		"ticks backwards":      {{offset: 8, kind: inputChunk, first: 5, last: 4}},
	} {
		if got, err := readIndex(appendIndex(nil, bad), end); !errors.Is(err, errValue) {
			t.Errorf("%s: got %+v, %v; want %v", what, got, err, errValue)
		}
	}
}

// Inputs of any content are read as they were written, one after the other.
func TestInputsComeBackAsTheyWere(t *testing.T) {
	const seed = 21
	r := rand.New(rand.NewPCG(seed, 0))
	var want []Input
	var b []byte
	now, last := clock.Micros(0), clock.Micros(0)
	for range 2000 {
		in := Input{Kind: []InputKind{Received, Disconnected, Ticked, GeneratedKey, Hash, Identified, Kicked, Draining}[r.IntN(8)], At: last}
		switch in.Kind {
		case Received:
			in.Peer, in.Channel, in.At = session.Peer(1+r.Uint32N(1<<31)), session.Channel(r.IntN(2)), last+clock.Micros(r.IntN(20_000))
			in.Bytes = make([]byte, r.IntN(50))
			for i := range in.Bytes {
				in.Bytes[i] = byte(r.Uint32())
			}
		case Disconnected:
			in.Peer = session.Peer(r.Uint32())
		case Ticked:
			last += clock.Micros(r.IntN(20_000))
			in.At = last
		case GeneratedKey:
			binary.LittleEndian.PutUint64(in.Key[:], r.Uint64())
		case Hash:
			in.Hash = r.Uint64()
		case Kicked:
			in.Player, in.Why = session.PlayerID(1+r.IntN(session.MaxPlayers)), strings.Repeat("why ", r.IntN(3))
		case Draining:
			in.Left = clock.Micros(r.Int64N(1e12))
		case Identified:
			in.Peer = session.Peer(r.Uint32())
			in.Who = session.Identity{Account: strings.Repeat("a", r.IntN(3)), Name: "Ä", Data: append([]byte(nil), "xy"[:r.IntN(3)]...), Refused: strings.Repeat("no", r.IntN(2))}
		}
		b = in.append(b, &now)
		want = append(want, in)
	}
	s, at := source{b: b}, clock.Micros(0)
	for i := range want {
		var got Input
		got.read(&s, &at)
		if s.err != nil || !reflect.DeepEqual(got, want[i]) {
			t.Fatalf("seed %d, input %d: %v\n got %+v\nwant %+v", seed, i, s.err, got, want[i])
		}
	}
	if s.more() {
		t.Errorf("%d bytes are left", len(s.b))
	}
}

// Kind 5 belonged to inputs that no file has any more; it is refused like any unknown one.
func TestTheFreeKindOfInputsIsRefused(t *testing.T) {
	var in Input
	now := clock.Micros(0)
	s := source{b: []byte{5, 1, 0}}
	if in.read(&s, &now); !errors.Is(s.err, errOp) {
		t.Errorf("got %v, want %v", s.err, errOp)
	}
	if Hash != 6 || GeneratedKey != 4 || Draining != 9 {
		t.Errorf("hash is kind %d, a drawn key %d and the end of the server %d; files have 6, 4 and 9", Hash, GeneratedKey, Draining)
	}
}

// Seats and messages are read as they were written, and not where a byte is missing.
func TestSeatsAndMessages(t *testing.T) {
	for _, want := range []Player{
		{ID: 1, Name: "Ada", Taken: true, Connected: true}, {ID: session.MaxPlayers, Name: strings.Repeat("ü", maxName/2), Taken: true}, {ID: 7},
	} {
		b := want.append(nil)[1:]
		s := source{b: b}
		var got Player
		if got.read(&s); s.err != nil || got != want || s.more() {
			t.Errorf("%v: got %+v, want %+v", s.err, got, want)
		}
		for n := range b {
			s := source{b: b[:n]}
			if got.read(&s); s.err == nil {
				t.Errorf("%+v cut to %d bytes is read as %+v", want, n, got)
			}
		}
	}
	for _, want := range []Message{{To: []session.Peer{1, 500, 1 << 31}, Bytes: []byte("three")}, {Bytes: []byte{}}} {
		s := source{b: want.append(nil)[1:]}
		var got Message
		if got.read(&s); s.err != nil || !slices.Equal(got.To, want.To) || !bytes.Equal(got.Bytes, want.Bytes) || s.more() {
			t.Errorf("%v: got %+v, want %+v", s.err, got, want)
		}
	}
}

// The triggers of a mover are read as they were written, and not where a byte is missing. [BAS-13]
func TestTriggersOfAMover(t *testing.T) {
	const at = 9 * clock.Second
	var b collide.Builder
	b.TriggeredMover("door", collide.Path{Keys: []collide.Key{{}, {At: clock.Second, Position: geom.V(1, 0, 0)}}},
		collide.Trigger{Kind: collide.Toggle}, func(b *collide.Builder) {
			b.Box(geom.V(0, 1, 0), geom.V(1, 1, .1), geom.IdentityQuat, collide.Surface{})
		})
	world, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	var log, got collide.Triggers
	view := collide.WorldAt{World: world.WithTriggers(&log), At: at - clock.Second/2}
	log.Open(collide.TriggerCause{Now: view.At}, 0)
	view.Trigger(1, collide.Press)
	full := appendTriggers(nil, 1, log.Log(1), at)[1:]
	s := source{b: full}
	s.triggers(&got, at)
	if g, w := world.WithTriggers(&got).Pose(1, at), world.WithTriggers(&log).Pose(1, at); s.err != nil || s.more() || g != w || w.Translation.X != .5 {
		t.Errorf("%v: the door is at %v, want %v", s.err, g.Translation, w.Translation)
	}
	for n := range full {
		s := source{b: full[:n]}
		if s.triggers(&got, at); s.err == nil {
			t.Errorf("cut to %d bytes it is read", n)
		}
	}
}

// A reader's first error stays, and everything after it is zero.
func TestTheFirstErrorStays(t *testing.T) {
	for what, c := range map[string]struct {
		b    []byte
		read func(s *source)
		want error
	}{
		"a byte of none":            {nil, func(s *source) { s.byte() }, errShort},
		"a number of none":          {nil, func(s *source) { s.uvarint(9) }, errShort},
		"a number that never ends":  {bytes.Repeat([]byte{0x80}, 12), func(s *source) { s.varint() }, errShort},
		"a number above its most":   {[]byte{10}, func(s *source) { s.uvarint(9) }, errValue},
		"more bytes than there are": {[]byte{5, 1, 2}, func(s *source) { s.bytes(9) }, errShort},
		"half a float":              {[]byte{1, 2}, func(s *source) { s.float() }, errShort},
		"an infinite float":         {[]byte{0, 0, 0x80, 0x7f}, func(s *source) { s.float() }, errValue},
		"no number as a float":      {[]byte{0, 0, 0xc0, 0x7f}, func(s *source) { s.float() }, errValue},
	} {
		s := source{b: c.b}
		c.read(&s)
		if !errors.Is(s.err, c.want) || s.more() {
			t.Errorf("%s: got %v, want %v", what, s.err, c.want)
		}
		s.fail(errOp)
		if s.byte() != 0 || s.uvarint(9) != 0 || s.varint() != 0 || s.float() != 0 || s.take(3) != nil || !errors.Is(s.err, c.want) {
			t.Errorf("%s: read on, with %v", what, s.err)
		}
	}
}

// A frame for the replay's page has the bytes that docs/recording.md describes, riders in the world.
func TestShownFrames(t *testing.T) {
	f := track.Snapshot{Tick: 300, At: 5 * clock.Second}
	f.Add(3, track.Sample{At: f.At - 50*clock.Millisecond,
		Pose: track.Pose{Position: geom.V(1, 2, 3), Velocity: geom.V(4, 5, 6), Yaw: 0.5, Pitch: -0.25, Mode: 2, Crouched: true, Asleep: true,
			StrideDistance: 12.5, Stance: track.Stance{Crouch: 1, Air: 0.5, Swim: 2}},
		GameData: track.GameData{Life: 7, Teleport: 8, UserData: 0xABCD, Clip: 9, ClipAt: f.At - 150*clock.Millisecond}})
	f.Add(500, track.Sample{At: f.At, GameData: track.GameData{Kind: 4, Dead: true}})
	b := AppendPageFrame([]byte("before"), &f, nil)
	if string(b[:6]) != "before" || len(b) != 6+8+2*PageEntitySize {
		t.Fatalf("%d bytes, want 6 and a frame of two entities", len(b))
	}
	b = b[6:]
	u16 := func(at int) uint16 { return binary.LittleEndian.Uint16(b[8+at:]) }
	f32 := func(at int) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[8+at:]))) }
	if tick, n := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]); tick != 300 || n != 2 {
		t.Errorf("tick %d with %d entities, want 300 and 2", tick, n)
	}
	if got, want := b[8+2:8+8], []byte{0, 1 | 4, 2, 7, 8, 9}; u16(0) != 3 || !bytes.Equal(got, want) {
		t.Errorf("entity %d: kind, flags, mode, life, teleports, clip %v; want %v", u16(0), got, want)
	}
	for at, want := range map[int]float64{8: 1, 12: 2, 16: 3, 20: 4, 24: 5, 28: 6, 32: 0.5, 36: -0.25, 84: -0.05, 88: 12.5, 96: 0.1} {
		if got := f32(at); math.Abs(got-want) > 1e-3 {
			t.Errorf("at %d: got %v, want %v", at, got, want)
		}
	}
	if got := b[8+92 : 8+96]; u16(80) != 0xABCD || u16(82) != 0 || !bytes.Equal(got, []byte{255, 136, 255, 0}) { // snapshots have stances in 1/15
		t.Errorf("user data %x, base %d, stance %v", u16(80), u16(82), got)
	}
	if second := b[8+PageEntitySize:]; binary.LittleEndian.Uint16(second) != 500 || second[2] != 4 || second[3] != 2 || binary.LittleEndian.Uint32(second[96:]) != 0 {
		t.Errorf("the second entity begins with %v", second[:8])
	}
}

// The tick at a match time is the last one due by then, at every rate.
func TestTicksAtTimes(t *testing.T) {
	for _, rate := range []int{1, 20, 60, 128, 1000} {
		f := &File{head: Head{TickRate: rate}}
		for n := int64(1); n < 3000; n += 7 {
			at := clock.TickTime(n, rate)
			if got := f.TickAt(at); got != uint32(n) {
				t.Fatalf("%d Hz at %d µs: tick %d, want %d", rate, at, got, n)
			}
			if got := f.TickAt(at - 1); got != uint32(n-1) {
				t.Fatalf("%d Hz, a microsecond before tick %d: %d", rate, n, got)
			}
		}
	}
}

// The line of a result of verify, and of damage.
func TestLinesOfResults(t *testing.T) {
	for want, v := range map[string]fmt.Stringer{
		"equal: 120 ticks, 300 inputs, 3 hashes":                                                                                                                    VerifyResult{Ticks: 120, Inputs: 300, Hashes: 3},
		"differs at 2.50 s: hash 00000000000000ff, recorded 0000000000000001 (2 hashes were equal before)":                                                          VerifyResult{Differed: true, Differs: 2_500_000, Got: 255, Want: 1, Hashes: 2},
		"differs from the first hash on, at 0.02 s: hash 00000000000000ff, recorded 0000000000000001; set the match up as it was recorded, with its number of bots": VerifyResult{Differed: true, Differs: 20_000, Got: 255, Want: 1},
	} {
		if got := v.String(); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	d := &DamageError{Offset: 1234, Chunk: 5, What: "inputs", Err: errSum}
	if got, want := d.Error(), "record: damaged at byte 1234, chunk 5 (inputs): record: wrong checksum"; got != want || !errors.Is(d, errSum) {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// failing is a file in which the n-th write fails.
type failing struct {
	left   int
	closed bool
}

var errDisk = errors.New("the disk is gone")

func (f *failing) Write(b []byte) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errDisk
	}
	return len(b), nil
}

func (f *failing) Close() error { f.closed = true; return nil }

// Whichever write fails, the error is that of the disk, and a file that was begun is closed.
func TestEveryWriteCanFail(t *testing.T) {
	world := collide.Floor(9)
	const writes = 3 + 1 + 2 // magic, head and world; inputs; the index and the trailer
	for n := range writes + 1 {
		f := &failing{left: n}
		w, err := New(f, Head{TickRate: 60}, world.AppendBinary(nil))
		if n < 3 {
			if !errors.Is(err, errDisk) || w != nil {
				t.Errorf("write %d: got %v, want the disk's error", n, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		w.input(&Input{Kind: Disconnected, Peer: 1})
		err = w.Close()
		if (err == nil) != (n == writes) || err != nil && !errors.Is(err, errDisk) || !f.closed {
			t.Errorf("write %d: got %v, closed %v", n, err, f.closed)
		}
		if again := w.Close(); n == 3 && !errors.Is(again, errDisk) {
			t.Errorf("closed again: %v", again)
		}
	}
}

// A head that no match can have, and a world that is too large, begin no file.
func TestHeadsThatCannotBeRecorded(t *testing.T) {
	for what, h := range map[string]Head{
		"no tick rate": {}, "a tick rate above 1000 Hz": {TickRate: 1001}, "more snapshots than ticks": {TickRate: 20, SnapshotRate: 21},
		"a configuration of 2 MB": {TickRate: 60, Config: bytes.Repeat([]byte("1"), 2<<20)},
	} {
		var to kept
		if _, err := New(&to, h, nil); !errors.Is(err, errHead) || to.Len() != 0 {
			t.Errorf("%s: got %v and %d bytes, want %v and none", what, err, to.Len(), errHead)
		}
	}
	var to kept
	if _, err := New(&to, Head{TickRate: 60}, make([]byte, maxWorld+1)); !errors.Is(err, errSize) {
		t.Errorf("a world of more than 64 MiB: %v", err)
	}
	if _, err := Create(t.TempDir(), Head{TickRate: 60}, nil); err == nil || !strings.HasPrefix(err.Error(), "record: ") {
		t.Errorf("a file that is there: %v", err)
	}
}

var _ io.WriteCloser = (*failing)(nil)
