package shot

import (
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// Caster casts shots into a scene: a client into the view that it drew, a server into the view
// that it rebuilt, by the same code. It keeps scratch, so one Caster serves one goroutine.
type Caster struct {
	// Seed and Secret are the seeds of random spread: Seed is that of the match, which both ends
	// know; Secret is the server's own, and a client that has none shows a guess.
	Seed, Secret uint64

	directions [MaxPellets]geom.Vec3
	rays       [MaxPellets]rewind.Outcome
	count      int
	arcHits    [maxSwingHits]rewind.Outcome
}

// FireParams describes a shot as it leaves.
type FireParams struct {
	Shooter track.ID   // with Number it seeds the spread
	Number  uint32     // of the command
	Eye     geom.Vec3  // of the shooter before the command, in metres
	Claim   *Claim     // with the aim
	Result  FireResult // for a melee weapon: which part of the arc
}

// HitSet is what a shot hits in a scene.
type HitSet struct {
	// Outcome is what it hit: of several targets the one with the most damage.
	Outcome rewind.Outcome
	// Events has the targets that it damages, EventCount of them, the most damage first.
	Events     [MaxDamageEvents]DamageEvent
	EventCount uint8
	// Damage is the sum over Events.
	Damage uint16
	// Scene identifies the poses that it was tested against.
	Scene SceneCheck
}

// SwingState has the targets that a melee swing has hit; later commands of the swing do not hit
// them again. The zero SwingState is that of no swing.
type SwingState struct {
	swing  uint8
	active bool
	count  uint8
	hit    [maxSwingHits]track.ID
}

// maxSwingHits is the most targets of one swing.
const maxSwingHits = 16

// Cast returns what a shot hits in the scene: with all of its rays, or with the part of the arc
// that its command covers, each target once per swing. A projectile hits nothing yet; see Launch.
// Nothing is allocated.
func (c *Caster) Cast(scene *rewind.Scene, w *Weapon, s *FireParams, swung *SwingState) HitSet {
	var m HitSet
	c.count = 0
	switch w.Kind {
	case Hitscan:
		c.castRays(scene, w, s, &m)
	case Melee:
		c.castArc(scene, w, s, swung, &m)
	}
	return m
}

// seed returns the seed of a weapon's random spread.
func (c *Caster) seed(w *Weapon) uint64 {
	if w.Spread.Secret {
		return c.Secret
	}
	return c.Seed
}

// Rays returns what each ray of the last Cast hit, in the order of Directions, or all targets that
// a melee weapon hit, valid until the next Cast.
func (c *Caster) Rays() []rewind.Outcome { return c.rays[:c.count] }

func (c *Caster) castRays(scene *rewind.Scene, w *Weapon, s *FireParams, m *HitSet) {
	all := Directions(w, s.Claim, s.Shooter, s.Number, c.seed(w), c.directions[:0])
	for i, dir := range all {
		o := scene.Ray(s.Eye, dir, w.Range, w.Policy)
		c.rays[i] = o
		m.addHit(&o, w.damage(o.HitGroup, o.Distance))
	}
	c.count = len(all)
	m.Outcome = c.rays[0]
	m.finish(c.Rays())
	m.Scene = sceneCheckOf(scene)
}

func (c *Caster) castArc(scene *rewind.Scene, w *Weapon, s *FireParams, swung *SwingState, m *HitSet) {
	swung.begin(w, &s.Result)
	m.Outcome = rewind.Outcome{Distance: w.Range, Point: s.Eye.MulAdd(s.Claim.Aim(), w.Range)}
	if s.Result.To <= s.Result.From {
		return
	}
	a := rewind.Arc{
		From: s.Eye, Yaw: s.Claim.Yaw, Pitch: s.Claim.Pitch, Tilt: w.Swing.Tilt,
		A: w.Swing.angle(s.Result.From), B: w.Swing.angle(s.Result.To), Reach: w.Range, Radius: w.Swing.Radius,
	}
	hits := scene.Arc(a, w.Policy, c.arcHits[:0])
	n := 0
	for i := range hits {
		if o := hits[i]; o.Kind == rewind.Player && swung.first(o.Target) {
			m.addHit(&o, w.damage(o.HitGroup, o.Distance))
			hits[n] = o
			n++
		}
	}
	m.finish(hits[:n])
	c.count = copy(c.rays[:], hits[:n])
	m.Scene = sceneCheckOf(scene)
}

// angle returns the angle of the blade after a share of the swing, from right to left.
func (s *Swing) angle(share float64) float64 { return float64(s.Arc * (share - 0.5)) }

// damage returns the damage to a hit group at a distance, by Falloff.
func (w *Weapon) damage(group rig.HitGroup, distance float64) uint16 {
	return scaled(w.Damage[group%rig.HitGroups], w.Falloff.share(distance))
}

// share returns the share of the damage at a distance, Min … 1.
func (f *Falloff) share(distance float64) float64 {
	switch {
	case f.To <= 0 || distance <= f.From:
		return 1
	case distance >= f.To:
		return f.Min
	}
	return 1 - float64((1-f.Min)*((distance-f.From)/(f.To-f.From)))
}

// scaled returns a share of damage, rounded half up.
func scaled(damage uint16, share float64) uint16 {
	return uint16(geom.Clamp(float64(float64(damage)*share)+0.5, 0, 65535))
}

// begin resets the targets for a new swing, and reports whether it is new.
func (s *SwingState) begin(w *Weapon, r *FireResult) bool {
	// By the number too, since the first command may be lost; not by it alone, since a loadout that is replaced,
	// as by a respawn, counts from the beginning.
	if s.active && s.swing == r.Swing && !r.BeginsSwing(w) {
		return false
	}
	*s = SwingState{swing: r.Swing, active: true}
	return true
}

// first adds a target and reports whether it is new.
func (s *SwingState) first(id track.ID) bool {
	for _, k := range s.hit[:s.count] {
		if k == id {
			return false
		}
	}
	if int(s.count) == len(s.hit) {
		return false
	}
	s.hit[s.count] = id
	s.count++
	return true
}
