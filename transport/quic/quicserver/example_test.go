package quicserver_test

import (
	"encoding/hex"
	"fmt"

	"github.com/backstep-net/backstep/transport/quic/quicserver"
)

// What a page needs to know to connect: the port and two hashes.
func ExampleListener_Hashes() {
	listener, err := quicserver.Listen(quicserver.Config{Addr: "127.0.0.1:0"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer listener.Close()
	hashes, err := listener.Hashes()
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, h := range hashes {
		fmt.Println([]string{"now", "next"}[i], len(hex.EncodeToString(h[:])), "hex digits")
	}
	// Output:
	// now 64 hex digits
	// next 64 hex digits
}
