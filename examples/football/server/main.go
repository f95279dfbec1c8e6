// Command server serves the football game, and with -web its page.
package main

import "github.com/backstep-net/backstep/examples/football"

func main() { football.Serve() }
