package serve

import (
	"fmt"
	"log/slog"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/session"
)

// Checkpoint packs the match in either direction: which level it plays, the session, the keys of the bots, and
// what Config.OnCheckpoint adds. See session.Server.Checkpoint.
func (m *Match[S, C]) Checkpoint(p *bits.Packer) {
	index := m.LevelIndex
	p.Ranged(&index, 0, len(m.hooks.read)-1)
	if p.Err() == nil && index != m.LevelIndex {
		m.load(index)
		m.start()
	}
	if m.Server.Checkpoint(p); p.Err() != nil {
		return
	}
	n := uint16(len(m.bots.keys))
	if p.Uint16(&n); int(n) != len(m.bots.keys) {
		p.Fail(fmt.Errorf("serve: the checkpoint has %d bots, and this match has %d", n, len(m.bots.keys)))
		return
	}
	for i := range m.bots.keys {
		m.checkpointBot(p, i)
	}
	if m.hooks.OnCheckpoint != nil {
		m.hooks.OnCheckpoint(m, p)
	}
}

// checkpointBot packs the key of a bot, by which it comes back to its seat like everybody.
func (m *Match[S, C]) checkpointBot(p *bits.Packer, i int) {
	key := &m.bots.keys[i]
	if k := m.bots.clients[i].Key(); p.Writing() && k != (session.Key{}) {
		*key = k
	}
	for i := range key {
		p.Byte(&key[i])
	}
}

// restored returns a new match, with the state of its checkpoint where there is one.
func restored[S comparable, C any](game session.Game[S, C], config Config[S, C], log *slog.Logger) (*Match[S, C], error) {
	if config.Checkpoint == "" {
		return New(game, config)
	}
	file := host.CheckpointFile(config.Checkpoint, config.Name)
	made := false
	return host.Restore(file, log, func() (*Match[S, C], error) {
		if made && config.Another != nil { // the hooks have read the refused checkpoint
			return New(game, config.another(config.Name))
		}
		made = true
		return New(game, config)
	})
}
