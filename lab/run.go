package lab

import (
	"errors"
	"math"
	"slices"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/lab/scenario"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/mem"
)

// epoch is what a client's clock shows at the beginning, apart from its offset: a
// machine that has run for two days, so that no offset makes it negative.
const epoch = 172_800 * clock.Second

// run is an experiment being played.
type run struct {
	Experiment
	lines    []line
	now      clock.Micros
	zero     clock.Micros // match time of time zero; −1 before
	ticks    int          // since then
	arrivals []mem.Arrival
	told     clock.Micros // when Progress was asked
	measure  *measure
}

// line is one player's clock, network and frames.
type line struct {
	up, down *mem.Link
	rates    []float64
	rate     float64
	offset   clock.Micros
	birth    clock.Micros   // match time at which the clock shows its offset
	phase    clock.Micros   // of frame 0
	origin   clock.Micros   // local time from which frames count
	frame    int64          // number of the next frame
	next     clock.Micros   // true time of it
	local    clock.Micros   // local time of it
	frozen   clock.Micros   // until when; match time
	thawed   clock.Micros   // when it last was; match time
	hidden   clock.Micros   // until when it is in the background; match time
	blinks   clock.Micros   // how often it has a frame then; zero: never
	blink    clock.Micros   // when the next of those is; match time
	times    []clock.Micros // of all frames since origin; nil: by rates
	held     []held         // by its lag switch
}

// held is a packet that waits for its sender to let it go, at a match time if that is set.
type held struct {
	until   clock.Micros
	channel session.Channel
	bytes   []byte
}

func newRun(e Experiment) *run {
	r := &run{Experiment: e, zero: -1, measure: newMeasure(&e)}
	e.Server.Observe(r.measure)
	for i := range e.Players {
		r.lines = append(r.lines, newLine(&e.Players[i], mix(e.Seed, uint64(i)), e.StartTime))
	}
	return r
}

func newLine(p *Player, seed uint64, begin clock.Micros) line {
	l := line{
		up:    mem.NewLink(p.Network, mix(seed, 1)),
		down:  mem.NewLink(p.Network, mix(seed, 2)),
		rates: p.Frames, rate: p.Rate, offset: p.Offset + epoch,
	}
	if len(l.rates) == 0 {
		l.rates = []float64{60}
	}
	if l.rate == 0 {
		l.rate = 1
	}
	frame := clock.Micros(math.Round(1e6 / l.rates[0]))
	l.phase = clock.Micros(mix(seed, 3) % uint64(max(frame, 1)))
	l.birth = begin
	l.begin(begin)
	return l
}

// begin counts frames from a true time on.
func (l *line) begin(at clock.Micros) {
	l.origin, l.frame = l.clock(at), 0
	l.schedule()
}

// schedule says when the next frame is.
func (l *line) schedule() {
	switch {
	case l.times == nil:
		l.local = l.origin + scenario.FrameTime(l.frame, l.rates, l.phase)
	case l.frame < int64(len(l.times)):
		l.local = l.origin + l.times[l.frame]
	default:
		l.local = l.origin + never
	}
	l.next = l.birth + clock.Micros(math.Round(float64(l.local-l.offset)/l.rate))
}

// never is when a player has a frame whose recorded commands are over: after a day.
const never = 2 * clock.Micros(scenario.MaxTime)

// clock is the player's clock at a true time.
func (l *line) clock(at clock.Micros) clock.Micros {
	return l.offset + clock.Micros(math.Round(float64(float64(at-l.birth)*l.rate)))
}

// welcome hands everybody's first words over in order, so that ids follow it.
func (r *run) welcome() {
	for i := range r.Players {
		for _, out := range r.Players[i].Client.Outgoing() {
			must(r.Server.Receive(session.Peer(i+1), out.Channel, r.StartTime, out.Bytes))
		}
	}
}

func (r *run) over() bool { return r.zero >= 0 && r.now-r.zero >= r.Duration }

// step plays the frames up to a tick, and the tick.
func (r *run) step(now clock.Micros) error {
	until := now
	if r.zero >= 0 {
		until = min(now, r.zero+r.Duration)
	}
	r.frames(until)
	r.tick(now)
	if r.zero < 0 {
		return r.await()
	}
	r.ticks++
	r.measure.ticked(now)
	if r.Progress != nil && now-r.told >= clock.Second/4 {
		if r.told = now; !r.Progress(min(now-r.zero, r.Duration)) {
			return ErrStopped
		}
	}
	return nil
}

// spoil lets the faults begin that are due.
func (r *run) spoil(now clock.Micros) {
	for len(r.Faults) > 0 && r.zero >= 0 && r.Faults[0].At+r.zero <= now {
		f := r.Faults[0]
		r.Faults = r.Faults[1:]
		begin := r.zero + f.At
		r.lines[f.Player].spoil(begin, &f)
		r.measure.event(f.Player, begin, [...]string{Partition: "cut", Freeze: "frozen", Background: "hidden"}[f.Kind])
	}
}

