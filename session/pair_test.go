package session_test

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// glide is the cheapest game there is, so that hours of it are played in seconds: a
// point that goes one of eight ways at 6 m/s. Its server's value adds up the time that
// was simulated of its first player.
type glide struct {
	ran   clock.Micros
	state *geom.Vec3 // the player's; what it draws meanwhile is another, which gains it nothing
}

var glideWays = [8]geom.Vec3{
	{X: 6}, {X: 4.25, Z: 4.25}, {Z: 6}, {X: -4.25, Z: 4.25}, {X: -6}, {X: -4.25, Z: -4.25}, {Z: -6}, {X: 4.25, Z: -4.25},
}

func (g *glide) Step(_ *collide.WorldAt, s *geom.Vec3, way *uint8, d clock.Micros) {
	if g.state == nil {
		g.state = s
	}
	if s == g.state {
		g.ran += d
	}
	*s = s.MulAdd(glideWays[*way&7], d.Seconds())
}

func (g *glide) PackCommand(p *bits.Packer, way, _ *uint8) {
	n := uint64(*way)
	p.Uint(&n, 3)
	*way = uint8(n)
}

func (g *glide) PackState(p *bits.Packer, s *geom.Vec3) { p.Vec64(s) }
func (g *glide) Position(s *geom.Vec3) geom.Vec3        { return *s }
func (g *glide) Digest(*geom.Vec3) uint16               { return 0 }
func (g *glide) Pose(s *geom.Vec3) track.Sample         { return track.Sample{Pose: track.Pose{Position: *s}} }
func (g *glide) Eye(s *geom.Vec3) geom.Vec3             { return *s }

// combining is glide whose client makes one command of two alike.
type combining struct{ glide }

func (g *combining) Combine(_ *collide.WorldAt, _, _ *geom.Vec3, first, second *uint8, _ clock.Micros) bool {
	return *first == *second
}

type (
	glideServer = session.Server[geom.Vec3, uint8]
	glideClient = session.Client[geom.Vec3, uint8]
)

// pair is one player and its server, both whole and real, in virtual time over a bad
// line. True time is match time.
type pair struct {
	rnd    *rand.Rand
	world  *collide.World
	server *glideServer
	judge  *glide // the server's game
	rate   int    // ticks a second
	tick   int64  // the next one
	stall  clock.Micros

	client  *glideClient
	config  session.ClientConfig
	combine bool
	key     session.Key
	peer    session.Peer
	clock   wall
	shift   func(now clock.Micros) clock.Micros // of what Frame is told; nil is honest
	lazy    bool                                // packets are stamped when the next frame sees them
	frames  frames
	way     uint8

	up, down testLink
	kicked   int
	refused  string                 // why the server let the client go
	notices  []string               // of its clock
	count    int                    // frames
	noticed  clock.Micros           // when a discrepancy was detected first
	ticked   func(now clock.Micros) // after each tick, if not nil
}

// wall is a client's own clock.
type wall struct {
	at, shown clock.Micros // what it showed when it was set last
	ppm       clock.Micros // by how much it is too fast since then
	grain     clock.Micros // its resolution
}

func (w *wall) read(now clock.Micros) clock.Micros {
	d := max(now-w.at, 0)
	t := w.shown + d + d/1e6*w.ppm + d%1e6*w.ppm/1e6
	return t - t%w.grain
}

// set lets it run at another rate from now on, and skip.
func (w *wall) set(now, ppm, skip clock.Micros) {
	w.shown, w.at, w.ppm = w.read(now)+skip, now, ppm
}

// frames says when a client draws.
type frames struct {
	next   clock.Micros
	fps    float64
	uneven float64 // 0 … 1: share of a frame by which it comes earlier or later
	hitch  float64 // share of frames that last up to 300 ms more
	from   clock.Micros
	n      int64
	slow   clock.Micros // until when there is but one frame a second
}

// pass finds the next frame's time.
func (f *frames) pass(r *rand.Rand) {
	now := f.next
	if now < f.slow {
		f.next, f.from, f.n = now+clock.Second, now+clock.Second, 0
		return
	}
	f.n++
	next := f.from + clock.Micros(float64(f.n)*1e6/f.fps)
	if f.uneven > 0 {
		next += clock.Micros((r.Float64() - 0.5) * f.uneven * 1e6 / f.fps)
	}
	if f.hitch > 0 && r.Float64() < f.hitch {
		next += clock.Micros(r.IntN(300_000))
		f.from, f.n = next, 0
	}
	f.next = max(next, now+1)
}

