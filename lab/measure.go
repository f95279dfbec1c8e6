package lab

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// measure notes what a run shows. It watches the server, and looks at each client
// after each of its frames.
type measure struct {
	e      *Experiment
	now    clock.Micros // of the tick
	zero   clock.Micros // −1 before
	teller MoveEventSource       // nil where the server tells nothing
	people []person
	truth  *Truth
	shots  shots
	cover  *cover
	stand  bodyStand
	infos  []session.PlayerInfo // scratch
	pose   track.Sample         // likewise
	points int                  // of each trajectory
}

// person is what is noted of one player.
type person struct {
	client Client
	ran    []ran
	done   *[]ran // where recorded commands led; nil: none were
	newest uint32 // command that the server has run or passed over

	stats     session.Stats             // at time zero
	authority predict.AuthorityCounters // likewise
	moves     predict.OwnerCounters     // as last seen
	rejected  int
	gain      gain
	detected  clock.Micros // since time zero; −1: not
	episodes  int          // of a wrong clock that were over by time zero

	pose       track.Sample // as it stands on the server
	trajectory []Point
	events     []Event
	frames     []frame
	delays     []float64
	pending    []drawn // not compared yet
	last       []drawn // of each player, by index; id 0: none yet
	hints      []int   // where in their paths those are
	errors     []float64
	speeds     []float64 // by how much they were wrong
	moving     int       // pictures of somebody moving
	starved    int       // of those, past the last sample
	reversals  int
	snaps      int
	inside     int
	worst      float64 // correction
	again      int     // corrections of moves made before one was applied
	corrected  uint32  // newest move made when the last correction was applied
	latest     uint32  // newest move at the frame before
	up, down   int     // bytes
	packets    int     // datagrams up
	bodies     bodies
	series     *PlayerSeries
}

// ran is where a command led on the server.
type ran struct {
	number   uint32
	position geom.Vec3
}

// frame is what a client drew of its own player.
type frame struct {
	at     clock.Micros // match time
	number uint32       // newest command
	drawn  geom.Vec3
}

// drawn is another player in one picture.
type drawn struct {
	at, view clock.Micros // match time of the picture, and the one that it shows
	platform clock.Micros // the one at which it shows moving bodies
	id       session.PlayerID
	position geom.Vec3
	path     [2]uint8 // its life and its count of teleports
	starved  bool     // it was drawn past its last sample
	true_    geom.Vec3
	known    bool // true_ is where it was
}

func newMeasure(e *Experiment) *measure {
	m := &measure{e: e, zero: -1, truth: e.Truth, people: make([]person, len(e.Players))}
	if m.truth == nil {
		m.truth = &Truth{}
	}
	m.truth.World = e.World
	m.stand.server, _ = e.Server.(BodySource)
	m.teller, _ = e.Server.(MoveEventSource)
	m.cover, m.shots.model = newCover(e), newModeller(e.Hitboxes)
	m.shots.claimed = map[shotKey]int{}
	for i := range m.people {
		p := &m.people[i]
		p.client, p.detected, p.done = e.Players[i].Client, -1, e.Players[i].done
		p.last, p.hints = make([]drawn, len(e.Players)), make([]int, len(e.Players))
		p.events = []Event{}
		if e.Series {
			p.series = newPlayerSeries()
		}
	}
	return m
}

// begin is time zero.
func (m *measure) begin(zero clock.Micros) {
	m.zero = zero
	m.look()
	m.stand.look()
	for i := range m.people {
		p := &m.people[i]
		p.stats = p.client.Stats()
		p.moves = p.stats.Moves
		p.gain.first, p.gain.zero = p.client.Newest()+1, zero
		p.latest = p.client.Newest()
		p.bodies.begin(p.client, &m.stand)
	}
	m.infos = m.e.Server.Players(m.infos[:0])
	for _, info := range m.infos {
		if i := int(info.ID) - 1; i < len(m.people) {
			m.people[i].authority = info.Moves
			m.people[i].episodes = info.Discrepancy.Episodes - count(info.Discrepancy.Resolving)
		}
	}
}

