package swarm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/examples/arena/labgame"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/lab/scenario"
)

// steps are the ways to make a case smaller, by their names.
var steps = map[string]func(*Case) []Case{
	"shorter": shorter, "fewer players": fewerPlayers, "fewer faults": fewerFaults,
	"fewer entries": fewerEntries, "fewer keys": fewerKeys, "shorter faults": shorterFaults,
	"sooner": sooner,
}

// size returns the parts of a case that can be taken away, and the times before what is left.
func size(c *Case) int {
	n := c.Seconds + len(c.Server) + len(c.Players) + len(c.Faults)
	for i := range c.Players {
		n += len(c.Players[i].Keys) + len(c.Players[i].Script)
		for _, e := range c.Players[i].Script {
			n += e.At
		}
	}
	for _, f := range c.Faults {
		n += f.At + f.For
	}
	return n
}

// readable returns the error with which the lab refuses a case.
func readable(c *Case, words scenario.Options) error {
	f, err := scenario.Open("case.yaml", []byte(c.File()))
	if err == nil {
		_, err = f.Scenario(words)
	}
	return err
}

// Whatever is taken from a drawn case, the rest is a file that the lab reads: no script shoots at a
// player that left, no fault is after the end. Each step makes the case smaller, so shrinking ends,
// and none changes the case that it began with.
func TestSmallerCasesCanBePlayed(t *testing.T) {
	words := lab.Words(labgame.New())
	tried := map[string]int{}
	for seed := range uint64(16) {
		c := Draw(seed, words)
		before := c.File()
		for name, less := range steps {
			for i, n := range less(&c) {
				tried[name]++
				if size(&n) >= size(&c) {
					t.Errorf("seed %d, %s %d: the size is %d of %d", seed, name, i, size(&n), size(&c))
				}
				if i%7 != 0 {
					continue // reading a file takes longer than making it
				}
				if err := readable(&n, words); err != nil {
					t.Fatalf("seed %d, %s %d: %v\n%s", seed, name, i, err, n.File())
				}
			}
			if got := c.File(); got != before {
				t.Fatalf("seed %d, %s changes the case that it shrinks:\n%s\nwas\n%s", seed, name, got, before)
			}
		}
	}
	for name := range steps {
		if tried[name] < 12 {
			t.Errorf("%s: %d smaller cases of 12, want one of each at least", name, tried[name])
		}
	}
}

// Members are taken away in halves, quarters and one by one, and each of the single ones is among
// them.
func TestMembersThatAreTakenAway(t *testing.T) {
	for n := range 9 {
		c := Case{}
		for i := range n {
			c.Server = append(c.Server, Key{Name: fmt.Sprint(i)})
		}
		var got []string
		for _, less := range without(&c, n, func(c *Case, from, to int) bool {
			c.Server = slices.Delete(c.Server, from, to)
			return from != 3 // a member that must stay
		}) {
			var left []string
			for _, k := range less.Server {
				left = append(left, k.Name)
			}
			got = append(got, strings.Join(left, ""))
		}
		for i := range n {
			want := strings.Replace("012345678"[:n], fmt.Sprint(i), "", 1)
			if slices.Contains(got, want) != (i != 3) {
				t.Errorf("of %d: %q without member %d, in %q; want all single ones but 3", n, want, i, got)
			}
		}
		if n > 0 && got[0] != "" {
			t.Errorf("of %d: first %q, want none left", n, got[0])
		}
	}
}

