package record

import (
	"encoding/json"
	"errors"
	"time"
)

// Head is what a file says of its match before anything else.
type Head struct {
	// Game names the game, and Config is the game's own word on how to make the match
	// again: at most 1 MB of JSON.
	Game   string          `json:"game"`
	Config json.RawMessage `json:"config,omitempty"`
	// Match is the match's name at its host.
	Match string `json:"match"`
	// Began is when match time 0 was, in UTC.
	Began time.Time `json:"began"`
	// Program is the version of what wrote the file.
	Program string `json:"program"`
	// Protocol and Format are session.Version and Server.Format: what the inputs are
	// written in. Who cannot read these cannot play the match again.
	Protocol int    `json:"protocol"`
	Format   uint32 `json:"format"`
	// TickRate is in ticks a second, 1 … 1000, and SnapshotRate how many of those were
	// sent.
	TickRate     int `json:"tick_rate"`
	SnapshotRate int `json:"snapshot_rate"`
	// Level is the hash of the world (collide.World.Hash).
	Level string `json:"level"`
}

var errHead = errors.New("record: the head makes no sense")

// maxConfig bounds Head.Config, in bytes.
const maxConfig = 1 << 20

func (h *Head) check() error {
	if h.TickRate < 1 || h.TickRate > 1000 || h.SnapshotRate < 0 || h.SnapshotRate > h.TickRate || len(h.Config) > maxConfig {
		return errHead
	}
	return nil
}
