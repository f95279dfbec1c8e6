package bench

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/track"
)

// rewindRate is the tick rate of a shooting's history.
const rewindRate = 60

// Muzzle is where the shots of a shooting come from.
var Muzzle = geom.V(0, 1.5, 0)

// Shooting is a shooting range: characters that run to and fro, the log of what a client was sent, and a view of it.
type Shooting struct {
	History *rewind.History // two seconds at 60 Hz
	SentLog *track.SentLog  // of one client, which was sent everything
	View    track.View      // of that client
	World   *collide.World  // a floor
	Scene   *rewind.Scene   // in which View is rebuilt
	// At is the chest of character 1 in the view.
	At geom.Vec3
}

// NewShooting returns a range of n characters: two seconds in a yard of 60 × 60 m, the first of them 10 m before the
// muzzle, the others anywhere but on the way to it. They have the volumes of the arena's figure.
func NewShooting(n int) (*Shooting, error) {
	var floor collide.Builder
	floor.Box(geom.V(0, -1, 0), geom.V(200, 1, 200), geom.IdentityQuat, collide.Surface{})
	world, err := floor.Bake()
	if err != nil {
		return nil, err
	}
	s := &Shooting{History: yard(n), World: world, Scene: rewind.NewScene(humanoid())}
	s.SentLog = sentToAll(s.History, n)
	return s, s.look(125)
}

// look sets the view to that of a client at the time of a tick.
func (s *Shooting) look(tick uint32) error {
	s.View = track.View{
		At: clock.TickTime(int64(tick)-3, rewindRate) - 3*clock.Millisecond, Platform: clock.TickTime(int64(tick), rewindRate),
		Seen: track.Received{Newest: tick, Mask: 1<<64 - 1},
	}
	list, err := s.History.Entities(s.View, s.SentLog, s.World, 0, nil)
	if err != nil {
		return err
	}
	s.At = list[0].Position.Add(geom.V(0, 1.2, 0))
	return nil
}

// yard records the characters.
func yard(n int) *rewind.History {
	r := rand.New(rand.NewPCG(3, 0))
	home := make([]geom.Vec3, n)
	first := geom.V(10, 0, 0)
	for i := range home {
		home[i] = first
		for i > 0 && (home[i].Sub(first).Len() < 9 || math.Abs(home[i].Z) < 8) {
			home[i] = geom.V(r.Float64()*60-30, 0, r.Float64()*60-30)
		}
	}
	h := rewind.NewHistory(rewindRate, 0)
	for tick := uint32(1); tick <= 131; tick++ {
		now := clock.TickTime(int64(tick), rewindRate)
		f := h.Record(tick, now)
		for i := range home {
			s, c := geom.SinCos(float64(now.Seconds()*3) + float64(i))
			f.Add(track.ID(i+1), track.Sample{
				At: now,
				Pose: track.Pose{
					Position: home[i].Add(geom.V(0, 0, 2*s)), Velocity: geom.V(0, 0, 6*c), Yaw: 1,
					StrideDistance: math.Mod(float64(now.Seconds()*4), 64), Pitch: .2,
				},
			})
		}
	}
	return h
}

// sentToAll returns the log of a client that was sent every entity in every tick.
func sentToAll(h *rewind.History, n int) *track.SentLog {
	t := track.NewSentLog(h.Snapshots.Ticks())
	for tick := uint32(1); tick <= h.Snapshots.Newest(); tick++ {
		t.Begin(tick)
		for id := range track.ID(n) {
			t.Add(tick, id+1)
		}
	}
	return t
}

// Record records another tick of a hundred characters.
func (s *Shooting) Record(tick uint32) {
	at := clock.TickTime(int64(tick), rewindRate)
	f := s.History.Record(tick, at)
	for id := range track.ID(100) {
		f.Add(id+1, track.Sample{At: at, Pose: track.Pose{Position: geom.V(10, 0, 3), Velocity: geom.V(1, 2, 3), Yaw: 1, StrideDistance: 3}})
	}
}

// Rebuild rebuilds the view, as each shot does.
func (s *Shooting) Rebuild() {
	if err := s.History.Rebuild(s.Scene, s.View, s.SentLog, s.World, 0); err != nil {
		panic("bench: " + err.Error()) // the view is in the history
	}
}

// Ray is one shot at character 1, with its view rebuilt.
func (s *Shooting) Ray() rewind.Outcome {
	s.Rebuild()
	return s.Scene.Ray(Muzzle, s.At.Sub(Muzzle).Unit(), 100, rewind.HeadFirst)
}

// Pellets are eight, of which most hit character 1; it returns how many do.
func (s *Shooting) Pellets() int {
	s.Rebuild()
	n := 0
	for k := range 8 {
		at := s.At.Add(geom.V(0, float64(k%3)*.15-.15, float64(k%4)*.08-.12))
		if s.Scene.Ray(Muzzle, at.Sub(Muzzle).Unit(), 30, rewind.NearestHitbox).Target == 1 {
			n++
		}
	}
	return n
}

// Blast appends those that a rocket's blast hits.
func (s *Shooting) Blast(centre geom.Vec3, into []rewind.BlastHit) []rewind.BlastHit {
	s.Rebuild()
	return s.Scene.Blast(centre, 6, 0, into)
}

// Crowded finds a place where a blast hits six, and returns false if there is none.
func (s *Shooting) Crowded() (geom.Vec3, bool) {
	for x := -30.0; x < 30; x += .5 {
		for z := -30.0; z < 30; z += .5 {
			if at := geom.V(x, 1, z); len(s.Blast(at, nil)) == 6 {
				return at, true
			}
		}
	}
	return geom.Vec3{}, false
}

// measureRewind times lag compensation among a hundred characters: each shot with its shooter's view rebuilt for it.
func measureRewind(_ context.Context, m *Meter) error {
	s, err := NewShooting(100)
	if err != nil {
		return err
	}
	centre, ok := s.Crowded()
	if !ok || s.Ray().Target != 1 || s.Pellets() < 5 {
		return errors.New("the shots miss")
	}
	tick, hits, blasted := s.History.Snapshots.Newest(), 0, []rewind.BlastHit(nil)
	for _, w := range []struct {
		figure string
		call   func(int)
	}{
		{"rewind_ray_us", func(int) { hits += int(s.Ray().Target) }},
		{"rewind_pellets8_us", func(int) { hits += s.Pellets() }},
		{"rewind_blast_us", func(int) { blasted = s.Blast(centre, blasted[:0]) }},
		{"rewind_record100_us", func(int) { tick++; s.Record(tick) }}, // last: afterwards the view is too old
	} {
		if err := m.Time(w.figure, Work{Calls: 20000, Call: w.call}); err != nil {
			return err
		}
	}
	return nil
}
