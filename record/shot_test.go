package record_test

import (
	"testing"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/record"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/shot"
)

// The receipt of a shot is read as it was written: the targets, where they were hit, and the reasons
// for no damage.
func TestAShotIsReadAgain(t *testing.T) {
	h := record.Shot{Eye: geom.V(1, 1.5, -2), Yaw: .5, Pitch: -.25}
	r := &h.Receipt
	*r = shot.Receipt{Shot: 7, Shooter: 3, Weapon: 1, ViewRequested: 1_000_000, ViewGranted: 1_050_000, Verdict: shot.Hit, Damage: 105,
		Agrees: true, Scene: shot.SceneCheck{Count: 2, Sum: 0xBEEF}, EventCount: 2}
	r.Outcome = rewind.Outcome{HitTarget: rewind.HitTarget{Kind: rewind.Player, Target: 4, Hitbox: 9, HitGroup: rig.Head}, Life: 2, Distance: 12.5, Point: geom.V(0, 1, -8)}
	r.Events[0] = shot.DamageEvent{Target: 4, Life: 2, HitGroup: rig.Head, Count: 5, Heads: 2, Damage: 105}
	r.Events[1] = shot.DamageEvent{Target: 900, Life: 255, HitGroup: rig.Leg, Count: 1, Reason: shot.Covered}
	got, err := record.Reread(h, 0)
	if err != nil || got != h {
		t.Errorf("%v\n got %+v\nwant %+v", err, got, h)
	}
	for less := 1; less < 90; less++ {
		if _, err := record.Reread(h, less); err == nil {
			t.Fatalf("%d bytes less are read without fault", less)
		}
	}
}
