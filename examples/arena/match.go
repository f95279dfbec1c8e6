package arena

import (
	"strconv"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/damage"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/nav"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// The rules' constants.
const (
	FullHealth   = 100
	FullArmour   = 100
	RespawnAfter = 3 * clock.Second
	// DeathGrace bounds how long after a death the player's moves and shots still count.
	DeathGrace = 250 * clock.Millisecond
)

// Spawn is a place where heroes enter.
type Spawn struct {
	Position geom.Vec3 // of the hero's feet, metres
	Yaw      float64   // view direction, radians; 0 looks along −Z
}

// MatchConfig configures a match of the arena.
type MatchConfig struct {
	session.ServerConfig
	Spawns []Spawn // at least one is required
	// Entities are the places of bodies, a football pitch and health packs. There may be
	// none.
	Entities []Entity
	// Assigned makes player n enter at the n-th spawn point, starting over after the last.
	Assigned bool
	// Game is the rules, owned by the match; nil means NewGame's.
	Game *Game
	// Weapons are the match's; nil means the Game's, which are the arena's own.
	Weapons shot.Table
	// KillHeight is the height below which a hero dies, in metres. Zero is a height like any
	// other: a level says its own (level.Level.KillHeight).
	KillHeight float64
	// Damage is the damage rules: friendly fire, armour. Health and Armour are set to
	// FullHealth and FullArmour. A zero Self means full damage to the shooter, scaled by
	// the weapon alone (shot.Blast.Self); nil Plates mean the arena's own.
	Damage damage.Rules
	// Armour is the armour of a new life, up to FullArmour. Zero means none.
	Armour uint16
	// Peaceful matches judge shots but apply no damage.
	Peaceful bool
	// Immortal matches judge shots, but players die and respawn only by the caller: for
	// playing recordings.
	Immortal bool
	// Teams puts each player into Red or Blue, the smaller team at the time of joining.
	Teams bool
	// LocalPlayers is how many clients of a session.Loopback are players of this process,
	// such as the host of a listen server. They connect before the bots; all later clients
	// of the Loopback are bots on the scoreboard. Zero means that all are.
	LocalPlayers int
	// SpawnProtection is for how long a new life takes no damage from others, unless the player
	// fires. Zero means none.
	SpawnProtection clock.Micros
	// SafeSpawns prefers spawn points that no enemy sees, and turns those that look at a wall to the open.
	SafeSpawns bool
	// Strict lets only dead players become spectators; otherwise any player may.
	Strict bool
	// Rounds says when a round ends; the zero RoundRules play one without end.
	Rounds RoundRules
	// Earlier is the match, of another level, whose players this one takes over; nil takes over none.
	Earlier *Match
	// Seed seeds the choice of spawn points. Zero is a seed like any other.
	Seed uint64
	// Mesh is the bots' navigation mesh, which matches of one level may share; nil bakes a
	// new one.
	Mesh *nav.Mesh
}

// fighter is the match's data of a player besides its state.
type fighter struct {
	score     Score
	status    Status
	dead      bool
	spectates bool
	falls     clock.Micros // when the body of a dead player falls; 0: it has
	respawn   clock.Micros // when
	protected clock.Micros // until when its new life is; 0: it is not
	life      uint8
	vote      uint8 // the level that it wants next, from 1; 0: none
}

// Match is one arena on the server: the session and the rules.
type Match struct {
	*session.Server[Hero, Command]
	game      *Game
	config    MatchConfig
	fighters  []fighter // by player id
	ledger    *damage.Ledger
	results   []damage.Result // damage of this tick
	pushes    []shot.Receipt  // blasts of this tick
	entities  worldEntities
	round     round
	random    uint64
	kicked    []session.Event
	reported  []session.Event
	infos     []session.PlayerInfo // scratch of updatePings
	nextPings clock.Micros         // when the scoreboard's are updated
	packer    bits.Packer
	scratch   [256]byte
}

// NewMatch returns an empty arena. It panics without a spawn point, and with more levels than
// MaxLevels or without the match's own among them.
func NewMatch(config MatchConfig) *Match {
	if len(config.Spawns) == 0 {
		panic("arena: MatchConfig.Spawns is empty")
	}
	if r := &config.Rounds; len(r.Levels) > MaxLevels || len(r.Levels) > 0 && (r.Level < 0 || r.Level >= len(r.Levels)) {
		panic("arena: MatchConfig.Rounds: at most four levels, and Level is the index of one")
	}
	game := config.Game
	if game == nil {
		game = NewGame()
	}
	if config.Weapons != nil {
		game.SetWeapons(config.Weapons)
	}
	m := &Match{game: game, config: config, random: config.Seed}
	m.config.OnReceipt = m.onReceipt
	if config.SafeSpawns {
		m.config.Spawns = facingOpenSpace(config.World, config.Spawns)
	}
	if len(config.Entities) > 0 {
		m.config.Simulate = m.simulate
	}
	if config.Visibility != nil {
		rules := *config.Visibility
		rules.Reveal = m.reveals
		m.config.Visibility = &rules
	}
	m.Server = session.NewServer(game.Rules(), m.config.ServerConfig)
	m.fighters = make([]fighter, m.Seats()+1)
	m.ledger = damage.NewLedger(rulesOf(config.Damage), len(m.fighters))
	if config.Earlier != nil {
		m.TakePlayersFrom(config.Earlier.Server, NextLevelReason)
		m.config.Earlier = nil // or each match would keep all before it
		m.handleEvents()
	}
	if len(config.Entities) > 0 {
		m.addEntities()
	}
	return m
}

// Tick runs one tick: first the session's, then the rules: damage, deaths, respawns.
func (m *Match) Tick(now clock.Micros) {
	m.Server.Tick(now)
	m.kicked, m.reported = m.kicked[:0], m.reported[:0]
	m.handleEvents()
	m.endProtection(now)
	m.applyDamage(now)
	for id := range m.fighters {
		m.updateDead(uint16(id), now)
	}
	m.updateRound(now)
	m.updatePings(now)
	m.Server.Send()
}

// reveals reports whether a viewer is sent an entity wherever it is: its own team, everybody for
// spectators and for bots, which are on this side of the wire, and what is no player. Packs, balls and
// crates are no secret, and there are many of them.
func (m *Match) reveals(viewer, entity track.ID) bool {
	if int(entity) >= len(m.fighters) {
		return true
	}
	v := &m.fighters[viewer]
	return v.spectates || v.score.Bot || v.score.Team != 0 && v.score.Team == m.fighters[entity].score.Team
}

// Kicked returns the peers to disconnect after this tick, with the reasons.
func (m *Match) Kicked() []session.Event { return m.kicked }

// HostEvents returns the joins and shots of this tick, and the time discrepancies that began or ended;
// see host.EventSource.
func (m *Match) HostEvents() []session.Event { return m.reported }

func (m *Match) handleEvents() {
	for _, e := range m.Server.Events() {
		m.handleEvent(&e)
	}
}

func (m *Match) handleEvent(e *session.Event) {
	id := uint16(e.Player)
	switch e.Kind {
	case session.Joined:
		m.reported = append(m.reported, *e)
		m.join(id, e)
	case session.Left:
		m.leave(id)
	case session.Shot:
		m.reported = append(m.reported, *e)
		m.pushHit(&e.Receipt)
	case session.Message:
		m.handleRequest(id, e.Bytes)
	case session.Kick:
		m.kicked = append(m.kicked, *e)
	case session.TimeDiscrepancy, session.TimeDiscrepancyCleared, session.Mispredicting:
		m.reported = append(m.reported, *e)
	}
}

// join adds a player. One that returns keeps score and position.
func (m *Match) join(id uint16, e *session.Event) {
	f := &m.fighters[id]
	m.ledger.Join(track.ID(id), e.Reconnected)
	if !e.Reconnected {
		*f = fighter{score: Score{Player: id, Connected: true, Bot: e.Peer >= session.FirstLoopback+session.Peer(m.config.LocalPlayers), Team: m.teamFor(), Name: m.nameFor(e.Name)}, life: f.life}
		m.enter(id)
	}
	m.showScore(id)
}

// leave removes the player from the scoreboard. The count of lives continues, so that
// no player is interpolated from the last player of that id to the next.
func (m *Match) leave(id uint16) {
	f := &m.fighters[id]
	*f = fighter{life: f.life}
	m.ledger.Leave(track.ID(id))
}

// teamFor returns the smaller team, Red if both are equal; 0 without teams.
func (m *Match) teamFor() uint8 {
	if !m.config.Teams {
		return 0
	}
	var count [Blue + 1]int
	for id := range m.fighters {
		if s := &m.fighters[id].score; s.Connected {
			count[s.Team]++
		}
	}
	if count[Blue] < count[Red] {
		return Blue
	}
	return Red
}

// nameFor returns the displayed name: the second player of a name gets " (2)".
func (m *Match) nameFor(name string) string {
	shown := name
	for n := 2; m.named(shown); n++ {
		mark := " (" + strconv.Itoa(n) + ")"
		runes := []rune(name)
		shown = string(runes[:min(len(runes), session.MaxName-len(mark))]) + mark
	}
	return shown
}

func (m *Match) named(name string) bool {
	for id := range m.fighters {
		if s := &m.fighters[id].score; s.Connected && s.Name == name {
			return true
		}
	}
	return false
}

// enter spawns the player's hero with full health.
func (m *Match) enter(id uint16) {
	f := &m.fighters[id]
	f.life++
	f.dead, f.spectates, f.falls, f.respawn = false, false, 0, 0
	m.protect(id)
	m.ledger.Spawn(track.ID(id), f.life, damage.Team(f.score.Team))
	m.ledger.AddArmour(track.ID(id), m.config.Armour)
	f.status = Status{Hits: f.status.Hits}
	s := m.spawnFor(id)
	m.Server.SetState(session.PlayerID(id), m.game.Spawn(s.Position, s.Yaw, f.life))
	m.showStatus(id)
}

// draw returns a number below n (splitmix64).
func (m *Match) draw(n int) int {
	m.random += 0x9e3779b97f4a7c15
	z := m.random
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(n))
}

// Score returns the player's line of the scoreboard.
func (m *Match) Score(id session.PlayerID) Score { return m.fighters[id].score }

// MarkBot marks the player as a bot on the scoreboard; those of Bots are marked already.
func (m *Match) MarkBot(id session.PlayerID) {
	m.fighters[id].score.Bot = true
	m.showScore(uint16(id))
}
