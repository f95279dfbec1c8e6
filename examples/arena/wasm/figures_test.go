package main

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/shot"
)

func TestAFigureStandsWhereItsPlayerIsDrawn(t *testing.T) {
	p := newPage(t)
	o := p.join()
	o.in.Forward, o.turns = 1, 2
	p.run(clock.Second)
	if len(block.Figures) != 1 || len(block.Figures[0].Bones) != 19 {
		t.Fatalf("figures: %+v, want 1 of 19 bones", block.Figures)
	}
	if got := block.Figures[0].Player; got != o.player.ID() {
		t.Errorf("figure of player %v, want %v", got, o.player.ID())
	}
	feet := exported.Remotes[0].Position
	for i, b := range block.Figures[0].Bones {
		if d := b.Translation.Sub(feet); d.Y < -0.1 || d.Y > 1.8 || math.Hypot(d.X, d.Z) > 0.9 {
			t.Errorf("bone %d at %v from the feet, want within a body", i, d)
		}
		q := b.Rotation
		if n := q.X*q.X + q.Y*q.Y + q.Z*q.Z + q.W*q.W; math.Abs(n-1) > 1e-9 {
			t.Errorf("bone %d is turned by a quaternion of length² %v, want 1", i, n)
		}
	}
}

func TestARecordedSampleIsPosedLikeTheOneThatWasDrawn(t *testing.T) {
	p := newPage(t)
	o := p.join()
	o.in.Forward, o.in.Shield = 1, true
	p.run(clock.Second)
	drawn := append([]geom.Transform(nil), block.Figures[0].Bones...)
	controls.Recorded[0].Entity = exported.Remotes[0].Entity
	pose(1)
	if len(block.Figures) != 1 {
		t.Fatalf("%v figures, want 1", len(block.Figures))
	}
	for i, got := range block.Figures[0].Bones {
		if got != drawn[i] {
			t.Errorf("bone %d: got %v, want %v", i, got, drawn[i])
		}
	}
}

func TestInvalidPoseRecordsAreHarmless(t *testing.T) {
	newPage(t)
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1, 1e6} {
		for i := range controls.Recorded {
			r := &controls.Recorded[i]
			v := geom.V(x, x, x)
			r.Position, r.Velocity, r.Up, r.Yaw, r.Pitch, r.StrideDistance = v, v, v, x, x, x
			r.Stance.Air, r.Stance.Crouch, r.Stance.Swim = x, x, x
			r.Played, r.DeadFor, r.Dead, r.Clip = -1<<60, 1<<60, i%2 == 0, uint8(i)
		}
		for _, n := range []int32{-1, 1, maxFigures, 1 << 30} {
			pose(n)
			for _, f := range block.Figures {
				for k, b := range f.Bones {
					if b != b {
						t.Fatalf("records of %v: bone %d of a figure has no number", x, k)
					}
				}
			}
		}
	}
}

func TestAShotIsShownAsItWasSeenAndAsItWasJudged(t *testing.T) { // lag-compensation.md: what is drawn is what is hit
	p := newPage(t)
	o := p.join()
	controls.DebugShots = true
	if block.Shot.Stored != 0 || block.Shot.Record != nil {
		t.Errorf("%v shots before the first", block.Shot.Stored)
	}
	o.in.Right, o.turns = 1, 1
	p.run(clock.Second)
	p.aim()
	controls.Fire = true
	p.run(clock.Second / 60)
	controls.Fire = false
	p.run(clock.Second)
	d := &block.Shot
	r := d.Record
	if d.Stored != 1 || r == nil || r.Receipt.Verdict != shot.Hit || r.Receipt.Outcome.Target != o.player.ID() || r.Receipt.Damage < 20 {
		t.Fatalf("%v shots, %+v; want one that hits %v", d.Stored, r, o.player.ID())
	}
	if r.Debug == nil || !r.Debug.Known || d.HitboxError != 0 || len(d.Hitboxes) != 38 || !r.Receipt.Agrees {
		t.Errorf("debug %v, %v m apart, %v hitboxes, agrees %v; want the same 19 on both sides", r.Debug, d.HitboxError, len(d.Hitboxes), r.Receipt.Agrees)
	}
	if d.ViewRequested <= 0 || d.ViewRequested != r.Receipt.ViewGranted || d.Fired < d.ViewRequested {
		t.Errorf("fired at %v into the view of %v, granted %v", d.Fired, d.ViewRequested, r.Receipt.ViewGranted)
	}
}

func TestASwingIsOneShotToLookAt(t *testing.T) {
	p := newPage(t)
	p.hello()
	p.run(2 * clock.Second)
	controls.DebugShots = true
	controls.Select = 5
	p.run(clock.Second)
	controls.Select = 0
	for range 2 {
		controls.Fire = true
		p.run(clock.Second / 60)
		controls.Fire = false
		p.run(3 * clock.Second)
	}
	if d := &block.Shot; d.Stored != 2 || d.Record.Receipt.Verdict != shot.Miss || d.Record.Debug == nil || d.Record.Debug.Known || len(d.Lines) < 16 {
		t.Errorf("two swings at nothing: %+v; want 2, missed, not known, an arc", d)
	}
	p.say("BracketLeft", 1)
	p.run(clock.Second / 60)
	if got := block.Shot.Selected; got != 1 {
		t.Errorf("after [: shot %v is chosen, want the older", got)
	}
}

// The last 16 shots are kept, newest first, and found by number; a new session forgets
// them.
func TestTheShotRingKeepsTheLastShots(t *testing.T) {
	var r shotRing
	for n := uint32(1); n <= 40; n++ {
		r.count++
		r.at(0).Number = n
		if got := r.stored(); got != min(int(n), maxShots) {
			t.Fatalf("after shot %d: %d stored", n, got)
		}
		for back := range r.stored() {
			want := n - uint32(back)
			if r.at(back).Number != want || r.find(want) != r.at(back) {
				t.Fatalf("after shot %d: %d back is shot %d, want %d", n, back, r.at(back).Number, want)
			}
		}
		if old := int(n) - maxShots; old > 0 && r.find(uint32(old)) != nil {
			t.Fatalf("after shot %d: shot %d is still there", n, old)
		}
	}
	if r.reset(); r.stored() != 0 || r.find(40) != nil {
		t.Errorf("a new session has %d shots", r.stored())
	}
}
