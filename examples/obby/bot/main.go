// Command bot plays over the network: it runs the course.
package main

import (
	"context"
	"log"
	"os"
	"time"

	"github.com/backstep-net/backstep/client"
	"github.com/backstep-net/backstep/examples/obby"
)

func main() {
	c, err := client.Dial(context.Background(), os.Args[1], obby.Rules(), client.Config{Name: "Bot"})
	if err != nil {
		log.Fatal(err)
	}
	log.Print("joined as player ", c.ID())
	for range time.Tick(time.Second / 60) {
		if err := c.Frame(new(obby.Think(c.Client))); err != nil {
			log.Fatal(err)
		}
	}
}
