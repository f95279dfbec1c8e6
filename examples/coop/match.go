package coop

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/damage"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/nav"
	"github.com/backstep-net/backstep/npc"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

type match = serve.Match[Guard, Input]

const guards, attackers damage.Team = 1, 2

// Serve is the whole program of the game's server.
func Serve() { serve.Main(Rules(), Config()) }

// game is the server's side of a match.
type game struct {
	*match
	npcs    *npc.Crowd
	ledger  *damage.Ledger
	wave    int64
	left    int64                                // of the wave
	next    clock.Micros                         // when the next wave comes, if none is left
	strikes [track.MaxID + 1]clock.Micros        // when an attacker may strike again
	back    [session.MaxPlayers + 1]clock.Micros // when a dead player respawns; 0: it lives, or there is none
	ids     []track.ID
	players []session.PlayerInfo
}

// Config returns the server's side of the game: waves, health, respawns.
func Config() serve.Config[Guard, Input] {
	g := &game{ledger: damage.NewLedger(damage.Rules{}, int(track.MaxID)+1)}
	return serve.Config[Guard, Input]{
		Name: "coop", Session: session.ServerConfig{World: Field(), PlayersBlock: true},
		Bots: 2, Think: Think,
		OnJoin: func(m *match, e session.Event) {
			if !e.Again {
				g.match = m
				g.ledger.Join(e.Player)
				m.SetText(e.Player, "name", e.Name)
				g.spawn(e.Player)
			}
		},
		OnLeave: func(_ *match, id session.PlayerID) { g.ledger.Leave(id); g.back[id] = 0 },
		OnShot:  func(_ *match, _ session.PlayerID, r *shot.Receipt) { g.ledger.ApplyReceipt(r, 0) },
		Simulate: func(m *match, now clock.Micros) {
			if g.match = m; g.npcs == nil {
				g.npcs = newCrowd(m, g.ledger)
			}
			g.npcs.Step(now)
			g.think(now)
		},
		OnTick: func(_ *match, now clock.Micros) {
			for _, d := range g.ledger.Settle(now, nil) {
				g.hit(&d, now)
			}
			g.advance(now)
		},
	}
}

func newCrowd(m *match, ledger *damage.Ledger) *npc.Crowd {
	model := movement.DefaultModel()
	mesh, err := nav.Bake(m.World(), nav.Params{
		Radius: model.Radius, Height: 2 * model.HalfHeight, StepHeight: model.StepHeight, WalkableSlope: model.WalkableSlope, Cell: 0.25,
	})
	if err != nil {
		panic(err)
	}
	kinds := map[track.Kind]npc.Kind{Walker: {Speed: 2.2, Team: attackers}, Runner: {Speed: 4, Team: attackers}}
	return npc.New(npc.Config{Match: m, World: m.World(), Mesh: mesh, Kinds: kinds, Ledger: ledger})
}

// spawn puts a player into the fort.
func (g *game) spawn(id session.PlayerID) {
	at := geom.Forward(float64(id) * 2).Mul(3).Add(geom.V(0, 0.1, 0))
	g.ledger.Enter(id, g.Respawn(id, Guard{State: movement.Spawn(at, float64(id)*2), Loadout: rifles.Loadout()}), guards)
	g.SetNumber(id, "health", 100)
	g.back[id] = 0
}

// think sends each attacker to the nearest player, and lets it strike there.
func (g *game) think(now clock.Micros) {
	g.players = g.Players(g.players[:0])
	g.ids = g.npcs.All(g.ids[:0])
	for _, id := range g.ids {
		at, prey, far := g.npcs.State(id).Position, session.PlayerInfo{}, 1e9
		for _, p := range g.players {
			if pose, ok := g.Pose(p.ID); ok && !pose.Dead && pose.Position.Dist(at) < far {
				prey, far = p, pose.Position.Dist(at)
			}
		}
		switch pose, _ := g.Pose(prey.ID); {
		case prey.ID == 0 || g.npcs.Dead(id) || now < g.strikes[id]:
		case far < 1.3:
			g.strikes[id] = now + clock.Second
			g.ledger.Apply(damage.Hit{Attacker: id, Target: prey.ID, Life: g.ledger.Vitals(prey.ID).Life, Damage: 12})
		case (int64(id)+int64(g.TickNumber()))%30 == 0:
			g.npcs.Steer(id, pose.Position)
		}
	}
}

// hit shows what a hit did.
func (g *game) hit(d *damage.Result, now clock.Micros) {
	player := d.Target <= session.MaxPlayers
	if player {
		g.SetNumber(d.Target, "health", int64(d.HealthLeft))
	}
	switch {
	case d.Killed && player:
		g.Modify(d.Target, func(s *Guard) { s.Dead = true })
		g.back[d.Target] = now + 6*clock.Second
	case d.Killed:
		g.SetNumber(d.Attacker, "score", g.Number(d.Attacker, "score")+1)
		g.left--
		g.next = now + 4*clock.Second
	}
}

// advance begins the next wave when one is over, and the game again when all players are dead.
func (g *game) advance(now clock.Micros) {
	living := 0
	for _, p := range g.players {
		if !g.ledger.Vitals(p.ID).Dead() {
			living++
		}
	}
	if living == 0 && len(g.players) > 0 {
		for _, id := range g.npcs.All(nil) {
			g.npcs.Remove(id)
		}
		g.wave, g.left, g.next = 0, 0, now+4*clock.Second
	}
	for id, at := range g.back {
		if at != 0 && (now >= at || living == 0) {
			g.spawn(session.PlayerID(id))
		}
	}
	if g.left == 0 && now >= g.next && len(g.players) > 0 {
		g.wave++
		g.attack()
	}
	g.SetNumber(session.OfMatch, "wave", g.wave)
	g.SetNumber(session.OfMatch, "left", g.left)
	g.SetNumber(session.OfMatch, "best", max(g.wave, g.Number(session.OfMatch, "best")))
}

// attack spawns a wave, in the north and in the south, and heals the players.
func (g *game) attack() {
	for _, p := range g.players {
		if g.ledger.Heal(p.ID, 50) > 0 {
			g.SetNumber(p.ID, "health", int64(g.ledger.Vitals(p.ID).Health))
		}
	}
	for i := range min(2+2*g.wave, 40) {
		kind, side := Walker, float64(i%2*2-1)
		if g.wave > 1 && i%3 == 2 {
			kind = Runner
		}
		if g.npcs.Spawn(kind, geom.V(float64(i/2%10)*3.4-15, 0.1, side*(field-2-float64(i/20)*2)), 0) != 0 {
			g.left++
		}
	}
}
