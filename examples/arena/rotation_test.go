package arena

import (
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
	moved  int // how often it was told of the next level
	worlds int // that it has entered
}

func newTour(t *testing.T) *tour {
	t.Helper()
	yard, err := level.Read(assets.Yard)
	if err != nil {
		t.Fatal(err)
	}
	newKeys := keys()
	newMatch := func(n int, earlier *Match) *Bots {
		c := MatchConfig{
			ServerConfig: session.ServerConfig{World: court(), LevelHash: "court", NewKey: newKeys},
			Spawns:       []Spawn{{}}, KillHeight: -50,
			Rounds:  RoundRules{Time: 3 * clock.Second, Levels: []string{"Court", "Yard"}, Level: n},
			Earlier: earlier,
		}
		if n == 1 {
			c.World, c.LevelHash, c.Spawns, c.KillHeight = yard.World, "yard", spawnsOf(yard), yard.KillHeight
		}
		return NewBots(NewMatch(c), 1, Easy)
	}
	v := &tour{t: t, peer: 1, Rotation: NewRotation(newMatch(0, nil), newMatch), person: NewPlayer(session.ClientConfig{})}
	v.join()
	return v
}

// join connects the person, with its key if it has one.
func (v *tour) join() {
	v.Identify(v.peer, session.Identity{})
	v.person.Hello("Ann", v.person.Key())
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
			if k.Peer != v.peer || k.Text != NextLevelReason {
				continue
			}
			v.moved++
			v.Disconnect(k.Peer)
			v.peer++
			v.person.Reset()
			v.join()
		}
	}
}

// Ann votes for the yard: when the intermission is over she is told so once, comes back, and plays there in her
// seat, under her name, as does the bot, both from 0; match time runs on.
func TestTheVotedLevelBeginsAndEverybodyJoinsIt(t *testing.T) {
	v := newTour(t)
	v.run(after(4))
	was := v.person.ID()
	v.person.Vote(1)
	v.run(after(14))
	if v.moved != 1 || v.worlds != 2 || v.LevelHash() != "yard" || v.person.Phase() != session.Playing || v.person.ID() != was {
		t.Fatalf("moved %d times, %d worlds, level %q, phase %v, seat %d; want to play in the yard, in seat %d", v.moved, v.worlds, v.LevelHash(), v.person.Phase(), v.person.ID(), was)
	}
	if s := v.person.Score(v.person.ID()); s.Name != "Ann" || s.Kills != 0 || s.Deaths != 0 {
		t.Errorf("on the board: %+v, want Ann at 0", s)
	}
	if list := v.Players(nil); len(list) != 2 || !list[0].Connected || !list[1].Connected {
		t.Errorf("players %+v, want Ann and the bot in the seats that they had", list)
	}
	if is := v.person.Round; is.Level != 1 || is.Over && is.Left == 0 {
		t.Errorf("the round: %+v, want one in level 1", is)
	}
	if v.Now() != clock.TickTime(v.tick, 60) {
		t.Errorf("match time %v, want the host's %v", v.Now(), clock.TickTime(v.tick, 60))
	}
}

// A server goes on from a checkpoint of its second level: level, time and round are the same.
func TestACheckpointOfAnotherLevelGoesOnThere(t *testing.T) {
	v := newTour(t)
	v.run(after(4))
	v.person.Vote(1)
	v.run(after(14))
	var p, q bits.Packer
	p.Write(make([]byte, 1<<16))
	v.Checkpoint(&p)
	again := newTour(t)
	q.Read(p.Bytes())
	again.Rotation.Checkpoint(&q)
	if q.Err() != nil || again.LevelHash() != "yard" || again.Now() != v.Now() || again.Bots.Match.round != v.Bots.Match.round {
		t.Errorf("level %q at %v, %v; want the yard at %v", again.LevelHash(), again.Now(), q.Err(), v.Now())
	}
}
