// Command check reads messages in the form of testdata/conformance/messages.jsonl, made
// by any implementation of docs/protocol.md, and says which of them are not as that
// page has them.
//
//	go run ./internal/conformance/check [-trace] FILE …
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/backstep-net/backstep/internal/conformance"
)

func main() {
	trace := flag.Bool("trace", false, "print each message field by field: first bit, bits, name, value")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: check [-trace] FILE …")
		os.Exit(2)
	}
	bad := 0
	for _, name := range flag.Args() {
		bad += check(name, *trace)
	}
	if bad > 0 {
		os.Exit(1)
	}
}

// check returns how many messages of a file are wrong.
func check(name string, trace bool) (bad int) {
	list, err := conformance.ReadLines[conformance.Vector](name)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for i := range list {
		if err := list[i].Check(); err != nil {
			fmt.Println(err)
			bad++
		}
		if trace {
			lines, _ := list[i].Read()
			fmt.Printf("%s\n%x\n%s\n", list[i].Name, []byte(list[i].Bytes), conformance.Trace(lines))
		}
	}
	fmt.Printf("%s: %d messages, %d wrong\n", name, len(list), bad)
	return bad
}
