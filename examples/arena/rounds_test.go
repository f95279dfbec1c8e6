package arena

import (
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/session"
)

// timed is a duel in a match of rounds of 5 s, with a vote between two levels.
func timed(t *testing.T) (r *room, ann, bob *roomPlayer) {
	r = newRoom(t)
	r.match.config.Rounds = RoundRules{Time: 5 * clock.Second, Levels: []string{"Arena", "Yard"}}
	ann, bob = r.join("Ann", session.Key{}), r.join("Bob", session.Key{})
	r.duel(ann, bob)
	return r, ann, bob
}

// Ann kills Bob once; the time is over: both read that she has won, nothing hurts any more; after the
// intermission the scores are 0, and everybody enters anew on the same level, since nobody voted.
func TestARoundEndsWithAWinnerAndTheNextBeginsAtZero(t *testing.T) {
	r, ann, bob := timed(t)
	ann.input = shootAt(bob, headAt, 2)
	r.run(after(5))
	for _, p := range []*roomPlayer{ann, bob} {
		if is := p.Round; !is.Over || is.Winner != uint16(ann.ID()) || is.Left == 0 || is.Left > 12 || is.Levels != "Arena\nYard" {
			t.Fatalf("player %d reads %+v, want a round that Ann has won", p.ID(), is)
		}
	}
	r.run(after(4))
	r.duel(ann, bob)
	ann.input = shootAt(bob, bodyAt, 1)
	life := bob.Self().Life
	r.run(after(1))
	if bob.Status.Health != FullHealth {
		t.Errorf("health %d in the intermission, want 100", bob.Status.Health)
	}
	ann.input = nil
	r.run(after(8))
	if is := bob.Round; is.Over || is.Left == 0 || ann.Score(ann.ID()).Kills != 0 || ann.Score(bob.ID()).Deaths != 0 || bob.Self().Life != life+1 {
		t.Errorf("the next round: %+v, scores %v, life %d; want a new one from 0 in life %d", is, ann.scores(), bob.Self().Life, life+1)
	}
	if _, ok := r.match.NextLevel(); ok {
		t.Error("another level, without a vote")
	}
}

// The limit of kills ends a round without a limit of time; two that are even have no winner.
func TestARoundEndsWithTheKillsAndEvenScoresHaveNoWinner(t *testing.T) {
	r, ann, bob := duel(t)
	r.match.config.Rounds = RoundRules{Kills: 1}
	r.run(after(0.2))
	ann.input = shootAt(bob, headAt, 2)
	r.run(after(1))
	if is := bob.Round; !is.Over || is.Winner != uint16(ann.ID()) {
		t.Errorf("after the kill: %+v, want Ann to have won", is)
	}
	r.match.fighters[bob.ID()].score = r.match.fighters[ann.ID()].score
	if w := r.match.winner(); w != 0 {
		t.Errorf("winner %d of even scores, want none", w)
	}
}

// Both vote in the intermission, Bob changes his mind: everybody sees the votes, and the level with more is next. Votes
// before the intermission, for no level and by garbage do not count.
func TestTheVoteChoosesTheNextLevel(t *testing.T) {
	r, ann, bob := timed(t)
	ann.Vote(1)
	r.run(after(5.5))
	if is := ann.Round; !is.Over || is.Votes != [MaxLevels]uint8{} {
		t.Fatalf("before the vote: %+v", is)
	}
	ann.Vote(1)
	ann.Vote(7)
	ann.SendMessage([]byte{messageVote})
	bob.Vote(0)
	r.run(after(1))
	if is := bob.Round; is.Votes != [MaxLevels]uint8{1, 1} || r.match.chosenLevel() != 0 {
		t.Errorf("one vote each: %+v, chosen %d; want 1 and 1, and the level that is played", is, r.match.chosenLevel())
	}
	bob.Vote(1)
	r.run(after(12))
	if next, ok := r.match.NextLevel(); !ok || next != 1 {
		t.Errorf("next level %d, %v; want 1", next, ok)
	}
}

// With bots alone the time stands still: the first person gets a whole round.
func TestTheTimeRunsOnlyWhileSomebodyPlays(t *testing.T) {
	r := newRoom(t)
	r.match.config.Rounds.Time = 5 * clock.Second
	r.run(after(20))
	ann := r.join("Ann", session.Key{})
	r.run(after(0.3))
	if is := ann.Round; is.Over || is.Left != 5 {
		t.Errorf("Ann reads %+v, want 5 s left", is)
	}
}

// A checkpoint in the intermission goes on there: winner, time and votes are the same.
func TestACheckpointKeepsTheRound(t *testing.T) {
	r, ann, bob := timed(t)
	ann.input = shootAt(bob, headAt, 2)
	r.run(after(5.5))
	ann.Vote(1)
	r.run(after(0.5))
	var p bits.Packer
	p.Write(make([]byte, 1<<16))
	r.match.Checkpoint(&p)
	again := NewMatch(MatchConfig{
		ServerConfig: session.ServerConfig{World: r.match.config.World, LevelHash: "test", NewKey: keys()},
		Spawns:       r.match.config.Spawns, KillHeight: -50, Seed: 1, Rounds: r.match.config.Rounds,
	})
	var q bits.Packer
	q.Read(p.Bytes())
	again.Checkpoint(&q)
	if q.Err() != nil || again.round != r.match.round || again.votes() != r.match.votes() || again.round.shown.Votes[1] != 1 {
		t.Errorf("got %+v, %v, want %+v", again.round, q.Err(), r.match.round)
	}
}
