package replicate

import (
	"math"
	"math/rand/v2"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// The kinds of entities in a scene.
const (
	runner track.Kind = iota
	idler
	rocket
	ball
	pickup
)

// actor is one entity of a scene and how it means to move.
type actor struct {
	id        track.ID
	sample    track.Sample
	r         *rand.Rand
	heading   float64 // of the keys, against the yaw
	rate      float64 // of the mouse, rad/s
	want      float64
	pitchRate float64
	next      int // step of the next decision
	dies      int // step at which it is removed, 0: never
}

const step = 1. / 60

// move is one step of 1/60 s, number n.
func (a *actor) move(n int) {
	s := &a.sample
	switch s.Kind {
	case runner:
		a.run(n)
	case rocket:
		s.Position = s.Position.MulAdd(s.Velocity, step)
	case ball:
		a.roll(n)
	}
	// Stamps are the owner's, on the 40 µs of a command.
	if s.At = clock.TickTime(int64(n), 60) - 30000; s.Kind < rocket {
		s.At = s.At / 40 * 40
	} else {
		s.At += 30000
	}
}

// run is a player at 6 m/s with accelerations of 20 m/s², a mouse that sweeps and
// flicks, and a jump now and then.
func (a *actor) run(n int) {
	s, r := &a.sample, a.r
	if n >= a.next {
		a.next = n + 15 + r.IntN(45)
		a.heading = float64(r.IntN(8)) * math.Pi / 4
		a.want = r.NormFloat64() * []float64{0, 1.5, 1.5, 5}[r.IntN(4)]
		if r.IntN(3) == 0 && s.Mode == 1 {
			s.Mode, s.Velocity.Y = 2, 4.2
		}
	}
	a.rate += (a.want - a.rate) / 4
	a.pitchRate += (r.NormFloat64()/2 - a.pitchRate) / 5
	s.Yaw += a.rate*step + r.NormFloat64()*0.002
	s.Pitch = geom.Clamp(s.Pitch*0.99+a.pitchRate*step, -1.2, 1.2)
	old := s.Velocity
	if s.Mode == 1 {
		to := geom.V(-6*math.Sin(s.Yaw+a.heading), 0, -6*math.Cos(s.Yaw+a.heading))
		s.Velocity = old.Add(to.Sub(old).ClampLen(20 * step))
	} else {
		s.Velocity.Y -= 9.81 * step
	}
	from := s.Position
	s.Position = s.Position.MulAdd(old.Lerp(s.Velocity, 0.5), step)
	s.StrideDistance = track.WrapStride(s.StrideDistance + s.Position.Sub(from).Flat(geom.Up).Len())
	s.Stance = s.Stance.Towards(track.Stance{Air: float64(s.Mode - 1)}, clock.TickTime(1, 60))
	if s.Position.Y < 0 {
		s.Position.Y, s.Velocity.Y, s.Mode = 0, 0, 1
	}
}

// roll is a ball that is kicked, rolls, and comes to rest.
func (a *actor) roll(n int) {
	s := &a.sample
	if n >= a.next {
		a.next = n + 120 + a.r.IntN(200)
		s.Velocity = geom.V(a.r.NormFloat64()*4, 0, a.r.NormFloat64()*4)
		s.Asleep = false
	}
	s.Position = s.Position.MulAdd(s.Velocity, step)
	s.AngularVelocity = geom.V(s.Velocity.Z, 0, -s.Velocity.X).Mul(1 / 0.3)
	if rate := s.AngularVelocity.Len(); rate > 0 {
		s.Rotation = geom.AxisAngle(s.AngularVelocity.Div(rate), rate*step).Mul(s.Rotation).Unit()
	}
	if s.Velocity = s.Velocity.Mul(0.97); s.Velocity.Len() < 0.05 {
		s.Velocity, s.AngularVelocity, s.Asleep = geom.Vec3{}, geom.Vec3{}, true
	}
}

// scene is a match without a server: entities that move, come and go.
type scene struct {
	r      *rand.Rand
	actors []*actor // by id
	frames *track.SnapshotHistory
	n      int
	lives  [track.MaxID + 1]uint8
}

func newScene(seed uint64) *scene {
	return &scene{r: rand.New(rand.NewPCG(seed, 99)), frames: track.NewSnapshotHistory(2 * track.ReceivedWindow)}
}

// add puts an entity of a kind into a scene, within spread metres of its middle.
func (sc *scene) add(id track.ID, kind track.Kind, spread float64) *actor {
	r := rand.New(rand.NewPCG(sc.r.Uint64(), uint64(id)))
	a := &actor{id: id, r: r, next: sc.n}
	sc.lives[id]++
	a.sample = track.Sample{
		GameData: track.GameData{Kind: kind, Life: sc.lives[id]},
		Pose:     track.Pose{Mode: 1, Position: geom.V(r.NormFloat64()*spread, 0, r.NormFloat64()*spread)},
	}
	switch kind {
	case rocket:
		a.sample.Velocity = geom.V(r.NormFloat64()*20, r.NormFloat64(), r.NormFloat64()*20)
		a.dies = sc.n + 20 + r.IntN(100)
	case ball:
		a.sample.Rotation, a.sample.Mode = geom.IdentityQuat, 0
	case pickup:
		a.sample.UserData = uint16(r.IntN(5))
	}
	a.move(sc.n)
	i := 0
	for i < len(sc.actors) && sc.actors[i].id < id {
		i++
	}
	sc.actors = append(sc.actors[:i], append([]*actor{a}, sc.actors[i:]...)...)
	return a
}

// find returns the actor with an id, or nil.
func (sc *scene) find(id track.ID) *actor {
	for _, a := range sc.actors {
		if a.id == id {
			return a
		}
	}
	return nil
}

// tick moves every actor and records it; ticks count from 1.
func (sc *scene) tick() *track.Snapshot {
	sc.n++
	f := sc.frames.Record(uint32(sc.n), clock.TickTime(int64(sc.n), 60))
	kept := sc.actors[:0]
	for _, a := range sc.actors {
		if a.dies != 0 && sc.n >= a.dies {
			continue
		}
		a.move(sc.n)
		f.Add(a.id, a.sample)
		kept = append(kept, a)
	}
	sc.actors = kept
	return f
}

// eye returns how an entity stands in the newest frame, or where it stood last.
func (sc *scene) eye(id track.ID) track.Entity {
	e := track.Entity{ID: id}
	sc.frames.Snapshot(uint32(sc.n)).Find(id, &e.Sample)
	return e
}
