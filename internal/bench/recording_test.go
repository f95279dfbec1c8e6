package bench

import (
	"errors"
	"testing"
)

// A match that is played again sends what it sent when it was recorded, and one with another packet does not.
func TestReplaysAreTheMatch(t *testing.T) {
	world, err := matchScene.World()
	if err != nil {
		t.Fatal(err)
	}
	for _, load := range []Load{{Players: 4, TickRate: 128, Seconds: 2}, {Players: 12, TickRate: 30, Seconds: 2}} {
		recording, err := Record(load, world)
		if err != nil {
			t.Fatal(err)
		}
		r := &Replay{Recording: recording}
		if err := r.Check(); err != nil {
			t.Errorf("%+v: %v", load, err)
		}
		if n := allocations(r); load.TickRate == 128 && n > .5 { // at 30 Hz its rings still grow
			t.Errorf("%+v: %v allocations a tick", load, n)
		}
		recording.ticks[recording.warm] = nil
		if err := r.Check(); !errors.Is(err, errDiffers) {
			t.Errorf("%+v: without the packets of a tick: got %v, want %v", load, err, errDiffers)
		}
	}
}
