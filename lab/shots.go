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
	refused  int
	hits     int
	poses    []float64 // distances
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
	eye     geom.Vec3
	aim     geom.Vec3
	reach   float64
	saw     rewind.Outcome
	near    []track.Entity // who was drawn near the line

	judged    bool
	receipt   int // index in receipts
	agrees    bool
	false_    bool // a hit, where the screen showed none
	serverEye geom.Vec3
	rebuilt   []track.Entity // near the line, on either side, as the server has them
}

// claimed notes a shot that a client has just sent.
func (m *measure) claimed(i int, at clock.Micros, c *session.Claimed) {
	s := &m.shots
	k := claim{at: at, shooter: i, number: c.Number, eye: c.Eye, aim: c.Claim.Aim(),
		reach: m.reach(c.Claim.Weapon), saw: c.Outcome}
	for _, e := range c.Targets {
		if near(&e.Sample, k.eye, k.aim, k.reach) {
			k.near = append(k.near, e)
		}
	}
	s.claimed[shotKey{session.PlayerID(i + 1), c.Number}] = len(s.list)
	s.list = append(s.list, k)
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

// near reports whether the middle of a body comes within nearLine of the way from
// eye along aim for reach metres.
func near(s *track.Sample, eye, aim geom.Vec3, reach float64) bool {
	body, _ := middles(s)
	along := geom.Clamp(body.Sub(eye).Dot(aim), 0, reach)
	return eye.MulAdd(aim, along).Dist(body) <= nearLine
}

// middles are those of the hit volumes of a pose.
func middles(s *track.Sample) (body, head geom.Vec3) {
	b, h := rewind.Outline(s)
	return b.A.Lerp(b.B, 0.5), h.Centre
}

// Judged notes a verdict.
func (m *measure) Judged(s *shot.Shot, r *shot.Receipt, targets []track.Entity) {
	if m.zero < 0 {
		return
	}
	all := &m.shots
	i, ok := all.claimed[shotKey{s.Shooter, s.Number}]
	if !ok {
		return
	}
	c := &all.list[i]
	c.judged, c.receipt, c.serverEye = true, len(all.receipts), s.Eye
	c.agrees = agrees(c.saw.Mark, r)
	c.false_ = r.Verdict == shot.Hit && c.saw.Kind != rewind.Player
	for _, e := range targets {
		if near(&e.Sample, c.eye, c.aim, c.reach) || drawnOf(c.near, e.ID) != nil {
			c.rebuilt = append(c.rebuilt, e)
		}
	}
	all.poses = append(all.poses, poseErrors(c.near, c.rebuilt)...)
	switch r.Verdict {
	case shot.Hit:
		all.hits++
	case shot.Refused:
		all.refused++
	}
	all.receipts = append(all.receipts, m.receipt(r, c.agrees))
}

// agrees reports whether a verdict is what the shooter's screen showed. A refusal
// agrees only with nothing.
func agrees(saw rewind.Mark, r *shot.Receipt) bool {
	if r.Verdict == shot.Refused {
		return saw.Kind == rewind.Nothing
	}
	return r.Outcome.Mark == saw
}

func drawnOf(list []track.Entity, id track.ID) *track.Sample {
	i := slices.IndexFunc(list, func(e track.Entity) bool { return e.ID == id })
	if i < 0 {
		return nil
	}
	return &list[i].Sample
}

// poseErrors are the distances between the middles of the hit volumes of everybody
// who is in both lists: two each.
func poseErrors(drawn, rebuilt []track.Entity) []float64 {
	var out []float64
	for i := range rebuilt {
		d := drawnOf(drawn, rebuilt[i].ID)
		if d == nil {
			continue
		}
		body, head := middles(d)
		body2, head2 := middles(&rebuilt[i].Sample)
		out = append(out, body.Dist(body2), head.Dist(head2))
	}
	return out
}

// receipt is a verdict in the result's words.
func (m *measure) receipt(r *shot.Receipt, agrees bool) Receipt {
	out := Receipt{
		T: m.since(m.now), Shooter: m.name(r.Shooter), Weapon: m.weapon(r.Weapon),
		Verdict: [...]string{"refused", "miss", "hit", "launched"}[r.Verdict], Reason: r.Reason.String(),
		ViewTime: m.since(r.ViewGranted), Distance: round(r.Outcome.Distance), Agrees: agrees,
	}
	if r.Verdict == shot.Refused {
		out.ViewTime = m.since(r.ViewAsked)
	}
	if r.Outcome.Kind == rewind.Player {
		out.Target, out.Part = m.name(r.Outcome.Target), r.Outcome.Tag.String()
	}
	return out
}

// sumShots sums the match's shots up.
func (m *measure) sumShots() Shots {
	s := &m.shots
	out := Shots{
		Claimed: len(s.list), Confirmed: s.hits, Refused: s.refused,
		PoseError: spreadOf(s.poses), Receipts: s.receipts,
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
	agreed := 0
	for i := range s.list {
		c := &s.list[i]
		switch {
		case c.judged:
			out.FalseHits += count(c.false_)
			agreed += count(c.agrees)
		case int32(m.people[c.shooter].newest-c.number) < 0:
			out.Undecided++
		default:
			out.Unfired++
			agreed += count(c.saw.Kind == rewind.Nothing)
		}
	}
	out.Agreement = agreement(agreed, out.Claimed-out.Undecided)
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
