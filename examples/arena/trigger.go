package arena

import (
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Fired is a shot as the one who fired it saw it at once, before any verdict.
type Fired struct {
	Weapon uint8 // its index in the table
	From   geom.Vec3
	// Outcome is what it met that counts most; of a projectile nothing yet.
	Outcome rewind.Outcome
	// Outcomes are all that it met: of rays one for each pellet, of a blade one for each
	// whom this command's part of the swing met. Valid until the next Play.
	Outcomes []rewind.Outcome
}

// MarkerState says what a Mark tells.
type MarkerState uint8

// The words. A hit is Predicted when it is seen, and Confirmed or Denied when the server
// has judged; one that was not seen is only ever Confirmed.
const (
	Predicted MarkerState = iota
	Confirmed
	Denied
)

// HitMarker is a word on a hit: what a hit marker shows.
type HitMarker struct {
	State  MarkerState
	Shot   uint32 // number of the command that fired; 0 of a Predicted ray
	Weapon uint8
	Target track.ID // who was hurt most; 0 of a Denied one
	Tag    rig.Tag
	Damage uint16 // to everybody, of a Confirmed one
	Reason shot.Reason
}

// shown is which of one's own last shots were seen to hit: by their numbers.
type shown struct {
	shots [64]uint32
	next  int
}

func (s *shown) add(shot uint32) {
	s.shots[s.next%len(s.shots)] = shot
	s.next++
}

// take reports whether a shot was seen to hit, once.
func (s *shown) take(shot uint32) bool {
	for i, n := range s.shots {
		if n == shot && n != 0 {
			s.shots[i] = 0
			return true
		}
	}
	return false
}

// choose turns the hands' wish for another weapon, or for a blow, into a command's.
func (p *Player) choose(c *Command, in *Input) {
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

// pull aims the shot that the command is to carry, where there is one: with the trigger, or
// because a blade is on its way. One that waits for its command is that command's.
func (p *Player) pull(c *Command, in *Input) {
	if p.Waiting() && p.aimed == p.Newest()+1 {
		return
	}
	fire := in.Fire || in.Melee && p.strikes()
	if self := p.Self(); !fire && (self == nil || self.Loadout.Swing == 0) {
		return
	}
	p.ApplyCorrection()
	self := p.Self()
	if self.Dead || self.Watching || p.died() || !p.game.claims(self, fire, c.Shield) {
		return
	}
	p.claim = shot.Claim{Weapon: self.Loadout.Held, Yaw: in.Yaw, Pitch: in.Pitch}
	if in.Shot != nil {
		p.claim.Yaw, p.claim.Pitch = in.Shot[0], in.Shot[1]
	}
	met := p.Aim(&p.claim)
	c.Shot, p.aimed = p.claim, p.Newest()+1
	if p.kind(p.claim.Weapon) != shot.Melee { // whose way depends on how long the move is
		p.fired(p.claim.Weapon, p.Eye(), met)
	}
}

// strikes reports whether a blade is in hand.
func (p *Player) strikes() bool {
	self := p.Self()
	return self != nil && p.kind(self.Loadout.Held) == shot.Melee
}

// kind is the kind of a weapon of the match.
func (p *Player) kind(weapon uint8) shot.Kind {
	if int(weapon) >= len(p.game.weapons) {
		return shot.Rays
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

// show notes what the shots of the frame's commands met, and shows a blade's.
func (p *Player) show() {
	claims := p.FiredShots()
	for i := range claims {
		c := &claims[i]
		if int32(c.Number-p.latest) <= 0 { // of a frame before; numbers wrap
			continue
		}
		p.latest = c.Number
		if p.kind(c.Claim.Weapon) == shot.Melee {
			p.fired(c.Claim.Weapon, c.Eye, c.Outcomes)
		}
		if o := &c.Outcome; o.Kind == rewind.Player {
			p.predicted(HitMarker{Shot: c.Number, Weapon: c.Claim.Weapon, Target: o.Target, Tag: o.Tag})
		}
	}
}

func (p *Player) predicted(m HitMarker) {
	m.State = Predicted
	p.shown.add(m.Shot)
	p.Marks = append(p.Marks, m)
}

// confirm marks what the server made of a shot.
func (p *Player) confirm(r *shot.Receipt) {
	if r.Verdict == shot.Launched {
		return // to be continued
	}
	m := HitMarker{State: Confirmed, Shot: r.Shot, Weapon: r.Weapon, Damage: r.Damage, Reason: r.Reason}
	saw := p.shown.take(r.Shot)
	switch {
	case r.Verdict == shot.Hit && r.EventCount > 0:
		m.Target, m.Tag = r.Events[0].Target, r.Events[0].Tag
	case r.Verdict == shot.Hit:
		m.Target, m.Tag = r.Outcome.Target, r.Outcome.Tag
	case saw:
		m.State = Denied
	default:
		return
	}
	p.Marks = append(p.Marks, m)
}

// burst marks whom one's own projectile hurts where it was seen to end.
func (p *Player) burst(e *session.Event) {
	r := &e.Receipt
	if e.Player != p.ID() || e.Again || r.EventCount == 0 {
		return
	}
	p.predicted(HitMarker{Shot: r.Shot, Weapon: e.Weapon, Target: r.Events[0].Target, Tag: r.Events[0].Tag})
}
