package rewind

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/track"
)

// lifts is a world of three movers that go up and down, round and about.
func lifts() *collide.World {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(99, 1, 99), geom.IdentityQuat, collide.Surface{})
	for i := range 40 { // walls and steps, for entities that are extrapolated
		at := geom.V(float64(i%8)*3-12, float64(i%3), float64(i/8)*3-6)
		b.Box(at, geom.V(1, .2, .4), geom.YawQuat(float64(i)), collide.Surface{})
	}
	for i, axis := range []geom.Vec3{geom.Up, {X: .6, Y: .8}, {Z: 1}} {
		b.Mover(string(rune('a'+i)), collide.Path{Loop: true, Axis: axis, Keys: []collide.Key{
			{Position: geom.V(20, 0, 0)}, {At: 3 * clock.Second, Position: geom.V(-20, 9, 10), Angle: 2}, {At: 5 * clock.Second, Position: geom.V(20, 0, 0)},
		}}, func(b *collide.Builder) {
			b.Box(geom.Vec3{}, geom.V(2, .2, 2), geom.IdentityQuat, collide.Surface{})
		})
	}
	return b.MustBake()
}

// wild returns a history of entities that run, jump about, die, tilt, come and go, with
// velocities unrelated to where they go, and stamps before and after their ticks; and the log of
// a client that was sent some of it.
func wild(r *rand.Rand, rate, ticks int) (*History, *track.SentLog) {
	h := NewHistory(rate, 0)
	sentLog := track.NewSentLog(h.Snapshots.Ticks())
	var list [12]track.Sample
	for tick := uint32(1); tick <= uint32(ticks); tick++ {
		now := clock.TickTime(int64(tick), rate)
		f := h.Record(tick, now)
		sentLog.Begin(tick)
		for i := range list {
			s, id := &list[i], track.ID(7*i+3)
			s.Position = s.Position.MulAdd(geom.V(r.Float64()-.5, r.Float64()-.5, r.Float64()-.5), .4)
			switch n := r.IntN(100); {
			case n < 2:
				s.Position = geom.V(r.Float64()*200-100, r.Float64()*20, r.Float64()*200-100)
				s.Teleport += uint8(r.IntN(2))
			case n < 10:
				s.Velocity = geom.V(r.Float64()-.5, r.Float64()-.5, r.Float64()-.5).Mul(60 * r.Float64())
			case n < 12:
				s.Velocity = geom.Vec3{}
			case n < 14:
				s.Dead = !s.Dead
			case n < 16:
				s.Up = geom.V(r.Float64()-.5, r.Float64()-.5, r.Float64()-.5).Unit()
			}
			if i < 6 {
				s.Up = geom.Vec3{}
			}
			if i%4 == 2 && r.IntN(40) == 0 {
				s.Kind = track.Kind(r.IntN(2)) // which is not met
			}
			if i%4 == 1 && r.IntN(60) == 0 { // onto a body, off it or to the next
				s.PreviousBase, s.BaseChangedAt, s.Lag = s.Base, s.At, clock.Micros(r.Int64N(150_000))
				s.Base = collide.MoverID(r.IntN(5)) // the last of which there is none of
				if r.IntN(3) == 0 {
					s.PreviousBase, s.BaseChangedAt = 0, 0
				}
			}
			if r.IntN(3) > 0 {
				s.At = now + clock.Micros(r.Int64N(60_000)) - 50*clock.Millisecond
			}
			if i == 11 {
				s.At += 20 * clock.Millisecond // whose stamps are early
			}
			if (int(tick)/40+i)%5 > 0 {
				f.Add(id, *s)
			}
			if i%3 == 0 || r.IntN(6) == 0 {
				if f.Find(id, new(track.Sample)) {
					sentLog.Add(tick, id)
				} else {
					sentLog.AddRemoved(tick, id)
				}
			}
		}
	}
	return h, sentLog
}

// short is the body of every character for extrapolation.
type short struct{}

func (short) BodyCapsule(s track.Sample) (geom.Capsule, bool) {
	return geom.Upright(s.Position.MulAdd(s.UpVector(), .6), s.UpVector(), .3, .58), !s.Dead
}

// arrive makes up when snapshots were first drawn, of a view that smooths.
func arrive(r *rand.Rand, v *track.View) {
	at, tick := v.At, v.Seen.Newest
	for range track.MaxArrivals {
		at, tick = at-clock.Micros(r.IntN(40_000)), tick-uint32(r.IntN(5))
		v.AddArrival(max(at, 0), max(tick, 1))
	}
	v.Normalize()
}

