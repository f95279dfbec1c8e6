package conformance

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
)

// script is a session to be recorded: what each end does, and when.
type script[S comparable, C any] struct {
	frames  []clock.Micros // between each client's frames
	joins   []clock.Micros // when each says hello
	leaves  []clock.Micros // when each one's link is cut; 0: never
	until   clock.Micros
	spawn   func(player int) S
	input   func(client int, c *session.Client[S, C], now clock.Micros) C
	lost    func(up bool, peer int, n int, at clock.Micros) bool // the nth datagram
	acts    func(m *Machine[S, C], at clock.Micros) []Entry      // after a tick
	clients func(m *Machine[S, C], client int, at clock.Micros) []Entry
}

// flight is a packet on its way.
type flight struct {
	due     clock.Micros
	order   int
	entry   Entry
	dropped bool
}

// recorder plays a script and writes down what happens.
type recorder[S comparable, C any] struct {
	*Machine[S, C]
	script  *script[S, C]
	log     []Entry
	at      clock.Micros
	flights []flight
	packets int
	counts  map[string]int
	streams map[string]clock.Micros
	rand    *rand.Rand
	gone    map[int]bool
}

// local is a client's clock.
func local(client int, at clock.Micros) clock.Micros { return at + clock.Micros(client)*7_654_321 }

// do writes an entry down, makes its end do it, and sends the packets that follow.
func (r *recorder[S, C]) do(t *testing.T, e Entry) {
	out, err := r.Do(&e)
	if err != nil {
		t.Logf("%v: %s %s: %v", r.at, e.End, e.Do, err)
	}
	written := e
	written.Error = wordsOf(err)
	if e.Packet > 0 {
		written.Bytes = nil
	}
	if e.Do == "frame" {
		n := 0
		fmt.Sscanf(e.End, "client %d", &n)
		written.Now = int64(r.Clients[n-1].Now(clock.Micros(e.At)))
	}
	r.log = append(r.log, written)
	for _, p := range cloned(out) {
		r.packets++
		r.log = append(r.log, Entry{End: e.End, Do: "send", Peer: int(p.Peer), Channel: int(p.Channel), Packet: r.packets, Bytes: p.Bytes})
		r.fly(e.End, p)
	}
}

// fly puts a packet on its link.
func (r *recorder[S, C]) fly(from string, p session.Packet) {
	up, peer := from != "server", int(p.Peer)
	f := flight{due: r.at + 24*clock.Millisecond + clock.Micros(r.rand.Int64N(9000)), order: r.packets}
	f.entry = Entry{End: fmt.Sprint("client ", peer), Do: "receive", Channel: int(p.Channel), Packet: r.packets, Bytes: p.Bytes}
	if up {
		fmt.Sscanf(from, "client %d", &peer)
		f.entry.End, f.entry.Peer = "server", peer
		f.due += 6 * clock.Millisecond
	}
	if p.Channel == session.Stream {
		f.due = max(f.due, r.streams[from+f.entry.End]+1)
		r.streams[from+f.entry.End] = f.due
	} else {
		key := fmt.Sprint(up, peer)
		r.counts[key]++
		f.dropped = r.script.lost(up, peer, r.counts[key], r.at)
	}
	if !f.dropped {
		r.flights = append(r.flights, f)
	}
}

// arrive delivers what is due, to the one end or the others.
func (r *recorder[S, C]) arrive(t *testing.T) {
	for {
		next := -1
		for i, f := range r.flights {
			if f.due <= r.at && (next < 0 || f.due < r.flights[next].due || f.due == r.flights[next].due && f.order < r.flights[next].order) {
				next = i
			}
		}
		if next < 0 {
			return
		}
		f := r.flights[next]
		r.flights = append(r.flights[:next], r.flights[next+1:]...)
		client := f.entry.Peer
		if client == 0 {
			fmt.Sscanf(f.entry.End, "client %d", &client)
		}
		if r.gone[client] {
			continue
		}
		if f.entry.At = int64(f.due); f.entry.Peer == 0 {
			f.entry.At = int64(local(client, f.due))
		}
		r.do(t, f.entry)
	}
}

// record plays a script to its end.
func record[S comparable, C any](t *testing.T, m *Machine[S, C], s *script[S, C]) []Entry {
	r := &recorder[S, C]{Machine: m, script: s, counts: map[string]int{}, streams: map[string]clock.Micros{},
		rand: rand.New(rand.NewPCG(5, 13)), gone: map[int]bool{}}
	r.log = []Entry{{Do: "config", Config: &m.Config}}
	next := make([]clock.Micros, len(s.frames))
	for i := range next {
		next[i] = s.joins[i]
	}
	for tick := int64(1); r.at < s.until; {
		due, client := clock.TickTime(tick, m.Config.Ticks), 0
		for i, at := range next {
			if at < due {
				due, client = at, i+1
			}
		}
		r.at = due
		r.arrive(t)
		if client == 0 {
			r.tick(t)
			tick++
			continue
		}
		r.frame(t, client)
		next[client-1] += s.frames[client-1]
	}
	return r.log
}

func (r *recorder[S, C]) tick(t *testing.T) {
	r.do(t, Entry{End: "server", Do: "tick", At: int64(r.at)})
	for _, e := range r.Server.Events() {
		if e.Kind == session.Joined && !e.Reconnected {
			r.do(t, Entry{End: "server", Do: "setState", Player: int(e.Player), Bytes: r.PackedState(r.script.spawn(int(e.Player)))})
		}
	}
	for _, e := range r.script.acts(r.Machine, r.at) {
		r.do(t, e)
	}
	r.do(t, Entry{End: "server", Do: "snapshot"})
}

func (r *recorder[S, C]) frame(t *testing.T, client int) {
	if cut := r.script.leaves[client-1]; cut != 0 && r.at >= cut {
		if !r.gone[client] {
			r.gone[client] = true
			r.do(t, Entry{End: "server", Do: "disconnect", Peer: client})
		}
		return
	}
	end := fmt.Sprint("client ", client)
	for _, e := range r.script.clients(r.Machine, client, r.at) {
		r.do(t, e)
	}
	c := r.Clients[client-1]
	at := local(client, r.at)
	var input C
	if c.Phase() == session.Playing {
		input = r.script.input(client, c, c.Now(at))
	}
	r.do(t, Entry{End: end, Do: "frame", At: int64(at), Bytes: r.Packed(input)})
}
