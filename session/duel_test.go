package session_test

import (
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/damage"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

const ms = clock.Millisecond

// The weapons of a duel: a kind each, and a shotgun whose spread is the server's secret.
const (
	rifle uint8 = iota
	shotgun
	secretly
	rocket
	sword
	duelWeapons
)

// armoury returns the duel's table: magazines that last, and cool-downs that are short.
func armoury() shot.Table {
	all := [rig.HitGroups]uint16{rig.Body: 25, rig.Head: 60}
	r := shot.Rifle()
	r.Magazine, r.Reload = 255, 1
	s := shot.Weapon{Name: "shotgun", Range: 60, Cooldown: 200 * ms, Reload: 1, Magazine: 255, Damage: [rig.HitGroups]uint16{rig.Body: 9, rig.Head: 20},
		Pellets: 8, Spread: shot.Spread{Cone: .04}}
	hidden := s
	hidden.Name, hidden.Spread.Secret = "secret", true
	return shot.Table{r, s, hidden,
		{Name: "rocket", Kind: shot.Projectile, Cooldown: 300 * ms, Reload: 1, Magazine: 255, Damage: all,
			Flight: shot.Ballistics{Speed: 40, Radius: .1, Fuse: 2 * clock.Second, EntityKind: 3},
			Blast:  shot.Blast{Radius: 2, Inner: .5, Damage: 80, Min: .2}},
		{Name: "sword", Kind: shot.Melee, Range: 3, Cooldown: 400 * ms, Reload: 1, Damage: all,
			Swing: shot.Swing{Arc: 1.5, Begins: 60 * ms, Lasts: 90 * ms, Radius: .05}},
	}
}

// dueller is one of two players that run where they look and have weapons.
type dueller struct {
	Pos, Vel geom.Vec3
	Loadout  shot.Loadout
	Life     uint8
	Dead     bool
}

type duelMove struct {
	Run  bool
	Yaw  float64
	Shot shot.Claim
}

// duel is their game.
type duel struct {
	table shot.Table
	ran   func(s *dueller, at, d clock.Micros) // each command, if not nil
	forge func(p *bits.Packer, c *duelMove)    // what a cheater writes in place of a shot
}

func newDuel() *duel { return &duel{table: armoury()} }

func (g *duel) weaponInput(c *duelMove) shot.WeaponInput { return shot.WeaponInput{Fire: c.Shot.Fire} }

func (g *duel) Step(w *collide.WorldAt, s *dueller, c *duelMove, d clock.Micros) {
	if g.ran != nil {
		g.ran(s, w.At, d)
	}
	if s.Dead {
		return
	}
	s.Loadout.Step(g.table, g.weaponInput(c), d)
	want := geom.Vec3{}
	if c.Run {
		want = geom.Forward(c.Yaw).Mul(toySpeed)
	}
	s.Vel = s.Vel.Add(want.Sub(s.Vel).ClampLen(float64(60 * d.Seconds())))
	s.Pos = s.Pos.MulAdd(s.Vel, d.Seconds())
}

func (g *duel) Fired(before *dueller, c *duelMove, after *dueller) shot.FireResult {
	if before.Dead {
		return shot.FireResult{}
	}
	return shot.DeriveFireResult(g.table, &before.Loadout, &after.Loadout, g.weaponInput(c))
}

func (g *duel) PackCommand(p *bits.Packer, c, _ *duelMove) {
	p.Bool(&c.Run)
	p.Angle16(&c.Yaw)
	if g.forge != nil && c.Shot.Fire && p.Writing() && !p.Clamps() {
		g.forge(p, c)
		return
	}
	c.Shot.Pack(p)
}

func (g *duel) PackState(p *bits.Packer, s *dueller) {
	p.Vec64(&s.Pos)
	p.Vec64(&s.Vel)
	s.Loadout.Pack(p)
	p.Byte(&s.Life)
	p.Bool(&s.Dead)
}

func (g *duel) ClearOneTime(c *duelMove)        { c.Shot = shot.Claim{} }
func (g *duel) Position(s *dueller) geom.Vec3   { return s.Pos }
func (g *duel) Digest(s *dueller) uint16        { return s.Loadout.Digest() ^ uint16(s.Life)<<8 }
func (g *duel) Eye(s *dueller) geom.Vec3        { return s.Pos.Add(geom.V(0, 1.5, 0)) }
func (g *duel) Trigger(c *duelMove) *shot.Claim { return &c.Shot }
func (g *duel) Weapons() []shot.Weapon          { return g.table }
func (g *duel) Pose(s *dueller) track.Sample {
	return track.Sample{Pose: track.Pose{Position: s.Pos, Velocity: s.Vel, Mode: 1}, GameData: track.GameData{Life: s.Life, Dead: s.Dead}}
}

// party is a player of a ring: a whole client and its line.
type party struct {
	*session.Client[dueller, duelMove]
	game     *duel
	peer     session.Peer
	next     clock.Micros // frame
	up, down testLink
	input    func(p *party, now clock.Micros) duelMove
	shift    func(now clock.Micros) clock.Micros // of what Frame is told; nil is honest
	lasted   func(clock.Micros) clock.Micros
	every    func(now clock.Micros) clock.Micros                              // from one frame to the next; nil is 60 a second
	says     func(now clock.Micros, seen *track.Received, held *clock.Micros) // of what it acknowledges; nil is honest
	deaf     func(now clock.Micros) bool                                      // whether what comes waits; nil is never
	waits    func(now clock.Micros) bool                                      // the same, and what comes is stamped when it did
	copies   func() int                                                       // of each of its datagrams; nil is one
	spoil    func(b []byte) []byte                                            // of each, if not nil
	events   []session.Event
}

// ring is a duel in virtual time, which is match time: frames at 60 a second, lines to the
// microsecond.
type ring struct {
	t       testing.TB
	rnd     *rand.Rand
	world   *collide.World
	server  *session.Server[dueller, duelMove]
	game    *duel // the server's
	rate    int
	tick    int64
	parties []*party
	ledger  *damage.Ledger
	shots   []session.Event // every verdict
	dealt   []damage.Result
	bad     int                    // datagrams that the server refused
	ticked  func(now clock.Micros) // after each tick
	noted   func(e *session.Event) // each verdict, when it is given
	late    func() clock.Micros    // by how much the next tick is late; nil is never
	lag     clock.Micros           // of the tick that is next
	place   func(name string) dueller
}

// newRing seats n duellers with a weapon in hand, at places, on lines of no delay.
func newRing(t testing.TB, seed uint64, config session.ServerConfig, weapon uint8, places ...geom.Vec3) *ring {
	if config.World == nil {
		config.World = plane(t)
	}
	config.LevelHash, config.Players = "duel", max(config.Players, 8)
	if config.TickRate == 0 {
		config.TickRate = 60
	}
	if config.NewKey == nil {
		n := byte(0)
		config.NewKey = func() session.Key { n++; return session.Key{1: n, 2: byte(seed), 9: 3, 15: 1} }
	}
	r := &ring{t: t, rnd: rand.New(rand.NewPCG(seed, 7)), world: config.World, game: newDuel(), rate: config.TickRate, tick: 60}
	r.server = session.NewServer(gameOf[dueller, duelMove](r.game), config)
	r.ledger = damage.NewLedger(damage.Rules{Health: 60000}, session.MaxPlayers+1)
	for i := range places {
		p := &party{game: newDuel(), peer: session.Peer(i + 1), next: r.now() + clock.Micros(1000+i*3700)}
		p.Client = session.NewClient(gameOf[dueller, duelMove](p.game), session.ClientConfig{Lasted: func(d clock.Micros) clock.Micros {
			if p.lasted != nil {
				return p.lasted(d)
			}
			return d
		}, Acknowledge: func(local clock.Micros, seen track.Received, held clock.Micros) (track.Received, clock.Micros) {
			if p.says != nil {
				p.says(local-p.clockOf(0), &seen, &held)
			}
			return seen, held
		}})
		p.Hello(string(rune('a'+i)), session.Key{})
		r.parties = append(r.parties, p)
	}
	r.place = func(name string) dueller {
		s := dueller{Pos: places[name[0]-'a'], Loadout: r.game.table.Loadout(), Life: 1}
		s.Loadout.Held = weapon
		return s
	}
	return r
}

func (r *ring) now() clock.Micros { return clock.TickTime(r.tick, r.rate) }

// lines sets how long packets of a party take, there and back.
func (p *party) line(up, down clock.Micros) { p.up.delay, p.down.delay = up, down }

// ready plays until every player has been in the world for a while.
func (r *ring) ready() {
	r.run(r.now() + 4*clock.Second)
	for _, p := range r.parties {
		if p.Phase() != session.Playing {
			r.t.Fatalf("player %d does not play", p.peer)
		}
	}
	r.shots, r.dealt = nil, nil
}

// run plays until a match time.
func (r *ring) run(until clock.Micros) {
	for {
		first := r.parties[0]
		for _, p := range r.parties {
			if p.next < first.next {
				first = p
			}
		}
		switch {
		case min(first.next, r.now()+r.lag) > until:
			return
		case first.next <= r.now()+r.lag:
			r.frame(first, first.next)
			first.next += first.frame(first.next)
		default:
			wall := r.now() + r.lag // as in a host: ticks that came due meanwhile are skipped
			for clock.TickTime(r.tick+1, r.rate) <= wall {
				r.tick++
			}
			r.serve(wall)
			if r.tick++; r.late != nil {
				r.lag = r.late()
			}
		}
	}
}

// frame is how long a party's frame at a time lasts.
func (p *party) frame(now clock.Micros) clock.Micros {
	if p.every == nil {
		return clock.Second / 60
	}
	return p.every(now)
}

// clockOf is what a party's own clock shows.
func (p *party) clockOf(now clock.Micros) clock.Micros { return now + 7*clock.Second }

// heard is the next packet that has come and does not wait.
func (p *party) heard(now clock.Micros) *packet {
	if p.waits != nil && p.waits(now) {
		return nil
	}
	if p.deaf == nil {
		return p.down.next(now)
	}
	if p.deaf(now) {
		return nil
	}
	m := p.down.next(now)
	if m != nil {
		m.due = now
	}
	return m
}

func (r *ring) frame(p *party, now clock.Micros) {
	for m := p.heard(now); m != nil; m = p.heard(now) {
		if err := p.Receive(m.ch, p.clockOf(m.due), m.bytes); err != nil {
			r.t.Fatalf("player %d: %v", p.peer, err)
		}
		r.takeEvents(p)
	}
	var c duelMove
	if p.input != nil && p.Phase() == session.Playing {
		c = p.input(p, now)
	}
	local := p.clockOf(now)
	if p.shift != nil {
		local += p.shift(now)
	}
	p.Frame(local, &c)
	r.takeEvents(p)
	for _, out := range p.Outgoing() {
		n := 1
		if p.copies != nil && out.Channel == session.Datagram {
			n = p.copies()
		}
		if p.spoil != nil && out.Channel == session.Datagram {
			out.Bytes = p.spoil(out.Bytes)
		}
		for range n {
			p.up.send(now, r.rnd, out)
		}
	}
}

func (r *ring) takeEvents(p *party) {
	for _, e := range p.Events() {
		if p.events = append(p.events, e); e.Kind == session.Welcomed {
			p.EnterWorld(r.world)
		}
	}
}

// serve runs the tick that is next, at a time.
func (r *ring) serve(wall clock.Micros) {
	now := r.now()
	for _, p := range r.parties {
		for m := p.up.next(wall); m != nil; m = p.up.next(wall) {
			if r.server.Receive(p.peer, m.ch, min(m.due, now), m.bytes) != nil {
				r.bad++
			}
		}
	}
	r.server.Tick(now)
	for _, e := range r.server.Events() {
		switch {
		case e.Kind == session.Joined && !e.Reconnected:
			s := r.place(e.Name)
			r.ledger.Join(e.Player, false)
			r.ledger.Spawn(e.Player, s.Life, 0)
			r.server.SetState(e.Player, s)
		case e.Kind == session.Shot:
			e.At = now
			r.shots = append(r.shots, e)
			r.ledger.QueueReceipt(&e.Receipt, 0)
			if r.noted != nil {
				r.noted(&e)
			}
		case e.Kind == session.Kick:
			r.t.Fatalf("player %d is let go: %s", e.Player, e.Text)
		}
	}
	r.dealt = r.ledger.ApplyQueued(now, r.dealt)
	if r.ticked != nil {
		r.ticked(now)
	}
	r.server.Send()
	for _, out := range r.server.Outgoing() {
		r.parties[out.Peer-1].down.send(wall, r.rnd, out)
	}
}

// towards returns the angles at which one looks from a to b.
func towards(a, b geom.Vec3) (yaw, pitch float64) {
	d := b.Sub(a)
	return geom.Yaw(d), geom.Atan2(d.Y, geom.V(d.X, 0, d.Z).Len())
}

// orbiting runs around a middle at 6 m/s, always across the line of sight from there.
func orbiting(middle geom.Vec3, radius float64) func(p *party, now clock.Micros) duelMove {
	return func(p *party, _ clock.Micros) duelMove {
		out := p.Self().Pos.Sub(middle)
		tangent := out.Cross(geom.Up).Unit()
		way := tangent.MulAdd(out.Unit(), 2*(radius-out.Len())/radius)
		yaw, _ := towards(geom.Vec3{}, way)
		return duelMove{Run: true, Yaw: yaw}
	}
}

// chest is where one aims at a player.
func chest(at geom.Vec3) geom.Vec3 { return at.Add(geom.V(0, 1, 0)) }

// shoots fires at the first of the others, where it is drawn, whenever it can, and has lie
// change what is claimed, if not nil.
func shoots(weapon uint8, lie func(p *party, now clock.Micros, c *shot.Claim)) func(p *party, now clock.Micros) duelMove {
	return func(p *party, now clock.Micros) (c duelMove) {
		others := p.Remotes()
		if p.Waiting() || !p.Self().Loadout.Claims(p.game.table, true) || len(others) == 0 {
			return c
		}
		mark := chest(others[0].Position)
		if speed := p.game.table[weapon].Flight.Speed; speed > 0 { // a rocket is aimed ahead
			mark = mark.MulAdd(others[0].Velocity, mark.Dist(p.Eye())/speed)
		}
		c.Shot.Weapon = weapon
		c.Shot.Yaw, c.Shot.Pitch = towards(p.Eye(), mark)
		p.Aim(&c.Shot)
		if lie != nil {
			lie(p, now, &c.Shot)
			c.Shot = c.Shot.Quantise()
		}
		return c
	}
}
