package body

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// The bounds of motion. Faster bodies are slowed to them: at 20 Hz, 200 m/s are 3.3 m in a piece, in
// which walls still stop a ball.
const (
	MaxSpeed = 200 // m/s
	MaxSpin  = 100 // rad/s
)

// Config holds the constants of a World. The zero Config is the earth.
type Config struct {
	// Gravity in m/s², along −Y where no volume of the level says otherwise. Zero means
	// 9.81, a negative number none. In a volume only the direction changes.
	Gravity float64
	// Friction of the level; for a contact it is √(μ·Friction). Zero means the friction of the body
	// that touches it, so that the body's own μ counts; negative is none.
	Friction float64
	// Restitution of the level; for a contact the larger of both counts. Zero means that of the body
	// that touches it.
	Restitution float64
	// BounceSpeed is the speed of approach in m/s below which nothing bounces. Zero means 0.5: what
	// falls from 1.3 cm stays down. With a much lower one, heaps of bouncing balls never sleep.
	BounceSpeed float64
	// RestSpeed is the speed in m/s, at its fastest point, below which a body rests. RestAfter is
	// how long it and all bodies that it leans on rest before they sleep. Zero means 0.05 m/s and
	// 0.5 s; a negative RestAfter is never.
	RestSpeed float64
	RestAfter clock.Micros
	// Water is the density of water in kg/m³: lighter bodies float. Zero means 1,000; negative,
	// there is no buoyancy or drag. A volume of the level says where water is.
	Water float64
}

// setDefaults replaces zero fields by their defaults. Friction and Restitution have none: zero means
// that those of the body count.
func (c *Config) setDefaults() {
	c.Gravity = orDefault(c.Gravity, 9.81)
	c.BounceSpeed = orDefault(c.BounceSpeed, 0.5)
	c.RestSpeed = orDefault(c.RestSpeed, 0.05)
	c.Water = orDefault(c.Water, 1000)
	if c.RestAfter == 0 {
		c.RestAfter = clock.Second / 2
	}
}

// orDefault returns x, d if x is zero, and 0 if x is negative.
func orDefault(x, d float64) float64 {
	if x == 0 {
		return d
	}
	return max(x, 0)
}

// World is the bodies of a level. It is for one goroutine. Make one with New. Its cost is that of the
// bodies that are awake; sleeping ones cost a comparison of bounds.
type World struct {
	config Config
	view   collide.WorldAt // of the level; At is the time of the piece being stepped

	// The state: what Checkpoint packs and Hash covers.
	bodies []Body // by ID; index 0 is no body
	// used says which IDs are bodies. Removed ones leave holes, so that IDs stay.
	used           []bool
	sims           []bodySim       // of each body, then of each pusher; index 0 is the level
	cachedImpulses []cachedImpulse // of the contacts of the last piece, by key

	// Scratch of a piece, kept for its memory: Step allocates nothing once a world has run a while.
	proxies  []proxy
	pairs    []uint64
	contacts []contact
	touches  []Touch
	level    levelScratch
	islands  islands
	// woken says that a body woke while contacts were found: those found so far lack it.
	woken bool

	sleepersValid bool      // the two fields below are valid
	awake         bool      // a body is awake
	sleepers      geom.AABB // the bounds of all sleeping bodies

	// Of the piece that is being stepped.
	h                 float64      // length of a substep of this piece, s
	pieceEnd          clock.Micros // the end of this piece
	firstLevelContact int          // the index of the first contact with the level
}

// levelScratch is the scratch of a search for contacts of one body with the level. One is enough, because the
// bodies are searched one after another.
type levelScratch struct {
	found []collide.Contact // what the level returned for a ball or capsule
	near  []collide.MoverID // the level's movers nearby
	// faces are the triangles of the level near one box, hulls the two that are tested, points and
	// facePoints where they touch.
	faces      []collide.Face
	hulls      [2]hull
	points     []contactPoint
	facePoints []levelPoint
}

// New returns an empty World over a level; nil is empty space. The level is not changed and may be
// shared, by the worlds of several matches too.
func New(level *collide.World, config Config) *World {
	config.setDefaults()
	w := &World{config: config, view: collide.WorldAt{World: level}}
	// Index 0 is no body, and in sims the level: immovable, at the origin.
	w.bodies = make([]Body, 1)
	w.used = make([]bool, 1)
	w.sims = []bodySim{{q: geom.IdentityQuat}}
	// Room from the beginning: collide fills these up to their capacity.
	w.level = levelScratch{found: make([]collide.Contact, 0, 32), near: make([]collide.MoverID, 0, 8)}
	return w
}

// Add adds a body to the world and returns its ID, the lowest that is free. It returns 0 if the
// world is full. Sizes below a centimetre become a centimetre, and a position or velocity that is
// not finite becomes zero. It panics if a size, mass or material is not finite or is negative.
func (w *World) Add(b Body) ID {
	// Sizes and materials are the game's own, so wrong ones are a fault of its code.
	b.check()
	i := 1
	// The lowest free ID: it follows from the bodies alone, so that two ends that add and remove alike
	// give the same IDs.
	for i < len(w.used) && w.used[i] {
		i++
	}
	if i > MaxBodies {
		return 0
	}
	if i == len(w.used) {
		w.used = append(w.used, false)
		w.bodies = append(w.bodies, Body{})
	}
	b.normalize()
	w.used[i], w.bodies[i] = true, b
	w.load(i)
	return ID(i)
}

