package rootmotion_test

import (
	"fmt"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement/rootmotion"
)

// A dash of 5 m/s for half a second, at 60 moves a second, and what is left of it.
func Example() {
	var g rootmotion.Group
	dash := rootmotion.Constant(geom.V(0, 0, -5), clock.Second/2)
	dash.Flags = rootmotion.Local
	dash.Finish, dash.FinishVelocity = rootmotion.Clamp, geom.V(2, 0, 0)
	id, ok := g.Apply(dash, 3*clock.Second)
	fmt.Println("applied:", id, ok)

	const move = clock.Second / 60
	body := rootmotion.Body{Forward: geom.Forward(0), Up: geom.Up}
	at, v := geom.Vec3{}, geom.Vec3{}
	for range 30 {
		v = g.Finish(nil, 0, v, geom.Up)
		g.Prepare(move)
		drive := g.Drive(nil, &body, 0, move.Seconds())
		v = drive.Apply(v, geom.Up, false)
		at = at.MulAdd(v, move.Seconds())
	}
	fmt.Printf("went %.2f m, still busy: %v\n", -at.Z, g.Busy())
	g.Prepare(move)
	v = g.Finish(nil, 0, v, geom.Up)
	fmt.Printf("goes on at %.0f m/s, still busy: %v\n", v.Len(), g.Busy())
	// Output:
	// applied: 1 true
	// went 2.50 m, still busy: true
	// goes on at 2 m/s, still busy: false
}
