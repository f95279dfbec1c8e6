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

// clientEpoch is the time on a client's clock at the beginning, without its offset: a machine that
// has run for two days, so that no offset makes it negative.
const clientEpoch = 172_800 * clock.Second

// run is an experiment being played.
type run struct {
	Experiment
	machines   []machine
	now        clock.Micros
	zero       clock.Micros // match time of time zero; −1 before
	ticks      int          // since then
	overloaded clock.Micros // match time until which the server skips ticks
	arrivals   []mem.Arrival
	progressAt clock.Micros // when Progress was called
	broken     error        // what ends the run
	measure    *measure
}

// machine is one player's clock, network and frames.
type machine struct {
	up, down            *mem.Link
	rates               []float64
	rate                float64
	offset              clock.Micros
	birth               clock.Micros    // match time at which the clock shows its offset
	phase               clock.Micros    // of frame 0
	origin              clock.Micros    // local time from which frames count
	frame               int64           // number of the next frame
	next                clock.Micros    // true time of it
	local               clock.Micros    // local time of it
	frozenUntil         clock.Micros    // match time
	frozenFrom          clock.Micros    // match time
	backgroundUntil     clock.Micros    // match time
	backgroundInterval  clock.Micros    // between frames in the background; zero: no frames
	nextBackgroundFrame clock.Micros    // match time
	times               []clock.Micros  // of all frames since origin; nil: by rates
	held                []heldPacket    // packets held by its lag switch
	networkUntil        [2]clock.Micros // match time until which up and down have another network; 0: their own, below: for good
	connection
}

// heldPacket is a packet that its sender holds back, until a match time if that is set.
type heldPacket struct {
	until   clock.Micros
	channel session.Channel
	bytes   []byte
}

func newRun(e Experiment) *run {
	r := &run{Experiment: e, zero: -1, measure: newMeasure(&e)}
	e.Server.Observe(r.measure)
	for i := range e.Players {
		r.machines = append(r.machines, newMachine(&e.Players[i], mix(e.Seed, uint64(i)), e.StartTime))
	}
	return r
}