// Remove removes a body and wakes those around it. An unused ID does nothing. The ID is free for the
// next Add, so a game that names bodies over the network needs ids of its own.
func (w *World) Remove(id ID) {
	if !w.Has(id) {
		return
	}
	// What leans on it sleeps without a contact that could notice that it is gone.
	w.wakeAround(int(id))
	w.sleepersValid = false
	w.used[id], w.bodies[id], w.sims[id] = false, Body{}, bodySim{}
}

// Has reports whether there is a body with the ID. IDs from a network may be any number.
func (w *World) Has(id ID) bool { return int(id) < len(w.used) && w.used[id] }

// Body returns the body as it is; the zero Body for an unused ID. Motion is the part that changes.
func (w *World) Body(id ID) Body {
	if !w.Has(id) {
		return Body{}
	}
	return w.bodies[id]
}

// Motion returns where the body is and how it moves; zero for an unused ID.
func (w *World) Motion(id ID) Motion {
	if !w.Has(id) {
		return Motion{}
	}
	return w.bodies[id].Motion
}

// Set gives a body a position, rotation and velocities. Bodies that sleep against it wake if it
// moved further than a centimetre.
func (w *World) Set(id ID, m Motion) {
	if !w.Has(id) {
		return
	}
	b := &w.bodies[id]
	// A client sets bodies to the server's states many times a second. Smaller corrections must not wake
	// a heap, or no heap on a client would sleep.
	if m.Position.Sub(b.Position).LenSq() > float64(0.01*0.01) {
		w.wakeAround(int(id))
	}
	// A body that is set asleep counts as idle for long enough; otherwise it would keep its island awake
	// for another RestAfter.
	if m.Asleep {
		b.Idle = max(w.config.RestAfter, 0)
	} else if b.Asleep {
		b.Idle = 0
	}
	b.Motion = m
	b.normalize()
	w.load(int(id))
}

// Impulse applies an impulse in kg·m/s to the body at a point of the world, and wakes it. A point off
// the centre turns it too. An impulse or point that is not finite does nothing, nor does one on a body
// of mass zero.
func (w *World) Impulse(id ID, at, impulse geom.Vec3) {
	if !w.Has(id) || !at.Finite() || !impulse.Finite() || w.bodies[id].Mass <= 0 {
		return
	}
	// Before the velocity changes: a body that sleeps has no inverse mass.
	w.wake(int(id))
	m, b := &w.sims[id], &w.bodies[id]
	m.push(impulse, at.Sub(m.pos))
	m.v, m.w = clampFinite(m.v, m.maxSpeed), clampFinite(m.w, m.maxSpin)
	b.Velocity, b.AngularVelocity = m.v, m.w
}

// Len returns one more than the highest ID ever given: for loops over all bodies, together with Has.
func (w *World) Len() int { return len(w.used) }

// Awake returns how many bodies are awake. Those of mass zero are, while they move.
func (w *World) Awake() int {
	n := 0
	for i, used := range w.used {
		if used && !w.bodies[i].Asleep {
			n++
		}
	}
	return n
}

// Touches returns which pushers touched which bodies in the last Step, by pusher and then body,
// each pair once. It is valid until the next Step. A client uses it to see what its player pushed.
func (w *World) Touches() []Touch { return w.touches }

// Hash returns FNV-1a of everything that the future of the world depends on: bodies and the
// impulses kept between steps. −0 counts as 0.
func (w *World) Hash() uint64 {
	// The offset basis of FNV-1a, 64 bits.
	h := hash(14695981039346656037)
	for i, used := range w.used {
		if used {
			h.word(uint64(i))
			h.body(&w.bodies[i])
		}
	}
	for i := range w.cachedImpulses {
		k := &w.cachedImpulses[i]
		h.word(k.key)
		h.vec(k.arm)
		h.float(k.normal)
		h.vec(k.tangent)
		h.vec(k.rolling)
	}
	return uint64(h)
}

// hash is an FNV-1a hash while it is computed. hash/fnv would need a slice of bytes for each number.
type hash uint64

// word adds eight bytes.
func (h *hash) word(x uint64) {
	for range 8 {
		// The prime of FNV-1a, 64 bits. Bytes go in from the lowest, whatever the processor's order.
		*h = (*h ^ hash(x&0xff)) * 1099511628211
		x >>= 8
	}
}

// float adds a number. Adding zero makes −0 to 0: the two are equal, but their bits are not.
func (h *hash) float(x float64) { h.word(math.Float64bits(x + 0)) }

// vec adds the three parts of a vector.
func (h *hash) vec(v geom.Vec3) { h.float(v.X); h.float(v.Y); h.float(v.Z) }

// body adds a body, its material and how long it has been idle.
func (h *hash) body(b *Body) {
	h.vec(b.Position)
	h.vec(b.Velocity)
	h.vec(b.AngularVelocity)
	h.vec(geom.V(b.Rotation.X, b.Rotation.Y, b.Rotation.Z))
	h.float(b.Rotation.W)
	h.vec(b.Half)
	h.vec(geom.V(b.Mass, b.Friction, b.Restitution))
	h.vec(geom.V(b.Rolling, b.LinearDamping, b.AngularDamping))
	// Only where they are set, so that the hash of a world without them stays what it was.
	if limits := geom.V(b.MaxSpeed, b.MaxSpin, b.Kick); !limits.IsZero() || b.PushedBy != 0 {
		h.vec(limits)
		h.word(uint64(b.PushedBy))
	}
	flags := uint64(b.Shape)
	if b.Asleep {
		flags |= 256
	}
	h.word(flags)
	h.word(uint64(b.Idle))
}
