package arena

import (
	"strings"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
)

// MaxLevels is how many levels a vote is among at most.
const MaxLevels = 4

// Intermission is the time between two rounds, in which nobody takes damage and players vote.
const Intermission = 12 * clock.Second

// RoundRules say when a round ends. The zero RoundRules play one round without end.
type RoundRules struct {
	// Time is how long a round lasts, up to 18 h. Zero means no limit.
	Time clock.Micros
	// Kills ends the round when a player has so many. Zero means no limit.
	Kills uint16
	// Levels are the names of the levels that players vote for, at most MaxLevels; at least two make
	// a vote. Level is the index of the match's own. Nil means no vote. See Rotation.
	Levels []string
	Level  int // see Levels
}

// limited reports whether rounds end.
func (r *RoundRules) limited() bool { return r.Time > 0 || r.Kills > 0 }

// Round is what clients know of the round. Zero is a match without rounds.
type Round struct {
	// Left is the time until the round ends, or in the intermission until the next begins, in whole
	// seconds; 0 without a limit of time.
	Left uint16
	// Over is whether it is the intermission. Winner is then the winner, 0 for none: no player scored, or two
	// are even. With teams it is Team instead, Red or Blue.
	Over   bool
	Winner uint16
	Team   uint8
	// Levels are the names of the levels to vote for, one a line, "" without a vote. Level is the index of
	// the level that is played, Votes those for each.
	Levels string
	Level  uint8
	Votes  [MaxLevels]uint8
}

// round is the match's state of it.
type round struct {
	shown   Round // what the fields say
	running bool  // a player is in it: the time runs
	over    bool  // it is the intermission; then winner and team are as in Round
	winner  uint16
	team    uint8
	ends    clock.Micros // of the round, or of the intermission
	next    int          // level that the vote chose, from 1; 0: none yet
}

// NextLevel returns the index of the level that players have chosen for the next round, and true once
// that is another one and its time has come. The match is to be replaced then; see Rotation.
func (m *Match) NextLevel() (int, bool) { return m.round.next - 1, m.round.next != 0 }

// updateRound ends rounds and begins them. The time of the first runs from the moment when somebody plays that is no
// bot.
func (m *Match) updateRound(now clock.Micros) {
	r := &m.round
	if !m.config.Rounds.limited() {
		return
	}
	if !r.running {
		if m.anybody() {
			r.running = true
			m.beginRound(now, false)
		}
	} else if !r.over && m.roundEnds(now) {
		m.endRound(now)
	} else if r.over && now >= r.ends {
		if chosen := m.chosenLevel(); chosen != m.config.Rounds.Level {
			r.next = chosen + 1
		}
		r.running = m.anybody()
		m.beginRound(now, true)
	}
	m.showRound(now)
}

// roundEnds reports whether the round has reached its limit of time or kills.
func (m *Match) roundEnds(now clock.Micros) bool {
	if m.config.Rounds.Time > 0 && now >= m.round.ends {
		return true
	}
	for id := range m.fighters {
		if k := m.config.Rounds.Kills; k > 0 && m.fighters[id].score.Connected && m.fighters[id].score.Kills >= k {
			return true
		}
	}
	return false
}

// anybody reports whether there is a player that is no bot.
func (m *Match) anybody() bool {
	for id := range m.fighters {
		if s := &m.fighters[id].score; s.Connected && !s.Bot {
			return true
		}
	}
	return false
}

// beginRound resets all scores, and with respawn places everybody anew, except spectators.
func (m *Match) beginRound(now clock.Micros, respawn bool) {
	r := &m.round
	r.over, r.winner, r.team = false, 0, 0
	r.ends = now + m.config.Rounds.Time
	for id := range m.fighters {
		f := &m.fighters[id]
		if !f.score.Connected {
			continue
		}
		f.score.Kills, f.score.Deaths, f.vote = 0, 0, 0
		m.showScore(uint16(id))
		if respawn && !f.spectates {
			m.enter(uint16(id))
		}
	}
	m.entities.pitch.stand = Goals{}
	m.showGoals()
}

// endRound begins the intermission.
func (m *Match) endRound(now clock.Micros) {
	r := &m.round
	r.over, r.ends = true, now+Intermission
	if m.config.Teams {
		r.team = m.winningTeam()
	} else {
		r.winner = m.winner()
	}
}

