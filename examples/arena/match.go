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

// What the arena's rules come down to.
const (
	FullHealth   = 100
	FullArmour   = 100
	RespawnAfter = 3 * clock.Second
	// Grace bounds for how long after a death its player's moves and shots count.
	Grace = 250 * clock.Millisecond
)

// Spawn is a place where heroes enter.
type Spawn struct {
	Position geom.Vec3
	Yaw      float64
}

// MatchConfig is what a match of the arena is made of.
type MatchConfig struct {
	session.ServerConfig
	Spawns []Spawn // at least one
	// Entities are what the level has places for: bodies, a football pitch, health packs.
	// There may be none.
	Entities []Entity
	// Assigned has player n enter at the n-th spawn point, and those beyond the last
	// at the first again.
	Assigned bool
	// Game is the rules, which belong to the match; nil means NewGame's.
	Game *Game
	// Weapons are the match's; nil are the Game's, which are the arena's own.
	Weapons shot.Table
	// KillHeight is the height below which a hero dies, in metres.
	KillHeight float64
	// Damage is how shots hurt: friendly fire, armour. Its Health and Armour are FullHealth
	// and FullArmour; where Self is zero it is all that a weapon does to its shooter
	// (shot.Blast.Self); where Plates are, they are the arena's own.
	Damage damage.Rules
	// Armour is what a life begins with, 0 … FullArmour.
	Armour uint16
	// Peaceful matches judge shots but take no health.
	Peaceful bool
	// Immortal matches judge shots, and nobody dies or returns but by what is done from
	// outside: they show what was recorded.
	Immortal bool
	// Teams has everybody play for Red or for Blue, whichever has fewer when they join.
	Teams bool
	// Strict lets only the dead watch; otherwise anyone may, at any time.
	Strict bool
	// Seed chooses the spawn points.
	Seed uint64
	// Mesh is what the bots of a Crew find their way by, to be shared by matches of
	// one level; nil bakes a new one.
	Mesh *nav.Mesh
}

// fighter is what the match keeps of a player beside the state.
type fighter struct {
	score   Score
	status  Status
	dead    bool
	watches bool
	falls   clock.Micros // when the body of one who has died goes down; 0: it has
	respawn clock.Micros // when
	life    uint8
}

// Match is one arena on the server: the session and the score.
type Match struct {
	*session.Server[Hero, Command]
	game     *Game
	config   MatchConfig
	fighters [session.MaxPlayers + 1]fighter // by player id
	ledger   *damage.Ledger
	dealt    []damage.Result // of this tick
	pushes   []shot.Receipt  // blasts of this tick
	ground   playground
	random   uint64
	kicked   []session.Event
	noted    []session.Event
	packer   bits.Packer
	scratch  [256]byte
}

// NewMatch returns an empty arena. It panics where there is no spawn point.
func NewMatch(config MatchConfig) *Match {
	if len(config.Spawns) == 0 {
		panic("arena: MatchConfig.Spawns is empty")
	}
	game := config.Game
	if game == nil {
		game = NewGame()
	}
	if config.Weapons != nil {
		game.SetWeapons(config.Weapons)
	}
	m := &Match{game: game, config: config, random: config.Seed}
	m.config.MatchInfo, m.config.OnReceipt = game.Terms(), m.judged
	m.ledger = damage.NewLedger(rulesOf(config.Damage), len(m.fighters))
	if len(config.Entities) > 0 {
		m.config.Simulate = m.simulate
	}
	m.Server = session.NewServer[Hero, Command](game, m.config.ServerConfig)
	if len(config.Entities) > 0 {
		m.furnish()
	}
	return m
}

// Tick runs one tick: the session's, then the rules: who was hurt, who died, who
// returns.
func (m *Match) Tick(now clock.Micros) {
	m.Server.Tick(now)
	m.kicked, m.noted = m.kicked[:0], m.noted[:0]
	for _, e := range m.Server.Events() {
		m.react(&e)
	}
	m.settle(now)
	for id := range m.fighters {
		m.tend(uint16(id), now)
	}
	m.Server.Send()
}

// Kicked is whom the host should disconnect after this tick, and why.
func (m *Match) Kicked() []session.Event { return m.kicked }

// Notable is whose time began to run ahead in this tick, or is even again; see
// host.Noter.
func (m *Match) Notable() []session.Event { return m.noted }

func (m *Match) react(e *session.Event) {
	id := uint16(e.Player)
	switch e.Kind {
	case session.Joined:
		m.join(id, e)
	case session.Left:
		m.leave(id)
	case session.Shot:
		m.strikes(&e.Receipt)
	case session.Message:
		m.asked(id, e.Bytes)
	case session.Kick:
		m.kicked = append(m.kicked, *e)
	case session.TimeDiscrepancy, session.TimeDiscrepancyCleared:
		m.noted = append(m.noted, *e)
	}
}

