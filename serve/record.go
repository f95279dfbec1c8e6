package serve

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/record"
	"github.com/backstep-net/backstep/session"
)

// played is a match as its host plays it: itself, or the recorder around it.
type played[S comparable, C any] struct {
	*Match[S, C]
	atHost   host.Match
	recorder *record.Recorder // nil: not recorded
	file     string           // of the recording
}

// recorded is a recorded match at its host. The recorder passes on what changes the match, and not all that a host asks of it.
type recorded struct {
	*record.Recorder
	served
}

// served is what only some matches have.
type served interface {
	Drained() bool
	QueueLength() int
	Queued(peer session.Peer) bool
}

// open returns the match of a configuration, whose levels have been read: new, continued from a checkpoint, or new and
// recorded under the name of the game.
func open[S comparable, C any](game session.Game[S, C], config Config[S, C], log *slog.Logger) (*played[S, C], error) {
	switch {
	case config.Record == "":
		m, err := restored(game, config, log)
		return &played[S, C]{Match: m, atHost: m}, err
	case config.Checkpoint != "":
		return nil, errors.New("serve: -record and -checkpoint exclude each other: a recording begins with an empty match")
	case len(config.Levels) > 1:
		return nil, errors.New("serve: -record needs a match of one level: a recording has one")
	}
	s := &config.Session
	tick := cmp.Or(s.TickRate, 60)
	head := record.Head{
		Game: config.game, Match: config.Name, Began: time.Now().UTC(), Program: program(), Protocol: session.Version,
		Format: session.NewClient(game, session.ClientConfig{}).Format(), TickRate: tick, SnapshotRate: cmp.Or(s.SnapshotRate, tick), Level: s.LevelHash,
	}
	if err := os.MkdirAll(config.Record, 0o755); err != nil {
		return nil, fmt.Errorf("serve: -record=%s: %w", config.Record, err)
	}
	p := &played[S, C]{file: filepath.Join(config.Record, head.FileName())}
	w, err := record.Create(p.file, head, s.World.AppendBinary(nil))
	if err != nil {
		return nil, fmt.Errorf("serve: -record=%s: %w", config.Record, err)
	}
	s.NewKey = w.Key(s.NewKey)
	if p.Match, err = New(game, config); err != nil {
		return nil, errors.Join(err, w.Close(), os.Remove(p.file))
	}
	p.recorder = w.Record(p.Match)
	p.recorder.Failed = func(err error) {
		log.Error("recording has ended: the match goes on without one, and the next start records again", "file", p.file, "why", err)
	}
	p.atHost = recorded{p.recorder, p.Match}
	log.Info("recording", "file", p.file)
	return p, nil
}

// close ends the recording. That of a match that never began is removed. An error of the disk is in the log, from
// Recorder.Failed, and is none of the server: a supervisor would start a server again that was stopped.
func (p *played[S, C]) close(began bool, log *slog.Logger) error {
	if p.recorder == nil {
		return nil
	}
	err := p.recorder.Close()
	if !began {
		return errors.Join(err, os.Remove(p.file))
	}
	if err == nil {
		log.Info("recorded", "file", p.file, "lost_ticks", p.recorder.Lost())
	}
	return nil
}

// program returns the version of the program, "" if it has none.
func program() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "(devel)" {
		return ""
	}
	return info.Main.Version
}
