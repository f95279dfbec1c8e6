package lab

import (
	"reflect"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// measure measures a run. It observes the server, and reads each client after each of its frames.
type measure struct {
	e           *Experiment
	now         clock.Micros    // of the tick
	zero        clock.Micros    // −1 before
	moveEvents  MoveEventSource // nil: the server reports none
	players     []playerRecord
	truth       *Truth
	shots       shots
	cover       *cover
	bodyHistory bodyHistory
	infos       []session.PlayerInfo // scratch
	pose        track.Sample         // scratch
	points      int                  // of each trajectory
}

// playerRecord has the measurements of one player.
type playerRecord struct {
	client Client
	ran    []ranCommand
	done   *[]ranCommand // recorded positions after commands; nil: no commands are recorded
	newest uint32        // command that the server has run or passed over
	// connection is the client's, and served the one of which the server runs commands: a round trip later the same.
	connection, served int

	earlier  predict.OwnerCounters // of the connections before this one, without what was before time zero
	moves    predict.OwnerCounters // at the frame before
	refusals refusals
	timeGain timeGain
	detected clock.Micros // since time zero; −1: not
	episodes int          // of time discrepancy that ended before time zero

	pose           track.Sample // on the server
	trajectory     []Point
	events         []Event
	frames         []frame
	delays         []float64
	pending        []remoteView // not compared yet
	last           []remoteView // of each player, by index; id 0: none yet
	hints          []int        // where in their paths those are
	errors         []float64
	speeds         []float64 // errors, as shares
	moving         int       // views of moving players
	extrapolated   int       // of those, drawn past the last sample
	reversals      int
	snaps          int
	inside         int
	maxCorrection  float64 // correction
	correctedAgain int     // corrections of moves made before one was applied
	corrected      uint32  // newest move made when the last correction was applied
	latest         uint32  // newest move at the frame before
	up, down       int     // bytes
	packets        int     // datagrams up
	bodies         bodies
	series         *PlayerSeries
}

// refusals counts the moves that the server has refused, over all connections: an authority begins again with each.
type refusals struct {
	earlier int // of the connections before this one, without those before time zero
	newest  predict.AuthorityCounters
}

// refused returns how many moves an authority has refused.
func refused(c *predict.AuthorityCounters) int { return c.Refused + c.Stale }

// note takes the counters of the newest tick.
func (r *refusals) note(c *predict.AuthorityCounters) {
	if c.Executed < r.newest.Executed {
		r.earlier += refused(&r.newest)
	}
	r.newest = *c
}

// count returns the number since time zero.
func (r *refusals) count() int { return r.earlier + refused(&r.newest) }

// ranCommand is a command that the server ran, and the position after it.
type ranCommand struct {
	number     uint32
	position   geom.Vec3
	connection int // of the player, from 0: numbers begin again with each
}

// frame is what a client drew of its own player.
type frame struct {
	at     clock.Micros // match time
	number uint32       // newest command
	drawn  geom.Vec3

	connection int // as in ranCommand
}

// remoteView is another player in one drawn frame.
type remoteView struct {
	at, view     clock.Micros // match time of the frame, and view time
	platform     clock.Micros // platform time of the view
	id           session.PlayerID
	position     geom.Vec3
	path         [2]uint8 // its life and its count of teleports
	extrapolated bool     // it was drawn past its last sample
	truePosition geom.Vec3
	known        bool // truePosition is known
}

func newMeasure(e *Experiment) *measure {
	m := &measure{e: e, zero: -1, truth: e.Truth, players: make([]playerRecord, len(e.Players))}
	if m.truth == nil {
		m.truth = &Truth{}
	}
	m.truth.World = e.World
	m.bodyHistory.server, _ = As[BodySource](e.Server)
	m.moveEvents, _ = As[MoveEventSource](e.Server)
	m.cover, m.shots.model = newCover(e), newPoser(e.Hitboxes)
	m.shots.claimed = map[shotKey]int{}
	for i := range m.players {
		p := &m.players[i]
		p.client, p.detected, p.done = e.Players[i].Client, -1, e.Players[i].done
		p.last, p.hints = make([]remoteView, len(e.Players)), make([]int, len(e.Players))
		p.events = []Event{}
		if e.Series {
			p.series = newPlayerSeries()
		}
	}
	return m
}

// begin starts to measure at time zero.
func (m *measure) begin(zero clock.Micros) {
	m.zero = zero
	m.recordPoses()
	m.bodyHistory.record()
	for i := range m.players {
		p := &m.players[i]
		p.moves = p.client.Stats().Moves
		p.earlier = added(predict.OwnerCounters{}, &p.moves, -1)
		p.timeGain.first, p.timeGain.zero = p.client.Newest()+1, zero
		p.latest = p.client.Newest()
		p.bodies.begin(p.client, &m.bodyHistory)
	}
	m.infos = m.e.Server.Players(m.infos[:0])
	for _, info := range m.infos {
		if i := int(info.ID) - 1; i < len(m.players) {
			m.players[i].refusals = refusals{-refused(&info.Moves), info.Moves}
			m.players[i].episodes = info.Discrepancy.Episodes - count(info.Discrepancy.Resolving)
		}
	}
}

// ObserveMove records the pose after a command, and its events.
func (m *measure) ObserveMove(v *session.MoveStep) {
	i := int(v.Player) - 1
	if i >= len(m.players) {
		return
	}
	p := &m.players[i]
	if m.zero >= 0 && m.moveEvents != nil {
		for _, e := range m.moveEvents.Events() {
			p.events = append(p.events, m.moveEvent(e))
		}
	}
	if !v.GapFill && (len(p.ran) == 0 || int32(v.Number-p.newest) < 0) {
		p.served = p.connection
	}
	p.timeGain.add(v.Number, p.served, v.Duration, m.now)
	if v.GapFill { // a gap has a pose of its own only where other clients see one
		if v.Pose.At > m.truth.newest(v.Player) {
			m.truth.Trace(v.Player, v.Pose)
		}
		return
	}
	m.truth.Trace(v.Player, v.Pose)
	p.ran = append(p.ran, ranCommand{v.Number, v.Position, p.served})
	p.newest = v.Number
}

// moveEvent returns a movement event as an event of the result.
func (m *measure) moveEvent(e movement.Event) Event {
	out := Event{T: m.since(m.now)}
	switch e.Kind {
	case movement.Jumped:
		out.Kind, out.Speed = "jumped", round(e.Value)
	case movement.Landed:
		out.Kind, out.Speed = "landed", round(e.Value)
	case movement.Stepped:
		out.Kind, out.Distance = "stepped", round(e.Value)
	case movement.WalkedOff:
		out.Kind = "walked_off"
	case movement.Stuck:
		out.Kind = "stuck"
	case movement.Crushed:
		out.Kind, out.Distance = "crushed", round(e.Value)
	case movement.EnteredWater:
		out.Kind, out.Speed = "entered_water", round(e.Value)
	case movement.LeftWater:
		out.Kind, out.Speed = "left_water", round(e.Value)
	case movement.Boosted:
		out.Kind, out.Speed = "boosted", round(e.Value)
	}
	return out
}

// since returns the time since time zero, in seconds.
func (m *measure) since(at clock.Micros) float64 { return seconds(at - m.zero) }

// reconnects notes that a player's client is about to begin again: with its numbers, with what it counts, which the
// figures add up, and with what it draws of others.
func (m *measure) reconnects(i int) {
	p := &m.players[i]
	p.connection++
	counted := p.client.Stats().Moves
	p.earlier, p.moves = added(p.earlier, &counted, 1), predict.OwnerCounters{}
	p.corrected, p.latest = 0, 0
	clear(p.last)
}

// added returns counts with others added so many times; −1 takes them away.
func added(to predict.OwnerCounters, counts *predict.OwnerCounters, times int64) predict.OwnerCounters {
	into, from := reflect.ValueOf(&to).Elem(), reflect.ValueOf(counts).Elem()
	for i := range into.NumField() {
		if f := into.Field(i); f.CanInt() {
			f.SetInt(f.Int() + times*from.Field(i).Int())
		}
	}
	return to
}

// event records an event of a player; the empty kind is none.
func (m *measure) event(i int, at clock.Micros, kind string) {
	if kind != "" {
		p := &m.players[i]
		p.events = append(p.events, Event{T: m.since(at), Kind: kind})
	}
}

// sent records a datagram of a client.
func (m *measure) sent(i int, at clock.Micros, bytes int) {
	p := &m.players[i]
	p.up += bytes
	p.packets++
	if p.series != nil {
		p.series.Up = append(p.series.Up, PacketSample{m.since(at), bytes})
	}
}

// received records a datagram for a client.
func (m *measure) received(i int, at clock.Micros, bytes int) {
	p := &m.players[i]
	p.down += bytes
	if p.series != nil {
		p.series.Down = append(p.series.Down, PacketSample{m.since(at), bytes})
	}
}

// frameDrawn records what a client shows after a frame at a match time.
func (m *measure) frameDrawn(i int, at clock.Micros) {
	p := &m.players[i]
	c := p.client
	p.frames = append(p.frames, frame{at, c.Newest(), c.Position().Add(c.Offset()), p.connection})
	view := c.View()
	p.delays = append(p.delays, (at - view.At).Seconds())
	for _, e := range c.Remotes() {
		p.pending = append(p.pending, remoteView{at: at, view: view.At, platform: view.Platform, id: e.ID,
			position: e.Position, path: [2]uint8{e.Life, e.Teleport}, extrapolated: c.SampleSource(e.ID) >= track.Extrapolated})
		p.inside += count(m.inside(e))
	}
	p.bodies.frameDrawn(at)
	claims := c.FiredShots()
	for k := range claims {
		m.claimed(i, at, &claims[k])
	}
	m.noteFlights(i)
	m.corrected(i, at)
	p.latest = c.Newest()
}

// insideBy is the smallest depth of a body inside the level that counts, in metres: half of the
// distance that a walker keeps from the floor.
const insideBy = 0.01

// inside reports whether a player is drawn inside the static level.
func (m *measure) inside(e track.Entity) bool {
	if m.e.BodyCapsule == nil || m.e.World == nil {
		return false
	}
	m.pose = e.Sample
	body, solid := m.e.BodyCapsule(&m.pose)
	body.Radius -= insideBy
	return solid && m.e.World.Overlaps(body)
}

// corrected records a correction that the frame has applied.
func (m *measure) corrected(i int, at clock.Micros) {
	p := &m.players[i]
	now := p.client.Stats().Moves
	before := p.moves
	p.moves = now
	if applied(&now) == applied(&before) && now.Teleports == before.Teleports {
		return
	}
	last := p.client.LastCorrection()
	if now.Corrections != before.Corrections && p.corrected != 0 && int32(last.Number-p.corrected) <= 0 {
		p.correctedAgain++
	}
	p.corrected = p.latest
	placed := last.Cause == predict.Teleport
	if !placed {
		p.maxCorrection = max(p.maxCorrection, last.Distance)
		p.events = append(p.events, Event{T: m.since(at), Kind: "corrected", Distance: round(last.Distance)})
	}
	if p.series != nil {
		p.series.Corrections = append(p.series.Corrections,
			CorrectionSample{m.since(at), round(last.Distance), placed})
	}
}

// ticked measures after a tick.
func (m *measure) ticked(now clock.Micros) {
	m.trace(now)
	m.recordPoses()
	m.infos = m.e.Server.Players(m.infos[:0])
	for _, info := range m.infos {
		i := int(info.ID) - 1
		if i >= len(m.players) {
			continue
		}
		p := &m.players[i]
		p.refusals.note(&info.Moves)
		if info.Discrepancy.Episodes > p.episodes && p.detected < 0 {
			p.detected = now - m.zero
		}
	}
	m.cover.recordPoses(now, m.players)
	m.cover.resolve(&m.shots)
	m.bodyHistory.record()
	for i := range m.players {
		m.compare(i, now)
		m.players[i].bodies.compare(&m.bodyHistory)
	}
}

// recordPoses records the poses of all players, deaths and respawns. At time zero itself no life
// begins: all players have just spawned.
func (m *measure) recordPoses() {
	for i := range m.players {
		p := &m.players[i]
		s, ok := m.e.Server.Pose(session.PlayerID(i + 1))
		if !ok {
			continue
		}
		if m.now != m.zero && p.pose.Life != s.Life {
			m.event(i, m.now, "spawned")
		} else if !p.pose.Dead && s.Dead {
			m.event(i, m.now, "died")
		}
		p.pose = s
	}
}

// every is the interval of the points of a trajectory.
const every = 10 * clock.Millisecond

// trace adds the points before now to the trajectories, up to the end of the run: its last tick may be later.
func (m *measure) trace(now clock.Micros) {
	now = min(now, m.zero+m.e.Duration+1)
	for ; m.zero+clock.Micros(m.points)*every < now; m.points++ {
		t := seconds(clock.Micros(m.points) * every)
		for i := range m.players {
			p := &m.players[i]
			p.trajectory = append(p.trajectory, Point{
				t, rounded(p.pose.Position), rounded(p.pose.Velocity), movement.Mode(p.pose.Mode).String()})
		}
	}
}

// truthTimeout is how long a view waits for the true path to be known.
const truthTimeout = clock.Second

// compare compares the views whose true path is known by now. A view of a player whose commands are
// late is compared later, in the order of its frames, since reversals and snaps are between
// successive ones.
func (m *measure) compare(i int, now clock.Micros) {
	p := &m.players[i]
	n := 0
	for ; n < len(p.pending); n++ {
		d := &p.pending[n]
		target := int(d.id) - 1
		if target >= len(m.players) {
			continue
		}
		if now-d.at < truthTimeout && !m.truth.of(d.id).known(d.view+around) {
			break
		}
		m.judge(p, d, target)
	}
	if n > 0 {
		p.pending = p.pending[:copy(p.pending, p.pending[n:])]
	}
}

// judge compares one view of a player with the truth. From one path to another, as at a respawn,
// there are no reversals and snaps.
func (m *measure) judge(p *playerRecord, d *remoteView, target int) {
	path := m.truth.of(d.id)
	true_, ok := path.from(&p.hints[target], d.view, d.platform)
	d.truePosition, d.known = true_.Position, ok
	last := p.last[target]
	p.last[target] = *d
	if ok {
		p.errors = append(p.errors, true_.Position.Dist(d.position))
		if last.id != 0 && d.view > last.view && last.path == d.path {
			p.reversals += count(path.reversed(&last, d, &true_))
			p.snaps += count(snapped(&last, d, &true_))
			p.noteSpeed(&last, d)
		}
	}
	if p.series == nil {
		return
	}
	s := RemoteSample{T: m.since(d.at)}
	if ok {
		e := round(true_.Position.Dist(d.position))
		s.Error = &e
	}
	name := m.name(d.id)
	p.series.Remotes[name] = append(p.series.Remotes[name], s)
}

// name returns the name of a player, empty for an id without a player.
func (m *measure) name(id session.PlayerID) string {
	if id < 1 || int(id) > len(m.e.Players) {
		return ""
	}
	return m.e.Players[id-1].Name
}
