package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/andybalholm/brotli"

	"github.com/backstep-net/backstep/internal/wasmlink"
)

type wasmCommand struct {
	Package string `arg:"" default:"." help:"The main package of the browser core, as for go build."`
	Output  string `short:"o" default:"backstep.wasm" help:"The file to write. The debug file, with names and lines for stack traces, ends in .debug.wasm."`
	Shrink  bool   `negatable:"" default:"true" help:"Make the file smaller, and write the debug file; otherwise the file keeps its names, and there is no debug file."`
	Sizes   bool   `negatable:"" default:"true" help:"Compress the file as a server does, which takes seconds, and print its size."`
}

// Run builds a browser core, makes it smaller, and prints the sizes. It runs in the module
// of the current folder, as go build does.
func (c *wasmCommand) Run(ctx context.Context, out output) error {
	whole, ok := strings.CutSuffix(c.Output, ".wasm")
	if !ok {
		return fmt.Errorf("wasm: the output %q does not end in .wasm", c.Output)
	}
	whole += ".debug.wasm"
	if !c.Shrink {
		whole = c.Output
	}
	if _, err := os.Stat(c.Output); err != nil {
		fmt.Fprintln(out.errors, "backstep: the first build of a core compiles everything for WebAssembly, which takes minutes on a new machine")
	}
	if err := c.link(ctx, whole, out.errors); err != nil {
		return err
	}
	b, err := os.ReadFile(whole)
	if err != nil {
		return err
	}
	if c.Shrink {
		fmt.Fprintf(out, "%s: %d kB\n", whole, len(b)/1000)
		if b, err = shrunk(b, out.errors); err != nil {
			return err
		}
		if err := os.WriteFile(c.Output, b, 0o644); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "%s: %d kB", c.Output, len(b)/1000)
	if c.Sizes {
		fmt.Fprintf(out, ", %d kB with brotli", brotliSize(b)/1000)
	}
	fmt.Fprintln(out)
	return nil
}

// shrunk returns what Shrink makes of a core. One of a release of Go that is newer than this command plays as it is.
func shrunk(core []byte, errs io.Writer) ([]byte, error) {
	small, err := wasmlink.Shrink(core)
	if errors.Is(err, wasmlink.ErrRelease) {
		fmt.Fprintf(errs, "backstep: the core stays large: %v; a newer release of Backstep may know it\n", err)
		return core, nil
	}
	return small, err
}

// link runs go build for the browser's target.
func (c *wasmCommand) link(ctx context.Context, file string, errs io.Writer) error {
	build := exec.CommandContext(ctx, "go", "build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-ldflags=-w", "-o", file, c.Package)
	build.Env = append(build.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	build.Stderr = errs
	if err := build.Run(); err != nil {
		return fmt.Errorf("wasm: %s: %w", build, err)
	}
	return nil
}

// brotliSize returns how many bytes are left with brotli at its best quality.
func brotliSize(b []byte) int {
	var n counter
	w := brotli.NewWriterLevel(&n, brotli.BestCompression)
	_, _ = w.Write(b) // a write to a counter never fails
	_ = w.Close()
	return int(n)
}

// counter counts the bytes written to it.
type counter int

func (n *counter) Write(b []byte) (int, error) {
	*n += counter(len(b))
	return len(b), nil
}
