package record

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
	"testing/synctest"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// anySample is a sample on the file's grids with anything in any field.
func anySample(r *rand.Rand, at clock.Micros) track.Sample {
	grid := func(n int64, scale float64) float64 { return float64(r.Int64N(2*n)-n) / scale }
	vec := func(n int64, scale float64) geom.Vec3 {
		return geom.V(grid(n, scale), grid(n, scale), grid(n, scale))
	}
	s := track.Sample{
		At: (at/track.StampGrid - clock.Micros(r.Int64N(2000))) * track.StampGrid,
		Pose: track.Pose{
			Position: vec(16<<20, track.PositionScale), Velocity: vec(6400, track.VelocityScale),
			Yaw: bits.SnapAngle16(grid(3000, 1000)), Pitch: bits.SnapAngle16(grid(1500, 1000)),
			Mode: uint8(r.Uint32()), StrideDistance: float64(r.IntN(64<<8)) / 256,
			Stance: stance(r.Int64N(4096)), Crouched: r.IntN(2) == 0, Asleep: r.IntN(2) == 0,
		},
		GameData: track.GameData{
			Kind: track.Kind(r.Uint32()), Life: uint8(r.Uint32()), Teleport: uint8(r.Uint32()),
			Dead: r.IntN(2) == 0, UserData: uint16(r.Uint32()),
		},
	}
	if r.IntN(3) == 0 {
		s.Base, s.PreviousBase = collide.MoverID(r.IntN(1<<15)), collide.MoverID(r.IntN(1<<15))
		s.BaseChangedAt = s.At - clock.Micros(r.Int64N(4000))*track.StampGrid
		s.Lag = clock.Micros(r.Int64N(4000)-200) * track.StampGrid
		s.Up = vec(1024, upScale)
	}
	if r.IntN(3) == 0 {
		s.Rotation = geom.Quat{X: grid(turnScale, turnScale), Y: grid(turnScale, turnScale), Z: grid(turnScale, turnScale), W: grid(turnScale, turnScale)}
		s.AngularVelocity = vec(640, track.VelocityScale)
		s.Clip, s.ClipAt = uint8(r.Uint32()), clock.Micros(r.Int64N(1<<30))*track.StampGrid
	}
	return s
}

// Frames with new, changed, resting and removed entities are read as they were written, from the
// beginning of every chunk.
func TestFramesComeBackAsTheyWere(t *testing.T) {
	const seed = 11
	r := rand.New(rand.NewPCG(seed, 0))
	var writer, reader frameState
	now := map[track.ID]track.Sample{}
	for tick := int64(1); tick <= 300; tick++ {
		f := track.Snapshot{Tick: uint32(tick), At: clock.TickTime(tick, 60)}
		for id := track.ID(1); id <= track.MaxID; id += 1 + track.ID(r.IntN(60)) {
			switch r.IntN(4) {
			case 0:
				delete(now, id)
			case 1:
				s := now[id]
				s.Position.X += 1.0 / track.PositionScale
				s.At = (f.At/track.StampGrid - 3) * track.StampGrid
				now[id] = s
			case 2:
				now[id] = anySample(r, f.At)
			}
		}
		for id := track.ID(1); id <= track.MaxID; id++ {
			if s, ok := now[id]; ok {
				f.Add(id, s)
			}
		}
		if r.IntN(50) == 0 {
			writer.clear()
			reader.clear()
		}
		s := source{b: writer.append(nil, &f)}
		reader.read(&s)
		got := track.Snapshot{At: f.At}
		if reader.show(&got); s.err != nil || len(s.b) != 0 || got.Len() != f.Len() {
			t.Fatalf("seed %d tick %d: %v, %d bytes left, %d entities of %d", seed, tick, s.err, len(s.b), got.Len(), f.Len())
		}
		want := f.Entities(nil)
		for i, e := range got.Entities(nil) {
			if e != want[i] {
				t.Fatalf("seed %d tick %d:\n got %+v\nwant %+v", seed, tick, e, want[i])
			}
		}
	}
}

