// Command backstep runs and exercises Backstep matches.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/alecthomas/kong"
)

// commands is the command line. Its tags are what --help prints.
type commands struct {
	Serve   serveCommand   `cmd:"" help:"Serve the arena: a match that browsers and bots join."`
	Bots    botsCommand    `cmd:"" help:"Join bots to a server over the network."`
	Level   levelCommand   `cmd:"" help:"Build and inspect levels."`
	Version versionCommand `cmd:"" help:"Print the version."`
}

// output is where commands print for people, set by main and tests.
type output struct{ io.Writer }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], output{os.Stdout}); err != nil {
		fmt.Fprintln(os.Stderr, "backstep:", err)
		os.Exit(1)
	}
}

// run parses the arguments and runs the command that they name.
func run(ctx context.Context, args []string, out output) error {
	var c commands
	parser, err := kong.New(&c,
		kong.Name("backstep"),
		kong.Description("Netcode of an action game: prediction, rewind, and a match to try it in."),
		kong.UsageOnError(),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(out),
		kong.Writers(out.Writer, os.Stderr),
	)
	if err != nil {
		return err
	}
	call, err := parser.Parse(args)
	if err != nil {
		return err // kong's messages name the nearest flag or command
	}
	return call.Run()
}

type versionCommand struct{}

// Run prints the version.
func (versionCommand) Run(out output) error {
	fmt.Fprintln(out, "backstep", version())
	return nil
}

// version is the module's version, or the commit it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	if v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return "devel-" + s.Value[:min(12, len(s.Value))]
		}
	}
	return "devel"
}
