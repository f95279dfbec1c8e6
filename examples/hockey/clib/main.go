// Command clib is the hockey game's client as a C library.
package main

import (
	"github.com/backstep-net/backstep/client/native"
	"github.com/backstep-net/backstep/examples/hockey"
)

func init() {
	native.Export(hockey.Rules(), native.Config[hockey.Skater, hockey.Input]{Bodies: &hockey.Pucks})
}

func main() { native.Main() }
