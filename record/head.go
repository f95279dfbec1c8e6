package record

import (
	"encoding/json"
	"errors"
	"time"
)

// Head describes the match of a file.
type Head struct {
	// Game names the game. Config is the game's own configuration of the match: at most 1 MB of JSON.
	Game   string          `json:"game"`
	Config json.RawMessage `json:"config,omitempty"`
	// Match is the match's name at its host.
	Match string `json:"match"`
	// Began is the time of match time 0, in UTC.
	Began time.Time `json:"began"`
	// Program is the version of the program that wrote the file.
	Program string `json:"program"`
	// Protocol and Format are session.Version and Server.Format of the inputs. Only a program with
	// the same ones can replay the match.
	Protocol int    `json:"protocol"`
	Format   uint32 `json:"format"`
	// TickRate is in Hz, 1 … 1000; SnapshotRate is the rate of the snapshots in Hz.
	TickRate     int `json:"tick_rate"`
	SnapshotRate int `json:"snapshot_rate"`
	// Level is the hash of the world (collide.World.Hash).
	Level string `json:"level"`
}

// FileName returns the usual name of a recording: when its match began, and the match.
func (h *Head) FileName() string {
	return h.Began.UTC().Format("2006-01-02T15-04-05Z") + "-" + h.Match + ".bsrec"
}

var errHead = errors.New("record: invalid head")

// maxConfig bounds Head.Config, in bytes.
const maxConfig = 1 << 20

func (h *Head) check() error {
	if h.TickRate < 1 || h.TickRate > 1000 || h.SnapshotRate < 0 || h.SnapshotRate > h.TickRate || len(h.Config) > maxConfig {
		return errHead
	}
	return nil
}
