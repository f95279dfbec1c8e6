// Package client implements a network client in Go: it requests a match from a server,
// loads the level, connects, joins, and reconnects after a lost connection. Start at
// [Dial]:
//
//	c, err := client.Dial(ctx, "http://localhost:8080", game, client.Config{Name: "Ada"})
//	if err != nil {
//		return err
//	}
//	defer c.Close()
//	for range time.Tick(time.Second / 60) {
//		if err := c.Frame(&input); err != nil {
//			return err
//		}
//		draw(c.Self(), c.Remotes())
//	}
//
// The package links no server and no HTTP/3. It works natively over [UDP], with [QUIC] and
// [WebSocket] as fallbacks, and under GOOS=js over the WebSocket of the browser or of Node. A page
// that is written in TypeScript uses a browser core (client/browser).
//
// A Client belongs to one goroutine, the game's loop. Its background work (sockets,
// downloads, reconnecting) uses bounded queues that Frame drains, so only Dial and Close
// wait for the network.
package client

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/session"
)

// joinTimeout bounds Dial beside its context, but for the time in a queue.
const joinTimeout = 30 * time.Second

// Config is how a client joins and plays. Its zero value but for Name is complete.
type Config struct {
	// Name is the player's name; session.CheckName says what it may be. Required.
	Name string
	// Match is which of the server's matches to join; "" leaves it to the server.
	Match string
	// Key is the key of an earlier Client, to take up its seat; zero for none. A Client
	// that comes back by itself needs none.
	Key session.Key
	// Token returns a connect token for a match on a server (package token), as the game's backend has
	// issued it for this player. It is called before each connection, since a token opens one, and not
	// for a server that wants none. Nil: only such servers are joined.
	Token func(ctx context.Context, s *Server) (string, error)
	// Queued is called with the client's place in the queue, 1 is the next, where the match is full and lets
	// newcomers wait; with each new place again. Dial waits as long as its context then. Nil: it gives up
	// as it does otherwise.
	Queued func(place int)
	// Session is how the client plays; zero means its defaults.
	Session session.ClientConfig
	// Level is the match's level, for a program that has it: its hash must be the match's.
	// Nil downloads it.
	Level *collide.World
	// Reconnect is for how long a client tries to come back after it has lost its
	// connection. It waits 250 ms at first and up to 4 s, each time a random share of that
	// between half and all, so that the players of a server that restarts do not come at
	// once. Zero means 30 s, below zero never.
	Reconnect time.Duration
	// Transports are tried in this order, twice; a reconnect starts with the one that worked last. Nil
	// means UDP, QUIC, then WebSocket, and under GOOS=js WebSocket alone.
	Transports []Transport
	// Fetch returns what a URL has, for a program with an HTTP client or certificates of
	// its own; nil means net/http, and under GOOS=js the environment's fetch. A status
	// other than 200 is an error.
	Fetch func(ctx context.Context, url string) ([]byte, error)
	// Log records failed transports and lost connections; nil logs nothing.
	Log *slog.Logger
}

// Client is a player's end of a match on a server. The methods of session.Client say what to
// draw and what has happened; Frame replaces its Frame, Receive and Outgoing, and Dial and
// reconnecting its Hello, Reset and EnterWorld: do not call these. Close replaces Leave.
//
// After a lost connection the client is in the phase session.Outside until it is back, and
// Self is nil. Then Events has another Welcomed, as a rule with the same ID.
type Client[S comparable, C any] struct {
	*session.Client[S, C]
	link
}

// Dial joins a match of the server at that address, "http://host:port", and returns when the
// server has given a seat. The context bounds Dial alone, which takes 30 s at most, unless it
// waits in a queue (Config.Queued).
//
// The error is a [*MismatchError] where server and client are of different versions, a
// [*RefusedError] where the server refuses the player (the match is full), an
// [*AddressError] where the address is none, the context's, or one that names what failed.
func Dial[S comparable, C any](ctx context.Context, address string, game session.Game[S, C], config Config) (*Client[S, C], error) {
	if err := session.CheckName(config.Name); err != nil {
		return nil, fmt.Errorf("client: Config.Name %q: %w", config.Name, err)
	}
	c := &Client[S, C]{Client: session.NewClient(game, config.Session)}
	if err := c.join(ctx, c.Client, address, config); err != nil {
		return nil, err
	}
	return c, nil
}

// Frame is one drawn frame: it takes what has arrived, makes a command of the input and
// sends it; see session.Client.Frame. While the connection is lost the input is ignored.
// The error is nil as long as the client plays or comes back, then always the same: a
// [*RefusedError], a [*MismatchError] or why it could not come back, and [ErrClosed] after
// Close.
func (c *Client[S, C]) Frame(in *C) error {
	if !c.receive() {
		return c.err
	}
	c.Client.Frame(c.Local(), in)
	c.send()
	return c.err
}

// FrameFunc is Frame for a player that makes the frame itself: frame is called once with the
// local time, for which it calls session.Client.Frame, and not after the end.
func (c *Client[S, C]) FrameFunc(frame func(local clock.Micros)) error {
	if !c.receive() {
		return c.err
	}
	frame(c.Local())
	c.send()
	return c.err
}
