package swarm

import (
	"math"
	"slices"
	"strconv"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// The invariants.
const (
	Finite    = "finite"    // positions and velocities are numbers
	Inside    = "inside"    // players are inside the map and in no wall
	Speed     = "speed"     // nobody moves faster or for longer than it may
	Ammo      = "ammo"      // rounds come from reloading only, and each shot takes one
	Health    = "health"    // health comes from packs only, and no more is lost than was dealt
	OneShot   = "one shot"  // no shot is judged twice, no move run twice
	Replay    = "replay"    // a server that receives the same is the same, and sends the same
	Agreement = "agreement" // after the quiet part client and server agree
	NoPanic   = "no panic"  // nothing panics, and each end can read the other
)

// Broken is an invariant that does not hold.
type Broken struct {
	Invariant string       // one of the constants: Finite, Inside, …
	At        clock.Micros // match time
	Player    string       // empty: of no player
	Text      string       // what was seen
}

// Error says what is broken, of which player, and when.
func (b *Broken) Error() string {
	of := ""
	if b.Player != "" {
		of = " of " + b.Player
	}
	return "invariant broken: " + b.Invariant + of + " at " + strconv.FormatFloat(b.At.Seconds(), 'f', 3, 64) + " s of match time: " + b.Text
}

// Checks counts the checks that were made.
type Checks struct {
	Poses      int // of a player at a tick: finite and inside the map
	Moves      int // distances from tick to tick against the speed
	Shots      int // receipts
	Vitals     int // of a player at a tick: ammunition and health
	Replay     int // hashes of the match against its replay
	Agreements int // of a client with the server after quiet
}

// Add adds the counts of another run.
func (c *Checks) Add(of Checks) {
	c.Poses += of.Poses
	c.Moves += of.Moves
	c.Shots += of.Shots
	c.Vitals += of.Vitals
	c.Replay += of.Replay
	c.Agreements += of.Agreements
}

// Sum returns how many checks were made.
func (c *Checks) Sum() int {
	return c.Poses + c.Moves + c.Shots + c.Vitals + c.Replay + c.Agreements
}

// The bounds.
const (
	// maxSpeed is more than the game's fastest: a fall of 40 m/s, thrown by several blasts.
	maxSpeed = 100.0 // m/s
	// maxShift is how far a step may move a player beside its velocity: up a stair, out of a mover.
	maxShift = 1.0 // m
	// maxLead is how much more time than has passed a connection may simulate:
	// predict.Limits.MaxTimeDiscrepancy, and a longest frame for what was under way.
	maxLead = 400 * clock.Millisecond
	// maxDisagreement is the error that is not corrected: predict.Limits.MaxErrorSquared, and rounding.
	maxDisagreement = 0.02 // m
	// maxRemoteError is how far a player at rest may be drawn from where it is.
	maxRemoteError = 0.1 // m
	// maxSilence is longer than any link of a case goes without a move.
	maxSilence = 2 * clock.Second
	// inWall is the depth in a wall that counts: a crushed player is in one until the next move.
	inWall = 0.1 // m
)

// player is what the checks keep of one player of the server.
type player struct {
	position  geom.Vec3 // after its last move, or at the last tick
	known     bool      // position is
	pose      track.Sample
	placedAt  clock.Micros // when it died or was put elsewhere last
	vitals    lab.Vitals
	lives     bool                    // vitals are known
	spent     int                     // rounds, since the connection began
	fired     int                     // shots that take a round
	dealt     int                     // damage in this life
	lost      int                     // health and armour lost in this life
	judged    map[uint32]shot.Verdict // of each shot; Launched until the projectile has ended
	number    uint32                  // newest move run
	ranAt     clock.Micros            // when it was run
	ends      moveEnds                // of its moves
	ran       bool                    // a move was run on this connection
	since     clock.Micros            // match time from which the connection's moves count
	simulated clock.Micros            // time of its moves since then
	rejoined  bool                    // its numbers begin again
	rejoinAt  clock.Micros
}

// rejoins notes that the player's numbers begin again.
func (p *player) rejoins(now clock.Micros) { p.rejoined, p.rejoinAt = true, now }

// mapBounds is where players may be.
type mapBounds struct {
	box geom.AABB
}

// openSides is how far around a level without walls players may fall before they die, m.
const openSides = 200

// sealedBelow is a kill height below which no level has one: its walls keep players inside.
const sealedBelow = -1e6

func newMap(s *lab.Setup) mapBounds {
	b := s.World.Bounds()
	if s.KillHeight > sealedBelow {
		b = b.Grow(openSides)
		b.Min.Y = s.KillHeight - openSides
	}
	return mapBounds{b}
}

// contains reports whether a point is inside the map.
func (m *mapBounds) contains(p geom.Vec3) bool {
	b := &m.box
	return p.X >= b.Min.X && p.Y >= b.Min.Y && p.Z >= b.Min.Z && p.X <= b.Max.X && p.Y <= b.Max.Y && p.Z <= b.Max.Z
}

func finite(v geom.Vec3) bool {
	s := v.X + v.Y + v.Z
	return !math.IsNaN(s) && !math.IsInf(s, 0)
}

// checkTick checks all players after a tick.
func (m *match) checkTick() {
	for i := range m.players {
		if pose, ok := m.Pose(session.PlayerID(i + 1)); ok {
			m.checkPose(&m.players[i], &pose)
			m.checkVitals(i)
		}
	}
	m.checks.Replay++
	if got, want := m.Hash(), m.twin.Hash(); got != want {
		m.fail(Replay, nil, "the state's hash is %016x, in the replay %016x", got, want)
	}
	for _, a := range m.actors {
		if a.Phase() == session.Playing {
			m.checkDrawn(a)
		}
	}
}

// checkDrawn checks that a client draws itself and others somewhere.
func (m *match) checkDrawn(a *actor) {
	if !finite(a.Position().Add(a.Offset())) {
		m.fail(Finite, &m.players[a.ID()-1], "its own client draws it at %v", a.Position())
	}
	for _, e := range a.Remotes() {
		if !finite(e.Position) || !finite(e.Velocity) {
			m.fail(Finite, nil, "%s draws entity %d at %v, with the velocity %v", a.name, e.ID, e.Position, e.Velocity)
		}
	}
}

// checkPose checks where a player is.
func (m *match) checkPose(p *player, pose *track.Sample) {
	m.checks.Poses++
	var body geom.Capsule
	solid := false
	if m.bodyOf != nil {
		body, solid = m.bodyOf(pose)
	}
	switch {
	case !finite(pose.Position) || !finite(pose.Velocity):
		m.fail(Finite, p, "position %v, velocity %v", pose.Position, pose.Velocity)
	case !m.world.contains(pose.Position):
		m.fail(Inside, p, "position %v is outside of %v", pose.Position, m.world.box)
	case solid && m.inWall(body) && m.inWall(bodyAt(body, p.pose.Position.Sub(pose.Position))):
		m.fail(Inside, p, "position %v is inside a wall", pose.Position)
	case pose.Velocity.Len() > maxSpeed:
		m.fail(Speed, p, "velocity %v is more than %v m/s", pose.Velocity, maxSpeed)
	}
	if pose.Life != p.pose.Life || pose.Teleport != p.pose.Teleport || pose.Dead != p.pose.Dead {
		p.placedAt = m.now
	}
	p.pose = *pose
	if p.position, p.known = pose.Position, true; p.since == 0 {
		p.since = m.now
	}
}

// inWall reports whether a body is inside the static level.
func (m *match) inWall(c geom.Capsule) bool {
	c.Radius -= inWall
	return c.Radius > 0 && m.setup.World.Overlaps(c)
}

// bodyAt returns a body moved by v.
func bodyAt(c geom.Capsule, v geom.Vec3) geom.Capsule {
	c.A, c.B = c.A.Add(v), c.B.Add(v)
	return c
}

// checkMove checks a step of a player's moves.
func (m *match) checkMove(v *session.MoveStep) {
	i := int(v.Player) - 1
	if i < 0 || i >= len(m.players) {
		return
	}
	m.checks.Moves++
	p := &m.players[i]
	if !finite(v.Position) {
		m.fail(Finite, p, "move %d ends at %v", v.Number, v.Position)
	}
	far := float64(maxSpeed*v.Duration.Seconds()) + maxShift
	if d := v.Position.Dist(p.position); p.known && d > far && v.Pose.Teleport == p.pose.Teleport && v.Pose.Life == p.pose.Life {
		m.fail(Speed, p, "move %d of %.3f s takes it %.2f m", v.Number, v.Duration.Seconds(), d)
	}
	p.position, p.known = v.Position, true
	m.checkNumber(p, v)
	m.checkTime(p, v)
	m.checkVitals(i)
}

// checkNumber checks that no move runs twice.
func (m *match) checkNumber(p *player, v *session.MoveStep) {
	if v.GapFill {
		return
	}
	if again := int32(v.Number-p.number) <= 0; p.ran && again {
		if !p.rejoined || m.now-p.rejoinAt > settleTime {
			m.fail(OneShot, p, "move %d runs after move %d", v.Number, p.number)
		}
		p.begin(m.now)
	}
	p.number, p.ran, p.ranAt = v.Number, true, m.now
	p.ends.put(v.Number, v.Position)
}

// begin begins to count for a new connection.
func (p *player) begin(now clock.Micros) {
	p.rejoined = false
	clear(p.judged)
	p.since, p.simulated = now, 0
	p.spent, p.fired = 0, 0
}

// checkTime checks that a player simulates no more time than has passed.
func (m *match) checkTime(p *player, v *session.MoveStep) {
	if p.since == 0 {
		p.since = m.now
	}
	p.simulated += v.Duration
	if lead := p.simulated - (m.now - p.since); lead > maxLead && m.now-p.rejoinAt > clock.Second {
		m.fail(Speed, p, "its moves last %.3f s longer than the %.3f s since it came", lead.Seconds(), (m.now - p.since).Seconds())
	}
}

// settleTime is the longest flight of a projectile: verdicts of an earlier connection end then. A player that comes back
// has made its first move by then, too.
const settleTime = 10 * clock.Second

// settled reports whether all verdicts on shots with a weapon are of the newest connection. Only a flight goes on beyond
// the connection of its shooter.
func (m *match) settled(p *player, weapon uint8) bool {
	flies := int(weapon) < len(m.weapons) && m.weapons[weapon].Kind == shot.Projectile
	return !flies || p.rejoinAt == 0 || m.now-p.rejoinAt > settleTime
}

// checkShot checks a verdict.
func (m *match) checkShot(r *shot.Receipt) {
	i := int(r.Shooter) - 1
	if i < 0 || i >= len(m.players) {
		return
	}
	m.checks.Shots++
	p := &m.players[i]
	if p.judged == nil {
		p.judged = map[uint32]shot.Verdict{}
	}
	before, again := p.judged[r.Shot]
	settled := m.settled(p, r.Weapon)
	earlier := !settled && !again && r.Verdict != shot.Launched // the end of a flight of another connection
	switch {
	case r.Verdict == shot.Refused, earlier:
	case again && (before != shot.Launched || r.Verdict == shot.Launched):
		if settled {
			m.fail(OneShot, p, "shot %d is judged again", r.Shot)
		}
	case !again && int(r.Weapon) < len(m.weapons) && m.weapons[r.Weapon].Magazine > 0:
		if p.fired++; p.fired > p.spent && settled {
			m.fail(Ammo, p, "%d shots are judged, and %d rounds are gone", p.fired, p.spent)
		}
	}
	if r.Verdict != shot.Refused && !earlier {
		p.judged[r.Shot] = r.Verdict
	}
	for _, h := range r.Events[:r.EventCount] {
		if t := int(h.Target) - 1; t >= 0 && t < len(m.players) {
			m.players[t].dealt += int(h.Damage)
		}
	}
}

// checkVitals checks ammunition and health after a step or a tick.
func (m *match) checkVitals(i int) {
	if m.vitals == nil {
		return
	}
	now, ok := m.vitals.Vitals(session.PlayerID(i + 1))
	p := &m.players[i]
	before, lives := p.vitals, p.lives && ok && now.Life == p.vitals.Life
	p.vitals, p.lives = now, ok
	if !lives {
		p.dealt, p.lost = 0, 0
		return
	}
	m.checks.Vitals++
	for w := range now.Rounds {
		switch more := now.Rounds[w] - before.Rounds[w]; {
		case more > 0 && !before.Reloading[w]:
			m.fail(Ammo, p, "weapon %d has %d rounds after %d, without reloading", w, now.Rounds[w], before.Rounds[w])
		case w < len(m.weapons) && now.Rounds[w] > int(max(m.weapons[w].Magazine, 1)):
			m.fail(Ammo, p, "weapon %d has %d rounds of %d", w, now.Rounds[w], m.weapons[w].Magazine)
		case more < 0:
			p.spent -= more
		}
	}
	m.checkHealth(p, &before, &now)
}

// checkHealth checks that health comes from nowhere but packs, and goes by damage alone.
func (m *match) checkHealth(p *player, before, now *lab.Vitals) {
	if now.Health > before.Health && len(m.setup.Entities) == 0 {
		m.fail(Health, p, "health is %d after %d", now.Health, before.Health)
	}
	p.lost += max(before.Health-now.Health, 0) + max(before.Armour-now.Armour, 0)
	if p.lost > p.dealt && now.Health > 0 {
		m.fail(Health, p, "%d points are lost, and %d were dealt", p.lost, p.dealt)
	}
}

// checkAgreement checks, after the quiet part, that honest players play and see what the server has.
func (m *match) checkAgreement() {
	for i, a := range m.actors {
		if i < len(m.setup.Honest) && m.setup.Honest[i] {
			m.checkOwn(a)
			m.checkRemotes(a)
		}
	}
}

// checkOwn compares a player with what its own client has.
func (m *match) checkOwn(a *actor) {
	m.checks.Agreements++
	if a.Phase() != session.Playing || a.ID() < 1 {
		m.fail(Agreement, nil, "%s does not play: its phase is %d", a.name, a.Phase())
		return
	}
	p := &m.players[a.ID()-1]
	if m.justPlaced(p) {
		return
	}
	if silent := m.now - p.ranAt; silent > maxSilence {
		m.fail(Agreement, p, "the server has run no move for %.1f s", silent.Seconds())
	}
	if number, client, server, ok := a.ends.newest(&p.ends, p.number); !ok {
		m.fail(Agreement, p, "the server has run move %d, the client made %d", p.number, a.Newest())
	} else if !(client.Dist(server) <= maxDisagreement) {
		m.fail(Agreement, p, "move %d ends at %v on the client, at %v on the server", number, client, server)
	}
	own, there := lab.As[lab.OwnVitals](a.Actor)
	if !there || m.vitals == nil {
		return
	}
	if sees, ok := own.OwnVitals(); ok && sees != p.vitals {
		m.fail(Agreement, p, "the client has %+v, the server %+v", sees, p.vitals)
	}
}

// justPlaced reports whether a player has died or was put elsewhere so recently that clients need not know yet: a lift
// may crush it in the quiet part.
func (m *match) justPlaced(p *player) bool { return m.now-p.placedAt < maxSilence }

// checkRemotes checks that a client draws the other players that rest, and where they are. Those that its player need not
// see may be missing.
func (m *match) checkRemotes(a *actor) {
	all := m.setup.Visibility == nil && m.setup.Snapshot.Radius == 0
	drawn := a.Remotes()
	for i := range m.players {
		p, id := &m.players[i], track.ID(i+1)
		if _, there := m.Pose(id); !there || id == a.ID() || !p.rests() || m.justPlaced(p) {
			continue
		}
		k := slices.IndexFunc(drawn, func(e track.Entity) bool { return e.ID == id })
		if k < 0 {
			if all {
				m.fail(Agreement, p, "%s does not see it, and it is at %v", a.name, p.pose.Position)
			}
			continue
		}
		m.checks.Agreements++
		if d := drawn[k].Position.Dist(p.pose.Position); !(d <= maxRemoteError) {
			m.fail(Agreement, p, "%s sees it at %v, and it is at %v", a.name, drawn[k].Position, p.pose.Position)
		}
	}
}

// rests reports whether a player has not moved of itself, and stands on nothing that moves.
func (p *player) rests() bool {
	return p.known && p.pose.Velocity == geom.Vec3{} && p.pose.Base == 0
}