// A player's faults and the shots at it leave with it, and the last player stays.
func TestPlayersLeaveWithTheirFaults(t *testing.T) {
	c := Case{Players: []Player{
		{Name: "p1", Script: []Entry{{At: 1, Target: "p2"}, {At: 2, Target: "p3"}, {At: 3}}}, {Name: "p2"}, {Name: "p3", Script: []Entry{{Target: "p1"}}},
	}, Faults: []Fault{{Player: "p2", At: 1}, {At: 2}, {Player: "p1", At: 3}}}
	var got []string
	for _, n := range fewerPlayers(&c) {
		line := ""
		for _, p := range n.Players {
			line += fmt.Sprintf("%s:%d ", p.Name, len(p.Script))
		}
		for _, f := range n.Faults {
			line += fmt.Sprint(f.At)
		}
		got = append(got, line)
	}
	if want := []string{"p2:0 p3:0 12", "p1:2 p3:1 23", "p1:2 p2:0 123"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What begins or ends after a shorter end is left out, and what is before stays.
func TestShorterCases(t *testing.T) {
	c := Case{Seconds: 8, Faults: []Fault{{At: 1000, For: 1000}, {At: 1000, For: 1001}, {At: 4100}}, Players: []Player{{Script: []Entry{{At: 0}, {At: 2000}, {At: 2001}, {At: 7001}}}}}
	var got []string
	for _, n := range shorter(&c) {
		got = append(got, fmt.Sprintf("%d s, %d faults, %d entries", n.Seconds, len(n.Faults), len(n.Players[0].Script)))
	}
	want := []string{"2 s, 1 faults, 2 entries", "4 s, 2 faults, 3 entries", "6 s, 3 faults, 3 entries", "7 s, 3 faults, 3 entries"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if less := shorter(&Case{Seconds: 1}); len(less) != 0 {
		t.Errorf("one second becomes %d shorter cases, want none", len(less))
	}
	halves := shorterFaults(&Case{Faults: []Fault{{For: 99}, {For: 100}, {For: 0}}})
	if len(halves) != 1 || halves[0].Faults[1].For != 50 {
		t.Errorf("got %+v, want the fault of 100 ms with 50", halves)
	}
}

// Nothing happens before the first entry or fault, so all can come earlier, by as much as that: the match can be shorter
// then. A case with nothing in it, or that begins at once, stays.
func TestSoonerCases(t *testing.T) {
	c := Case{Seconds: 8, Faults: []Fault{{At: 3000}}, Players: []Player{{Script: []Entry{{At: 2500}}}, {Script: []Entry{{At: 2000}, {At: 7000}}}}}
	var got []string
	for _, n := range sooner(&c) {
		got = append(got, fmt.Sprint(n.Faults[0].At, n.Players[0].Script[0].At, n.Players[1].Script[0].At, n.Players[1].Script[1].At))
	}
	if want := []string{"1000 500 0 5000", "2000 1500 1000 6000"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, still := range []Case{{Seconds: 8}, {Seconds: 8, Faults: []Fault{{At: 99}}}} {
		if n := len(sooner(&still)); n != 0 {
			t.Errorf("%+v: got %d cases, want none", still, n)
		}
	}
}

// The place of a player is not taken away: without it the player would stand in another one.
func TestKeysThatStay(t *testing.T) {
	c := Case{Server: []Key{{"tick", "60"}, {"damage", "true"}}, Players: []Player{{Keys: []Key{{"at", "[1, 0, 0]"}, {"yaw", "9"}}}}}
	left := map[string]int{}
	for _, n := range fewerKeys(&c) {
		if len(n.Players[0].Keys) == 0 || n.Players[0].Keys[0].Name != "at" {
			t.Errorf("the place is gone: %+v", n.Players[0].Keys)
		}
		left[fmt.Sprintf("%d of the server, %d of the player", len(n.Server), len(n.Players[0].Keys))]++
	}
	if left["0 of the server, 2 of the player"] != 1 || left["1 of the server, 2 of the player"] != 2 || left["2 of the server, 1 of the player"] != 1 || len(left) != 3 {
		t.Errorf("got %v", left)
	}
}

// words makes a game whose matches fail in a way that depends on nothing.
type failing struct {
	lab.Game
	err error
}

func (f *failing) Match(lab.Setup) (lab.Match, error) {
	if f.err == nil {
		panic("planted")
	}
	return nil, f.err
}

// An error that is no broken invariant ends a swarm as an error; an interrupted swarm is none; a panic
// is a failure that names its calls, and shrinks to the smallest case there is.
func TestHowASwarmEnds(t *testing.T) {
	game := labgame.New()
	broken := errors.New("the game has no match")
	var calls int
	sum, err := Run(context.Background(), &failing{game, broken}, Options{Seed: 1, Runs: 5, Jobs: 1, Progress: func(Summary) { calls++ }})
	if !strings.Contains(fmt.Sprint(err), broken.Error()) || sum.Failure != nil || sum.Runs != 0 || calls != 0 {
		t.Errorf("got %v, %+v after %d calls, want the error of the first case", err, sum, calls)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if sum, err := Run(stopped, game, Options{Seed: 1}); err != nil || sum.Runs != 0 {
		t.Errorf("interrupted at once: got %v, %+v, want no run and no error", err, sum)
	}
	sum, err = Run(context.Background(), &failing{Game: game}, Options{Seed: 7, Runs: 1, Progress: func(s Summary) { calls += s.Runs }})
	if err != nil || sum.Failure == nil || calls != 1 {
		t.Fatalf("a panic: got %v, %+v after %d calls", err, sum, calls)
	}
	f := sum.Failure
	if f.Broken.Invariant != NoPanic || !strings.HasPrefix(f.Broken.Text, "planted\n") || !strings.Contains(f.Broken.Text, "swarm.(*failing).Match") {
		t.Errorf("got %v, want the panic and its calls", f.Broken)
	}
	c := &f.Case
	if f.Seed != 7 || c.Name != "swarm, seed 7, shrunk" || c.Seconds != 1 || len(c.Players) != 1 || len(c.Faults)+len(c.Server)+len(c.Players[0].Script) > 0 || len(c.Players[0].Keys) != 1 {
		t.Errorf("shrunk to\n%s", c.File())
	}
	if !strings.HasPrefix(c.File(), "# Breaks the invariant: no panic.\nname: ") {
		t.Errorf("the file begins\n%s", c.File())
	}
}
