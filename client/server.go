package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/join"
	"github.com/backstep-net/backstep/transport/websocket"
)

// Bounds of what a client asks a server for.
const (
	// fetchTimeout is how long one answer may take: a level over a slow link.
	fetchTimeout = 20 * time.Second
	// maxAnswer bounds an answer, in bytes: levels are a few megabytes, and a wrong address
	// may answer without end.
	maxAnswer = 64 << 20
	// levelTries is how often a level is asked for before it counts as missing.
	levelTries = 3
	// linePause is the time between two requests to a front door, which holds each for some seconds.
	linePause = 100 * time.Millisecond
	// linePatience is for how long a client in the queue asks again in vain, with a pause of lineRetry: the front door keeps
	// its place for ten seconds.
	linePatience, lineRetry = 8 * time.Second, 500 * time.Millisecond
	// levelPause is the time between two of these tries.
	levelPause = 250 * time.Millisecond
)

// Server is a match on a server, as its join request describes it.
type Server struct {
	join.Answer
	// URL is the server's address, "http://host:port" without a slash at its end.
	URL string

	fetch   func(ctx context.Context, url string) ([]byte, error)
	foundAt time.Time // when the answer came; zero when its ticket is used
}

// Transport is a way to connect to a match. The error says why it cannot be used now.
type Transport func(ctx context.Context, s *Server) (transport.Conn, error)

// statusError is an answer of HTTP that is not OK.
type statusError struct {
	url  string
	code int
	text string // of the status and the body
}

func (e *statusError) Error() string { return fmt.Sprintf("%s: %d %s", e.url, e.code, e.text) }

// AddressError reports an invalid address of a server.
type AddressError struct {
	URL string // as it was given
}

// Error names the address and says what one looks like.
func (e *AddressError) Error() string {
	return fmt.Sprintf("client: %q is no server's address: want something like http://localhost:8080", e.URL)
}

// Find asks the server at that address for a match, or a front door (package front): there it waits in the queue. Of the
// Config it uses Match, Fetch and Queued. The error is an [*AddressError], or it names the address and what is wrong.
func Find(ctx context.Context, address string, config Config) (*Server, error) {
	return find(ctx, address, config, "")
}

// find is Find with the ticket that a front door gave before, "" for none.
func find(ctx context.Context, address string, config Config, ticket string) (*Server, error) {
	home, err := serverURL(address)
	if err != nil {
		return nil, err
	}
	var answered time.Time
	for place := 0; ; {
		s := &Server{URL: home, fetch: config.Fetch}
		if s.fetch == nil {
			s.fetch = fetch
		}
		query := "?match=" + url.QueryEscape(config.Match)
		if ticket != "" {
			query += "&ticket=" + url.QueryEscape(ticket)
		}
		b, err := s.Fetch(ctx, join.Path+query)
		if err != nil && place > 0 && time.Since(answered) < linePatience && sleep(ctx, lineRetry) == nil {
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(b, &s.Answer); err != nil {
			return nil, fmt.Errorf("client: %s%s: %w", s.URL, join.Path, err)
		}
		s.foundAt, answered = time.Now(), time.Now()
		if s.Place == 0 {
			return s.at()
		}
		if ticket = s.Ticket; s.Place != place && config.Queued != nil {
			config.Queued(s.Place)
		}
		place = s.Place
		if err := sleep(ctx, linePause); err != nil {
			return nil, fmt.Errorf("client: %s: still waiting for a seat, in place %d: %w", home, place, err)
		}
	}
}

// at returns the server at the address that a front door has named.
func (s *Server) at() (*Server, error) {
	if s.Address == "" {
		return s, nil
	}
	var err error
	s.URL, err = serverURL(s.Address)
	return s, err
}

// serverURL returns the address of a server's root; http is its scheme if it has none.
func serverURL(address string) (string, error) {
	full := address
	if !strings.Contains(full, "://") {
		full = "http://" + full
	}
	u, err := url.Parse(full)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", &AddressError{address}
	}
	return u.Scheme + "://" + u.Host + strings.TrimSuffix(u.Path, "/"), nil
}

// Fetch returns the file at a path of the server, such as s.Model.
func (s *Server) Fetch(ctx context.Context, path string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	b, err := s.fetch(ctx, s.URL+path)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	return b, nil
}

// LoadLevel downloads the match's level and checks it against its hash. What may be a fault of
// the network is tried three times.
func (s *Server) LoadLevel(ctx context.Context) (*collide.World, error) {
	if s.Level == "" {
		return nil, fmt.Errorf("client: %s%s names no level: its match needs a session.ServerConfig.LevelHash", s.URL, join.Path)
	}
	for try := 1; ; try++ {
		world, err := s.loadLevel(ctx)
		var status *statusError
		if err == nil || try == levelTries || errors.As(err, &status) && status.code < 500 {
			return world, err
		}
		if err := sleep(ctx, levelPause); err != nil {
			return nil, err
		}
	}
}

// loadLevel is one try.
func (s *Server) loadLevel(ctx context.Context) (*collide.World, error) {
	b, err := s.Fetch(ctx, s.World)
	if err != nil {
		return nil, err
	}
	world, err := collide.Unpack(b)
	if err != nil {
		return nil, fmt.Errorf("client: %s%s: %w", s.URL, s.World, err)
	}
	if got := world.Hash(); got != s.Level {
		return nil, fmt.Errorf("client: %s%s: the level's hash is %s, not %s", s.URL, s.World, got, s.Level)
	}
	return world, nil
}

// WebSocket is the [Transport] that passes wherever pages do. One lost packet delays those
// after it.
func WebSocket(ctx context.Context, s *Server) (transport.Conn, error) {
	return websocket.Dial(ctx, "ws"+strings.TrimPrefix(s.URL, "http")+s.Answer.WebSocket)
}

// sleep waits, or returns why the context has ended.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