// winner returns the player with the most kills, of several the one with the fewest deaths; 0 for none.
func (m *Match) winner() uint16 {
	best, even := Score{}, false
	for id := range m.fighters {
		s := &m.fighters[id].score
		if !s.Connected || s.Kills == 0 {
			continue
		}
		switch {
		case s.Kills > best.Kills || s.Kills == best.Kills && s.Deaths < best.Deaths:
			best, even = *s, false
		case s.Kills == best.Kills && s.Deaths == best.Deaths:
			even = true
		}
	}
	if even {
		return 0
	}
	return best.Player
}

// winningTeam returns the team with the most kills, 0 if both have as many.
func (m *Match) winningTeam() uint8 {
	var kills [Blue + 1]int
	for id := range m.fighters {
		if s := &m.fighters[id].score; s.Connected {
			kills[s.Team] += int(s.Kills)
		}
	}
	switch {
	case kills[Red] > kills[Blue]:
		return Red
	case kills[Blue] > kills[Red]:
		return Blue
	}
	return 0
}

// vote counts a player's vote in the intermission: the last one counts.
func (m *Match) vote(id uint16, level int) {
	if m.round.over && level < len(m.config.Rounds.Levels) {
		m.fighters[id].vote = uint8(level) + 1
	}
}

// votes returns how many players want each level.
func (m *Match) votes() (n [MaxLevels]uint8) {
	for id := range m.fighters {
		if f := &m.fighters[id]; f.score.Connected && f.vote != 0 {
			n[f.vote-1]++
		}
	}
	return n
}

// chosenLevel returns the level with the most votes; of several the one that is played, or else the first. Without votes
// it is the one that is played.
func (m *Match) chosenLevel() int {
	n, best := m.votes(), m.config.Rounds.Level
	for i := range m.config.Rounds.Levels {
		if n[i] > n[best] {
			best = i
		}
	}
	return best
}

// showRound sets the fields of the round if something has changed.
func (m *Match) showRound(now clock.Micros) {
	s := &m.round
	r := Round{Over: s.over, Winner: s.winner, Team: s.team, Votes: m.votes()}
	if s.running && (s.over || m.config.Rounds.Time > 0) {
		r.Left = uint16(min(max(s.ends-now+clock.Second-1, 0)/clock.Second, 65535))
	}
	if r.Levels = s.shown.Levels; len(m.config.Rounds.Levels) > 1 {
		r.Level = uint8(m.config.Rounds.Level)
		if r.Levels == "" {
			r.Levels = strings.Join(m.config.Rounds.Levels, "\n")
		}
	}
	if r == s.shown {
		return
	}
	s.shown = r
	m.set(0, fieldRoundLeft, int64(r.Left))
	m.set(0, fieldRoundOver, number(r.Over))
	m.set(0, fieldRoundWinner, int64(r.Winner))
	m.set(0, fieldRoundTeam, int64(r.Team))
	m.set(0, fieldLevel, int64(r.Level))
	m.Server.SetText(session.OfMatch, fields[fieldLevels].Name, r.Levels)
	for i, n := range r.Votes {
		m.set(0, fieldVotes+i, int64(n))
	}
}

// readRound returns what the fields say of the round.
func readRound(r fieldReader) Round {
	get := func(field int) int64 { return r.NumberAt(session.OfMatch, field) }
	round := Round{
		Left: uint16(get(fieldRoundLeft)), Over: get(fieldRoundOver) == 1, Winner: uint16(get(fieldRoundWinner)), Team: uint8(get(fieldRoundTeam)),
		Levels: r.TextAt(session.OfMatch, fieldLevels), Level: uint8(get(fieldLevel)),
	}
	for i := range round.Votes {
		round.Votes[i] = uint8(get(fieldVotes + i))
	}
	return round
}

// Vote asks for a level, by its index in Round.Levels. It counts in the intermission.
func (p *Player) Vote(level int) { p.SendMessage([]byte{messageVote, byte(level)}) }

// checkpoint packs the round.
func (r *round) checkpoint(p *bits.Packer) {
	p.Bool(&r.running)
	p.Bool(&r.over)
	packTime(p, &r.ends, maxMatchTime)
	p.Ranged(&r.next, 0, MaxLevels)
	packPlayer(p, &r.winner)
	team := int(r.team)
	p.Ranged(&team, 0, Blue)
	r.team = uint8(team)
}
