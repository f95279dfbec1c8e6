package level_test

import (
	"fmt"
	"os"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/level"
)

// Read a level and ask its world how high the ground is in the middle of the
// bridge.
func ExampleRead() {
	b, err := os.ReadFile("../examples/arena/assets/arena.glb")
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := level.Read(b)
	if err != nil {
		fmt.Println(err)
		return
	}
	hit, _ := l.World.Ray(geom.V(3, 6, 0), geom.V(0, -20, 0))
	fmt.Printf("%s: %d places to begin, the bridge is %.1f m up\n", l.Name, len(l.Spawns), hit.Point.Y)
	// Output: Arena: 20 places to begin, the bridge is 4.2 m up
}

// A file that is not a level says so.
func ExampleRead_error() {
	_, err := level.Read([]byte(`{"asset":{"version":"2.0"}}`))
	fmt.Println(err)
	// Output: level: not a .glb: it does not begin with a glTF header (a .gltf has to be exported as binary)
}