// sleep has no frame before until.
func (f *frames) sleep(until clock.Micros) {
	f.next = max(f.next, until)
	f.from, f.n = f.next, 0
}

// link is one way of the link.
type testLink struct {
	delay, jitter clock.Micros
	spiky         bool    // jitter is mostly small
	ordered       bool    // nothing overtakes
	loss, run     float64 // share lost, and how many in a row
	losing        bool
	cut, hold     clock.Micros                        // lost, or held, until then
	queues        func(now clock.Micros) clock.Micros // more delay, if not nil
	lockstep      clock.Micros                        // a switch: let go at every multiple of it, until off
	off           clock.Micros

	newest, said clock.Micros // due times of the newest packet, and of the stream
	queue        []packet     // by due time, from head on
	head         int
	spare        [][]byte
}

type packet struct {
	due   clock.Micros
	ch    session.Channel
	bytes []byte
}

// loses draws whether the next datagram is lost: runs of run packets on average.
func (l *testLink) loses(now clock.Micros, r *rand.Rand) bool {
	if now < l.cut {
		return true
	}
	if l.loss == 0 {
		return false
	}
	if l.losing {
		l.losing = r.Float64() >= 1/l.run
	} else {
		l.losing = r.Float64() < l.loss/((1-l.loss)*l.run)
	}
	return l.losing
}

func (l *testLink) send(now clock.Micros, r *rand.Rand, p session.Packet) {
	if p.Channel == session.Datagram && l.loses(now, r) {
		return
	}
	from := now
	if l.lockstep > 0 && now < l.off {
		from = (now/l.lockstep + 1) * l.lockstep
	}
	if l.queues != nil {
		from += l.queues(now)
	}
	due := max(from+l.delay, l.hold)
	if l.jitter > 0 {
		u := r.Float64()
		if l.spiky {
			u = u * u * u
		}
		due = max(due, now+l.delay+clock.Micros(u*float64(l.jitter)))
	}
	if p.Channel == session.Stream {
		due = max(due, l.said, l.cut)
		l.said = due
	} else if l.ordered {
		due = max(due, l.newest)
	}
	l.newest = max(l.newest, due)
	l.put(due, p)
}

// put keeps a packet in the order of due times.
func (l *testLink) put(due clock.Micros, p session.Packet) {
	var b []byte
	if n := len(l.spare); n > 0 {
		b, l.spare = l.spare[n-1], l.spare[:n-1]
	}
	if l.head > 64 && l.head*2 > len(l.queue) {
		l.queue = l.queue[:copy(l.queue, l.queue[l.head:])]
		l.head = 0
	}
	l.queue = append(l.queue, packet{due, p.Channel, append(b[:0], p.Bytes...)})
	for i := len(l.queue) - 1; i > l.head && l.queue[i-1].due > due; i-- {
		l.queue[i], l.queue[i-1] = l.queue[i-1], l.queue[i]
	}
}

// next returns what is due by now, or nil; it is the caller's until the next call.
func (l *testLink) next(now clock.Micros) *packet {
	if l.head == len(l.queue) || l.queue[l.head].due > now {
		return nil
	}
	m := &l.queue[l.head]
	l.spare = append(l.spare, m.bytes)
	l.head++
	return m
}

func (l *testLink) clear() {
	for ; l.head < len(l.queue); l.head++ {
		l.spare = append(l.spare, l.queue[l.head].bytes)
	}
}

// newPair is a pair that begins at a match time of a match that has run for a while.
func newPair(t testing.TB, seed uint64, rate int, world *collide.World) *pair {
	p := &pair{rnd: rand.New(rand.NewPCG(seed, 5)), world: world, rate: rate, judge: &glide{}}
	n := byte(0)
	p.server = session.NewServer(gameOf[geom.Vec3, uint8](p.judge), session.ServerConfig{
		World: world, LevelHash: "plane", TickRate: rate, Players: 8, // some for connections lost before they were welcomed
		NewKey: func() session.Key { n++; return session.Key{1: n, 2: byte(seed), 15: 1} },
	})
	p.tick = int64(rate) * (1 + p.rnd.Int64N(3600))
	p.clock = wall{at: p.now(), shown: clock.Micros(p.rnd.Int64N(int64(1e12))), grain: 1}
	p.frames = frames{next: p.now() + clock.Micros(p.rnd.IntN(20000)), fps: 60}
	p.frames.from = p.frames.next
	return p
}

