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
		if err := c.Frame(new(game.Think(c.Client))); err != nil {
			log.Fatal(err)
		}
	}
}
