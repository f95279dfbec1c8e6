package remote

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// crowd receives a frame of four runners, one a lane.
func crowd(r *Remotes, tick uint32, now clock.Micros) {
	f := track.Snapshot{Tick: tick, At: clock.TickTime(int64(tick), 60), Complete: true}
	for id := track.ID(1); id <= 4; id++ {
		s := straight(f.At - 30*ms)
		s.Position.Z = float64(id)
		f.Add(id, s)
	}
	r.Receive(&f, now)
}

// Each entity in a mode of its own beside a default. The view says how the default draws, and what
// the default draws is where the server has it for the view. [SMO-02]
func TestModes(t *testing.T) {
	for _, c := range []struct {
		mode  Mode
		drawn track.DrawMode
	}{{Interpolate, track.DrawInterpolated}, {Linear, track.DrawLinear}, {Exponential, track.DrawExponential}, {Newest, track.DrawNewest}, {Replay, track.DrawInterpolated}} {
		r := New(16_667)
		r.SetDefaultMode(c.mode)
		for id, m := range []Mode{Linear, Exponential, Newest} {
			r.SetMode(track.ID(2+id), m)
		}
		var v track.View
		var list []track.Entity
		now := clock.Micros(0)
		for tick := uint32(1); tick <= 300; tick++ {
			now = clock.TickTime(int64(tick), 60) + 40*ms
			crowd(r, tick, now)
			v = r.View(now + 5*ms)
			list = r.Targets(v, nil, list[:0])
		}
		if v.Mode != c.drawn || r.Mode(1) != c.mode || r.Mode(2) != Linear || r.Mode(4) != Newest || len(list) != 4 {
			t.Fatalf("%v: drawn %v, %d entities, modes %v %v %v", c.mode, v.Mode, len(list), r.Mode(1), r.Mode(2), r.Mode(4))
		}
		server := (track.Interpolator{History: r.History()}).Entities(v, 0, nil)
		if list[0] != server[0] {
			t.Errorf("%v: drawn at %v, the server has %v", c.mode, list[0].Position, server[0].Position)
		}
		for i := range list {
			if s, _ := r.At(list[i].ID, v, nil); s != list[i].Sample {
				t.Errorf("%v: entity %d is at %v by itself, in the list at %v", c.mode, list[i].ID, s.Position, list[i].Position)
			}
		}
		// The last sample is of now − 75 ms; extrapolated entities are shown as of a tick ago.
		age := func(i int) clock.Micros { return now + 5*ms - clock.Micros(list[i].Position.X/6*1e6) }
		ahead := clock.Micros(16_667)
		if c.mode == Replay {
			ahead = 0
		}
		for i, want := range []clock.Micros{0, ahead, ahead, 75 * ms} {
			if got := age(i); i > 0 && (got < want-2*ms || got > want+2*ms) {
				t.Errorf("%v: entity %d is shown as of %d ms ago, want %d", c.mode, i+1, got/ms, want/ms)
			}
		}
		if c.mode == Interpolate && (age(0) < 80*ms || age(0) > 100*ms) {
			t.Errorf("interpolated as of %d ms ago", age(0)/ms)
		}
		if c.mode == Replay && v.At != now+5*ms {
			t.Errorf("replayed at %d, want %d", v.At, now+5*ms)
		}
	}
}

