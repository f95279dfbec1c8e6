package rewind_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/bench"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/track"
)

// Any number of scenes read one history at once: eight of them, each at views of its own, return
// what one after the other does. (For -race.) [REW-03]
func TestScenesLookAtOneHistoryAtOnce(t *testing.T) {
	s := newShooting(t, 40)
	looks := humanoid(t)
	view := func(n int) track.View {
		v := s.View
		v.Seen.Newest -= uint32(n % 5)
		v.At -= clock.Micros(n) * 7 * ms
		if n%3 == 0 {
			v.BlendFrom, v.BlendAt = v.Seen, v.At-20*ms
			v.BlendFrom.Newest -= 3
		}
		return v
	}
	look := func(scene *rewind.Scene, n int) answers {
		v := view(n)
		if err := s.History.Rebuild(scene, v, s.SentLog, s.World, 3); err != nil {
			t.Error(err)
		}
		list, err := s.History.Entities(v, s.SentLog, s.World, 3, nil)
		if err != nil {
			t.Error(err)
		}
		return interrogate(scene, uint64(n), bench.Muzzle, list)
	}
	var want []answers
	one := rewind.NewScene(looks)
	for n := range 30 {
		want = append(want, look(one, n))
	}
	var all sync.WaitGroup
	for k := range 8 {
		all.Go(func() {
			scene := rewind.NewScene(looks)
			for i := range 30 {
				n := (i*7 + k) % 30
				if got := look(scene, n); !got.equal(&want[n]) {
					t.Errorf("scene %d, view %d: got %+v, alone %+v", k, n, got, want[n])
				}
			}
		})
	}
	all.Wait()
}

// HIS-04, HIS-06, GAP-42, GAP-43: MaxWindow is the longest window of a history; a view whose
// newest snapshot is older than the window, or was never recorded, makes an empty scene and an
// error; one whose time is before all of its snapshots shows the oldest of them, and one that is
// newer extrapolates. [REW-01]
func TestWhatASceneCanShow(t *testing.T) {
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a history longer than MaxWindow was made")
			}
		}()
		rewind.NewHistory(60, rewind.MaxWindow+1)
	}()
	rewind.NewHistory(60, rewind.MaxWindow)
	h := rewind.NewHistory(60, 0) // 500 ms: 30 ticks
	for tick := uint32(1); tick <= 100; tick++ {
		at := clock.TickTime(int64(tick), 60)
		f := h.Record(tick, at)
		for id := track.ID(1); id <= 2; id++ {
			f.Add(id, track.Sample{At: at, Pose: track.Pose{Position: geom.V(float64(id)*10, 0, 6*at.Seconds()), Velocity: geom.V(0, 0, 6)}})
		}
	}
	s := rewind.NewScene(nil)
	w := world(t)
	at := func(newest uint32, mask uint64, when clock.Micros) (float64, error) {
		err := h.Rebuild(s, track.View{At: when, Seen: track.Received{Newest: newest, Mask: mask}}, nil, w.World, 1)
		_, pose, ok := s.PosedRig(2)
		if !ok {
			return 0, err
		}
		if _, _, ok := s.PosedRig(1); ok {
			t.Error("the shooter is in the scene")
		}
		if o := s.Ray(geom.V(0, 1, pose.Translation.Z), geom.V(1, 0, 0), 100, rewind.NearestHitbox); o.Target != 2 {
			t.Errorf("%+v where the figure stands", o)
		}
		return pose.Translation.Z, err
	}
	exact := clock.TickTime(70, 60)
	for _, c := range []struct {
		what   string
		newest uint32
		mask   uint64
		when   clock.Micros
		z      float64
		err    error
	}{
		{"a tick of the window", 80, ^uint64(0), exact, 7, nil},
		{"the last tick of the window", 70, ^uint64(0), exact, 7, nil},
		{"a tick before it", 69, ^uint64(0), exact, 0, rewind.ErrForgotten},
		{"a tick to come", 101, ^uint64(0), exact, 0, rewind.ErrForgotten},
		{"a time before all of the frames", 80, 1, 500 * ms, 7.9, nil},
		{"a time after all of the frames", 70, 0, exact + 50*ms, 7.3, nil},
		{"a time long after them", 70, 0, exact + 5*clock.Second, 7.6, nil},
	} {
		z, err := at(c.newest, c.mask, c.when)
		if !errors.Is(err, c.err) || z < c.z-.002 || z > c.z+.002 {
			t.Errorf("%s: at z %v (%v), want %v (%v)", c.what, z, err, c.z, c.err)
		}
		if err != nil && (len(s.Targets()) != 0 || s.Ray(geom.V(0, 1, 7), geom.V(1, 0, 0), 100, rewind.NearestHitbox).Kind != rewind.Nothing) {
			t.Errorf("%s: a target is in the scene", c.what)
		}
	}
}