// join seats a newcomer, tells everybody, and tells the newcomer who is there. A
// player who returns keeps the score and the place.
func (m *Match) join(id uint16, e *session.Event) {
	f := &m.fighters[id]
	if !e.Again {
		m.ledger.Join(track.ID(id))
		*f = fighter{score: Score{Player: id, Here: true, Bot: e.Peer >= session.FirstLoopback, Team: m.teamFor(), Name: m.nameFor(e.Name)}, life: f.life}
		m.enter(id)
	}
	m.tellScore(id)
	m.tellGoals(id)
	for other := range m.fighters {
		if o := &m.fighters[other]; o.score.Here && uint16(other) != id {
			m.tell(id, &note{kind: tellScore, score: o.score})
		}
	}
}

// leave takes the player off the scoreboard. Lives go on being counted: nobody is
// drawn gliding from who had the seat to who has it next.
func (m *Match) leave(id uint16) {
	f := &m.fighters[id]
	f.score.Here = false
	m.tellScore(id)
	*f = fighter{life: f.life}
	m.ledger.Leave(track.ID(id))
}

// teamFor returns the team that has fewer players, Red if both have as many; 0 without
// teams.
func (m *Match) teamFor() uint8 {
	if !m.config.Teams {
		return 0
	}
	var count [Blue + 1]int
	for id := range m.fighters {
		if s := &m.fighters[id].score; s.Here {
			count[s.Team]++
		}
	}
	if count[Blue] < count[Red] {
		return Blue
	}
	return Red
}

// nameFor returns the name as it is shown: who comes second with one gets " (2)".
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
		if s := &m.fighters[id].score; s.Here && s.Name == name {
			return true
		}
	}
	return false
}

// enter puts the player's hero into the world with full health.
func (m *Match) enter(id uint16) {
	f := &m.fighters[id]
	f.life++
	f.dead, f.watches, f.falls, f.respawn = false, false, 0, 0
	m.ledger.Enter(track.ID(id), f.life, damage.Team(f.score.Team))
	m.ledger.Equip(track.ID(id), m.config.Armour)
	f.status = Status{Hurt: f.status.Hurt}
	s := m.spawnFor(id)
	m.Server.SetState(session.PlayerID(id), m.game.Spawn(s.Position, s.Yaw, f.life))
	m.tellStatus(id)
}

// spawnFor draws one of the spawn points that are well away from everybody alive:
// at least half as far as the farthest; or takes the player's own.
func (m *Match) spawnFor(id uint16) Spawn {
	if m.config.Assigned {
		return m.config.Spawns[(int(id)-1)%len(m.config.Spawns)]
	}
	most, fit := 0.0, 0
	for _, s := range m.config.Spawns {
		most = max(most, m.roomAround(id, s.Position))
	}
	var drawn Spawn
	for _, s := range m.config.Spawns {
		if m.roomAround(id, s.Position) < most/2 {
			continue
		}
		if fit++; m.draw(fit) == 0 { // so each of them is as likely
			drawn = s
		}
	}
	return drawn
}

// roomAround returns the distance from p to the nearest other hero alive.
func (m *Match) roomAround(id uint16, p geom.Vec3) float64 {
	room := 1e9
	for other := range m.fighters {
		o := &m.fighters[other]
		if !o.score.Here || o.dead || o.watches || uint16(other) == id {
			continue
		}
		if h, ok := m.Server.State(session.PlayerID(other)); ok {
			room = min(room, h.Position.Dist(p))
		}
	}
	return room
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

// MarkBot shows the player as a bot on the scoreboard, where all of a Crew's are already.
func (m *Match) MarkBot(id session.PlayerID) {
	m.fighters[id].score.Bot = true
	m.tellScore(uint16(id))
}

func (m *Match) tellScore(id uint16) {
	m.Server.Broadcast(m.packNote(&note{kind: tellScore, score: m.fighters[id].score}))
}

func (m *Match) tell(id uint16, n *note) {
	m.Server.SendMessage(session.PlayerID(id), m.packNote(n))
}

func (m *Match) packNote(n *note) []byte {
	m.packer.Write(m.scratch[:])
	n.pack(&m.packer)
	return m.packer.Bytes()
}

func (m *Match) tellStatus(id uint16) {
	s, v := &m.fighters[id].status, m.ledger.Vitals(track.ID(id))
	s.Health, s.Armour = uint8(v.Health), uint8(v.Armour)
	if m.fighters[id].watches { // whom nothing hurts
		s.Health = FullHealth
	}
	m.packer.Write(m.scratch[:session.MaxStatus])
	s.Pack(&m.packer)
	m.Server.SetStatus(session.PlayerID(id), m.packer.Bytes())
}
