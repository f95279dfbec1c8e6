// Command bot joins a match over the network: go run ./bot http://localhost:5173
package main

import (
	"context"
	"log"
	"os"
	"time"

	"github.com/backstep-net/backstep/client"
	"github.com/backstep-net/backstep/internal/newgame/templates/third/game"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: bot URL, such as the address that backstep dev prints")
	}
	c, err := client.Dial(context.Background(), os.Args[1], game.Rules(), client.Config{Name: "Bot"})
	if err != nil {
		log.Fatal(err)
	}
	log.Print("joined as player ", c.ID())
	for range time.Tick(time.Second / 60) {
		var in game.Input
		if c.Self() != nil { // nil until it is placed in the world, and while a lost connection comes back
			in = game.Think(c.Client)
		}
		if err := c.Frame(&in); err != nil {
			log.Fatal(err)
		}
	}
}
