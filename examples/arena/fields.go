package arena

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// The arena's fields, by their place in fields.
const (
	fieldName = iota // of a player, as on the scoreboard
	fieldBot
	fieldTeam
	fieldKills
	fieldDeaths
	fieldProtected
	fieldPlaying // set last, so that the rest is known with it
	fieldHealth  // of a player, for itself, as the next three
	fieldArmour
	fieldRespawn // milliseconds
	fieldHits
	fieldRedGoals // of the match, as the rest
	fieldBlueGoals
	fieldScorer
	fieldScored    // the team that scored
	fieldRoundLeft // seconds
	fieldRoundOver
	fieldRoundWinner
	fieldRoundTeam
	fieldLevel
	fieldLevels
	fieldVotes                          // of the first level, and so on
	fieldPing  = fieldVotes + MaxLevels // of a player, milliseconds
)

// fields are what players are sent of each other, of themselves and of the match besides poses.
var fields = []session.Field[Hero]{
	fieldName:        {Name: "name", Text: 4 * session.MaxName},
	fieldBot:         {Name: "bot", Max: 1},
	fieldTeam:        {Name: "team", Max: Blue},
	fieldKills:       {Name: "kills", Max: 65535},
	fieldDeaths:      {Name: "deaths", Max: 65535},
	fieldProtected:   {Name: "protected", Max: 1},
	fieldPlaying:     {Name: "playing", Max: 1},
	fieldHealth:      {Name: "health", Audience: session.Owner, Max: FullHealth},
	fieldArmour:      {Name: "armour", Audience: session.Owner, Max: FullArmour},
	fieldRespawn:     {Name: "respawn", Audience: session.Owner, Max: 65535},
	fieldHits:        {Name: "hits", Audience: session.Owner, Max: 255},
	fieldRedGoals:    {Name: "red goals", Max: 65535},
	fieldBlueGoals:   {Name: "blue goals", Max: 65535},
	fieldScorer:      {Name: "scorer", Max: session.MaxPlayers},
	fieldScored:      {Name: "scored", Max: Blue},
	fieldRoundLeft:   {Name: "round left", Max: 65535},
	fieldRoundOver:   {Name: "round over", Max: 1},
	fieldRoundWinner: {Name: "round winner", Max: session.MaxPlayers},
	fieldRoundTeam:   {Name: "round team", Max: Blue},
	fieldLevel:       {Name: "level", Max: MaxLevels - 1},
	fieldLevels:      {Name: "levels", Text: 128},
	fieldVotes:       {Name: "votes 1", Max: session.MaxPlayers},
	fieldVotes + 1:   {Name: "votes 2", Max: session.MaxPlayers},
	fieldVotes + 2:   {Name: "votes 3", Max: session.MaxPlayers},
	fieldVotes + 3:   {Name: "votes 4", Max: session.MaxPlayers},
	fieldPing:        {Name: "ping", Max: maxPing},
}

// Score is one line of the scoreboard.
type Score struct {
	Player    uint16 // its id; 0: nobody
	Connected bool   // it is in the match
	Bot       bool   // the server plays it
	Team      uint8  // Red or Blue; 0 without teams
	Kills     uint16 // of other players, without teammates
	Deaths    uint16 // by any cause
	Protected bool   // its new life takes no damage; see MatchConfig.SpawnProtection
	Ping      uint16 // round trip to the server, 0 … 1000 ms, right to a quarter; 0: not known, or a bot
	Name      string // UTF-8, at most 4·session.MaxName bytes
}

// Status is what a player knows of itself besides its state.
type Status struct {
	Health  uint8        // 0 … FullHealth; 0 is dead
	Armour  uint8        // 0 … FullArmour
	Respawn clock.Micros // time from death to respawn, 0 … 65 s; 0 when alive
	Hits    uint8        // counts hits taken; wraps
}

// set sets a number of a player, or of the match.
func (m *Match) set(id uint16, field int, v int64) {
	m.Server.SetNumber(track.ID(id), fields[field].Name, v)
}

// showScore sets the fields of a player's line of the scoreboard.
func (m *Match) showScore(id uint16) {
	s := &m.fighters[id].score
	m.Server.SetText(track.ID(id), fields[fieldName].Name, s.Name)
	m.set(id, fieldBot, number(s.Bot))
	m.set(id, fieldTeam, int64(s.Team))
	m.set(id, fieldKills, int64(s.Kills))
	m.set(id, fieldDeaths, int64(s.Deaths))
	m.set(id, fieldProtected, number(s.Protected))
	m.set(id, fieldPing, int64(s.Ping))
	m.set(id, fieldPlaying, number(s.Connected))
}

const (
	maxPing    = 1000 // milliseconds, as the next
	pingStep   = 5
	pingPeriod = 5 * clock.Second
)

