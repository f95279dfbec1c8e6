// Command bot plays hockey over the network: it skates to the nearest thing and shoots.
package main

import (
	"context"
	"log"
	"os"
	"time"

	"github.com/backstep-net/backstep/client"
	"github.com/backstep-net/backstep/examples/hockey"
)

func main() {
	c, err := client.Dial(context.Background(), os.Args[1], hockey.Rules(), client.Config{Name: "Bot"})
	if err != nil {
		log.Fatal(err)
	}
	log.Print("joined as player ", c.ID())
	for range time.Tick(time.Second / 60) {
		if err := c.Frame(new(hockey.Think(c.Client))); err != nil {
			log.Fatal(err)
		}
	}
}