// An entity's pose in a view is in its box, whatever the view is: any time, any snapshots
// received, blending, in any mode; of everything or of what was sent. (GAP-44: the boxes never
// rule out a target of the whole list.) [HIS-10]
func TestEveryPoseIsInItsBox(t *testing.T) {
	seen, tight, riders, healed, ahead := 0, 0, 0, 0, 0
	for seed := range uint64(24) {
		r := rand.New(rand.NewPCG(seed, 6))
		rate := []int{20, 30, 60, 128}[seed%4]
		h, sentLog := wild(r, rate, 300+r.IntN(300))
		if seed%2 == 1 {
			h.Extrapolation = &track.Extrapolation{Body: short{}}
		}
		s := NewScene(nil)
		w := lifts()
		for range 400 {
			n := h.Snapshots.Newest()
			v := track.View{Seen: track.Received{Newest: n - uint32(r.IntN(rate/4)), Mask: r.Uint64() | r.Uint64()}}
			if r.IntN(4) == 0 {
				v.Seen.Mask &= r.Uint64() & r.Uint64()
			}
			newest := h.Snapshots.Snapshot(v.Seen.Newest).At
			v.At = newest + clock.Micros(r.Int64N(500_000)) - 300*clock.Millisecond
			v.Platform = v.At + clock.Micros(r.Int64N(300_000))
			v.Mode = track.DrawMode(max(0, r.IntN(7)-3))
			arrive(r, &v)
			if r.IntN(2) == 0 {
				v.BlendFrom = track.Received{Newest: v.Seen.Newest - uint32(r.IntN(8)), Mask: r.Uint64()}
				v.BlendAt = v.At - clock.Micros(r.Int64N(int64(track.BlendTime)))
			}
			about := sentLog
			if r.IntN(3) == 0 {
				about = nil
			}
			list, err := h.Entities(v, about, w, 24, nil)
			if err != nil || h.Rebuild(s, v, about, w, 24) != nil || s.source.history == nil {
				t.Fatalf("seed %d: %v, no lazy scene", seed, err)
			}
			s.side, s.top = 0, 0 // the feet alone
			s.gather()
			for i := range list {
				e := &list[i]
				if e.Kind != 0 {
					continue
				}
				q := newQuery(e.Position, geom.Vec3{}, 0, 0)
				k := slices.IndexFunc(s.source.spans, func(n span) bool { return n.id == e.ID })
				if k < 0 || !s.source.spans[k].near(&q) {
					t.Fatalf("seed %d, view %+v: entity %d is at %v, outside of its box", seed, v, e.ID, e.Position)
				}
				if q.from.Z += 6; !s.source.spans[k].near(&q) {
					tight++
					if e.ID == 3+7*5 {
						riders++
					}
				}
				seen++
			}
			if v.Blending() {
				healed++
			}
			if v.NeedsArrivals() {
				ahead++
			}
		}
	}
	if ahead < 1000 || tight < seen/4 || riders < 500 || seen < 20000 {
		t.Errorf("%d looked at, of %d the box ends within 6 m: too few to mean anything", seen, tight)
	}
	figures.Check(t, "poses", 0.1, "%d poses", seen)
	t.Logf("%d looked at, of %d the box ends within 6 m, %d riders' among them; %d views blended, %d ahead", seen, tight, riders, healed, ahead)
}

// The boxes of 100 characters for 500 ms at 128 Hz are 26 kB.
func TestBoxesAreSmall(t *testing.T) {
	h := newBoundsHistory(128, 64)
	groups := 64 >> h.shift
	if size := int(unsafe.Sizeof(bounds{})) * groups * 100; size > 26_000 {
		t.Errorf("%d bytes in %d groups", size, groups)
	}
}

// Three kinds of entity cost a shot nothing, because they cannot be in its view: one that the
// client was not sent within track.ReceivedWindow, one that left the match before that, and one
// whose ID was only ever of kinds without hitboxes.
func TestEntitiesThatNoViewHasAreSkipped(t *testing.T) {
	const target, unsent, left, grenade = 1, 2, 3, 4
	h, s := NewHistory(60, clock.Second), NewScene(nil)
	sent := track.NewSentLog(h.Snapshots.Ticks())
	for tick := uint32(1); tick <= 200; tick++ {
		f := h.Record(tick, clock.TickTime(int64(tick), 60))
		sent.Begin(tick)
		for _, id := range []track.ID{target, unsent, left, grenade} {
			e := track.Sample{At: f.At}
			if id == grenade {
				e.Kind = track.Kind(7 + tick/100)
			}
			if id == left && tick > 100 {
				continue
			}
			f.Add(id, e)
			if id != unsent || tick <= 100 {
				sent.Add(tick, id)
			}
		}
	}
	for newest, want := range map[uint32]int{199: 1, 165: 1, 164: 3} {
		v := track.View{At: clock.TickTime(int64(newest)-3, 60), Seen: track.Received{Newest: newest, Mask: 1<<64 - 1}}
		if err := h.Rebuild(s, v, sent, nil, 0); err != nil {
			t.Fatal(err)
		}
		if s.gather(); len(s.source.spans) != want || s.source.spans[0].id != target {
			t.Errorf("tick %d: %d entities are looked at, want %d", newest, len(s.source.spans), want)
		}
	}
}
