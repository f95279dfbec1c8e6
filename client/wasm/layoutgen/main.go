// Command layoutgen writes the constants of a Go file as TypeScript, so that
// the page and the core cannot disagree about where a value lies. Start at
// Translate.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	in := flag.String("in", "layout.go", "the Go files to read, with commas in between")
	out := flag.String("out", "", "the TypeScript file to write; empty prints it")
	flag.Parse()
	if err := run(*in, *out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(in, out string) error {
	var sources []Source
	for _, name := range strings.Split(in, ",") {
		text, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("layoutgen: %w", err)
		}
		sources = append(sources, Source{name, text})
	}
	text, err := Translate(sources...)
	if err != nil {
		return err
	}
	if out == "" {
		fmt.Print(text)
		return nil
	}
	return os.WriteFile(out, []byte(text), 0o644)
}
