package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/examples/arena/replay"
	"github.com/backstep-net/backstep/record"
)

// recordings are the recordings of a server's matches.
type recordings struct {
	folder string // "" records nothing
	log    *slog.Logger
	list   []recordedMatch
}

type recordedMatch struct {
	name string
	*record.Recorder
}

// match makes a match with bots of a skill, recorded if there is a folder.
func (t *recordings) match(config arena.MatchConfig, name string, bots int, skill arena.Skill) (*arena.Bots, error) {
	if t.folder == "" {
		return arena.NewBots(arena.NewMatch(config), bots, skill), nil
	}
	if err := os.MkdirAll(t.folder, 0o755); err != nil {
		return nil, fmt.Errorf("--record: %w", err)
	}
	file := filepath.Join(t.folder, (&record.Head{Began: time.Now(), Match: name}).FileName())
	match, recorder, err := replay.Record(file, config, name, version())
	if err != nil {
		return nil, fmt.Errorf("--record: %w", err)
	}
	t.list = append(t.list, recordedMatch{file, recorder})
	recorder.Failed = func(err error) {
		t.log.Error("recording has ended: the match goes on without one, and the next start records again", "match", name, "file", file, "why", err)
	}
	withBots := arena.NewBots(match, bots, skill)
	withBots.SetEndpoint(recorder)
	t.log.Info("recording", "match", name, "file", file)
	return withBots, nil
}

// close ends the recordings. An error of the disk is in the log, from Recorder.Failed, and is none of the server: a
// supervisor would start a server again that was stopped.
func (t *recordings) close() {
	for _, r := range t.list {
		if r.Close() == nil {
			t.log.Info("recorded", "file", r.name, "lost_ticks", r.Lost())
		}
	}
}

// discard removes recordings of matches that never began: the server found its ports taken after
// the files were created.
func (t *recordings) discard() error {
	t.close()
	var errs []error
	for _, r := range t.list {
		errs = append(errs, os.Remove(r.name))
	}
	return errors.Join(errs...)
}