// ObserveMove notes where a command led, and what happened on the way.
func (m *measure) ObserveMove(v *session.MoveStep) {
	i := int(v.Player) - 1
	if i >= len(m.people) {
		return
	}
	p := &m.people[i]
	if m.zero >= 0 && m.teller != nil {
		for _, e := range m.teller.Events() {
			p.events = append(p.events, m.told(e))
		}
	}
	p.gain.add(v.Number, v.Duration, m.now)
	if v.GapFill { // time without a command has a pose of its own only where others see one
		if v.Pose.At > m.truth.newest(v.Player) {
			m.truth.Trace(v.Player, v.Pose)
		}
		return
	}
	m.truth.Trace(v.Player, v.Pose)
	p.ran = append(p.ran, ran{v.Number, v.Position})
	p.newest = v.Number
}

// told is what a move reports.
func (m *measure) told(e movement.Event) Event {
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

// since is the time since time zero, in seconds.
func (m *measure) since(at clock.Micros) float64 { return seconds(at - m.zero) }

// event notes something that happened to a player; no kind is nothing.
func (m *measure) event(i int, at clock.Micros, kind string) {
	if kind != "" {
		p := &m.people[i]
		p.events = append(p.events, Event{T: m.since(at), Kind: kind})
	}
}

// sent and received note a datagram of a client's, and one for it.
func (m *measure) sent(i int, at clock.Micros, bytes int) {
	p := &m.people[i]
	p.up += bytes
	p.packets++
	if p.series != nil {
		p.series.Up = append(p.series.Up, PacketSample{m.since(at), bytes})
	}
}

func (m *measure) received(i int, at clock.Micros, bytes int) {
	p := &m.people[i]
	p.down += bytes
	if p.series != nil {
		p.series.Down = append(p.series.Down, PacketSample{m.since(at), bytes})
	}
}

// drew notes what a client shows after a frame at a match time.
func (m *measure) drew(i int, at clock.Micros) {
	p := &m.people[i]
	c := p.client
	p.frames = append(p.frames, frame{at, c.Newest(), c.Position().Add(c.Offset())})
	view := c.View()
	p.delays = append(p.delays, (at - view.At).Seconds())
	for _, e := range c.Remotes() {
		p.pending = append(p.pending, drawn{at: at, view: view.At, platform: view.Platform, id: e.ID,
			position: e.Position, path: [2]uint8{e.Life, e.Teleport}, starved: c.SampleSource(e.ID) >= track.Extrapolated})
		p.inside += count(m.inside(e))
	}
	p.bodies.drew(at)
	claims := c.FiredShots()
	for k := range claims {
		m.claimed(i, at, &claims[k])
	}
	m.flown(i)
	m.corrected(i, at)
	p.latest = c.Newest()
}

// insideBy is by how much a body must be inside the level to count, in metres: half of the
// height at which a walker hovers over the floor.
const insideBy = 0.01

// inside reports whether somebody is drawn inside the level: what does not move of it.
func (m *measure) inside(e track.Entity) bool {
	if m.e.BodyShape == nil || m.e.World == nil {
		return false
	}
	m.pose = e.Sample
	body, solid := m.e.BodyShape.SetBodyShape(&m.pose)
	body.Radius -= insideBy
	return solid && m.e.World.Overlaps(body)
}

// corrected notes a correction that the frame has applied.
func (m *measure) corrected(i int, at clock.Micros) {
	p := &m.people[i]
	now := p.client.Stats().Moves
	before := p.moves
	p.moves = now
	if applied(&now) == applied(&before) && now.Teleports == before.Teleports {
		return
	}
	last := p.client.LastCorrection()
	if now.Corrections != before.Corrections && p.corrected != 0 && int32(last.Number-p.corrected) <= 0 {
		p.again++
	}
	p.corrected = p.latest
	placed := last.Cause == predict.Teleport
	if !placed {
		p.worst = max(p.worst, last.Distance)
		p.events = append(p.events, Event{T: m.since(at), Kind: "corrected", Distance: round(last.Distance)})
	}
	if p.series != nil {
		p.series.Corrections = append(p.series.Corrections,
			CorrectionSample{m.since(at), round(last.Distance), last.Digest, placed})
	}
}

// ticked notes how everybody stands after a tick.
func (m *measure) ticked(now clock.Micros) {
	m.trace(now)
	m.look()
	m.infos = m.e.Server.Players(m.infos[:0])
	for _, info := range m.infos {
		i := int(info.ID) - 1
		if i >= len(m.people) {
			continue
		}
		p := &m.people[i]
		p.rejected = info.Moves.Refused - p.authority.Refused + info.Moves.Stale - p.authority.Stale
		if info.Discrepancy.Episodes > p.episodes && p.detected < 0 {
			p.detected = now - m.zero
		}
	}
	m.cover.stand(now, m.people)
	m.cover.settle(&m.shots)
	m.stand.look()
	for i := range m.people {
		m.compare(i, now)
		m.people[i].bodies.compare(&m.stand)
	}
}

// look notes everybody's pose, and who died or came back.
func (m *measure) look() {
	for i := range m.people {
		p := &m.people[i]
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

// every is how often a trajectory has a point.
const every = 10 * clock.Millisecond

// trace notes where everybody stood at each point in time before now.
func (m *measure) trace(now clock.Micros) {
	for ; m.zero+clock.Micros(m.points)*every < now; m.points++ {
		t := seconds(clock.Micros(m.points) * every)
		for i := range m.people {
			p := &m.people[i]
			p.trajectory = append(p.trajectory, Point{
				t, rounded(p.pose.Position), rounded(p.pose.Velocity), movement.Mode(p.pose.Mode).String()})
		}
	}
}

// patience is how long a picture waits for the server to know more.
const patience = clock.Second

// compare compares with the truth what is known enough by now.
func (m *measure) compare(i int, now clock.Micros) {
	p := &m.people[i]
	n := 0
	for ; n < len(p.pending); n++ {
		d := &p.pending[n]
		target := int(d.id) - 1
		if target >= len(m.people) {
			continue
		}
		if now-d.at < patience && !m.truth.of(d.id).known(d.view+around) {
			break
		}
		m.judge(p, d, target)
	}
	if n > 0 {
		p.pending = p.pending[:copy(p.pending, p.pending[n:])]
	}
}

// judge compares one picture of a player with the truth. From one path to another,
// as at a respawn, nobody goes backwards or jumps.
func (m *measure) judge(p *person, d *drawn, target int) {
	path := m.truth.of(d.id)
	true_, ok := path.from(&p.hints[target], d.view, d.platform)
	d.true_, d.known = true_.Position, ok
	last := p.last[target]
	p.last[target] = *d
	var back, jump bool
	if ok {
		p.errors = append(p.errors, true_.Position.Dist(d.position))
		if last.id != 0 && d.view > last.view && last.path == d.path {
			back = path.reversed(&last, d, &true_)
			jump = snapped(&last, d, &true_)
			p.hurry(&last, d)
		}
	}
	if back {
		p.reversals++
	}
	if jump {
		p.snaps++
	}
	if p.series == nil {
		return
	}
	s := RemoteSample{T: m.since(d.at), View: m.since(d.view), Drawn: rounded(d.position), Reversal: back, Snap: jump}
	if ok {
		at := rounded(true_.Position)
		s.True, s.Error = &at, round(true_.Position.Dist(d.position))
	}
	name := m.name(d.id)
	p.series.Remotes[name] = append(p.series.Remotes[name], s)
}

// name is how the result calls a player, "" for nobody.
func (m *measure) name(id session.PlayerID) string {
	if id < 1 || int(id) > len(m.e.Players) {
		return ""
	}
	return m.e.Players[id-1].Name
}
