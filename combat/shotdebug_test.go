package combat

import (
	"testing"
	"unsafe"

	"github.com/backstep-net/backstep/bits"
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

// A tag tells the shooter and the low bits of the command, fewer of them in a match with more seats.
func TestProjectileTags(t *testing.T) {
	for _, c := range []struct {
		seats int
		id    track.ID
		low   uint32
	}{{16, 1, 1000 & 511}, {128, 2, 1000 & 511}, {128, 128, 1000 & 511}, {129, 129, 1000 & 63}, {MaxShooters, MaxShooters, 1000 & 63}} {
		if shooter, low := TaggedProjectile(c.seats, ProjectileTag(c.seats, c.id, 1000)); shooter != c.id || low != c.low {
			t.Errorf("player %d of %d: got %d, %d", c.id, c.seats, shooter, low)
		}
	}
}

// The number of a player takes 7 bits up to 64, and as many as playerBits says up to MaxShooters. [WIR-21]
func TestPlayerNumbers(t *testing.T) {
	for id := track.ID(1); id <= MaxShooters; id++ {
		var p bits.Packer
		p.Write(make([]byte, 2))
		packPlayer(&p, &id)
		n, got := p.Bits(), track.ID(0)
		p.Read(p.Bytes())
		if packPlayer(&p, &got); got != id || p.Err() != nil || n != playerBits(id) || id <= 64 && n != 7 {
			t.Fatalf("player %d: got %d in %d bits, playerBits says %d: %v", id, got, n, playerBits(id), p.Err())
		}
	}
	var p bits.Packer
	p.Write(make([]byte, 2))
	beyond := track.ID(MaxShooters + 1)
	if packPlayer(&p, &beyond); p.Err() == nil {
		t.Error("a player beyond the last was packed")
	}
}
