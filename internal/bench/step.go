package bench

import (
	"context"

	"github.com/backstep-net/backstep/internal/benchscene"
)

// steps is how many ticks of a crowd a run times.
const steps = 600

// measureSteps times a character's step on each scene, and on scene A among a thousand that block each other.
func measureSteps(_ context.Context, m *Meter) error {
	for _, c := range []struct {
		figure string
		scene  benchscene.Scene
		block  bool
	}{
		{"step_a_us", benchscene.A, false}, {"step_b_us", benchscene.B, false}, {"step_d_us", benchscene.D, false},
		{"step_f2_us", benchscene.F2, false}, {"crowd_a_us", benchscene.A, true},
	} {
		world, err := m.world(c.scene)
		if err != nil {
			return err
		}
		warm, crowd := NewCrowd(c.scene, world), NewCrowd(c.scene, world)
		warm.Block, crowd.Block = c.block, c.block
		warm.WarmUp()
		err = m.Time(c.figure, Work{
			Calls: steps * crowdSize,
			Begin: func() { crowd.Copy(warm) },
			Call:  func(int) { crowd.Step() },
		})
		if err != nil {
			return err
		}
	}
	return nil
}
