package lab

import (
	"slices"
	"strconv"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// nearLine is the largest distance from a shot's line, in metres, at which players' poses are
// compared: about a character's height, so whatever the shot could have hit is among them.
const nearLine = 2.0

// shots are the shots of a run so far.
type shots struct {
	list     []claim
	claimed  map[shotKey]int // index in list
	receipts []Receipt
	poses    []float64 // distances
	model    *poser
	drawn    []hitbox // scratch
	rebuilt  []hitbox // scratch
}

// shotKey names a claim: numbers begin again with each connection of the shooter.
type shotKey struct {
	shooter    session.PlayerID
	number     uint32
	connection int
}

// claim is a shot as its shooter's screen showed it, and the verdict on it.
type claim struct {
	at         clock.Micros // match time
	shooter    int
	number     uint32
	connection int // of the shooter
	weapon     uint8
	projectile bool // a projectile
	melee      bool // a blade
	eye        geom.Vec3
	aim        geom.Vec3
	reach      float64
	ended      bool           // the outcome on the screen is known: for a projectile, once it has ended
	saw        rewind.Outcome // outcome on the screen
	hits       []hitCount     // targets hit on the screen
	near       []track.Entity // players drawn near the line

	launched  bool // a projectile is on its way on the server
	judged    bool // finally
	verdict   shot.Verdict
	receipt   int // index in receipts
	hit       rewind.HitTarget
	end       geom.Vec3 // where it ended on the server
	damaged   []hitCount
	agrees    bool
	damages   bool // the target was damaged
	kept      bool // all targets hit on the screen were damaged
	falseHit  bool // a hit that the screen did not show
	apart     float64
	hidden    clock.Micros // how long the target had been out of sight
	serverEye geom.Vec3
	rebuilt   []track.Entity // players near the line on either end, as the server rebuilt them
}

// claimed records a shot that a client has just sent.
func (m *measure) claimed(i int, at clock.Micros, c *combat.ClientShot) {
	s := &m.shots
	kind := m.kind(c.Claim.Weapon)
	k := claim{at: at, shooter: i, number: c.Number, connection: m.players[i].connection, weapon: c.Claim.Weapon, eye: c.Eye, aim: c.Claim.Aim(),
		reach: m.reach(c.Claim.Weapon), projectile: kind == shot.Projectile, melee: kind == shot.Melee, ended: kind != shot.Projectile}
	if k.ended {
		k.saw, k.hits = c.Outcome, hitsOfOutcomes(c.Outcomes)
	}
	for _, e := range c.Targets {
		if s.model.near(&e.Sample, k.eye, k.aim, k.reach) {
			k.near = append(k.near, e)
		}
	}
	s.claimed[shotKey{session.PlayerID(i + 1), c.Number, k.connection}] = len(s.list)
	s.list = append(s.list, k)
}

// claimOf returns the claim of a shot that the server judges, nil if no client made it. A projectile may end after its
// shooter's connection: the newest connection that the server serves comes first, then those with an open claim.
func (m *measure) claimOf(shooter session.PlayerID, number uint32) (i int, c *claim) {
	if shooter < 1 || int(shooter) > len(m.players) {
		return 0, nil
	}
	for connection := m.players[shooter-1].served; connection >= 0; connection-- {
		k, ok := m.shots.claimed[shotKey{shooter, number, connection}]
		if !ok {
			continue
		}
		if open := &m.shots.list[k]; c == nil || c.judged && !open.judged {
			i, c = k, open
		}
	}
	return i, c
}

// kind returns the kind of a weapon, Rays for an unknown one.
func (m *measure) kind(weapon uint8) shot.Kind {
	if int(weapon) < len(m.e.Weapons) {
		return m.e.Weapons[weapon].Kind
	}
	return shot.Hitscan
}

func (m *measure) reach(weapon uint8) float64 {
	if int(weapon) < len(m.e.Weapons) {
		return m.e.Weapons[weapon].Range
	}
	return 100
}

func (m *measure) weapon(weapon uint8) string {
	if int(weapon) < len(m.e.Weapons) {
		return m.e.Weapons[weapon].Name
	}
	return strconv.Itoa(int(weapon))
}

// near reports whether the middle of a player's bounds is within nearLine of the ray from eye along
// aim for reach metres.
func (m *poser) near(s *track.Sample, eye, aim geom.Vec3, reach float64) bool {
	middle := s.Position
	if body := m.hitboxes.Hitboxes(s, &m.posture); body != nil {
		height, _ := body.Bounds()
		middle = middle.MulAdd(s.UpVector(), height)
	}
	along := geom.Clamp(middle.Sub(eye).Dot(aim), 0, reach)
	return eye.MulAdd(aim, along).Dist(middle) <= nearLine
}

// ObserveShot records a verdict.
func (m *measure) ObserveShot(s *shot.Shot, r *shot.Receipt, targets []track.Entity) {
	if m.zero < 0 {
		return
	}
	all := &m.shots
	i, c := m.claimOf(s.Shooter, s.Number)
	if c == nil {
		return
	}
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
	c.judged, c.verdict, c.hit, c.end, c.damaged = true, r.Verdict, r.Outcome.HitTarget, r.Outcome.Point, hitsOfReceipt(r)
	c.damages = r.Verdict == shot.Hit && r.Reason == shot.NoReason
	all.verdict(c)
	if c.ended = c.ended || r.Verdict == shot.Refused; !c.projectile || r.Verdict == shot.Refused {
		c.agrees = agrees(c, r)
		all.receipts[c.receipt].Agrees = c.agrees
	}
	m.compareEnds(c)
	if c.damages && len(c.damaged) > 0 {
		m.cover.addHits(s.Shooter, c.damaged, i, len(m.players))
	}
}

// agrees reports whether a verdict equals the outcome on the shooter's screen. A refusal agrees with
// no outcome, and never for a projectile, whose launch was drawn.
func agrees(c *claim, r *shot.Receipt) bool {
	if r.Verdict == shot.Refused {
		return c.saw.Kind == rewind.Nothing && len(c.hits) == 0 && !c.projectile
	}
	return r.Outcome.HitTarget == c.saw.HitTarget && slices.Equal(c.hits, c.damaged)
}

// verdict compares the targets of a claim that was judged with those that the screen has shown so far.
func (s *shots) verdict(c *claim) {
	c.kept = c.damages && includes(c.damaged, c.hits)
	c.falseHit = c.verdict == shot.Hit && !includes(c.hits, c.damaged)
}

func drawnOf(list []track.Entity, id track.ID) *track.Sample {
	i := slices.IndexFunc(list, func(e track.Entity) bool { return e.ID == id })
	if i < 0 {
		return nil
	}
	return &list[i].Sample
}

// compare records the distances between the drawn and the rebuilt hitboxes of players near a
// shot's line.
func (s *shots) compare(c *claim) {
	for i := range c.rebuilt {
		d := drawnOf(c.near, c.rebuilt[i].ID)
		if d == nil {
			continue
		}
		s.drawn = s.model.pose(d, s.drawn[:0])
		s.rebuilt = s.model.pose(&c.rebuilt[i].Sample, s.rebuilt[:0])
		s.poses = middleDistances(s.drawn, s.rebuilt, s.poses)
	}
}

// receipt returns a receipt in the words of the result.
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
		out.Target, out.Part = m.name(r.Outcome.Target), r.Outcome.HitGroup.String()
	}
	return out
}

