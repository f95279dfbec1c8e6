// Command server serves the coop game, and with -web its page.
package main

import "github.com/backstep-net/backstep/examples/coop"

func main() { coop.Serve() }