// An entity that does not change, except for a stamp that is a tick later, costs nothing.
func TestWhatRestsCostsNothing(t *testing.T) {
	var p frameState
	for tick := int64(3); tick < 60; tick += 3 { // the time of these ticks is whole steps of the stamp
		at := clock.TickTime(tick, 60)
		f := track.Snapshot{At: at}
		f.Add(5, track.Sample{At: at - 20000, Pose: track.Pose{Position: geom.V(1, 2, 3)}})
		if b := p.append(nil, &f); tick > 3 && !bytes.Equal(b, []byte{0}) {
			t.Errorf("tick %d: %d bytes %v, want the end alone", tick, len(b), b)
		}
	}
}

// kept is a file in memory.
type kept struct{ bytes.Buffer }

func (*kept) Close() error { return nil }

// More inputs in a second than a chunk holds go into several, and come back in order.
func TestAFloodOfInputsIsCutIntoChunks(t *testing.T) {
	var to kept
	world := collide.Floor(9)
	w, err := New(&to, Head{TickRate: 60}, world.AppendBinary(nil))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 0))
	packet := make([]byte, 4000)
	for i := range packet {
		packet[i] = byte(r.Uint32())
	}
	const flood = 2000 // 8 MB
	for i := range flood {
		w.input(&Input{Kind: Received, Peer: 1, At: clock.Micros(i), Bytes: packet[i%100:]})
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := Read(bytes.NewReader(to.Bytes()), int64(to.Len()))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for in, err := range f.Inputs() {
		if err != nil {
			t.Fatal(err)
		}
		if in.At != clock.Micros(n) || !bytes.Equal(in.Bytes, packet[n%100:]) {
			t.Fatalf("input %d: at %d, %d bytes", n, in.At, len(in.Bytes))
		}
		n++
	}
	if n != flood || len(f.chunks) < 2+8 {
		t.Errorf("%d inputs of %d in %d chunks", n, flood, len(f.chunks)-2)
	}
}

// standstill is a disk that takes the beginning of a file, and then nothing until it is freed.
type standstill struct {
	kept
	begin int // writes
	free  chan struct{}
}

func (s *standstill) Write(b []byte) (int, error) {
	if s.begin--; s.begin < 0 {
		<-s.free
	}
	return s.kept.Write(b)
}

// The disk stands still to the end of a match: Close waits for it, and every input is in the file. If it stands still for so
// long that inputs would fill the memory, the recording ends with that reason, lets go of them, and has the inputs of before
// without a gap. [THR-29, THR-66]
func TestInputsWaitForTheDiskUpToABound(t *testing.T) {
	packet := make([]byte, 600_000)
	for _, c := range []struct {
		inputs int
		want   error
	}{{maxQueue + 12, nil}, {maxQueue + maxBacklog/len(packet) + 10, ErrSlowDisk}} {
		synctest.Test(t, func(t *testing.T) {
			disk := &standstill{begin: 3, free: make(chan struct{})}
			w, err := New(disk, Head{TickRate: 60}, collide.Floor(9).AppendBinary(nil))
			if err != nil {
				t.Fatal(err)
			}
			for i := range c.inputs {
				w.input(&Input{Kind: Received, Peer: 1, At: clock.Micros(i), Bytes: packet})
			}
			if got := w.Err(); got != c.want || got != nil && w.backlogBytes > maxBacklog/2 {
				t.Errorf("%d inputs: got %v, and %d bytes wait; want %v", c.inputs, got, w.backlogBytes, c.want)
			}
			closed := make(chan error, 1)
			go func() { closed <- w.Close() }()
			synctest.Wait()
			close(disk.free)
			if got := <-closed; !errors.Is(got, c.want) {
				t.Errorf("%d inputs: Close returned %v, want %v", c.inputs, got, c.want)
			}
			f, err := Read(bytes.NewReader(disk.Bytes()), int64(disk.Len()))
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for in, err := range f.Inputs() {
				if err != nil || in.At != clock.Micros(n) {
					t.Fatalf("input %d: %+v, %v", n, in, err)
				}
				n++
			}
			if f.Closed() != (c.want == nil) || c.want == nil && n != c.inputs {
				t.Errorf("%d inputs of %d, closed %v, want all in a closed file: %v", n, c.inputs, f.Closed(), c.want == nil)
			}
		})
	}
}