// An entity can be hit from the tick on in which it joins a match, also in views of that very
// tick, and every scene of a view is rebuilt lazily.
func TestAnEntityIsHitFromItsFirstTick(t *testing.T) {
	h, s := rewind.NewHistory(60, 0), rewind.NewScene(nil)
	for tick := uint32(1); tick <= 400; tick++ {
		at := clock.TickTime(int64(tick), 60)
		f := h.Record(tick, at)
		f.Add(1, track.Sample{At: at})
		if tick > 100 {
			f.Add(2, track.Sample{At: at, Pose: track.Pose{Position: geom.V(10, 0, 0)}})
		}
		if err := h.Rebuild(s, all(tick, at-50*ms), nil, nil, 1); err != nil {
			t.Fatal(err)
		}
		if o := s.Ray(geom.V(0, 1, 0), geom.V(1, 0, 0), 30, rewind.NearestHitbox); (o.Target == 2) != (tick > 100) || !s.Lazy() {
			t.Fatalf("tick %d: %+v, lazy %v", tick, o, s.Lazy())
		}
	}
}

// GAP-44, GAP-49, HIT-09: an entity that a scene leaves out is not hit and not reached by
// anything, whether its own client listed it or not. [REW-05]
func TestTheShooterIsNeverHit(t *testing.T) {
	s := newShooting(t, 3)
	at := s.At
	if err := s.History.Rebuild(s.Scene, s.View, s.SentLog, s.World, 1); err != nil {
		t.Fatal(err)
	}
	if o := s.Scene.Ray(bench.Muzzle, at.Sub(bench.Muzzle).Unit(), 20, rewind.HeadFirst); o.Kind == rewind.Player {
		t.Errorf("met %+v", o)
	}
	if list := s.Scene.Blast(at, 3, 0, nil); len(list) != 0 {
		t.Errorf("reached %+v", list)
	}
	if list := s.Scene.Arc(rewind.Arc{From: at, Yaw: 0, A: -3, B: 3, Reach: 2}, rewind.HeadFirst, nil); len(list) != 0 {
		t.Errorf("cut %+v", list)
	}
	if _, _, ok := s.Scene.PosedRig(1); ok {
		t.Error("has a figure")
	}
}

// HIS-02, GAP-52: what can be hit is as the movement was, at the instant of the view: a runner's
// legs are where the stride has them, a crouching character's head is lower, the trunk leans in
// a dash; and between two ticks in between. [SRV-09, HIS-03, HIS-09]
func TestFiguresFollowTheMovement(t *testing.T) {
	looks := humanoid(t)
	h, s := rewind.NewHistory(60, 0), rewind.NewScene(looks)
	pose := [4]track.Sample{
		1: {Pose: track.Pose{Velocity: geom.V(0, 0, -6), StrideDistance: 1}},
		2: {Pose: track.Pose{Velocity: geom.V(0, 0, -6), StrideDistance: 1.9}},
		3: {Pose: track.Pose{Stance: track.Stance{Crouch: 1}, Crouched: true}},
	}
	for tick := uint32(1); tick <= 60; tick++ {
		at := clock.TickTime(int64(tick), 60)
		f := h.Record(tick, at)
		for id, p := range pose {
			p.At, p.Position = at, geom.V(float64(10*id), 0, 0)
			if id == 3 && tick < 40 {
				p.Stance, p.Crouched = track.Stance{}, false
			}
			f.Add(track.ID(id+1), p)
		}
	}
	centres := func(id track.ID, when clock.Micros) (foot, head geom.Vec3) {
		if err := h.Rebuild(s, all(60, when), nil, nil, 0); err != nil {
			t.Fatal(err)
		}
		f, at, ok := s.PosedRig(id)
		if !ok || f.Count < 19 {
			t.Fatalf("%d has no figure", id)
		}
		for i := range f.Count {
			switch looks.Rig.Hitboxes()[f.Hitboxes[i]-1].Name {
			case "left_foot":
				foot = f.Solids[i].A.Lerp(f.Solids[i].B, .5)
			case "head":
				head = at.Apply(f.Solids[i].A)
			}
		}
		return foot, head
	}
	last := clock.TickTime(60, 60)
	idle, up := centres(1, last)
	one, _ := centres(2, last)
	other, _ := centres(3, last)
	if idle.Dist(one) < .1 || one.Dist(other) < .2 {
		t.Errorf("the left foot is at %v standing, %v and %v in a run", idle, one, other)
	}
	_, low := centres(4, last)
	_, before := centres(4, clock.TickTime(38, 60))
	_, between := centres(4, clock.TickTime(39, 60)+8*ms)
	if up.Y-low.Y < .3 || before.Y != up.Y || between.Y >= before.Y-.05 || between.Y <= low.Y+.05 {
		t.Errorf("the head is %v m high standing; crouching %v before, %v on the way, %v then", up.Y, before.Y, between.Y, low.Y)
	}
}
