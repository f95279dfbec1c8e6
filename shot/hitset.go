package shot

import (
	"math"

	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// MaxDamageEvents is the most targets that one shot damages. Of more it keeps those with the most
// damage.
const MaxDamageEvents = 8

// DamageEvent is the damage of a shot to one target.
type DamageEvent struct {
	Target   track.ID     // the entity; zero only in unused entries
	Life     uint8        // of the target in the view
	HitGroup rig.HitGroup // of the hitbox that counted most
	Count    uint8        // pellets that hit the target; 1 for other weapons
	Heads    uint8        // how many of them hit the head
	Damage   uint16       // points
	// Reason says why it does no damage after all: AlreadyDead, Covered or Evaded; else NoReason.
	Reason Reason
}

// addHit adds the hit of one ray, arc or blast on a character.
func (m *HitSet) addHit(o *rewind.Outcome, damage uint16) {
	if o.Kind != rewind.Player {
		return
	}
	h := m.eventOf(o.Target, o.Life, damage)
	if h == nil {
		return
	}
	if h.Count == 0 || o.HitGroup == rig.Head && h.HitGroup != rig.Head {
		h.HitGroup = o.HitGroup
	}
	h.Count = min(h.Count+1, MaxPellets)
	if o.HitGroup == rig.Head {
		h.Heads = min(h.Heads+1, MaxPellets)
	}
	h.Damage = saturatingAdd(h.Damage, damage)
}

// eventOf returns the event of a target, a new one if it has none. If there is no room it replaces
// the event with the least damage if that is less than damage, and otherwise returns nil.
func (m *HitSet) eventOf(id track.ID, life uint8, damage uint16) *DamageEvent {
	least := 0
	for i := range m.Events[:m.EventCount] {
		if m.Events[i].Target == id {
			return &m.Events[i]
		}
		if m.Events[i].Damage < m.Events[least].Damage {
			least = i
		}
	}
	if m.EventCount < MaxDamageEvents {
		least = int(m.EventCount)
		m.EventCount++
	} else if m.Events[least].Damage >= damage {
		return nil
	}
	m.Events[least] = DamageEvent{Target: id, Life: life}
	return &m.Events[least]
}

// finish sorts the events by damage, adds them up, and sets the outcome to the first of all that
// hit the first target at the hit group that counted most.
func (m *HitSet) finish(all []rewind.Outcome) {
	list := m.Events[:m.EventCount]
	for i := 1; i < len(list); i++ {
		for k := i; k > 0 && more(&list[k], &list[k-1]); k-- {
			list[k], list[k-1] = list[k-1], list[k]
		}
	}
	m.Damage = 0
	for i := range list {
		m.Damage = saturatingAdd(m.Damage, list[i].Damage)
	}
	for i := range all {
		if m.EventCount > 0 && all[i].Kind == rewind.Player && all[i].Target == list[0].Target && all[i].HitGroup == list[0].HitGroup {
			m.Outcome = all[i]
			return
		}
	}
}

// more reports whether a comes before b: more damage, or the lower id at equal damage.
func more(a, b *DamageEvent) bool {
	return a.Damage > b.Damage || a.Damage == b.Damage && a.Target < b.Target
}

// saturatingAdd returns a + b, at most 65535.
func saturatingAdd(a, b uint16) uint16 { return uint16(min(uint32(a)+uint32(b), math.MaxUint16)) }

// Agrees reports whether the claim saw the same: kind, target and hitbox, and where it has a
// SceneSum the same of every target.
func (m *HitSet) Agrees(c *Claim) bool {
	return m.Outcome.HitTarget == c.SeenHit && (c.SceneSum == 0 && m.EventCount <= 1 || c.SceneSum == m.Sum())
}

// FillClaim sets the SeenHit and SceneSum of a client's claim, which the server compares.
func (m *HitSet) FillClaim(w *Weapon, c *Claim) {
	if c.SeenHit, c.SceneSum = m.Outcome.HitTarget.Normalize(), 0; w.several() {
		c.SceneSum = m.Sum()
	}
}

// several reports whether one shot of the weapon can hit several targets, or one several times.
func (w *Weapon) several() bool { return w.Kind == Melee || w.Kind == Hitscan && w.pellets() > 1 }

// Sum returns a hash of the damaged targets and hitboxes, 0 for none: see Claim.SceneSum.
func (m *HitSet) Sum() uint16 { return sum(m.Events[:m.EventCount]) }

// sum returns the hash of Sum.
func sum(list []DamageEvent) uint16 {
	if len(list) == 0 {
		return 0
	}
	h := hash(fnvOffset)
	for i := range list {
		x := &list[i]
		h = h.mix(uint64(x.Target) | uint64(x.Life)<<16 | uint64(x.HitGroup)<<24 | uint64(x.Count)<<32 | uint64(x.Heads)<<40)
	}
	return max(h.short(), 1)
}

// hash is a running hash of words: a multiplication and a shift for each.
type hash uint64

const fnvOffset = 14695981039346656037

func (h hash) mix(word uint64) hash {
	h = (h ^ hash(word)) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

func (h hash) short() uint16 { return uint16(h ^ h>>16 ^ h>>32 ^ h>>48) }

// SceneCheck identifies the poses that a shot was tested against: the number of characters near
// it, 0 … 15, and a hash of their poses. If those of client and server are equal, both had the
// same view; if not, they disagree about what was drawn and not about the aim.
type SceneCheck struct {
	Count uint8  // 0 … 15
	Sum   uint16 // 0 for none
}

// sceneCheckOf returns the check for the shots since the scene was set.
func sceneCheckOf(scene *rewind.Scene) SceneCheck {
	t, h := SceneCheck{}, hash(fnvOffset)
	targets := scene.Targets()
	for i := range targets {
		s := &targets[i].Sample
		for _, x := range [...]float64{s.Position.X, s.Position.Y, s.Position.Z, s.Yaw, s.Pitch, s.StrideDistance,
			s.Velocity.X, s.Velocity.Y, s.Velocity.Z, s.Stance.Crouch, s.Stance.Air, s.Stance.Swim} {
			h = h.mix(math.Float64bits(x + 0)) // −0 is 0
		}
		h = h.mix(uint64(targets[i].ID) | uint64(s.Clip)<<16 | uint64(s.UserData)<<32)
	}
	if t.Count = uint8(min(len(targets), maxSceneCount)); t.Count > 0 {
		t.Sum = h.short()
	}
	return t
}

// maxSceneCount bounds SceneCheck.Count.
const maxSceneCount = 15
