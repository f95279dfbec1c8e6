package bench

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/benchscene"
	"github.com/backstep-net/backstep/replicate"
	"github.com/backstep-net/backstep/session"
)

// Load is a match to be measured.
type Load struct {
	// Players of the match, all within view of each other unless they are Spread.
	Players int
	// Spread means that the players are on scene A, as many on each square metre however many there are, and each sees
	// those within spreadView.
	Spread bool
	// TickRate of the server, in ticks a second.
	TickRate int
	// Seconds that are recorded after the join and Warm.
	Seconds int
	// Workers and Parallel are those of the server's configuration.
	Workers  int
	Parallel func(batches int, work func(batch int))
}

// The scene of the matches, and how long a match goes on before it is timed, in seconds.
const (
	warmSeconds = 4
	frameRate   = 60 // of a client, at least; at a higher tick rate that
)

// matchScene is the level of the matches in which all are in view.
var matchScene = benchscene.B

// spreadView is how far players see who are spread out, in metres.
const spreadView = 20

// scene returns the level of the match.
func (l *Load) scene() benchscene.Scene {
	if l.Spread {
		return benchscene.A
	}
	return matchScene
}

// spawn returns a player of the match.
func (l *Load) spawn(id session.PlayerID) Hero {
	if !l.Spread {
		return Spawn(matchScene, id)
	}
	h := Spawn(benchscene.A, id)
	out := 8 * math.Sqrt(float64(id)) // 90 m for the 128th
	sin, cos := geom.SinCos(float64(2.4 * float64(id)))
	h.Position = geom.V(float64(out*cos), 0, float64(out*sin))
	h.Position.Y = benchscene.A.Height(h.Position.X, h.Position.Z) + 3
	return h
}

// arrival is a packet as the server received it.
type arrival struct {
	from    session.Peer
	channel session.Channel
	at      clock.Micros
	bytes   []byte
}

// Recording is all that a server received in a match, by tick. The server is deterministic, so replaying it measures
// the server alone: no client runs in between.
type Recording struct {
	load  Load
	world *collide.World
	ticks [][]arrival
	sums  []uint64 // of what the server sent, by tick
	warm  int      // ticks before those that are timed
	shots int
}

// match is a server with the game's own part of a tick.
type match struct {
	load   Load
	server *gameServer
	out    []session.Packet // of the last tick
	shots  int
}

func newMatch(load Load, world *collide.World) *match {
	n := byte(0)
	snapshot := replicate.Rules{}
	if load.Spread {
		snapshot.Radius = spreadView
	}
	return &match{load: load, server: session.NewServer(Rules(), session.ServerConfig{
		World: world, LevelHash: "level", TickRate: load.TickRate, Players: load.Players, PlayersBlock: true, Snapshot: snapshot,
		Workers: load.Workers, Parallel: load.Parallel,
		NewKey: func() session.Key { n++; return session.Key{1, 15: n} },
	})}
}

// tick runs a tick of the server: it receives, advances, and sends.
func (m *match) tick(now clock.Micros, received []arrival) {
	for i := range received {
		a := &received[i]
		if err := m.server.Receive(a.from, a.channel, a.at, a.bytes); err != nil {
			panic(fmt.Sprint("bench: the server refused a packet of an honest client: ", err))
		}
	}
	m.server.Tick(now)
	for _, e := range m.server.Events() {
		switch e.Kind {
		case session.Joined:
			m.server.SetState(e.Player, m.load.spawn(e.Player))
		case session.Shot:
			m.shots++
		}
	}
	m.server.Send()
	m.out = m.server.Outgoing()
}

// sum returns a hash of the packets that the server sent.
func (m *match) sum() uint64 {
	h := fnv.New64a()
	for _, p := range m.out {
		h.Write([]byte{byte(p.Peer), byte(p.Channel), byte(len(p.Bytes))})
		h.Write(p.Bytes)
	}
	return h.Sum64()
}

// Record plays a match with clients and keeps what the server received.
func Record(load Load, world *collide.World) (*Recording, error) {
	r := &Recording{load: load, world: world, warm: warmSeconds * load.TickRate}
	m := newMatch(load, world)
	var clients []*gameClient
	players := make([]Player, load.Players)
	for i := range players {
		c := session.NewClient(Rules(), session.ClientConfig{SendRate: max(frameRate, load.TickRate)})
		c.Hello(fmt.Sprint("player ", i), session.Key{})
		clients = append(clients, c)
		players[i].Number = i
	}
	frames := max(1, frameRate/load.TickRate)
	for tick := range r.warm + load.Seconds*load.TickRate {
		if tick == r.warm {
			m.shots = 0
		}
		now := clock.TickTime(int64(tick+1), load.TickRate)
		before := clock.TickTime(int64(tick), load.TickRate)
		var received []arrival
		for f := range frames {
			local := before + (now-before)*clock.Micros(f+1)/clock.Micros(frames) - 2000
			for i, c := range clients {
				c.Frame(local, players[i].Play(c))
				c.Events()
				for _, p := range c.Outgoing() {
					received = append(received, arrival{session.Peer(i + 1), p.Channel, local + 1000, append([]byte(nil), p.Bytes...)})
				}
			}
		}
		m.tick(now, received)
		r.ticks, r.sums = append(r.ticks, received), append(r.sums, m.sum())
		for _, p := range m.out {
			c := clients[p.Peer-1]
			if err := c.Receive(p.Channel, now+1000, p.Bytes); err != nil {
				return nil, fmt.Errorf("a client refused a packet: %w", err)
			}
			if c.Phase() == session.Loading {
				c.EnterWorld(world)
			}
		}
	}
	r.shots = m.shots
	return r, r.check(clients)
}

// check returns an error if the match was not as intended.
func (r *Recording) check(clients []*gameClient) error {
	for i, c := range clients {
		if c.Phase() != session.Playing {
			return fmt.Errorf("client %d did not join", i)
		}
		if n := len(c.Remotes()); n != r.load.Players-1 && !r.load.Spread {
			return fmt.Errorf("client %d sees %d others, not %d", i, n, r.load.Players-1)
		}
	}
	if r.shots < r.load.Players*r.load.Seconds/2 && !r.load.Spread {
		return fmt.Errorf("%d players made %d shots in %d s: too few", r.load.Players, r.shots, r.load.Seconds)
	}
	return nil
}

// Ticks returns the number of ticks that are timed.
func (r *Recording) Ticks() int { return len(r.ticks) - r.warm }

// errDiffers is the error of a recording if its replay sends other packets.
var errDiffers = errors.New("the server does not send what it sent when the match was recorded: it is not deterministic")

// Replay is a recording that is played again.
type Replay struct {
	*Recording
	match *match
	next  int
}

// Rewind begins anew and plays up to the first tick that is timed.
func (r *Replay) Rewind() {
	r.match, r.next = newMatch(r.load, r.world), 0
	for range r.warm {
		r.Tick()
	}
}

// Tick plays the next tick.
func (r *Replay) Tick() {
	r.match.tick(clock.TickTime(int64(r.next+1), r.load.TickRate), r.ticks[r.next])
	r.next++
}

// Check plays all of it and compares what the server sends with what it sent.
func (r *Replay) Check() error {
	r.match, r.next = newMatch(r.load, r.world), 0
	for _, want := range r.sums {
		if r.Tick(); r.match.sum() != want {
			return errDiffers
		}
	}
	return nil
}
