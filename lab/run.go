package lab

import (
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
	"github.com/backstep-net/backstep/transport/mem"
)

// Server is the match under test.
type Server interface {
	Receive(from session.Peer, ch session.Channel, at clock.Micros, b []byte) error
	Tick(now clock.Micros)
	Outgoing() []session.Packet
}

// Client is what the lab needs of one player's end.
type Client interface {
	Receive(ch session.Channel, local clock.Micros, b []byte) error
	Outgoing() []session.Packet
	Phase() session.Phase
	ID() session.PlayerID
	Remotes() []track.Entity
	View() track.View
	Stats() session.Stats
}

// Player is one participant.
type Player struct {
	Client Client
	// Play is one frame of the player's: t is match time since time zero by the
	// client's own estimate, below 0 before everybody is ready.
	Play func(local, t clock.Micros)
	// Frame is in frames a second. Its phase is drawn from the seed.
	Frame int
	// Network is the player's line.
	Network mem.Network
	// Drift is how much faster than true this client's clock runs: 500e-6 is
	// 500 ppm.
	Drift float64
	// Offset is what the client's clock shows at the beginning.
	Offset clock.Micros
}

// Experiment is what to play.
type Experiment struct {
	Server   Server
	Players  []Player
	TickRate int
	// Begin is the match time at which the experiment begins, for clocks that have
	// run for long (GAP-07); zero is a new match.
	Begin    clock.Micros
	Duration clock.Micros // from time zero
	Seed     uint64
	// Truth is what the server's Watch was given; nil measures no errors.
	Truth *Truth
}

// joinBy is how long everybody may take to be ready.
const joinBy = 20 * clock.Second

// Run plays the experiment and returns what was measured from time zero on: the
// first tick at which everybody plays. It panics where somebody is not ready
// within 20 s.
func Run(e Experiment) *rough {
	r := &run{Experiment: e, zero: -1, result: newRough(len(e.Players))}
	for i := range e.Players {
		r.lines = append(r.lines, r.line(i))
	}
	for tick := int64(1); !r.over(); tick++ {
		now := clock.TickTime(tick, e.TickRate)
		r.frames(now)
		r.tick(now)
	}
	r.result.judge(e.Truth)
	return r.result
}

// run is an experiment being played.
type run struct {
	Experiment
	lines    []line
	now      clock.Micros
	zero     clock.Micros // match time of time zero; −1 before
	arrivals []mem.Arrival
	result   *rough
}

// line is one player's network and frames.
type line struct {
	up, down *mem.Link
	frame    int64        // number of the next frame
	phase    clock.Micros // of frame 0
}

func (r *run) line(i int) line {
	p := &r.Players[i]
	seed := mix(r.Seed, uint64(i))
	return line{
		up:    mem.NewLink(p.Network, mix(seed, 1)),
		down:  mem.NewLink(p.Network, mix(seed, 2)),
		phase: clock.Micros(mix(seed, 3) % uint64(int64(clock.Second)/int64(p.Frame))),
	}
}

func (r *run) over() bool {
	if r.zero < 0 && r.now > joinBy {
		panic("lab: not everybody was ready in time")
	}
	return r.zero >= 0 && r.now-r.zero >= r.Duration
}

// at is the true time of a player's next frame.
func (r *run) at(i int) clock.Micros {
	l, p := &r.lines[i], &r.Players[i]
	local := clock.TickTime(l.frame, p.Frame) + l.phase
	return clock.Micros(float64(local) / (1 + p.Drift))
}

// local is a player's clock at a true time.
func (r *run) local(i int, at clock.Micros) clock.Micros {
	p := &r.Players[i]
	return p.Offset + at + clock.Micros(float64(at)*p.Drift) + 1
}

// frames plays everybody's frames before the tick at until, in order of time.
func (r *run) frames(until clock.Micros) {
	for {
		next, who := until, -1
		for i := range r.Players {
			if at := r.at(i); at < next {
				next, who = at, i
			}
		}
		if who < 0 {
			return
		}
		r.frame(who, next)
	}
}

// frame is one player's frame: what has arrived, then the player's doing.
func (r *run) frame(i int, at clock.Micros) {
	l, p := &r.lines[i], &r.Players[i]
	l.frame++
	r.arrivals = l.down.Deliver(std(at), r.arrivals[:0])
	for _, a := range r.arrivals {
		must(p.Client.Receive(session.Channel(a.Channel), r.local(i, micros(a.At)), a.Bytes))
	}
	local := r.local(i, at)
	p.Play(local, r.since(i, local))
	for _, out := range p.Client.Outgoing() {
		l.up.Send(std(at), mem.Channel(out.Channel), out.Bytes)
	}
	if r.zero >= 0 {
		r.result.see(i, p.Client, at)
	}
}

// since is the time since time zero as the client estimates it, −1 before.
func (r *run) since(i int, local clock.Micros) clock.Micros {
	c, ok := r.Players[i].Client.(interface {
		Now(clock.Micros) clock.Micros
	})
	if r.zero < 0 || !ok {
		return -1
	}
	return max(c.Now(local)-r.zero, 0)
}

// tick is the server's turn.
func (r *run) tick(now clock.Micros) {
	r.now = now
	for i := range r.lines {
		r.arrivals = r.lines[i].up.Deliver(std(now), r.arrivals[:0])
		for _, a := range r.arrivals {
			must(r.Server.Receive(session.Peer(i+1), session.Channel(a.Channel), micros(a.At), a.Bytes))
		}
	}
	r.Server.Tick(now)
	for _, out := range r.Server.Outgoing() {
		r.lines[out.Peer-1].down.Send(std(now), mem.Channel(out.Channel), out.Bytes)
	}
	if r.zero < 0 && r.ready() {
		r.zero = now
		for i := range r.Players {
			r.result.begin(i, r.Players[i].Client)
		}
	}
}

func (r *run) ready() bool {
	for i := range r.Players {
		if r.Players[i].Client.Phase() != session.Playing {
			return false
		}
	}
	return true
}

func std(m clock.Micros) time.Duration { return time.Duration(m) * time.Microsecond }

func micros(d time.Duration) clock.Micros { return clock.Micros(d / time.Microsecond) }

// must stops at a packet that our own other end cannot read: that is a fault of
// the code, not of the network.
func must(err error) {
	if err != nil {
		panic("lab: a packet between our own ends made no sense: " + err.Error())
	}
}

// mix draws a new seed from two (splitmix64).
func mix(a, b uint64) uint64 {
	z := a + (b+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