func newMachine(p *Player, seed uint64, begin clock.Micros) machine {
	l := machine{
		up:    mem.NewLink(p.Network, mix(seed, 1)),
		down:  mem.NewLink(p.Network, mix(seed, 2)),
		rates: p.Frames, rate: p.Rate, offset: p.Offset + clientEpoch,
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

// begin counts frames from a true time.
func (l *machine) begin(at clock.Micros) {
	l.origin, l.frame = l.clock(at), 0
	l.schedule()
}

// schedule computes the time of the next frame.
func (l *machine) schedule() {
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

// never is the time of the next frame after the last recorded command: after any run.
const never = 2 * clock.Micros(scenario.MaxTime)

// clock returns the time on the player's clock at a true time.
func (l *machine) clock(at clock.Micros) clock.Micros {
	return l.offset + clock.Micros(math.Round(float64(float64(at-l.birth)*l.rate)))
}

// deliverHellos delivers the first packets in the order of the players, so that ids follow it.
func (r *run) deliverHellos() {
	for i := range r.Players {
		for _, out := range r.Players[i].Client.Outgoing() {
			must(r.Server.Receive(session.Peer(i+1), out.Channel, r.StartTime, out.Bytes))
		}
	}
}

func (r *run) over() bool { return r.zero >= 0 && r.now-r.zero >= r.Duration }

// step plays the frames before a tick, and the tick. Frames of a time after the end of the run are
// not played, so a figure per frame does not depend on the tick rate.
func (r *run) step(now clock.Micros) error {
	until := now
	if r.zero >= 0 {
		until = min(now, r.zero+r.Duration)
	}
	r.frames(until)
	r.tick(now)
	if r.zero < 0 {
		return r.checkReady()
	}
	r.ticks++
	r.measure.ticked(now)
	if err := errors.Join(r.broken, r.check(now)); err != nil {
		return err
	}
	if r.Progress != nil && now-r.progressAt >= clock.Second/4 {
		if r.progressAt = now; !r.Progress(min(now-r.zero, r.Duration)) {
			return ErrStopped
		}
	}
	return nil
}

// startFaults starts the faults that are due.
func (r *run) startFaults(now clock.Micros) {
	for len(r.Faults) > 0 && r.zero >= 0 && r.Faults[0].At+r.zero <= now {
		f := r.Faults[0]
		r.Faults = r.Faults[1:]
		begin := r.zero + f.At
		switch f.Kind {
		case "restart":
			r.restart(begin, &f)
			continue
		case "next_level":
			r.nextLevel(begin, &f)
			continue
		case "overload":
			r.overloaded = begin + f.For
			continue
		}
		player := slices.IndexFunc(r.Players, func(p Player) bool { return p.Name == f.Player })
		if f.Hostile() {
			r.machines[player].attack(mix(r.Seed, uint64(player)), begin, &f)
		}
		r.measure.event(player, begin, r.machines[player].startFault(begin, &f))
	}
}

// startFault starts a fault and returns the kind of its event.
func (l *machine) startFault(begin clock.Micros, f *scenario.Fault) string {
	switch f.Kind {
	case "freeze":
		l.frozenUntil, l.frozenFrom = begin+f.For, begin
		return "frozen"
	case "background":
		l.backgroundUntil, l.backgroundInterval = begin+f.For, 0
		if f.Frame > 0 {
			l.backgroundInterval = clock.Micros(math.Round(1e6 / f.Frame))
		}
		l.nextBackgroundFrame = begin + l.backgroundInterval
		return "hidden"
	case "clock_step":
		l.stepClock(f.By)
		return "clock_step"
	case "network":
		l.changeNetwork(begin, f)
		return "network"
	case "reconnect":
		l.lose(begin, begin+f.For)
		return "disconnected"
	}
	if f.Hostile() {
		return f.Kind
	}
	l.up.Cut(std(begin + f.For))
	l.down.Cut(std(begin + f.For))
	return "cut"
}

// skipsFrame reports whether the frame at a match time is left out in the background. A browser
// limits a hidden page to so many frames of its own choice, which need not be whole parts of the
// display's; the first frame after each interval is played.
func (l *machine) skipsFrame(at clock.Micros) bool {
	if at >= l.backgroundUntil {
		return false
	}
	if l.backgroundInterval == 0 || at < l.nextBackgroundFrame {
		return true
	}
	l.nextBackgroundFrame += l.backgroundInterval
	return false
}

// frames plays all frames before a time, in order; at one instant in the order of the players, so
// that a run does not depend on anything but its seed.
func (r *run) frames(until clock.Micros) {
	for {
		next, player := until, -1
		for i := range r.machines {
			if at := r.machines[i].next; at < next {
				next, player = at, i
			}
		}
		if player < 0 {
			return
		}
		r.frame(player, next)
	}
}

// frame plays one player's frame: received packets first, then input. A frozen player has no
// frames, and receives afterwards what arrived meanwhile.
func (r *run) frame(i int, at clock.Micros) {
	r.startFaults(at)
	l, p := &r.machines[i], &r.Players[i]
	l.restoreNetwork(at, p.Network)
	local := l.local
	l.frame++
	l.schedule()
	if at >= l.frozenFrom && at < l.frozenUntil || l.lost && at < l.backAt {
		return
	}
	if l.lost {
		r.rejoin(i, at)
	}
	r.arrivals = l.down.Deliver(std(at), r.arrivals[:0])
	for _, a := range r.arrivals {
		came := micros(a.At)
		if came >= l.frozenFrom && came < l.frozenUntil {
			came = l.frozenUntil
		}
		if err := p.Client.Receive(a2s(a.Channel), min(l.clock(came), local), a.Bytes); l.dice == nil {
			must(err) // the server answers a hostile client by what it said
		}
	}
	if l.skipsFrame(at) {
		return
	}
	t := clock.Micros(-1)
	if r.zero >= 0 {
		t = p.Client.Now(local) - r.zero
	}
	p.Play(local, t)
	r.send(i, at)
	if r.zero >= 0 && p.Client.Phase() == session.Playing {
		r.measure.frameDrawn(i, at)
	}
}

// send sends a player's packets, now or when its lag switch opens. A packet counts when the client
// made it, not when the switch lets it go: bandwidth is the client's.
func (r *run) send(i int, at clock.Micros) {
	l, p := &r.machines[i], &r.Players[i]
	late := p.Hold > 0 && p.Every == 0
	shut := late || p.Hold > 0 && r.zero >= 0 && at >= r.zero && (at-r.zero)%p.Every < p.Hold
	n := 0
	for ; n < len(l.held) && (!shut || late && l.held[n].until <= at); n++ {
		l.up.Send(std(at), mem.Channel(l.held[n].channel), l.held[n].bytes)
	}
	l.held = l.held[:copy(l.held, l.held[n:])]
	for _, out := range p.Client.Outgoing() {
		if shut {
			l.held = append(l.held, heldPacket{at + p.Hold, out.Channel, slices.Clone(out.Bytes)})
		} else {
			l.up.Send(std(at), mem.Channel(out.Channel), out.Bytes)
		}
		if out.Channel == session.Datagram {
			l.sendHostile(at, out.Bytes)
		}
		if r.zero >= 0 && out.Channel == session.Datagram {
			r.measure.sent(i, at, len(out.Bytes))
		}
	}
}

// tick plays a tick of the server.
func (r *run) tick(now clock.Micros) {
	r.now, r.measure.now = now, now
	r.startFaults(now)
	r.notice(now)
	for i := range r.machines {
		if r.machines[i].lost {
			continue
		}
		r.arrivals = r.machines[i].up.Deliver(std(now), r.arrivals[:0])
		for _, a := range r.arrivals {
			err := r.Server.Receive(r.peer(i), a2s(a.Channel), micros(a.At), a.Bytes)
			if !r.Players[i].Cheats && r.machines[i].dice == nil {
				must(err)
			}
		}
	}
	for len(r.ServerActions) > 0 && r.zero >= 0 && r.ServerActions[0].At+r.zero <= now {
		o := r.ServerActions[0]
		r.ServerActions = r.ServerActions[1:]
		o.Do()
		r.measure.event(o.Player, now, o.Kind)
	}
	if r.skipsTick(now) {
		return
	}
	r.Server.Tick(now)
	for _, out := range r.Server.Outgoing() {
		i := r.playerOf(out.Peer)
		if i < 0 {
			continue
		}
		r.machines[i].down.Send(std(now), mem.Channel(out.Channel), out.Bytes)
		if r.zero >= 0 && out.Channel == session.Datagram {
			r.measure.received(i, now, len(out.Bytes))
		}
	}
	r.closeKicked(now)
}

// skipsTick reports whether an overloaded server skips the tick of a match time: half of all, in no order. The next one
// covers its time, as on a host.
func (r *run) skipsTick(now clock.Micros) bool {
	return now < r.overloaded && mix(mix(r.Seed, 0x6c6f6164), uint64(now))%2 == 0
}

// checkReady makes this tick time zero once all players play.
func (r *run) checkReady() error {
	if r.now < r.Zero {
		return nil
	}
	for i := range r.Players {
		if r.Players[i].Client.Phase() == session.Playing {
			continue
		}
		if r.now-r.StartTime > joinBy || r.Zero > 0 {
			return errors.New("lab: " + r.Players[i].Name + " was not ready within 20 s: does the network lose everything?")
		}
		return nil
	}
	r.zero, r.progressAt = r.now, r.now
	for i := range r.machines {
		r.machines[i].times = r.Players[i].Times
		r.machines[i].begin(r.zero)
	}
	r.measure.begin(r.zero)
	return nil
}

func a2s(c mem.Channel) session.Channel { return session.Channel(c) }

func std(m clock.Micros) time.Duration { return time.Duration(m) * time.Microsecond }

func micros(d time.Duration) clock.Micros { return clock.Micros(d / time.Microsecond) }

// must panics where one end cannot read a packet of the other: an error of the code, not of the
// network.
func must(err error) {
	if err != nil {
		panic("lab: one end cannot read a packet of the other: " + err.Error())
	}
}

// mix derives a seed from two (splitmix64). Seeds that differ by one, as those of successive runs and
// players do, would otherwise draw related numbers.
func mix(a, b uint64) uint64 {
	z := a + (b+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
