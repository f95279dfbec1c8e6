package bits_test

import (
	"fmt"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/geom"
)

// One method describes the message for both directions.
type greeting struct {
	Place geom.Vec3
	Yaw   float64
	Team  int
}

func (g *greeting) Pack(p *bits.Packer) {
	p.Vec(&g.Place, 100)
	p.Angle16(&g.Yaw)
	p.Ranged(&g.Team, 1, 4)
}

func Example() {
	var p bits.Packer
	p.Write(make([]byte, 32))
	g := greeting{Place: geom.V(1.5, 0, -20), Yaw: 0.5, Team: 2}
	g.Pack(&p)
	fmt.Println(p.Bits(), "bits")

	p.Read(p.Bytes())
	var got greeting
	got.Pack(&p)
	p.End()
	fmt.Printf("%v %.4f %d %v\n", got.Place, got.Yaw, got.Team, p.Err())
	// Output:
	// 59 bits
	// {1.5 0 -20} 0.5000 2 <nil>
}
