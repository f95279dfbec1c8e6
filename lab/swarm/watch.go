package swarm

import (
	"bytes"
	"fmt"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/lab/scenario"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Watch returns a game with matches that check the invariants, where the scenario has a quiet part; other
// matches are g's own. Each watched match has a twin, which receives the same and must stay equal.
// Checks, if not nil, counts what is checked; it belongs to one run.
func Watch(g lab.Game, checks *Checks) lab.Game { return &watchedGame{g, checks} }

type watchedGame struct {
	lab.Game
	checks *Checks
}

// Match begins a match and its twin.
func (g *watchedGame) Match(s lab.Setup) (lab.Match, error) {
	if s.Quiet <= 0 {
		return g.Game.Match(s)
	}
	m, err := g.Game.Match(withKeys(s))
	if err != nil {
		return nil, err
	}
	twin, err := g.Game.Match(withKeys(s))
	if err != nil {
		return nil, err
	}
	w := &match{Match: m, twin: twin, setup: s, checks: g.checks, world: newMap(&s), players: make([]player, len(s.Spawns))}
	if w.checks == nil {
		w.checks = &Checks{}
	}
	w.weapons, w.bodyOf = m.Weapons(), lab.BodyCapsuleOf(m)
	w.vitals, _ = lab.As[lab.VitalsSource](m)
	return w, nil
}

// withKeys returns a setup that draws the same keys as any other copy of it.
func withKeys(s lab.Setup) lab.Setup {
	n := uint64(0)
	s.NewKey = func() (k session.Key) {
		n++
		for i := range 8 {
			k[i] = byte(n >> (8 * i))
		}
		return k
	}
	return s
}

// match is a match under test.
type match struct {
	lab.Match
	twin     lab.Match
	setup    lab.Setup
	weapons  shot.Table
	world    mapBounds
	vitals   lab.VitalsSource // nil: the game has none
	bodyOf   lab.BodyCapsule  // nil: its characters have no bodies
	observer session.Observer
	checks   *Checks
	players  []player // by id − 1
	actors   []*actor
	now      clock.Micros
	quiet    bool
	broken   *Broken // the first
}

// Wrapped implements lab.Wrapper.
func (m *match) Wrapped() any { return m.Match }

// fail notes what does not hold, once.
func (m *match) fail(invariant string, p *player, format string, args ...any) {
	if m.broken != nil {
		return
	}
	m.broken = &Broken{Invariant: invariant, At: m.now, Text: fmt.Sprintf(format, args...)}
	for i := range m.players {
		if p == &m.players[i] && i < len(m.actors) {
			m.broken.Player = m.actors[i].name
		}
	}
}

// Receive hands a packet to both matches.
func (m *match) Receive(from session.Peer, ch session.Channel, at clock.Micros, b []byte) error {
	err := m.Match.Receive(from, ch, at, b)
	if again := m.twin.Receive(from, ch, at, b); (err == nil) != (again == nil) {
		m.fail(Replay, nil, "a packet of peer %d: %v, in the replay %v", from, err, again)
	}
	return err
}

// Tick runs a tick of both, and checks the invariants.
func (m *match) Tick(now clock.Micros) {
	m.now = now
	m.Match.Tick(now)
	m.twin.Tick(now)
	m.checkTick()
}

// Outgoing returns what the match sends, which must be what its twin sends.
func (m *match) Outgoing() []session.Packet {
	out, again := m.Match.Outgoing(), m.twin.Outgoing()
	m.checks.Replay++
	if len(out) != len(again) {
		m.fail(Replay, nil, "%d packets were sent, in the replay %d", len(out), len(again))
		return out
	}
	for i := range out {
		if a, b := &out[i], &again[i]; a.Peer != b.Peer || a.Channel != b.Channel || !bytes.Equal(a.Bytes, b.Bytes) {
			m.fail(Replay, nil, "the replay sends another packet to peer %d", a.Peer)
		}
	}
	return out
}

// Observe lets the lab watch, too.
func (m *match) Observe(o session.Observer) {
	m.observer = o
	m.Match.Observe(m)
}

// ObserveMove checks a move.
func (m *match) ObserveMove(v *session.MoveStep) {
	m.checkMove(v)
	m.observer.ObserveMove(v)
}

// ObserveShot checks a shot.
func (m *match) ObserveShot(s *shot.Shot, r *shot.Receipt, targets []track.Entity) {
	m.checkShot(r)
	m.observer.ObserveShot(s, r, targets)
}

// Check is lab.SelfChecker.
func (m *match) Check(left clock.Micros) error {
	m.quiet = left <= m.setup.Quiet
	if left <= 0 {
		m.checkAgreement()
	}
	if m.broken != nil {
		return m.broken
	}
	return nil
}

// Disconnect ends a connection of both.
func (m *match) Disconnect(p session.Peer) {
	m.Match.Disconnect(p)
	m.twin.Disconnect(p)
}

// Restart lets both go on from their checkpoints.
func (m *match) Restart() error {
	for _, one := range []lab.Match{m.Match, m.twin} {
		r, ok := lab.As[lab.Restarter](one)
		if !ok {
			return fmt.Errorf("swarm: this game has no checkpoints")
		}
		if err := r.Restart(); err != nil {
			return err
		}
	}
	for i := range m.players {
		m.players[i].rejoins(m.now)
	}
	return nil
}

// NextLevel lets both go on on the next level, where all that is known of a player begins anew.
func (m *match) NextLevel() {
	for _, one := range []lab.Match{m.Match, m.twin} {
		if l, ok := lab.As[lab.LevelChanger](one); ok {
			l.NextLevel()
		}
	}
	for i := range m.players {
		m.players[i] = player{rejoinAt: m.now}
	}
}

// Push is lab.Match's, to both; so are the next three.
func (m *match) Push(id session.PlayerID, v geom.Vec3) {
	m.Match.Push(id, v)
	m.twin.Push(id, v)
}

// SetMode sets the mode in both.
func (m *match) SetMode(id session.PlayerID, mode string, path int) {
	m.Match.SetMode(id, mode, path)
	m.twin.SetMode(id, mode, path)
}

// Move starts a root motion in both.
func (m *match) Move(id session.PlayerID, motion *scenario.RootMotion) {
	m.Match.Move(id, motion)
	m.twin.Move(id, motion)
}

// Restore sets a recorded state in both.
func (m *match) Restore(id session.PlayerID, packed []byte) (err error) {
	for _, one := range []lab.Match{m.Match, m.twin} {
		if r, ok := lab.As[lab.Restorer](one); ok {
			err = r.Restore(id, packed)
		}
	}
	return err
}

// Join returns a player's end, watched.
func (m *match) Join(p lab.Participant) lab.Actor {
	a := &actor{Actor: m.Match.Join(p), match: m, name: p.Name}
	m.actors = append(m.actors, a)
	return a
}

// actor is a player's end.
type actor struct {
	lab.Actor
	match *match
	name  string
	last  lab.Controls // before the quiet part
	ends  moveEnds
}

// Wrapped implements lab.Wrapper.
func (a *actor) Wrapped() any { return a.Actor }

// moveEnds is where the newest moves of a player ended, on one end.
type moveEnds [256]struct {
	number   uint32
	position geom.Vec3
}

func (e *moveEnds) put(number uint32, at geom.Vec3) {
	m := &e[number%uint32(len(e))]
	m.number, m.position = number, at
}

// newest returns the newest move up to a number that both ends know: a client with a fixed tick
// shows one move a frame, and makes several.
func (e *moveEnds) newest(of *moveEnds, upTo uint32) (number uint32, mine, theirs geom.Vec3, ok bool) {
	for n := upTo; n > 0 && upTo-n < uint32(len(e))/2; n-- {
		if a, b := &e[n%uint32(len(e))], &of[n%uint32(len(e))]; a.number == n && b.number == n {
			return n, a.position, b.position, true
		}
	}
	return 0, geom.Vec3{}, geom.Vec3{}, false
}

// still returns h without input: the view stays where it was.
func still(h *lab.Controls) lab.Controls {
	return lab.Controls{Yaw: h.Yaw, Pitch: h.Pitch, Aim: lab.Aim{Yaw: h.Yaw, Pitch: h.Pitch}}
}

// Act plays a frame. In the quiet part nobody acts.
func (a *actor) Act(local clock.Micros, h *lab.Controls) {
	if a.match.quiet {
		rest := still(&a.last)
		h = &rest
	} else {
		a.last = *h
	}
	a.Actor.Act(local, h)
	if a.Phase() == session.Playing {
		a.ends.put(a.Newest(), a.Position())
	}
}

// Think is what a bot does. In the quiet part bots rest.
func (a *actor) Think(local clock.Micros) lab.Controls {
	if a.match.quiet {
		return still(&a.last)
	}
	return a.Actor.Think(local)
}

// Reset begins a new connection.
func (a *actor) Reset() {
	if id := int(a.ID()); id > 0 && id <= len(a.match.players) {
		a.match.players[id-1].rejoins(a.match.now)
	}
	a.ends = moveEnds{} // numbers begin again, and those of before are of other moves
	a.Actor.Reset()
}
