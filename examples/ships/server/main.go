// Command server serves the game, and with -web its page.
package main

import (
	"github.com/backstep-net/backstep/examples/ships"
	"github.com/backstep-net/backstep/serve"
)

func main() { serve.Main(ships.Rules(), ships.Config()) }
