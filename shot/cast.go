package shot

import (
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// Caster finds what shots meet in a scene: a client's in what it has drawn, at once, and a
// server's in what it has rebuilt, by the same code. It keeps scratch, so one Caster serves
// one goroutine.
type Caster struct {
	// Seed is the match's, which both ends know, and Secret the server's own: what spread is
	// drawn from. A client has no Secret and shows a guess.
	Seed, Secret uint64

	directions [MaxPellets]geom.Vec3
	rays       [MaxPellets]rewind.Outcome
	count      int
	struck     [maxStruck]rewind.Outcome
}

// FireParams is a shot as it leaves.
type FireParams struct {
	Shooter track.ID
	Number  uint32    // of the command
	Eye     geom.Vec3 // of the shooter before it
	Claim   *Claim
	Result  FireResult
}

// HitSet is what a shot meets in a scene.
type HitSet struct {
	// Outcome is what it met: of several the one that is hurt most.
	Outcome rewind.Outcome
	// Events is everybody whom it hurts, Hurt of them, who is hurt most first.
	Events     [MaxDamageEvents]DamageEvent
	EventCount uint8
	// Damage is the sum of theirs.
	Damage uint16
	// Scene is what it was tested against.
	Scene SceneCheck
}

// SwingState is whom a melee weapon's swing has met: the next of its commands does not meet them
// again. The zero Swung is of no swing.
type SwingState struct {
	swing  uint8
	some   bool
	count  uint8
	struck [maxStruck]track.ID
}

// maxStruck is how many one swing meets at most.
const maxStruck = 16

// Cast returns what a weapon's shot meets in the scene: all rays of it, or the part of the
// arc that its command covers, each target once per swing. A projectile meets nothing yet;
// see Launch. Nothing is allocated.
func (c *Caster) Cast(scene *rewind.Scene, w *Weapon, s *FireParams, swung *SwingState) HitSet {
	var m HitSet
	c.count = 0
	switch w.Kind {
	case Rays:
		c.castRays(scene, w, s, &m)
	case Melee:
		c.castArc(scene, w, s, swung, &m)
	}
	return m
}

// seed is what a weapon's spread is drawn from.
func (c *Caster) seed(w *Weapon) uint64 {
	if w.Spread.Secret {
		return c.Secret
	}
	return c.Seed
}

// Rays are what each ray of the last Cast met, in the order of Directions, or of a blade
// everybody whom it met then: valid until the next.
func (c *Caster) Rays() []rewind.Outcome { return c.rays[:c.count] }

func (c *Caster) castRays(scene *rewind.Scene, w *Weapon, s *FireParams, m *HitSet) {
	all := Directions(w, s.Claim, s.Shooter, s.Number, c.seed(w), c.directions[:0])
	for i, dir := range all {
		o := scene.Ray(s.Eye, dir, w.Reach, w.Policy)
		c.rays[i] = o
		m.take(&o, w.damage(o.Tag, o.Distance))
	}
	c.count = len(all)
	m.Outcome = c.rays[0]
	m.finish(c.Rays())
	m.Scene = testedOf(scene)
}

func (c *Caster) castArc(scene *rewind.Scene, w *Weapon, s *FireParams, swung *SwingState, m *HitSet) {
	swung.begin(s.Result.Swing)
	m.Outcome = rewind.Outcome{Distance: w.Reach, Point: s.Eye.MulAdd(s.Claim.Aim(), w.Reach)}
	if s.Result.To <= s.Result.From {
		return
	}
	a := rewind.Arc{
		From: s.Eye, Yaw: s.Claim.Yaw, Pitch: s.Claim.Pitch, Tilt: w.Swing.Tilt,
		A: w.Swing.angle(s.Result.From), B: w.Swing.angle(s.Result.To), Reach: w.Reach, Radius: w.Swing.Radius,
	}
	met := scene.Arc(a, w.Policy, c.struck[:0])
	n := 0
	for i := range met {
		if o := met[i]; o.Kind == rewind.Player && swung.first(o.Target) {
			m.take(&o, w.damage(o.Tag, o.Distance))
			met[n] = o
			n++
		}
	}
	m.finish(met[:n])
	c.count = copy(c.rays[:], met[:n])
	m.Scene = testedOf(scene)
}

// angle is where the blade is after a share of the swing: from the right to the left.
func (s *Swing) angle(share float64) float64 { return float64(s.Arc * (share - 0.5)) }

// damage is what a part costs at a distance, by Falloff.
func (w *Weapon) damage(tag rig.Tag, distance float64) uint16 {
	return scaled(w.Damage[tag%rig.Tags], w.Falloff.share(distance))
}

// share is how much of the damage is left at a distance, Least … 1.
func (f *Falloff) share(distance float64) float64 {
	switch {
	case f.To <= 0 || distance <= f.From:
		return 1
	case distance >= f.To:
		return f.Least
	}
	return 1 - float64((1-f.Least)*((distance-f.From)/(f.To-f.From)))
}

// scaled is a share of damage, rounded half up.
func scaled(damage uint16, share float64) uint16 {
	return uint16(geom.Clamp(float64(float64(damage)*share)+0.5, 0, 65535))
}

// begin forgets whom another swing met, and reports whether it did.
func (s *SwingState) begin(swing uint8) bool {
	if s.some && s.swing == swing {
		return false
	}
	*s = SwingState{swing: swing, some: true}
	return true
}

// first notes that the swing met somebody, and reports whether it had not before.
func (s *SwingState) first(id track.ID) bool {
	for _, k := range s.struck[:s.count] {
		if k == id {
			return false
		}
	}
	if int(s.count) == len(s.struck) {
		return false
	}
	s.struck[s.count] = id
	s.count++
	return true
}
