package predict_test

import (
	"fmt"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/predict"
)

// A train on a straight track: its state is where it is, its input how fast it is
// to go, in steps of 1 m/s.
type train struct{ At float64 }
type lever struct{ Speed int }

type railway struct{}

func (railway) Step(s *train, c *predict.Command[lever]) {
	s.At += float64(float64(c.Input.Speed) * c.Duration.Seconds())
}
func (railway) ClearOneTime(*lever)                                   {}
func (railway) PackCommand(p *bits.Packer, c, _ *lever)               { p.Ranged(&c.Speed, -100, 100) }
func (railway) PackState(p *bits.Packer, s *train)                    { p.Float64(&s.At) }
func (railway) Position(s *train) geom.Vec3                           { return geom.V(s.At, 0, 0) }
func (railway) Digest(*train) uint16                                  { return 0 }
func (railway) Important(_, _ *train, _ *predict.Command[lever]) bool { return false }
func (railway) Combine(_, _ *train, first, second *predict.Command[lever]) bool {
	return first.Input == second.Input
}
func (railway) Differ(_, _ *train, into []predict.Difference) []predict.Difference { return into }

func Example() {
	owner := predict.NewOwner[train, lever](railway{}, train{})
	authority := predict.NewAuthority[train, lever](railway{}, train{}, nil)
	var p bits.Packer
	buf := make([]byte, 1000)

	// The driver moves at once and tells the signal box.
	now := clock.Second
	owner.Advance(now, 100*clock.Millisecond, lever{Speed: 20})
	p.Write(buf)
	owner.Pack(&p, 1000)
	fmt.Println("driver at", owner.State().At)

	// The box does the same move, and knows of a landslide besides.
	p.Read(p.Bytes())
	if err := authority.Receive(now, now, &p); err != nil {
		fmt.Println(err)
	}
	for authority.Next(now) {
	}
	authority.SetState(train{At: 1.5}, 0, 0)

	// The verdict corrects the driver, whose next frame continues from the truth.
	owner.Receive(authority.Verdict(now))
	owner.Advance(now+100*clock.Millisecond, 100*clock.Millisecond, lever{Speed: 20})
	fmt.Println("driver at", owner.State().At, "drawn at", owner.State().At+owner.ViewError().X)
	// Output:
	// driver at 2
	// driver at 3.5 drawn at 4
}
