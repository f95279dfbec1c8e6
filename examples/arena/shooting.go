package arena

import (
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Fired is an own shot, as its client evaluates it before any verdict.
type Fired struct {
	Weapon uint8     // its index in the table
	From   geom.Vec3 // the eye, metres
	// Outcome is the most significant hit; of a projectile nothing yet.
	Outcome rewind.Outcome
	// Outcomes are all hits: of rays one for each pellet, of a blade one for each target
	// that this command's part of the swing met. Valid until the next Play.
	Outcomes []rewind.Outcome
}

// MarkerState is the state of a hit marker.
type MarkerState uint8

// The states. A hit is Predicted when the client sees it, and Confirmed or Denied when the
// server has judged it; a hit that the client did not see is only ever Confirmed.
const (
	Predicted MarkerState = iota
	Confirmed
	Denied
)

// HitMarker is a change of a hit marker.
type HitMarker struct {
	State    MarkerState  // the state it changes to
	Shot     uint32       // number of the firing command; 0 of a Predicted ray
	Weapon   uint8        // its index in the table
	Target   track.ID     // the target with the most damage; 0 of a Denied one
	HitGroup rig.HitGroup // of Target that was hit, NoHitGroup of a blast
	Damage   uint16       // in total, of a Confirmed one
	Reason   shot.Reason  // why a Confirmed or Denied one did no damage; 0: no reason
}

// shotNumbers are the numbers of the last own shots that were predicted to hit.
type shotNumbers struct {
	shots [64]uint32
	next  int
}

func (s *shotNumbers) add(shot uint32) {
	s.shots[s.next%len(s.shots)] = shot
	s.next++
}

// take removes a shot and reports whether it was there.
func (s *shotNumbers) take(shot uint32) bool {
	for i, n := range s.shots {
		if n == shot && n != 0 {
			s.shots[i] = 0
			return true
		}
	}
	return false
}

// chooseWeapon converts the input's weapon change or melee strike into the command's.
func (p *Player) chooseWeapon(c *Command, in *Input) {
	self, count := p.Self(), len(p.game.weapons)
	if self == nil || count == 0 {
		return
	}
	held := int(self.Loadout.Held)
	if self.Loadout.Next != 0 {
		held = int(self.Loadout.Next) - 1
	}
	if in.Next != 0 && c.Select == 0 {
		c.Select = uint8(((held+in.Next)%count+count)%count) + 1
	}
	if !in.Melee || p.game.weapons[held%count].Kind == shot.Melee {
		return
	}
	for i := range p.game.weapons {
		if p.game.weapons[i].Kind == shot.Melee {
			c.Select = uint8(i) + 1
			return
		}
	}
}

// aimShot aims the shot that the command will carry, if any: while the trigger is held, or during
// a swing.
func (p *Player) aimShot(c *Command, in *Input) {
	if p.died() {
		return
	}
	c.Shot = shot.Claim{Fire: in.Fire || in.Melee && p.holdsMelee(), Yaw: in.Yaw, Pitch: in.Pitch}
	if in.Shot != nil {
		c.Shot.Yaw, c.Shot.Pitch = in.Shot[0], in.Shot[1]
	}
	if !p.AimInput(c) {
		return
	}
	if a := p.AimedShot(); p.kind(a.Claim.Weapon) != shot.Melee { // a blade's arc depends on the length of the move
		p.fired(a.Claim.Weapon, a.Eye, a.Outcomes)
	}
}

// holdsMelee reports whether a blade is in hand.
func (p *Player) holdsMelee() bool {
	self := p.Self()
	return self != nil && p.kind(self.Loadout.Held) == shot.Melee
}

// kind returns the kind of a weapon of the match.
func (p *Player) kind(weapon uint8) shot.Kind {
	if int(weapon) >= len(p.game.weapons) {
		return shot.Hitscan
	}
	return p.game.weapons[weapon].Kind
}

func (p *Player) fired(weapon uint8, from geom.Vec3, met []rewind.Outcome) {
	f := Fired{Weapon: weapon, From: from, Outcomes: met}
	for i := range met {
		if i == 0 || met[i].Kind == rewind.Player && f.Outcome.Kind != rewind.Player {
			f.Outcome = met[i]
		}
	}
	p.Shots = append(p.Shots, f)
}

// updateShots records the hits of the frame's shots, and shows a blade's.
func (p *Player) updateShots() {
	claims := p.FiredShots()
	for i := range claims {
		c := &claims[i]
		if int32(c.Number-p.lastShot) <= 0 { // of an earlier frame; numbers wrap
			continue
		}
		p.lastShot = c.Number
		if p.kind(c.Claim.Weapon) == shot.Melee {
			p.fired(c.Claim.Weapon, c.Eye, c.Outcomes)
		}
		if o := &c.Outcome; o.Kind == rewind.Player {
			p.predicted(HitMarker{Shot: c.Number, Weapon: c.Claim.Weapon, Target: o.Target, HitGroup: o.HitGroup})
		}
	}
}

func (p *Player) predicted(m HitMarker) {
	m.State = Predicted
	p.predictedHits.add(m.Shot)
	p.HitMarkers = append(p.HitMarkers, m)
}

// confirm handles the server's receipt of a shot.
func (p *Player) confirm(r *shot.Receipt) {
	if r.Verdict == shot.Launched {
		return // incomplete
	}
	m := HitMarker{State: Confirmed, Shot: r.Shot, Weapon: r.Weapon, Damage: r.Damage, Reason: r.Reason}
	saw := p.predictedHits.take(r.Shot)
	switch {
	case r.Verdict == shot.Hit && r.EventCount > 0:
		m.Target, m.HitGroup = r.Events[0].Target, r.Events[0].HitGroup
	case r.Verdict == shot.Hit:
		m.Target, m.HitGroup = r.Outcome.Target, r.Outcome.HitGroup
	case saw:
		m.State = Denied
	default:
		return
	}
	p.HitMarkers = append(p.HitMarkers, m)
}

// markDetonation marks the targets that an own projectile hurts where it was seen to
// detonate.
func (p *Player) markDetonation(e *session.Event) {
	r := &e.Receipt
	if e.Player != p.ID() || e.Corrected || r.EventCount == 0 {
		return
	}
	p.predicted(HitMarker{Shot: r.Shot, Weapon: e.Weapon, Target: r.Events[0].Target, HitGroup: r.Events[0].HitGroup})
}