// What is drawn in a smoothing mode is, bit for bit, what a server has that knows the view and
// nothing of what was drawn before: at several rates of frames and of snapshots, some of which
// arrive late, out of order or never. The distance of that from the body is bounded. [SMO-15]
func TestAServerRebuildsASmoothingMode(t *testing.T) {
	for _, m := range []Mode{Linear, Exponential} {
		for _, c := range []struct {
			fps, every int
			calm       bool
			mean, most float64
		}{
			{60, 3, true, .12, 1.6}, {60, 1, false, .2, 2.56}, {60, 3, false, .35, 2.56},
			{144, 1, false, .2, 2.56}, {20, 1, false, .2, 2.56}, {60, 12, false, .7, 2.56},
		} {
			rnd := rand.New(rand.NewPCG(15, uint64(c.fps*c.every)))
			r := New(16_667)
			r.SetDefaultMode(m)
			server, wire := track.NewSnapshotHistory(400), track.View{}
			type packet struct {
				f  track.Snapshot
				at clock.Micros
			}
			var air []packet
			far, sum, n, tick := 0.0, 0.0, 0, uint32(0)
			for frame := range int64(20 * c.fps) {
				now := clock.TickTime(frame, c.fps)
				for ; clock.TickTime(int64(tick+1), 60) <= now; tick++ {
					f := server.Record(tick+1, clock.TickTime(int64(tick+1), 60))
					f.Complete = true
					f.Add(1, run(f.At-30*ms))
					if tick%uint32(c.every) == 0 && (c.calm || rnd.IntN(10) > 0) {
						p := packet{at: f.At + 40*ms}
						if !c.calm {
							p.at += clock.Micros(rnd.IntN(40_000))
						}
						p.f.Copy(f)
						air = append(air, p)
					}
				}
				for i := 0; i < len(air); i++ {
					if air[i].at <= now {
						r.Receive(&air[i].f, now)
						air = append(air[:i], air[i+1:]...)
						i--
					}
				}
				v := r.View(now)
				drawn, fit := r.At(1, v, nil)
				if wire = v; fit == track.Missing {
					continue
				}
				var p bits.Packer
				buffer := [128]byte{}
				p.Write(buffer[:])
				wire.PackArrivals(&p)
				p.Read(p.Bytes())
				wire.Cut(0)
				if wire.PackArrivals(&p); p.Err() != nil || wire != v {
					t.Fatalf("%v, %+v, frame %d: %v, read %+v, wrote %+v", m, c, frame, p.Err(), wire, v)
				}
				rebuilt, _ := (track.Interpolator{History: server}).At(1, wire)
				if rebuilt != drawn {
					t.Fatalf("%v, %+v, frame %d: drawn %+v, rebuilt %+v", m, c, frame, drawn, rebuilt)
				}
				wire.Cut(0)
				body, _ := (track.Interpolator{History: server}).At(1, wire)
				off := drawn.Position.Dist(body.Position)
				far, sum, n = max(far, off), sum+off, n+1
			}
			mean := sum / float64(n)
			t.Logf("%v, %+v: %.3f m beside the body, at most %.2f m", m, c, mean, far)
			if mean < .01 || mean > c.mean || far > c.most {
				t.Errorf("%v, %+v: %.3f m beside the body, at most %.2f m; want %.2f and %.2f at most", m, c, mean, far, c.mean, c.most)
			}
		}
	}
}

// A mode may change while entities are drawn: the view changes over at its rate, and nothing
// remains of the mode before. [SMO-02]
func TestAModeThatChanges(t *testing.T) {
	r := New(16_667)
	last := clock.Micros(0)
	for tick := uint32(1); tick <= 900; tick++ {
		now := clock.TickTime(int64(tick), 60) + 40*ms
		r.SetDefaultMode([]Mode{Interpolate, Exponential, Linear, Newest, Interpolate}[tick/180%5])
		crowd(r, tick, now)
		v := r.View(now)
		if len(r.Targets(v, nil, nil)) != 4 || v.At > now {
			t.Fatalf("tick %d: %+v", tick, v)
		}
		last = v.At
	}
	_ = last
}

// Recordings: frames are known ahead of what is shown, so every entity is between samples at
// exactly the requested time, in steps of any size. [SMO-02]
func TestReplay(t *testing.T) {
	r := New(16_667)
	r.SetDefaultMode(Replay)
	for tick := uint32(1); tick <= 60; tick++ {
		crowd(r, tick, 0)
	}
	for _, now := range []clock.Micros{500 * ms, 501 * ms, 700 * ms, 600 * ms} {
		v := r.View(now)
		s, fit := r.At(1, v, nil)
		if fit != track.Interpolated && fit != track.Exact || v.At != now || !about(s.Position.X, 6*now.Seconds(), .001) {
			t.Errorf("at %d: view %d, %v at %v", now, v.At, fit, s.Position)
		}
	}
}

