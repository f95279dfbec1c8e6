// Command layoutgen writes the constants of a Go file as TypeScript, so that
// the page and the core cannot disagree about where a value lies. Start at
// Translate.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	in := flag.String("in", "layout.go", "the Go file to read")
	out := flag.String("out", "", "the TypeScript file to write; empty prints it")
	flag.Parse()
	if err := run(*in, *out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(in, out string) error {
	source, err := os.ReadFile(in)
	if err != nil {
		return fmt.Errorf("layoutgen: %w", err)
	}
	text, err := Translate(in, source)
	if err != nil {
		return err
	}
	if out == "" {
		fmt.Print(text)
		return nil
	}
	return os.WriteFile(out, []byte(text), 0o644)
}
