package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport"
)

const (
	// connectTimeout is how long one transport may take. A network that drops UDP does not
	// say so; the next transport is tried after this time.
	connectTimeout = 4 * time.Second
	// firstWait and maxWait bound the growing waits between two attempts to reconnect.
	firstWait = 250 * time.Millisecond
	maxWait   = 4 * time.Second
)

// arrival is a connection that was made, or why none was.
type arrival struct {
	server *Server
	world  *collide.World
	conn   transport.Conn
	token  string // for it
	err    error
}

// connector makes the connections of one client.
type connector struct {
	address    string
	format     uint32 // of the client's game
	config     Config
	transports []Transport // that which worked last first
	log        *slog.Logger
	failures   int    // attempts since the client last played
	ticket     string // of a front door, "" for none

	world *collide.World // the newest, and its hash
	hash  string
}

func newConnector(address string, format uint32, config Config) connector {
	k := connector{address: address, format: format, config: config, transports: config.Transports, log: config.Log}
	if k.transports == nil {
		k.transports = defaultTransports
	}
	k.transports = slices.Clone(k.transports)
	if k.log == nil {
		k.log = slog.New(slog.DiscardHandler)
	}
	if config.Level != nil {
		k.world, k.hash = config.Level, config.Level.Hash()
	}
	return k
}

// connect finds the match, loads its level and connects.
func (k *connector) connect(ctx context.Context) (a arrival) {
	if a.server, a.err = find(ctx, k.address, k.config, k.ticket); a.err != nil {
		return a
	}
	k.ticket = a.server.Ticket
	if a.err = k.checkVersions(a.server); a.err != nil {
		return a
	}
	if a.world, a.err = k.level(ctx, a.server); a.err != nil {
		return a
	}
	if a.token, a.err = k.token(ctx, a.server); a.err != nil {
		return a
	}
	a.conn, a.err = k.open(ctx, a.server)
	return a
}

// errNoToken is a server that wants a token and a program that has none.
var errNoToken = errors.New("the server wants a connect token: set client.Config.Token")

// token returns a connect token for a server that wants one.
func (k *connector) token(ctx context.Context, s *Server) (string, error) {
	if !s.Tokens || s.Token != "" {
		return s.Token, nil
	}
	if k.config.Token == nil {
		return "", fmt.Errorf("client: %s: %w", s.URL, errNoToken)
	}
	t, err := k.config.Token(ctx, s)
	if err == nil && len(t) > session.MaxToken {
		err = fmt.Errorf("it has %d bytes and may have %d", len(t), session.MaxToken)
	}
	if err != nil {
		return "", fmt.Errorf("client: %s: the connect token: %w", s.URL, err)
	}
	return t, nil
}

// checkVersions compares what both ends must have in common, as far as the server says it. The
// hello compares it again.
func (k *connector) checkVersions(s *Server) error {
	if (s.Protocol == 0 || s.Protocol == session.Version) && (s.Format == 0 || s.Format == k.format) {
		return nil
	}
	return &MismatchError{
		URL: s.URL, Version: s.Version,
		ServerProtocol: s.Protocol, ClientProtocol: session.Version,
		ServerFormat: s.Format, ClientFormat: k.format,
	}
}

// level returns the match's level, downloaded unless it is known already.
func (k *connector) level(ctx context.Context, s *Server) (*collide.World, error) {
	if k.world != nil && k.hash == s.Level {
		return k.world, nil
	}
	if k.config.Level != nil {
		return nil, fmt.Errorf("client: Config.Level has the hash %s and the match's level %s: leave it nil to download the level", k.hash, s.Level)
	}
	world, err := s.LoadLevel(ctx)
	if err == nil {
		k.world, k.hash = world, s.Level
	}
	return world, err
}

// passes is how often the transports are tried in turn. A server under a flood of first packets drops an honest
// client's too, and a new attempt begins without the long waits of the last one's retransmissions.
const passes = 2

// open connects by the first transport that works.
func (k *connector) open(ctx context.Context, s *Server) (transport.Conn, error) {
	var failed []error
	for range passes {
		failed = failed[:0]
		for i, t := range k.transports {
			conn, err := openOne(ctx, t, s)
			if err == nil {
				k.transports[0], k.transports[i] = k.transports[i], k.transports[0]
				return conn, nil
			}
			if ctx.Err() != nil {
				return nil, fmt.Errorf("client: %s: %w", s.URL, context.Cause(ctx))
			}
			k.log.Info("transport failed", "server", s.URL, "why", err)
			failed = append(failed, err)
		}
	}
	return nil, fmt.Errorf("client: %s: no transport works: %w", s.URL, errors.Join(failed...))
}

// openOne connects by one transport within its time.
func openOne(ctx context.Context, t Transport, s *Server) (transport.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	return t(ctx, s)
}

// retry connects anew until it succeeds or the context ends. It returns at once when the server
// has another version. why is why the connection was lost.
func (k *connector) retry(ctx context.Context, why error) arrival {
	for last := error(nil); ; {
		if err := sleep(ctx, k.wait()); err != nil {
			return arrival{err: fmt.Errorf("client: connection lost (%w), and the server could not be reached again: %w", why, cmp.Or(last, err))}
		}
		a := k.connect(ctx)
		var mismatch *MismatchError
		if a.err == nil || errors.As(a.err, &mismatch) {
			return a
		}
		last = a.err
		k.log.Info("reconnecting failed", "server", k.address, "why", a.err)
	}
}

// wait returns how long to wait before the next attempt, and counts it.
func (k *connector) wait() time.Duration {
	most := min(firstWait<<min(k.failures, 10), maxWait)
	k.failures++
	return most/2 + rand.N(most/2)
}
