package shot

import (
	"math"

	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// MaxDamageEvents is how many a single shot hurts at most; where there are more, it is those whom
// it hurts most.
const MaxDamageEvents = 8

// DamageEvent is what a shot does to one of those whom it meets.
type DamageEvent struct {
	Target track.ID
	Life   uint8
	Tag    rig.Tag // of what counted most
	Count  uint8   // pellets that met the target; else 1
	Heads  uint8   // how many of them met the head
	Damage uint16
	// Why says why it does no damage after all: AlreadyDead, Covered or Evaded.
	Why Reason
}

// take adds what one ray, or a blade, did to somebody.
func (m *HitSet) take(o *rewind.Outcome, damage uint16) {
	if o.Kind != rewind.Player {
		return
	}
	h := m.hurt(o.Target, o.Life, damage)
	if h == nil {
		return
	}
	if h.Count == 0 || o.Tag == rig.Head && h.Tag != rig.Head {
		h.Tag = o.Tag
	}
	h.Count = min(h.Count+1, MaxPellets)
	if o.Tag == rig.Head {
		h.Heads = min(h.Heads+1, MaxPellets)
	}
	h.Damage = plus(h.Damage, damage)
}

// hurt returns the entry of a target, a new one where it has none. Where there is no room it
// takes that of who is hurt least, if that is less than damage, else nil.
func (m *HitSet) hurt(id track.ID, life uint8, damage uint16) *DamageEvent {
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

// finish puts who is hurt most first, adds up, and makes the outcome the first of those that
// met that target where it counts.
func (m *HitSet) finish(all []rewind.Outcome) {
	list := m.Events[:m.EventCount]
	for i := 1; i < len(list); i++ {
		for k := i; k > 0 && more(&list[k], &list[k-1]); k-- {
			list[k], list[k-1] = list[k-1], list[k]
		}
	}
	m.Damage = 0
	for i := range list {
		m.Damage = plus(m.Damage, list[i].Damage)
	}
	for i := range all {
		if m.EventCount > 0 && all[i].Kind == rewind.Player && all[i].Target == list[0].Target && all[i].Tag == list[0].Tag {
			m.Outcome = all[i]
			return
		}
	}
}

// more reports whether a is hurt more than b; of equals the lower number is first.
func more(a, b *DamageEvent) bool {
	return a.Damage > b.Damage || a.Damage == b.Damage && a.Target < b.Target
}

// plus adds up damage to at most 65535.
func plus(a, b uint16) uint16 { return uint16(min(uint32(a)+uint32(b), math.MaxUint16)) }

// Agrees reports whether that is what a claim saw: the same kind, target and part, and where
// the claim sums up more the same of everybody.
func (m *HitSet) Agrees(c *Claim) bool {
	return m.Outcome.HitTarget == c.SeenHit && (c.SceneSum == 0 && m.EventCount <= 1 || c.SceneSum == m.Sum())
}

// FillClaim puts what the shot met into the claim that a client sends: what it is compared by.
func (m *HitSet) FillClaim(w *Weapon, c *Claim) {
	if c.SeenHit, c.SceneSum = m.Outcome.HitTarget, 0; w.several() {
		c.SceneSum = m.Sum()
	}
}

// several reports whether one shot of the weapon may meet several, or one several times.
func (w *Weapon) several() bool { return w.Kind == Melee || w.Kind == Rays && w.pellets() > 1 }

// Sum sums up whom the shot hurt and where, 0 for nobody: what Claim.SceneSum compares.
func (m *HitSet) Sum() uint16 { return sum(m.Events[:m.EventCount]) }

func sum(list []DamageEvent) uint16 {
	if len(list) == 0 {
		return 0
	}
	h := hash(offset)
	for i := range list {
		x := &list[i]
		h = h.mix(uint64(x.Target) | uint64(x.Life)<<16 | uint64(x.Tag)<<24 | uint64(x.Count)<<32 | uint64(x.Heads)<<40)
	}
	return max(h.short(), 1)
}

// hash sums up words: a multiplication and a shift for each.
type hash uint64

const offset = 14695981039346656037

func (h hash) mix(word uint64) hash {
	h = (h ^ hash(word)) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

func (h hash) short() uint16 { return uint16(h ^ h>>16 ^ h>>32 ^ h>>48) }

// SceneCheck says which poses a shot was tested against: of how many it came near, 0 … 15,
// and 16 bits that sum them up. Where a client and the server have the same they had the same
// picture, and where they have not, what they disagree about is what was drawn and not what
// was aimed at.
type SceneCheck struct {
	Count uint8
	Sum   uint16
}

// testedOf sums up whom the shots since the scene's Show came near.
func testedOf(scene *rewind.Scene) SceneCheck {
	t, h := SceneCheck{}, hash(offset)
	targets := scene.Targets()
	for i := range targets {
		s := &targets[i].Sample
		for _, x := range [...]float64{s.Position.X, s.Position.Y, s.Position.Z, s.Yaw, s.Pitch, s.StrideDistance,
			s.Velocity.X, s.Velocity.Y, s.Velocity.Z, s.Stance.Crouch, s.Stance.Air, s.Stance.Swim} {
			h = h.mix(math.Float64bits(x + 0)) // −0 is 0
		}
		h = h.mix(uint64(targets[i].ID) | uint64(s.Clip)<<16 | uint64(s.UserData)<<32)
	}
	if t.Count = uint8(min(len(targets), maxTested)); t.Count > 0 {
		t.Sum = h.short()
	}
	return t
}

// maxTested bounds Tested.Count.
const maxTested = 15