// updatePings sets the round trips on the scoreboard at every fifth second of the match, so that a match that goes on
// in another process does it at the same times. A change by less than a quarter is not worth a message to everybody.
// A player that has come back keeps the ping that it had until it is known again.
func (m *Match) updatePings(now clock.Micros) {
	if now < m.nextPings {
		return
	}
	m.nextPings = (now/pingPeriod + 1) * pingPeriod
	m.infos = m.Server.Players(m.infos[:0])
	for i := range m.infos {
		id := uint16(m.infos[i].ID)
		s := &m.fighters[id].score
		if !s.Connected || s.Bot || m.infos[i].RTT == 0 {
			continue
		}
		steps := (m.infos[i].RTT + pingStep*clock.Millisecond - 1) / (pingStep * clock.Millisecond)
		ping := uint16(min(pingStep*steps, maxPing))
		if change := max(ping, s.Ping) - min(ping, s.Ping); change > s.Ping/4 {
			s.Ping = ping
			m.set(id, fieldPing, int64(ping))
		}
	}
}

// showStatus sets the fields that a player knows of itself.
func (m *Match) showStatus(id uint16) {
	s, v := &m.fighters[id].status, m.ledger.Vitals(track.ID(id))
	s.Health, s.Armour = uint8(v.Health), uint8(v.Armour)
	if m.fighters[id].spectates { // nothing hurts a spectator
		s.Health = FullHealth
	}
	m.set(id, fieldHealth, int64(s.Health))
	m.set(id, fieldArmour, int64(s.Armour))
	m.set(id, fieldRespawn, int64(s.Respawn/clock.Millisecond))
	m.set(id, fieldHits, int64(s.Hits))
}

// showGoals sets the fields of the pitch.
func (m *Match) showGoals() {
	g := &m.entities.pitch.stand
	m.set(0, fieldRedGoals, int64(g.Red))
	m.set(0, fieldBlueGoals, int64(g.Blue))
	m.set(0, fieldScorer, int64(g.By))
	m.set(0, fieldScored, int64(g.Team))
}

func number(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// fieldReader reads fields by their place in fields, on either end.
type fieldReader interface {
	NumberAt(id track.ID, field int) int64
	TextAt(id track.ID, field int) string
}

// serverFields reads the fields that a server has set.
type serverFields struct{ *session.Server[Hero, Command] }

// NumberAt implements fieldReader.
func (s serverFields) NumberAt(id track.ID, field int) int64 { return s.Number(id, fields[field].Name) }

// TextAt implements fieldReader.
func (s serverFields) TextAt(id track.ID, field int) string { return s.Text(id, fields[field].Name) }

// Score returns a player's line of the scoreboard as of the drawn view, the zero Score of an id that has no player.
func (p *Player) Score(id session.PlayerID) Score { return readScore(p, id) }

// readFields reads the status, the round and the goals.
func (p *Player) readFields() {
	own := p.ID()
	if own == 0 {
		return
	}
	p.Status, p.Round, p.Goals = readStatus(p, own), readRound(p), readGoals(p)
}

// readStatus returns what a player knows of itself.
func readStatus(r fieldReader, id track.ID) Status {
	return Status{
		Health: uint8(r.NumberAt(id, fieldHealth)), Armour: uint8(r.NumberAt(id, fieldArmour)),
		Respawn: clock.Micros(r.NumberAt(id, fieldRespawn)) * clock.Millisecond, Hits: uint8(r.NumberAt(id, fieldHits)),
	}
}

// readScore returns a player's line of the scoreboard, the zero Score of a player that is not in the match.
func readScore(r fieldReader, id track.ID) Score {
	if r.NumberAt(id, fieldPlaying) == 0 {
		return Score{}
	}
	return Score{
		Player: uint16(id), Connected: true, Bot: r.NumberAt(id, fieldBot) == 1, Team: uint8(r.NumberAt(id, fieldTeam)),
		Kills: uint16(r.NumberAt(id, fieldKills)), Deaths: uint16(r.NumberAt(id, fieldDeaths)), Protected: r.NumberAt(id, fieldProtected) == 1,
		Ping: uint16(r.NumberAt(id, fieldPing)), Name: r.TextAt(id, fieldName),
	}
}

// readGoals returns the score of the pitch.
func readGoals(r fieldReader) Goals {
	return Goals{
		Red: uint16(r.NumberAt(session.OfMatch, fieldRedGoals)), Blue: uint16(r.NumberAt(session.OfMatch, fieldBlueGoals)),
		By: uint16(r.NumberAt(session.OfMatch, fieldScorer)), Team: uint8(r.NumberAt(session.OfMatch, fieldScored)),
	}
}