// late reports whether a claim was still undecided at the end of the run.
func (m *measure) late(c *claim) bool {
	switch {
	case c.judged && c.ended:
		return false
	case c.judged || c.launched:
		return m.now-c.at < maxFlightWait
	}
	p := &m.players[c.shooter]
	return c.connection > p.served || c.connection == p.served && int32(p.newest-c.number) < 0
}

// sumShots returns the figures of the match's shots, and counts the values that they have.
func (m *measure) sumShots(values map[string]int) Shots {
	s := &m.shots
	whole := tally{}
	by := map[string]*tally{}
	for i := range m.e.Weapons { // also those that were never fired
		(&tally{}).countValues("shots.weapons."+m.e.Weapons[i].Name+".", values)
	}
	for i := range s.list {
		c := &s.list[i]
		name := m.weapon(c.weapon)
		if by[name] == nil {
			by[name] = &tally{}
			by[name].swings(m.swings(name))
		}
		late := m.late(c)
		if c.judged && !c.ended && !late { // the screen never showed an end
			s.receipts[c.receipt].Agrees = false
		}
		whole.add(c, late)
		by[name].add(c, late)
	}
	w := whole.figures()
	whole.countValues("shots.", values)
	values["shots.pose_error"] = len(s.poses)
	out := Shots{
		Claimed: w.Claimed, Confirmed: w.Confirmed, Refused: w.Refused, Agreement: w.Agreement,
		Kept: w.Kept, Denied: w.Denied, FalseHits: w.FalseHits, Undecided: w.Undecided, Unfired: w.Unfired, BehindCover: w.BehindCover,
		PoseError: spreadOf(s.poses), Receipts: s.receipts, Weapons: map[string]*WeaponFigures{},
	}
	for name, t := range by {
		out.Weapons[name] = t.figures()
		t.countValues("shots.weapons."+name+".", values)
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

// agreement returns a share, 1 of none.
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
