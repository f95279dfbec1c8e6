package record_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/examples/arena/replay"
	"github.com/backstep-net/backstep/record"
)

// A match of two bots is recorded for ten seconds, read, and replayed.
func Example() {
	folder, err := os.MkdirTemp("", "recordings")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	name := filepath.Join(folder, "match.bsrec")

	match, recorder, err := replay.Record(name, config(), "arena", "v1")
	if err != nil {
		fmt.Println(err)
		return
	}
	bots := arena.NewBots(match, 2, arena.Rookie)
	bots.SetEndpoint(recorder) // the host feeds the match through its recorder
	for tick := int64(1); tick <= 600; tick++ {
		bots.Tick(clock.TickTime(tick, 60))
		bots.Outgoing()
	}
	if err := recorder.Close(); err != nil {
		fmt.Println(err)
		return
	}

	f, err := record.Open(name)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	for tick, err := range f.Ticks(598) {
		fmt.Println("tick", tick.Snapshot.Tick, "with", tick.Snapshot.Len(), "players", err)
	}
	verdict, err := replay.Verify(f)
	fmt.Println("played again:", verdict.Hashes, "hashes equal,", verdict.Differed, err)
	// Output:
	// tick 598 with 2 players <nil>
	// tick 599 with 2 players <nil>
	// tick 600 with 2 players <nil>
	// played again: 12 hashes equal, false <nil>
}
