// Command server serves the melee game, and with -web its page.
package main

import "github.com/backstep-net/backstep/examples/melee"

func main() { melee.Serve() }
