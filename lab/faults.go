package lab

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/lab/scenario"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/mem"
)

// Kicker is a Server that says whose connections are to be closed after a tick, as host.Match does. The lab closes those
// of players that keep their seats: the match goes on on another level.
type Kicker interface {
	Kicked() []session.Event
}

// Restarter is a Match that can end and go on from a checkpoint, as in another process. Scenarios
// with a restart need it.
type Restarter interface {
	Restart() error
}

// LevelChanger is a Match whose players can go on on another level. Scenarios with a next_level need it.
type LevelChanger interface {
	NextLevel()
}

// SelfChecker is a Server that checks itself. Check is called after each tick from time zero on, with
// the match time that is left of the run. An error ends the run.
type SelfChecker interface {
	Check(left clock.Micros) error
}

// check lets a server check itself.
func (r *run) check(now clock.Micros) error {
	if c, ok := As[SelfChecker](r.Server); ok {
		return c.Check(r.zero + r.Duration - now)
	}
	return nil
}

// connection is a player's connection to the server.
type connection struct {
	generation session.Peer // connections before this one
	lostAt     clock.Micros // match time
	backAt     clock.Micros // match time
	lost       bool
	noticed    bool // the server knows

	hostile      string // kind of a fault
	hostileUntil clock.Micros
	dice         *rand.Rand
	recent       [][]byte // datagrams sent, for a hostile client to send again
}

// generations is the distance between the peers of one player's connections.
const generations = 1 << 12

// noticeAfter is how long a server does not know that a connection has ended, unless the player comes
// back by then.
const noticeAfter = clock.Second

// closeTime is how long it takes until a client whose connection a server has closed reconnects: a host sends what it has for
// 250 ms, and a client waits 125 to 250 ms.
const closeTime = 400 * clock.Millisecond

// closeKicked closes the connections of players that have to reconnect.
func (r *run) closeKicked(now clock.Micros) {
	k, ok := As[Kicker](r.Server)
	if !ok {
		return
	}
	for _, e := range k.Kicked() {
		i := r.playerOf(e.Peer)
		if i < 0 || e.Player == 0 || e.Expelled {
			continue
		}
		r.measure.event(i, now, "disconnected")
		l := &r.machines[i]
		l.lose(now, now+closeTime)
		l.noticed = true
		r.Server.Disconnect(e.Peer)
	}
}

// peer returns the number of a player's connection.
func (r *run) peer(i int) session.Peer {
	return session.Peer(i+1) + generations*r.machines[i].generation
}

// playerOf returns the player of a connection, −1 if that has ended.
func (r *run) playerOf(p session.Peer) int {
	if i := int(p%generations) - 1; r.peer(i) == p && !r.machines[i].lost {
		return i
	}
	return -1
}

// lose ends a player's connection until a match time.
func (l *machine) lose(begin, until clock.Micros) {
	l.lost, l.noticed, l.lostAt, l.backAt = true, false, begin, until
}

// notice lets the server notice the connections that have ended.
func (r *run) notice(now clock.Micros) {
	for i := range r.machines {
		if l := &r.machines[i]; l.lost && !l.noticed && now-l.lostAt >= noticeAfter {
			l.noticed = true
			r.Server.Disconnect(r.peer(i))
		}
	}
}

// rejoin lets a player come back over a new connection, by its key. The line is the same, with its faults.
func (r *run) rejoin(i int, at clock.Micros) {
	l, p := &r.machines[i], &r.Players[i]
	l.lost = false
	l.generation++
	seed := mix(mix(r.Seed, uint64(i)), 16+uint64(l.generation))
	l.up, l.down, l.held = l.up.Renewed(mix(seed, 1)), l.down.Renewed(mix(seed, 2)), nil
	key := p.Client.Key()
	r.measure.reconnects(i)
	p.Client.Reset()
	p.Client.Hello(p.Name, key)
	r.send(i, at)
}

// changeNetwork gives the player another network.
func (l *machine) changeNetwork(begin clock.Micros, f *scenario.Fault) {
	until := begin + f.For
	if f.For == 0 {
		until = -1
	}
	for i, way := range l.links() {
		if f.Direction == "" || f.Direction == directions[i] {
			way.Change(f.Network)
			l.networkUntil[i] = until
		}
	}
}

// restoreNetwork gives the player its own network back where another has ended.
func (l *machine) restoreNetwork(now clock.Micros, own mem.Network) {
	for i, way := range l.links() {
		if until := &l.networkUntil[i]; *until > 0 && now >= *until {
			way.Change(own)
			*until = 0
		}
	}
}

// links returns both directions, in the order of directions.
func (l *machine) links() [2]*mem.Link { return [2]*mem.Link{l.up, l.down} }

var directions = [2]string{"up", "down"}

// restart ends the server and lets it go on from a checkpoint.
func (r *run) restart(begin clock.Micros, f *scenario.Fault) {
	s, ok := As[Restarter](r.Server)
	if !ok {
		return
	}
	if err := s.Restart(); err != nil {
		r.broken = fmt.Errorf("lab: the server does not go on from its checkpoint: %w", err)
		return
	}
	r.loseAll(begin, f.For)
}

// nextLevel lets the match go on on the next level.
func (r *run) nextLevel(begin clock.Micros, f *scenario.Fault) {
	if s, ok := As[LevelChanger](r.Server); ok {
		s.NextLevel()
		r.loseAll(begin, f.For)
	}
}

// loseAll ends all connections, of which the server knows.
func (r *run) loseAll(begin, d clock.Micros) {
	for i := range r.machines {
		r.measure.event(i, begin, "disconnected")
		l := &r.machines[i]
		l.lose(begin, begin+d)
		l.noticed = true
	}
}

// stepClock sets a machine's clock forward. Frames keep their true times.
func (l *machine) stepClock(by clock.Micros) {
	l.offset += by
	l.origin += by
	l.local += by
}

// attack begins a fault of a hostile client.
func (l *machine) attack(seed uint64, begin clock.Micros, f *scenario.Fault) {
	l.hostile, l.hostileUntil = f.Kind, begin+f.For
	l.dice = rand.New(rand.NewPCG(seed, uint64(begin)))
}

// maxRecent is how many datagrams a hostile client keeps: two seconds of 60 a second.
const maxRecent = 120

// sendHostile sends what a hostile client adds to a datagram of its own.
func (l *machine) sendHostile(at clock.Micros, own []byte) {
	if l.dice == nil {
		return
	}
	if len(l.recent) == maxRecent {
		l.recent = slices.Delete(l.recent, 0, 1)
	}
	if l.recent = append(l.recent, slices.Clone(own)); at >= l.hostileUntil {
		return
	}
	for range 2 {
		l.up.Send(std(at), mem.Channel(session.Datagram), l.forge(own))
	}
}

// forge returns a hostile datagram.
func (l *machine) forge(own []byte) []byte {
	b := slices.Clone(own)
	switch d := l.dice; {
	case l.hostile == "replays":
		return l.recent[d.IntN(len(l.recent))]
	case l.hostile == "garbage" || len(b) == 0:
		b = make([]byte, d.IntN(math.MaxUint8))
		for i := range b {
			b[i] = byte(d.Uint32())
		}
	case l.hostile == "bit_flips":
		for range 1 + d.IntN(6) {
			b[d.IntN(len(b))] ^= 1 << d.IntN(8)
		}
	default: // wild_stamps: the header, and the number and stamp of the first move
		for range 1 + d.IntN(3) {
			b[d.IntN(min(len(b), 24))] = byte(d.Uint32())
		}
	}
	return b
}
