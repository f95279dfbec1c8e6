package serve_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/client"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/jetpack"
	"github.com/backstep-net/backstep/record"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
)

// evening is what the matches of a server have told a test, by their names.
type evening struct {
	mu     sync.Mutex
	joined map[string][]string // numbers of players, which the hooks gave them, and their names
	ticks  map[string]int
}

// all reports whether so many matches have played some ticks.
func (e *evening) all(matches, ticks int) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, n := range e.ticks {
		if n < ticks {
			return false
		}
	}
	return len(e.ticks) == matches
}

// told returns the players of a match with their numbers.
func (e *evening) told(match string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Join(e.joined[match], ", ")
}

// config returns that of a match whose hooks number its players.
func (e *evening) config() config {
	var joined int64
	return config{
		Session: session.ServerConfig{World: floor()}, Another: e.config,
		Think: func(*session.Client[hero, command]) command { return command{} },
		OnJoin: func(m *match, j session.Event) {
			joined++
			place(m, j)
			e.mu.Lock()
			defer e.mu.Unlock()
			e.joined[m.Name] = append(e.joined[m.Name], fmt.Sprint(joined, " ", j.Name))
		},
		OnTick: func(m *match, _ clock.Micros) {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.ticks[m.Name]++
		},
		OnCheckpoint: func(_ *match, p *bits.Packer) { p.Varint(&joined) },
	}
}

// run serves until do has returned, and returns the log.
func (e *evening) run(t *testing.T, do func(ctx context.Context, url string), args ...string) string {
	t.Helper()
	e.joined, e.ticks = map[string][]string{}, map[string]int{}
	s := start(t, e.config(), args...)
	do(s.ctx, s.url)
	s.stop()
	return s.log.String()
}

