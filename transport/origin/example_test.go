package origin_test

import (
	"fmt"

	"github.com/backstep-net/backstep/transport/origin"
)

func ExampleCheck() {
	portals := []string{"*.portal.example"}
	fmt.Println(origin.Check(portals, "https://game.example", "game.example:4433"))
	fmt.Println(origin.Check(portals, "https://cdn.portal.example", "game.example"))
	fmt.Println(origin.Check(portals, "https://evil.example", "game.example") != nil)
	// Output:
	// <nil>
	// <nil>
	// true
}
