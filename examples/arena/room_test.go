package arena

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
)

// room is a match without a network, in virtual time, in which people come and
// go: for the rules.
type room struct {
	t       testing.TB
	match   *Match
	tick    int64
	players []*roomPlayer

	config session.ClientConfig // of players that join
}

// roomPlayer is a player in a room.
type roomPlayer struct {
	*Player
	peer  session.Peer
	input func(p *Player, now clock.Micros) Input // nil stands still
	gone  bool
	kills []Kill // all that came
}

// court is an empty floor.
func court() *collide.World { return collide.Floor(40) }

// newRoom opens a match on an empty floor with three spawn points, the first two
// close together.
func newRoom(t testing.TB) *room {
	return &room{t: t, match: NewMatch(MatchConfig{
		ServerConfig: session.ServerConfig{World: court(), LevelHash: "test", NewKey: keys()},
		Spawns: []Spawn{
			{Position: geom.V(0, 0.02, 0)}, {Position: geom.V(0, 0.02, -3)}, {Position: geom.V(0, 0.02, -20)},
		},
		KillHeight: -50, Seed: 1,
	})}
}

// join lets somebody in and waits until they play.
func (r *room) join(name string, key session.Key) *roomPlayer {
	r.t.Helper()
	g := &roomPlayer{Player: NewPlayer(r.config), peer: session.Peer(len(r.players) + 1)}
	g.Hello(name, key)
	r.players = append(r.players, g)
	for range 60 {
		if r.run(clock.TickTime(1, 60)); g.Phase() == session.Playing {
			return g
		}
	}
	r.t.Fatalf("%s does not get in", name)
	return nil
}

// stand puts a guest somewhere, looking along yaw.
func (r *room) stand(g *roomPlayer, feet geom.Vec3, yaw float64) {
	h, _ := r.match.State(g.ID())
	h.Position, h.Yaw, h.Velocity, h.ForceFloor = feet, yaw, geom.Vec3{}, true
	r.match.SetState(g.ID(), h)
	r.run(200 * clock.Millisecond)
}

// run plays the room for so long.
func (r *room) run(d clock.Micros) {
	for end := r.match.Now() + d; r.match.Now()+clock.Millisecond < end; {
		r.tick++
		now := clock.TickTime(r.tick, 60)
		for _, g := range r.players {
			r.frame(g, now)
		}
		r.match.Tick(now)
		for _, p := range r.match.Outgoing() {
			if g := r.players[p.Peer-1]; !g.gone {
				if err := g.Receive(p.Channel, now, p.Bytes); err != nil {
					r.t.Fatal(err)
				}
			}
		}
	}
}

func (r *room) frame(g *roomPlayer, now clock.Micros) {
	if g.gone {
		return
	}
	in := Input{}
	if g.input != nil && g.Phase() == session.Playing {
		in = g.input(g.Player, now)
	}
	g.Play(now, in)
	g.kills = append(g.kills, g.Kills...)
	for _, e := range g.Notices {
		if e.Kind == session.Welcomed {
			g.Enter(r.match.config.World)
		}
	}
	for _, p := range g.Outgoing() {
		if err := r.match.Receive(g.peer, p.Channel, now, p.Bytes); err != nil {
			r.t.Fatal(err)
		}
	}
}

// shootAt returns inputs that fire n times at a height above the feet of a player,
// as it is drawn.
func shootAt(target *roomPlayer, height float64, n int) func(*Player, clock.Micros) Input {
	return func(p *Player, _ clock.Micros) Input {
		in := Input{Yaw: p.Self().Yaw, Pitch: p.Self().Pitch}
		for _, e := range p.Remotes() {
			if e.ID != target.ID() {
				continue
			}
			in.Yaw, in.Pitch = Aim(p.Eye(), e.Position.MulAdd(geom.Up, height))
			if n > 0 && p.Self().Loadout.Ready() {
				in.Fire = true
				n--
			}
		}
		return in
	}
}

// scores is the scoreboard as a guest sees it.
func (g *roomPlayer) scores() []Score {
	var list []Score
	for id := range g.MaxPlayerID() + 1 {
		if s := g.Score(id); s.Connected {
			list = append(list, s)
		}
	}
	return list
}