// The age of the newest sample, its parts, and the description of how an entity is drawn. [GAP-36]
func TestDebug(t *testing.T) {
	r := New(16_667)
	var v track.View
	for tick := uint32(1); tick <= 120; tick++ {
		at := clock.TickTime(int64(tick), 60)
		f := track.Snapshot{Tick: tick, At: at}
		s := straight(at - 35*ms)
		f.Add(1, s)
		if tick == 100 {
			k := s
			k.At -= 8 * ms
			f.PutKeyframe(1, &k)
		}
		r.Receive(&f, at+40*ms)
		v = r.View(at + 45*ms)
	}
	now := clock.TickTime(120, 60) + 50*ms
	a, ok := r.Age(1, now)
	if !ok || a.Total != a.Server+a.Network+a.Client || a.Network != 40*ms || a.Client != 10*ms || a.Server < 34*ms || a.Server > 36*ms {
		t.Errorf("age %+v, want 35 ms to the server's tick, 40 here, 10 since", a)
	}
	var d Debug
	if !r.Debug(1, v, now, &d) || d.Age != a || d.Delay != now-v.At || d.Source < track.Exact || d.Mode != Interpolate {
		t.Errorf("%+v", d)
	}
	keyframes := 0
	for i, s := range d.States {
		if s.Keyframe {
			keyframes++
		}
		if i > 0 && (s.At >= d.States[i-1].At || s.Tick > d.States[i-1].Tick) || s.Received < s.At+74*ms {
			t.Errorf("state %d: %+v after %+v", i, s, d.States[i-1])
		}
	}
	if len(d.States) < 57 || len(d.States) > 62 || keyframes != 1 {
		t.Errorf("%d states with %d keyframes, want those of a second and 1", len(d.States), keyframes)
	}
	if r.Debug(9, v, now, &d) {
		t.Errorf("an entity that does not exist: %+v", d)
	}
	if _, ok := r.Age(9, now); ok {
		t.Errorf("it has an age")
	}
	if n := testing.AllocsPerRun(100, func() { r.Debug(1, v, now, &d) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Misuse panics with a sentence.
func TestMisuse(t *testing.T) {
	for name, wrong := range map[string]func(r *Remotes){
		"a mode that is none":     func(r *Remotes) { r.SetDefaultMode(Replay + 1) },
		"nothing in a mode":       func(r *Remotes) { r.SetMode(0, Newest) },
		"one entity as recording": func(r *Remotes) { r.SetMode(1, Replay) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			wrong(New(1))
		}()
	}
	if Mode(9).String() != "unknown" || Exponential.String() != "exponential" {
		t.Errorf("names")
	}
}

// 0 allocations a frame in every mode, while entities are blended, come and go.
func TestNoAllocationsInAnyMode(t *testing.T) {
	for m := Interpolate; m <= Replay; m++ {
		r := New(16_667)
		r.SetDefaultMode(m)
		tick := uint32(0)
		f := track.Snapshot{Complete: true}
		into := make([]track.Entity, 0, 64)
		round := func() {
			tick++
			f.Clear(tick, clock.TickTime(int64(tick), 60))
			f.Complete = true
			for id := track.ID(1); id <= 64; id++ {
				s := straight(f.At)
				s.Velocity = geom.V(6, 0, float64(tick%7))
				if (uint32(id)+tick/8)%9 > 0 {
					f.Add(id, s)
				}
			}
			if tick%5 > 1 {
				r.Receive(&f, f.At+300*ms)
			}
			into = r.Targets(r.View(f.At+300*ms), nil, into[:0])
		}
		for range 300 {
			round()
		}
		if n := testing.AllocsPerRun(200, round); n != 0 || len(into) < 40 {
			t.Errorf("%v: %v allocations a frame of %d entities", m, n, len(into))
		}
	}
}

// One frame with 64 entities in each mode, and while all are blended.
func BenchmarkModes64(b *testing.B) {
	for m := Interpolate; m <= Newest; m++ {
		for _, starved := range []bool{false, true} {
			name := m.String()
			if starved {
				name += ", starved"
			}
			b.Run(name, func(b *testing.B) {
				r := New(16_667)
				r.SetDefaultMode(m)
				f := track.Snapshot{}
				into := make([]track.Entity, 0, 64)
				tick := uint32(0)
				for b.Loop() {
					tick++
					f.Clear(tick, clock.TickTime(int64(tick), 60))
					late, s := 30*ms, track.Sample{
						At:   f.At,
						Pose: track.Pose{Position: geom.V(float64(tick)*.1, 0, 0), Velocity: geom.V(6, 0, float64(tick%3)), Yaw: 1},
					}
					for id := track.ID(1); id <= 64; id++ {
						f.Put(id, &s)
					}
					if starved {
						late = 280 * ms
					}
					r.Receive(&f, f.At+late)
					into = r.Targets(r.View(f.At+late), nil, into[:0])
				}
			})
		}
	}
}
