package levelmaker_test

import (
	"fmt"

	"github.com/backstep-net/backstep/examples/arena/levelmaker"
	"github.com/backstep-net/backstep/level"
)

// Build the arena and stand at the start of the course.
func ExampleBuild() {
	b, err := levelmaker.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := level.Read(b)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range l.Spawns {
		if s.Name == "course" {
			fmt.Println(s.Name, "at", s.Position.X, s.Position.Z, "looking", s.Yaw)
		}
	}
	// Output: course at -31 24 looking 0
}
