// Command server serves the topdown game, and with -web its page.
package main

import "github.com/backstep-net/backstep/examples/topdown"

func main() { topdown.Serve() }
