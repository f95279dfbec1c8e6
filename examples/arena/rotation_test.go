package arena

import (
	"errors"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena/assets"
	"github.com/backstep-net/backstep/level"
	"github.com/backstep-net/backstep/session"
)

// tour is a rotation between a court and the yard with one bot, and one person in it.
type tour struct {
	t *testing.T
	*Rotation
	tick   int64
	peer   session.Peer
	person *Player
	moved  bool // it was told of the next level
	worlds int  // that it has entered
}

func newTour(t *testing.T, fail error) *tour {
	t.Helper()
	yard, err := level.Read(assets.Yard)
	if err != nil {
		t.Fatal(err)
	}
	v := &tour{t: t, peer: 1}
	made := 0
	v.Rotation, err = NewRotation(func(n int) (*Bots, error) {
		if made++; made > 1 && fail != nil {
			return nil, fail
		}
		c := MatchConfig{
			ServerConfig: session.ServerConfig{World: court(), LevelHash: "court", NewKey: keys()},
			Spawns:       []Spawn{{}}, KillHeight: -50,
			Rounds: RoundRules{Time: 3 * clock.Second, Levels: []string{"Court", "Yard"}, Level: n},
		}
		if n == 1 {
			c.World, c.LevelHash, c.Spawns, c.KillHeight = yard.World, "yard", spawnsOf(yard), yard.KillHeight
		}
		return NewBots(NewMatch(c), 1, Easy), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	v.join()
	return v
}

// join connects the person anew.
func (v *tour) join() {
	v.person = NewPlayer(session.ClientConfig{})
	v.Identify(v.peer, session.Identity{})
	v.person.Hello("Ann", session.Key{})
}

// run plays so long; a person that is told of the next level joins again.
func (v *tour) run(d clock.Micros) {
	v.t.Helper()
	for end := v.tick + int64(d*60/clock.Second); v.tick < end; {
		v.tick++
		now := clock.TickTime(v.tick, 60)
		v.person.Play(now, Input{})
		for _, e := range v.person.Notices {
			if e.Kind == session.Welcomed {
				v.worlds++
				v.person.Enter(v.Bots.Match.config.World)
			}
		}
		for _, p := range v.person.Outgoing() {
			if err := v.Receive(v.peer, p.Channel, now, p.Bytes); err != nil {
				v.t.Fatal(err)
			}
		}
		v.Tick(now)
		for _, p := range v.Outgoing() {
			if p.Peer == v.peer {
				if err := v.person.Receive(p.Channel, now, p.Bytes); err != nil {
					v.t.Fatal(err)
				}
			}
		}
		for _, k := range v.Kicked() {
			v.moved = v.moved || k.Peer == v.peer && k.Text == NextLevelReason
			v.Disconnect(k.Peer)
			v.peer++
			v.join()
		}
	}
}

// Ann votes for the yard: when the intermission is over she is told so once, joins again, and plays there under
// her name, with the bot, from 0, while the host's time runs on.
func TestTheVotedLevelBeginsAndEverybodyJoinsIt(t *testing.T) {
	v := newTour(t, nil)
	v.run(after(4))
	v.person.Vote(1)
	v.run(after(14))
	if !v.moved || v.worlds != 2 || v.LevelHash() != "yard" || v.person.Phase() != session.Playing {
		t.Fatalf("moved %v, %d worlds, level %q, phase %v; want to play in the yard", v.moved, v.worlds, v.LevelHash(), v.person.Phase())
	}
	if s := v.person.Score(v.person.ID()); s.Name != "Ann" || s.Kills != 0 || s.Deaths != 0 {
		t.Errorf("on the board: %+v, want Ann at 0", s)
	}
	if is := v.person.Round; is.Level != 1 || is.Over && is.Left == 0 {
		t.Errorf("the round: %+v, want one in level 1", is)
	}
	if v.Now() != clock.TickTime(v.tick, 60) {
		t.Errorf("match time %v, want the host's %v", v.Now(), clock.TickTime(v.tick, 60))
	}
}

// The next match cannot be made: the reason is reported, and the old one goes on.
func TestALevelThatCannotBeMadeLeavesTheMatchAsItIs(t *testing.T) {
	fail := errors.New("no such file")
	v := newTour(t, fail)
	var why error
	v.Failed = func(err error) { why = err }
	v.run(after(4))
	v.person.Vote(1)
	v.run(after(14))
	if why != fail || v.moved || v.LevelHash() != "court" {
		t.Errorf("reported %v, moved %v, level %q; want the court still", why, v.moved, v.LevelHash())
	}
}

// A server goes on from a checkpoint of its second level: level, time and round are the same.
func TestACheckpointOfAnotherLevelGoesOnThere(t *testing.T) {
	v := newTour(t, nil)
	v.run(after(4))
	v.person.Vote(1)
	v.run(after(14))
	var p, q bits.Packer
	p.Write(make([]byte, 1<<16))
	v.Checkpoint(&p)
	again := newTour(t, nil)
	q.Read(p.Bytes())
	again.Rotation.Checkpoint(&q)
	if q.Err() != nil || again.LevelHash() != "yard" || again.Now() != v.Now() || again.Bots.Match.round != v.Bots.Match.round {
		t.Errorf("level %q at %v, %v; want the yard at %v", again.LevelHash(), again.Now(), q.Err(), v.Now())
	}
}
