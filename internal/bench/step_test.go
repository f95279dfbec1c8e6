package bench

import (
	"fmt"
	"testing"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/internal/benchscene"
)

// A step in a crowd of twenty and of a thousand. scripts/instructions counts its instructions: on a busy machine that
// tells more than its time.
func BenchmarkStep(b *testing.B) {
	m := &Meter{worlds: map[string]*collide.World{}}
	for _, scene := range []benchscene.Scene{benchscene.A, benchscene.B, benchscene.D, benchscene.F2} {
		for _, size := range []int{20, crowdSize} {
			var warm, crowd *Crowd
			b.Run(fmt.Sprintf("%s/%d", scene.Name, size), func(b *testing.B) {
				if warm == nil { // b.Run calls this once for each length that it tries
					world, err := m.world(scene)
					if err != nil {
						b.Fatal(err)
					}
					warm, crowd = NewCrowd(scene, world), NewCrowd(scene, world)
					warm.Keep(size)
					crowd.Keep(size)
					warm.WarmUp()
				}
				b.ResetTimer()
				for i := range b.N {
					if i%(steps*size) == 0 {
						crowd.Copy(warm)
					}
					crowd.Step()
				}
			})
		}
	}
}
