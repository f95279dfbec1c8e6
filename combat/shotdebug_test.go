package combat

import (
	"testing"
	"unsafe"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// THR-11: what is kept of a player's shots is bounded.
func TestMemoryOfEvidence(t *testing.T) {
	if n := unsafe.Sizeof(shotRecords{}); n > 128<<10 {
		t.Errorf("shotRecords takes %d bytes, want at most 128 kB", n)
	}
}

// A ShotDebug is kept of the last 32 shots; a second verdict on a shot takes the place of the first.
func TestEvidenceOfTheLastShots(t *testing.T) {
	var p Player
	if d := p.ShotDebug(1, nil); d.Known || d.Shot != 1 {
		t.Errorf("before the first shot: %+v", d)
	}
	for n := uint32(1); n <= 40; n++ {
		p.keep(&shot.Receipt{Shot: n, Verdict: shot.Launched}, geom.V(float64(n), 0, 0), 0, nil)
		p.keep(&shot.Receipt{Shot: n, Verdict: shot.Miss}, geom.V(0, float64(n), 0), clock.Second, make([]track.Entity, 9))
	}
	for n := uint32(1); n <= 40; n++ {
		d := p.ShotDebug(n, nil)
		if d.Known != (n > 8) {
			t.Errorf("shot %d: known %v", n, d.Known)
		}
		if d.Known && (d.Receipt.Verdict != shot.Miss || d.Eye.Y != float64(n) || d.Platform != clock.Second || len(d.Targets) != MaxDebugTargets) {
			t.Errorf("shot %d: %+v", n, d)
		}
	}
}

// A tag tells the shooter and the low bits of the command.
func TestProjectileTags(t *testing.T) {
	for _, id := range []track.ID{1, 2, MaxShooters} {
		if shooter, low := TaggedProjectile(ProjectileTag(id, 1000)); shooter != id || low != 1000&511 {
			t.Errorf("player %d: got %d, %d", id, shooter, low)
		}
	}
}
