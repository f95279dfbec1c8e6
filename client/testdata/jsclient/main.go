// Jsclient is the client of TestAClientUnderJavaScript: it joins the match at the URL of its
// argument, runs for two seconds, prints where that led, and leaves.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/backstep-net/backstep/client"
	"github.com/backstep-net/backstep/examples/jetpack"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
)

func main() {
	if err := run(); err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	c, err := client.Dial(ctx, os.Args[1], jetpack.Game(new(movement.DefaultModel())), client.Config{Name: "Node"})
	if err != nil {
		return err
	}
	defer c.Close()
	input := jetpack.Command{Command: movement.Command{Forward: 1}}
	var walked float64
	for frame := time.Tick(time.Second / 60); walked < 5 && ctx.Err() == nil; <-frame {
		if err := c.Frame(&input); err != nil {
			return err
		}
		if self := c.Self(); self != nil && c.Phase() == session.Playing {
			walked = -self.Position.Z
		}
	}
	fmt.Printf("by %s: player %d walked over 5 m: %t\n", c.Transport(), c.ID(), walked >= 5)
	return nil
}
