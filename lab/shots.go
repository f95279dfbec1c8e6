package lab

import (
	"slices"
	"strconv"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// nearLine is how near to a shot's line somebody must be for the shot to say
// something about where they were, in metres.
const nearLine = 2.0

// shots are those of a run so far.
type shots struct {
	list     []claim
	claimed  map[shotKey]int // index in list
	receipts []Receipt
	poses    []float64 // distances
	model    *modeller
	drawn    []volume // scratch
	rebuilt  []volume // likewise
}

type shotKey struct {
	shooter session.PlayerID
	number  uint32
}

// claim is a shot as its shooter's screen showed it, and the verdict on it.
type claim struct {
	at      clock.Micros // match time
	shooter int
	number  uint32
	weapon  uint8
	flies   bool // a projectile
	cuts    bool // a blade
	eye     geom.Vec3
	aim     geom.Vec3
	reach   float64
	ended   bool           // what the screen showed is known: of a projectile once it has ended
	saw     rewind.Outcome // what the screen showed
	hits    []struck       // likewise
	near    []track.Entity // who was drawn near the line

	launched  bool // a projectile is on its way on the server
	judged    bool // to the end
	verdict   shot.Verdict
	receipt   int // index in receipts
	met       rewind.HitTarget
	end       geom.Vec3 // where it ended on the server
	hurt      []struck
	agrees    bool
	hurts     bool // whom it met was not spared
	kept      bool // whom the screen showed hit was hurt
	false_    bool // a hit, where the screen showed none
	apart     float64
	hidden    clock.Micros // for how long whom it hit had been out of sight
	serverEye geom.Vec3
	rebuilt   []track.Entity // near the line, on either side, as the server has them
}

// claimed notes a shot that a client has just sent.
func (m *measure) claimed(i int, at clock.Micros, c *session.ClientShot) {
	s := &m.shots
	kind := m.kind(c.Claim.Weapon)
	k := claim{at: at, shooter: i, number: c.Number, weapon: c.Claim.Weapon, eye: c.Eye, aim: c.Claim.Aim(),
		reach: m.reach(c.Claim.Weapon), flies: kind == shot.Projectile, cuts: kind == shot.Melee, ended: kind != shot.Projectile}
	if k.ended {
		k.saw, k.hits = c.Outcome, struckIn(c.Outcomes)
	}
	for _, e := range c.Targets {
		if s.model.near(&e.Sample, k.eye, k.aim, k.reach) {
			k.near = append(k.near, e)
		}
	}
	s.claimed[shotKey{session.PlayerID(i + 1), c.Number}] = len(s.list)
	s.list = append(s.list, k)
}

// kind is a weapon's.
func (m *measure) kind(weapon uint8) shot.Kind {
	if int(weapon) < len(m.e.Weapons) {
		return m.e.Weapons[weapon].Kind
	}
	return shot.Rays
}

func (m *measure) reach(weapon uint8) float64 {
	if int(weapon) < len(m.e.Weapons) {
		return m.e.Weapons[weapon].Reach
	}
	return 100
}

func (m *measure) weapon(weapon uint8) string {
	if int(weapon) < len(m.e.Weapons) {
		return m.e.Weapons[weapon].Name
	}
	return strconv.Itoa(int(weapon))
}

// near reports whether the middle of somebody's bounds comes within nearLine of the way
// from eye along aim for reach metres.
func (m *modeller) near(s *track.Sample, eye, aim geom.Vec3, reach float64) bool {
	middle := s.Position
	if body := m.looks.Hitboxes(s, &m.posture); body != nil {
		height, _ := body.Bounds()
		middle = middle.MulAdd(s.UpVector(), height)
	}
	along := geom.Clamp(middle.Sub(eye).Dot(aim), 0, reach)
	return eye.MulAdd(aim, along).Dist(middle) <= nearLine
}

// ObserveShot notes a verdict.
func (m *measure) ObserveShot(s *shot.Shot, r *shot.Receipt, targets []track.Entity) {
	if m.zero < 0 {
		return
	}
	all := &m.shots
	i, ok := all.claimed[shotKey{s.Shooter, s.Number}]
	if !ok {
		return
	}
	c := &all.list[i]
	if !c.launched {
		c.serverEye = s.Eye
		for _, e := range targets {
			if drawnOf(c.near, e.ID) != nil || all.model.near(&e.Sample, c.eye, c.aim, c.reach) {
				c.rebuilt = append(c.rebuilt, e)
			}
		}
		all.compare(c)
	}
	c.receipt = len(all.receipts)
	all.receipts = append(all.receipts, m.receipt(r, true))
	if c.launched = r.Verdict == shot.Launched; c.launched {
		return
	}
	c.judged, c.verdict, c.met, c.end, c.hurt = true, r.Verdict, r.Outcome.HitTarget, r.Outcome.Point, struckBy(r)
	c.hurts = r.Verdict == shot.Hit && r.Reason == shot.NoReason
	if c.ended = c.ended || r.Verdict == shot.Refused; !c.flies || r.Verdict == shot.Refused {
		c.agrees = agrees(c, r)
		all.verdict(c)
		all.receipts[c.receipt].Agrees = c.agrees
	}
	m.meet(c)
	if c.hurts && len(c.hurt) > 0 {
		m.cover.note(s.Shooter, c.hurt, i, len(m.people))
	}
}

// agrees reports whether a verdict is what the shooter's screen showed. A refusal agrees
// only with nothing, and never of a projectile, which was shown to leave.
func agrees(c *claim, r *shot.Receipt) bool {
	if r.Verdict == shot.Refused {
		return c.saw.Kind == rewind.Nothing && len(c.hits) == 0 && !c.flies
	}
	return r.Outcome.HitTarget == c.saw.HitTarget && slices.Equal(c.hits, c.hurt)
}

// verdict sums up a claim of which both sides are known.
func (s *shots) verdict(c *claim) {
	c.kept = c.hurts && includes(c.hurt, c.hits)
	c.false_ = c.verdict == shot.Hit && !includes(c.hits, c.hurt)
}

func drawnOf(list []track.Entity, id track.ID) *track.Sample {
	i := slices.IndexFunc(list, func(e track.Entity) bool { return e.ID == id })
	if i < 0 {
		return nil
	}
	return &list[i].Sample
}

// compare notes how far apart the volumes of everybody are who was drawn near a shot's line
// and rebuilt for it.
func (s *shots) compare(c *claim) {
	for i := range c.rebuilt {
		d := drawnOf(c.near, c.rebuilt[i].ID)
		if d == nil {
			continue
		}
		s.drawn = s.model.pose(d, s.drawn[:0])
		s.rebuilt = s.model.pose(&c.rebuilt[i].Sample, s.rebuilt[:0])
		s.poses = apart(s.drawn, s.rebuilt, s.poses)
	}
}

// receipt is a verdict in the result's words.
func (m *measure) receipt(r *shot.Receipt, agrees bool) Receipt {
	out := Receipt{
		T: m.since(m.now), Shooter: m.name(r.Shooter), Weapon: m.weapon(r.Weapon),
		Verdict: [...]string{"refused", "miss", "hit", "launched"}[r.Verdict], Reason: r.Reason.String(),
		ViewTime: m.since(r.ViewGranted), Distance: round(r.Outcome.Distance), Agrees: agrees,
	}
	if r.Verdict == shot.Refused {
		out.ViewTime = m.since(r.ViewRequested)
	}
	if r.Outcome.Kind == rewind.Player {
		out.Target, out.Part = m.name(r.Outcome.Target), r.Outcome.Tag.String()
	}
	return out
}

// late reports whether what came of a claim could not be known by the end of the run.
func (m *measure) late(c *claim) bool {
	switch {
	case c.judged && c.ended:
		return false
	case c.judged || c.launched:
		return m.now-c.at < flightMost
	}
	return int32(m.people[c.shooter].newest-c.number) < 0
}

// sumShots sums the match's shots up.
func (m *measure) sumShots() Shots {
	s := &m.shots
	whole := tally{}
	by := map[string]*tally{}
	for i := range s.list {
		c := &s.list[i]
		name := m.weapon(c.weapon)
		if by[name] == nil {
			by[name] = &tally{}
			by[name].swings(m.swings(name))
		}
		late := m.late(c)
		whole.add(c, late)
		by[name].add(c, late)
	}
	w := whole.figures()
	out := Shots{
		Claimed: w.Claimed, Confirmed: w.Confirmed, Refused: w.Refused, Agreement: w.Agreement,
		Kept: w.Kept, FalseHits: w.FalseHits, Undecided: w.Undecided, Unfired: w.Unfired, BehindCover: w.BehindCover,
		PoseError: spreadOf(s.poses), Receipts: s.receipts, Weapons: map[string]*WeaponFigures{},
	}
	for name, t := range by {
		out.Weapons[name] = t.figures()
	}
	if out.Receipts == nil {
		out.Receipts = []Receipt{}
	}
	for i := range m.e.Players {
		if asked := m.e.Players[i].asked; asked != nil {
			out.Fired += *asked
		} else {
			out.Fired += m.claimsOf(i)
		}
	}
	return out
}

func (m *measure) claimsOf(player int) int {
	n := 0
	for i := range m.shots.list {
		n += count(m.shots.list[i].shooter == player)
	}
	return n
}

// agreement is a share, 1 of none.
func agreement(agreed, decided int) float64 {
	if decided == 0 {
		return 1
	}
	return round(float64(agreed) / float64(decided))
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
