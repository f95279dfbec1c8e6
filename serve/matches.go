package serve

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"

	"github.com/backstep-net/backstep/cert"
	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/internal/setting"
	"github.com/backstep-net/backstep/session"
)

// MaxMatches is the maximum of Config.Matches.
const MaxMatches = 64

// matches are all matches of a server.
type matches[S comparable, C any] struct {
	config *Config[S, C] // the server's, and the first match's
	list   []*played[S, C]
	pools  []*host.Pool // of the matches on several cores
}

// openMatches makes the matches that a configuration describes. It is to be closed after an error too.
func openMatches[S comparable, C any](game session.Game[S, C], config *Config[S, C], log *slog.Logger) (*matches[S, C], error) {
	all := &matches[S, C]{config: config}
	if err := config.readLevels(); err != nil {
		return all, err
	}
	if config.Checkpoint != "" && config.OnCheckpoint == nil {
		log.Warn("the game keeps nothing itself in a checkpoint: if its hooks have variables, set serve.Config.OnCheckpoint")
	}
	config.game = config.Name
	for i := range max(config.Matches, 1) {
		c := config.match(i)
		if s := &c.Session; s.Workers > 1 && s.Parallel == nil {
			pool := host.NewPool(s.Workers - 1)
			all.pools = append(all.pools, pool)
			s.Parallel = pool.Run
		}
		m, err := open(game, c, log.With("match", c.Name))
		if err != nil {
			return all, err
		}
		all.list = append(all.list, m)
	}
	return all, nil
}

// match returns the configuration of the match of an index. The levels have been read.
func (c *Config[S, C]) match(i int) Config[S, C] {
	if i == 0 {
		return *c
	}
	return c.another(fmt.Sprint(c.Name, "-", i+1))
}

// another returns the configuration of one more match, of that name: see Config.Another.
func (c *Config[S, C]) another(name string) Config[S, C] {
	a := c.Another()
	a.Name, a.Checkpoint, a.Record, a.Bots, a.Another, a.game, a.read = name, c.Checkpoint, c.Record, c.Bots, c.Another, c.game, c.read
	s, same := &a.Session, &c.Session
	s.World, s.LevelHash, s.TickRate, s.Players, s.Queue = same.World, same.LevelHash, same.TickRate, same.Players, same.Queue
	if s.NewKey == nil {
		s.NewKey = same.NewKey
	}
	if s.Parallel == nil {
		s.Parallel = same.Parallel
	}
	return a
}

// host opens the ports.
func (all *matches[S, C]) host(log *slog.Logger) (*host.Host, error) {
	c := all.config
	var reset [32]byte
	if c.Checkpoint != "" {
		var err error
		if reset, err = host.OpenCheckpoints(c.Checkpoint); err != nil {
			return nil, err
		}
	}
	certificate, err := cert.Open(c.Certificate, log)
	if err != nil {
		return nil, err
	}
	secret, err := setting.Secret("-admin-secret", c.AdminSecret)
	if err != nil {
		return nil, err
	}
	return host.New(host.Config{
		Version: cmp.Or(program(), "devel"), ResetKey: reset,
		Addr: c.Addr, QUIC: c.QUIC, NoUDP: c.NoUDP, Web: c.Web, Limits: c.Limits, Bans: c.Bans, Tokens: c.Tokens, Drain: c.Drain, Admin: c.Admin, AdminSecret: secret, Tracer: c.Tracer, Log: log,
		Origins: c.Origins, Proxies: c.Proxies, Public: c.Public, Certificate: certificate,
		Levels:  c.served(),
		Matches: all.atHost(),
	})
}

// atHost returns the matches as their host plays them.
func (all *matches[S, C]) atHost() (list []host.MatchConfig) {
	for _, m := range all.list {
		c := host.MatchConfig{Name: m.hooks.Name, TickRate: cmp.Or(m.hooks.Session.TickRate, 60), Match: m.atHost}
		if m.hooks.Checkpoint != "" {
			c.Checkpoint = host.CheckpointFile(m.hooks.Checkpoint, m.hooks.Name)
		}
		list = append(list, c)
	}
	return list
}

// seats returns how many players may join, at least 1.
func (all *matches[S, C]) seats() int {
	c := all.config
	return max(len(all.list)*(cmp.Or(c.Session.Players, 16)-c.Bots), 1)
}

// close ends the recordings, of which those of matches that never began are removed, and the pools.
func (all *matches[S, C]) close(began bool, log *slog.Logger) error {
	var errs []error
	for _, m := range all.list {
		errs = append(errs, m.close(began, log.With("match", m.hooks.Name)))
	}
	for _, p := range all.pools {
		p.Close()
	}
	return errors.Join(errs...)
}