// spoil lets a fault begin.
func (l *line) spoil(begin clock.Micros, f *Fault) {
	switch f.Kind {
	case Freeze:
		l.frozen, l.thawed = begin+f.For, begin
	case Background:
		l.hidden, l.blinks = begin+f.For, 0
		if f.Frames > 0 {
			l.blinks = clock.Micros(math.Round(1e6 / f.Frames))
		}
		l.blink = begin + l.blinks
	default:
		l.up.Cut(std(begin + f.For))
		l.down.Cut(std(begin + f.For))
	}
}

// blinded reports whether a frame at a match time is one that the background leaves
// out.
func (l *line) blinded(at clock.Micros) bool {
	if at >= l.hidden {
		return false
	}
	if l.blinks == 0 || at < l.blink {
		return true
	}
	l.blink += l.blinks
	return false
}

// frames plays everybody's frames before a time, in their order.
func (r *run) frames(until clock.Micros) {
	for {
		next, who := until, -1
		for i := range r.lines {
			if at := r.lines[i].next; at < next {
				next, who = at, i
			}
		}
		if who < 0 {
			return
		}
		r.frame(who, next)
	}
}

// frame is one player's frame: what has arrived, then the player's doing. A frozen
// player has none, and finds afterwards what came meanwhile.
func (r *run) frame(i int, at clock.Micros) {
	r.spoil(at)
	l, p := &r.lines[i], &r.Players[i]
	local := l.local
	l.frame++
	l.schedule()
	if at >= l.thawed && at < l.frozen {
		return
	}
	r.arrivals = l.down.Deliver(std(at), r.arrivals[:0])
	for _, a := range r.arrivals {
		came := micros(a.At)
		if came >= l.thawed && came < l.frozen {
			came = l.frozen
		}
		must(p.Client.Receive(a2s(a.Channel), min(l.clock(came), local), a.Bytes))
	}
	if l.blinded(at) {
		return
	}
	t := clock.Micros(-1)
	if r.zero >= 0 {
		t = p.Client.Now(local) - r.zero
	}
	p.Play(local, t)
	r.send(i, at)
	if r.zero >= 0 && p.Client.Phase() == session.Playing {
		r.measure.drew(i, at)
	}
}

// send sends what a player has to say, now or once its lag switch is open again.
func (r *run) send(i int, at clock.Micros) {
	l, p := &r.lines[i], &r.Players[i]
	late := p.Hold > 0 && p.Every == 0
	shut := late || p.Hold > 0 && r.zero >= 0 && at >= r.zero && (at-r.zero)%p.Every < p.Hold
	n := 0
	for ; n < len(l.held) && (!shut || late && l.held[n].until <= at); n++ {
		l.up.Send(std(at), mem.Channel(l.held[n].channel), l.held[n].bytes)
	}
	l.held = l.held[:copy(l.held, l.held[n:])]
	for _, out := range p.Client.Outgoing() {
		if shut {
			l.held = append(l.held, held{at + p.Hold, out.Channel, slices.Clone(out.Bytes)})
		} else {
			l.up.Send(std(at), mem.Channel(out.Channel), out.Bytes)
		}
		if r.zero >= 0 && out.Channel == session.Datagram {
			r.measure.sent(i, at, len(out.Bytes))
		}
	}
}

// tick is the server's turn.
func (r *run) tick(now clock.Micros) {
	r.now, r.measure.now = now, now
	r.spoil(now)
	for i := range r.lines {
		r.arrivals = r.lines[i].up.Deliver(std(now), r.arrivals[:0])
		for _, a := range r.arrivals {
			// What a cheat sends may be refused; that is the server's affair.
			_ = r.Server.Receive(session.Peer(i+1), a2s(a.Channel), micros(a.At), a.Bytes)
		}
	}
	for len(r.ServerActions) > 0 && r.zero >= 0 && r.ServerActions[0].At+r.zero <= now {
		o := r.ServerActions[0]
		r.ServerActions = r.ServerActions[1:]
		o.Do()
		r.measure.event(o.Player, now, o.Kind)
	}
	r.Server.Tick(now)
	for _, out := range r.Server.Outgoing() {
		i := int(out.Peer) - 1
		r.lines[i].down.Send(std(now), mem.Channel(out.Channel), out.Bytes)
		if r.zero >= 0 && out.Channel == session.Datagram {
			r.measure.received(i, now, len(out.Bytes))
		}
	}
}

// await makes this tick time zero once everybody plays.
func (r *run) await() error {
	if r.now < r.Zero {
		return nil
	}
	for i := range r.Players {
		if r.Players[i].Client.Phase() == session.Playing {
			continue
		}
		if r.now-r.StartTime > joinBy || r.Zero > 0 {
			return errors.New("lab: " + r.Players[i].Name + " was not ready within 20 s: does the network let nothing through?")
		}
		return nil
	}
	r.zero, r.told = r.now, r.now
	for i := range r.lines {
		r.lines[i].times = r.Players[i].Times
		r.lines[i].begin(r.zero)
	}
	r.measure.begin(r.zero)
	return nil
}

func a2s(c mem.Channel) session.Channel { return session.Channel(c) }

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
