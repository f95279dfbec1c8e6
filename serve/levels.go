package serve

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/level"
	"github.com/backstep-net/backstep/session"
)

// Level is one of several levels of a match: see Config.Levels.
type Level struct {
	// Model is a GLB file, as Config.Level is. Nil: pages draw the level as they know it.
	Model []byte
	// World is the collision geometry. Nil takes that of Model.
	World *collide.World
}

// readLevel is a level that a match can play.
type readLevel struct {
	*level.Level // nil without a file
	hash         string
	world        *collide.World
	model        []byte
}

// LevelReason is why connections are closed when a match changes its level: clients reconnect by themselves, and load
// the new one.
const LevelReason = "serve: the next level begins"

// ChangeLevel ends the level with this tick; the next one begins on the level of that index in Config.Levels, which may be
// the same. The players keep their seats: their clients reconnect, which takes about half a second and the download of
// the level. OnStart is called for the new level, then OnJoin for each player that comes back, without Reconnected, and OnLeave
// for one that does not. Fields and entities begin anew; what the variables of the hooks have stays. See
// session.Server.TakePlayersFrom. It panics if there is no such level.
func (m *Match[S, C]) ChangeLevel(index int) {
	if index < 0 || index >= len(m.hooks.read) {
		panic("serve: ChangeLevel(" + strconv.Itoa(index) + "): Config.Levels has " + strconv.Itoa(len(m.hooks.Levels)) + " levels: give an index below that")
	}
	m.next = index
}

// backWithin is how long the players of a match may take to come back after its level has changed, before a server that
// drains takes the match for one without players: as long as their seats are kept.
const backWithin = 10 * clock.Second

// unchanged is Match.next of a match that plays on.
const unchanged = -1

// changeLevel lets the next level begin, if one was asked for.
func (m *Match[S, C]) changeLevel() {
	if m.next == unchanged {
		return
	}
	earlier := m.Server
	if m.hasPlayers() {
		m.backBy = m.Now() + backWithin
	}
	m.load(m.next)
	m.Server.TakePlayersFrom(earlier, LevelReason)
	m.resetBots()
	m.start()
	m.handleEvents()
}

// load makes the session of a level.
func (m *Match[S, C]) load(index int) {
	l := &m.hooks.read[index]
	c := m.hooks.Session
	c.World, c.LevelHash = l.world, l.hash
	m.Server = session.NewServer(m.game, c)
	m.Level, m.LevelIndex, m.next = l.Level, index, unchanged
}

// start lets the game make what belongs to a level.
func (m *Match[S, C]) start() {
	if m.hooks.OnStart != nil {
		m.hooks.OnStart(m)
	}
}

// readLevels reads the levels once, and fills in of Session what is nil.
func (c *Config[S, C]) readLevels() error {
	if c.read != nil {
		return nil
	}
	s := &c.Session
	list := c.Levels
	switch {
	case len(list) > 0 && (c.Level != nil || s.World != nil || s.LevelHash != ""):
		return errors.New("serve: Config.Levels are all levels of the match: leave Config.Level, and World and LevelHash of Config.Session, empty")
	case len(list) == 0 && c.Level == nil && s.World == nil:
		return errors.New("serve: Config.Session.World and Config.Level are nil: set one, such as a collide.Builder's Bake or the bytes of a .glb file")
	case len(list) == 0:
		list = []Level{{c.Level, s.World}}
	}
	for i := range list {
		l, err := list[i].read()
		if err == nil && slices.ContainsFunc(c.read, func(o readLevel) bool { return o.hash == l.hash }) {
			err = errors.New("an earlier one has the same geometry, by which clients know a level: change something that players collide with, or leave one of them out")
		}
		if err != nil {
			return fmt.Errorf("serve: Config.%s: %w", c.levelName(i), err)
		}
		c.read = append(c.read, l)
	}
	first := &c.read[0]
	first.hash = cmp.Or(s.LevelHash, first.hash)
	s.World, s.LevelHash = first.world, first.hash
	if s.NewKey == nil {
		s.NewKey = func() (k session.Key) { rand.Read(k[:]); return k } // never fails
	}
	return nil
}

// levelName is the field that has a level.
func (c *Config[S, C]) levelName(i int) string {
	if len(c.Levels) == 0 {
		return "Level"
	}
	return "Levels[" + strconv.Itoa(i) + "]"
}

// read reads the model.
func (l *Level) read() (r readLevel, err error) {
	r.world, r.model = l.World, l.Model
	if l.Model != nil {
		if r.Level, err = level.Read(l.Model); err != nil {
			return r, err
		}
		if r.world == nil {
			r.world = r.Level.World
		}
	}
	if r.world == nil {
		return r, errors.New("it has neither Model nor World: set one")
	}
	r.hash = r.world.Hash()
	return r, nil
}

// served returns what clients download, by the hash of the level.
func (c *Config[S, C]) served() map[string]host.Level {
	levels := make(map[string]host.Level)
	for i := range c.read {
		l := &c.read[i]
		levels[l.hash] = host.Level{World: l.world.AppendBinary(nil), Model: l.model}
	}
	return levels
}
