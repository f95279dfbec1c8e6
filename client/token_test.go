package client_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/client"
	"github.com/backstep-net/backstep/examples/jetpack"
	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/token"
)

// backend issues tokens as a game's backend would.
func backend(k token.Key, account string, asked *int) func(context.Context, *client.Server) (string, error) {
	return func(_ context.Context, s *client.Server) (string, error) {
		*asked++
		return k.Issue(token.Claims{Account: account, Server: s.Answer.Server, Match: s.Match, Protocol: s.Protocol}, time.Now())
	}
}

// A client asks its backend for a token before each connection, also when it comes back to a server that was
// started again, for which the first one does not count. [THR-05]
func TestAClientBringsATokenToEachConnection(t *testing.T) {
	k := token.NewSharedKey()
	level := box(50)
	m := newMatch(level, 4)
	with := func(c *host.Config) { c.Tokens = []token.Key{k} }
	s := openWith(t, level, m, with)
	asked := 0
	c := dial(t, s.url, client.Config{Name: "Ada", Token: backend(k, "a-1", &asked)})
	until(t, "Ada plays", func() bool { return c.Self() != nil }, c)
	if asked != 1 {
		t.Errorf("the backend was asked %d times, want once", asked)
	}
	s.stop()
	m.restart()
	openWith(t, level, m, with, s.url[len("http://"):], s.quic)
	until(t, "Ada is away", func() bool { return c.Self() == nil }, c)
	until(t, "Ada is back", func() bool { return c.Self() != nil }, c)
	if asked < 2 || c.ID() != 1 {
		t.Errorf("asked %d times in all, player %d; want again, and the same player", asked, c.ID())
	}
}

// A program without a token, and one whose backend gives none, learn why they cannot join. [THR-05]
func TestAClientWithoutAToken(t *testing.T) {
	level := box(50)
	s := openWith(t, level, newMatch(level, 4), func(c *host.Config) { c.Tokens = []token.Key{token.NewSharedKey()} })
	asked := 0
	for want, get := range map[string]func(context.Context, *client.Server) (string, error){
		"set client.Config.Token": nil,
		"no such account":         func(context.Context, *client.Server) (string, error) { return "", errors.New("no such account") },
		"no key of this server":   backend(token.NewSharedKey(), "a-1", &asked),
		"may have 2048":           func(context.Context, *client.Server) (string, error) { return strings.Repeat("x", 2049), nil },
	} {
		_, err := client.Dial(t.Context(), s.url, game, client.Config{Name: "Ada", Token: get})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// Where a match is full and has a line, Dial tells the place and waits; the seat comes when another leaves.
// Without Config.Queued it gives up with its context, and says where it stood. [THR-37]
func TestDialWaitsInLine(t *testing.T) {
	level := box(50)
	m := newMatch(level, 1)
	m.Server = session.NewServer(game, session.ServerConfig{
		World: level, LevelHash: level.Hash(), Players: 1, Queue: 8, NewKey: func() session.Key { return session.Key{1} },
	})
	s := open(t, level, m)
	first := dial(t, s.url, client.Config{Name: "Ada"})
	eves := 0
	for short := time.Second; ; short *= 2 { // on a slow machine a second is too short to join the line
		eves++
		ctx, cancel := context.WithTimeout(t.Context(), short)
		_, err := client.Dial(ctx, s.url, game, client.Config{Name: "Eve"})
		cancel()
		if err != nil && strings.Contains(err.Error(), "in place 1") {
			break
		}
		if err == nil || short > patience {
			t.Fatalf("got %v, want the place in line", err)
		}
	}
	places := make(chan int, 8)
	dialled := make(chan *client.Client[jetpack.Hero, jetpack.Command], 1)
	go func() {
		c, err := client.Dial(t.Context(), s.url, game, client.Config{Name: "Bob", Queued: func(place int) { places <- place }})
		if err != nil {
			t.Error(err)
		}
		dialled <- c
	}()
	select {
	case place := <-places:
		if place > 1+eves { // Eve may not be gone yet
			t.Errorf("place %d, want 1, or %d behind Eve", place, 1+eves)
		}
	case <-time.After(patience):
		t.Fatal("nobody told Bob his place")
	}
	first.Close()
	if c := <-dialled; c != nil {
		c.Close()
	}
}
