// Command server serves the hockey game, and with -web its page.
package main

import "github.com/backstep-net/backstep/examples/hockey"

func main() { hockey.Serve() }
