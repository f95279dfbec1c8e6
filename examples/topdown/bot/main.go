// Command bot plays over the network: it gathers coins and shoots.
package main

import (
	"context"
	"log"
	"os"
	"time"

	"github.com/backstep-net/backstep/client"
	"github.com/backstep-net/backstep/examples/topdown"
)

func main() {
	c, err := client.Dial(context.Background(), os.Args[1], topdown.Rules(), client.Config{Name: "Bot"})
	if err != nil {
		log.Fatal(err)
	}
	log.Print("joined as player ", c.ID())
	for range time.Tick(time.Second / 60) {
		if err := c.Frame(new(topdown.Think(c.Client))); err != nil {
			log.Fatal(err)
		}
	}
}
