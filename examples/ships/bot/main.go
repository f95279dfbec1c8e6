// Command bot plays over the network: it hunts the nearest ship.
package main

import (
	"context"
	"log"
	"os"
	"time"

	"github.com/backstep-net/backstep/client"
	"github.com/backstep-net/backstep/examples/ships"
)

func main() {
	c, err := client.Dial(context.Background(), os.Args[1], ships.Rules(), client.Config{Name: "Bot"})
	if err != nil {
		log.Fatal(err)
	}
	log.Print("joined as player ", c.ID())
	for range time.Tick(time.Second / 60) {
		if err := c.Frame(new(ships.Think(c.Client))); err != nil {
			log.Fatal(err)
		}
	}
}