// now is when the next tick is.
func (p *pair) now() clock.Micros { return clock.TickTime(p.tick, p.rate) }

// connect says hello on a new link, with the key of an earlier one.
func (p *pair) connect() {
	if p.client != nil {
		if k := p.client.Key(); k != (session.Key{}) {
			p.key = k
		}
		p.server.Disconnect(p.peer)
	}
	p.up.clear()
	p.down.clear()
	p.peer++
	var game methods[geom.Vec3, uint8] = &glide{}
	if p.combine {
		game = &combining{}
	}
	p.client = session.NewClient(gameOf[geom.Vec3, uint8](game), p.config)
	p.client.Hello("hours", p.key)
}

// run plays until a match time.
func (p *pair) run(until clock.Micros) {
	for {
		tick := max(p.now(), p.stall)
		switch {
		case min(p.frames.next, tick) > until:
			return
		case p.frames.next <= tick:
			p.frame(p.frames.next)
			p.frames.pass(p.rnd)
		default:
			p.serve(tick)
			for p.now() <= tick {
				p.tick++
			}
		}
	}
}

// frame is one of the client's.
func (p *pair) frame(now clock.Micros) {
	p.count++
	local := p.clock.read(now)
	for m := p.down.next(now); m != nil; m = p.down.next(now) {
		at := local
		if !p.lazy {
			at = p.clock.read(m.due)
		}
		if err := p.client.Receive(m.ch, at, m.bytes); err != nil {
			panic(err)
		}
		p.takeEvents()
	}
	if p.count%32 == 0 {
		p.turn()
	}
	if p.shift != nil {
		local += p.shift(now)
	}
	p.client.Frame(local, &p.way)
	p.takeEvents()
	for _, out := range p.client.Outgoing() {
		p.up.send(now, p.rnd, out)
	}
}

// turn goes another way, and back where it went too far.
func (p *pair) turn() {
	p.way = uint8(p.rnd.IntN(8))
	if s := p.client.Self(); s != nil && s.Len() > 200 {
		for w := range glideWays {
			if glideWays[w].Dot(*s) < glideWays[p.way].Dot(*s) {
				p.way = uint8(w)
			}
		}
	}
}

// takeEvents takes the client's events.
func (p *pair) takeEvents() {
	for _, e := range p.client.Events() {
		switch e.Kind {
		case session.Welcomed:
			p.client.EnterWorld(p.world)
		case session.Refused:
			p.refused = e.Text
		case session.ClockDrift:
			p.notices = append(p.notices, e.Text)
		}
	}
}

// serve is one tick of the server.
func (p *pair) serve(now clock.Micros) {
	for m := p.up.next(now); m != nil; m = p.up.next(now) {
		if err := p.server.Receive(p.peer, m.ch, m.due, m.bytes); err != nil && p.refused == "" {
			p.refused = err.Error()
		}
	}
	p.server.Tick(now)
	for _, e := range p.server.Events() {
		switch {
		case e.Kind == session.Joined && !e.Reconnected:
			p.server.SetState(e.Player, geom.Vec3{})
		case e.Kind == session.Kick && e.Peer == p.peer:
			p.kicked++
			p.refused = e.Text
		case e.Kind == session.TimeDiscrepancy && p.noticed == 0:
			p.noticed = now
		}
	}
	if p.ticked != nil {
		p.ticked(now)
	}
	p.server.Send()
	for _, out := range p.server.Outgoing() {
		if out.Peer == p.peer {
			p.down.send(now, p.rnd, out)
		}
	}
}

// singleThreaded skips a test that plays long matches in one goroutine under -short, which
// the race detector uses: nothing in it can race, and it would take minutes.
func singleThreaded(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("long, in one goroutine; go test without -short runs it")
	}
}