// until waits until a condition holds.
func until(ctx context.Context, t *testing.T, what string, holds func() bool) {
	t.Helper()
	for !holds() {
		if ctx.Err() != nil {
			t.Fatalf("not until the end: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// Three matches run in one server. Each has its bot, its players, and hooks with variables of its own, and after a
// restart each goes on from its own checkpoint.
func TestMatchesOfOneServer(t *testing.T) {
	var e evening
	folder := t.TempDir()
	args := []string{"-matches", "3", "-bots", "1", "-checkpoint", folder}
	log := e.run(t, func(ctx context.Context, url string) {
		for name, match := range map[string]string{"Ann": "match-2", "Bob": "match-3"} {
			p, err := client.Dial(ctx, url, jetpack.Game(&model), client.Config{Name: name, Match: match})
			if err != nil {
				t.Fatalf("%s does not join %s: %v", name, match, err)
			}
			defer p.Close()
			until(ctx, t, name+" has joined", func() bool {
				_ = p.Frame(&command{})
				return strings.Contains(e.told(match), name)
			})
		}
		until(ctx, t, "three matches tick", func() bool { return e.all(3, 60) })
	}, args...)
	for match, want := range map[string][2]string{ // the bot or the player came first
		"match":   {"1 Bot 1", ""},
		"match-2": {"1 Bot 1, 2 Ann", "1 Ann, 2 Bot 1"},
		"match-3": {"1 Bot 1, 2 Bob", "1 Bob, 2 Bot 1"},
	} {
		if got := e.told(match); got != want[0] && got != want[1] {
			t.Errorf("%s: got the players %q, want %q", match, got, want)
		}
	}
	if !strings.Contains(log, "matches=3") {
		t.Errorf("the log does not say how many matches are served:\n%s", log)
	}
	files, _ := filepath.Glob(filepath.Join(folder, "match*.checkpoint"))
	if len(files) != 3 {
		t.Errorf("got the checkpoints %q, want three", files)
	}
	log = e.run(t, func(ctx context.Context, url string) {
		p, err := client.Dial(ctx, url, jetpack.Game(&model), client.Config{Name: "Cid", Match: "match-3"})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		until(ctx, t, "Cid has joined", func() bool {
			_ = p.Frame(&command{})
			return strings.Contains(e.told("match-3"), "Cid")
		})
	}, args...)
	if n := strings.Count(log, "msg=restored"); n != 3 {
		t.Errorf("got %d matches that go on, want 3, log:\n%s", n, log)
	}
	if got := e.told("match-3"); !strings.Contains(got, "4 Cid") && !strings.Contains(got, "3 Cid") {
		t.Errorf("match-3 after a restart: got %q, want Cid to be its third or, if the bot came back first, its fourth player", got)
	}
}

// Each match of a server has its own recording, which names the game and the match and can be simulated again.
func TestRecordingsOfSeveralMatches(t *testing.T) {
	var e evening
	folder := t.TempDir()
	e.run(t, func(ctx context.Context, _ string) {
		until(ctx, t, "both matches tick", func() bool { return e.all(2, 90) })
	}, "-matches", "2", "-bots", "2", "-record", folder)
	for _, match := range []string{"match", "match-2"} {
		files, _ := filepath.Glob(filepath.Join(folder, "*Z-"+match+".bsrec"))
		if len(files) != 1 {
			t.Fatalf("%s: got the recordings %q, want one", match, files)
		}
		f, err := record.Open(files[0])
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if head := f.Head(); head.Game != "match" || head.Match != match {
			t.Errorf("got game %q and match %q, want match and %s", head.Game, head.Match, match)
		}
		result, err := f.Verify(func(f *record.File, newKey func() session.Key) (record.Match, error) {
			c := e.config()
			c.Bots, c.Session.World, c.Session.NewKey = 2, f.World(), newKey
			return serve.New(jetpack.Game(&model), c)
		})
		if err != nil || result.Ticks < 80 || result.Hashes == 0 || result.Differed {
			t.Errorf("%s simulated again: %+v, %v", match, result, err)
		}
	}
}

// With Another the match after a refused checkpoint has hooks that have not read it.
func TestAnotherMatchAfterARefusedCheckpoint(t *testing.T) {
	folder := t.TempDir()
	var began []int // of each match that starts: what its variable is
	var read, refused int
	ctx, stop := context.WithCancel(t.Context())
	var made func() config
	made = func() config {
		variable := 0
		return config{
			Session: session.ServerConfig{World: floor()}, OnJoin: place, Checkpoint: folder, Another: made,
			OnStart: func(*match) { began = append(began, variable) },
			OnTick:  func(*match, clock.Micros) { stop() },
			OnCheckpoint: func(_ *match, p *bits.Packer) {
				if variable++; !p.Writing() {
					read++
					p.Fail(errors.New("not this one"))
				}
			},
		}
	}
	for range 2 { // the first run leaves a checkpoint
		var log strings.Builder
		if err := serve.Run(ctx, jetpack.Game(&model), made(), []string{"-addr", "127.0.0.1:0", "-quic", "127.0.0.1:0"}, &log); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		refused += strings.Count(log.String(), "not this one")
		ctx, stop = context.WithCancel(t.Context())
	}
	stop()
	if got, want := fmt.Sprint(began, read, refused), "[0 0 0] 1 1"; got != want {
		t.Errorf("got the variables at each start, readings and refusals %s, want %s", got, want)
	}
}

// Matches that a server cannot have are refused with the flag and the cure.
func TestMatchesThatAreRefused(t *testing.T) {
	var e evening
	alone := e.config()
	alone.Another = nil
	for _, c := range []struct {
		config  config
		matches string
		want    string
	}{
		{alone, "2", "serve: -matches=2: this game has one match: set serve.Config.Another"},
		{e.config(), "65", "serve: -matches=65: want 1 to 64"},
		{e.config(), "-1", "serve: -matches=-1: want 1 to 64"},
	} {
		err := serve.Run(t.Context(), jetpack.Game(&model), c.config, []string{"-matches", c.matches, "-check-config"}, io.Discard)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("-matches %s: got %v, want %q", c.matches, err, c.want)
		}
	}
}
