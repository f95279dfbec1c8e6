// Command backstep makes games and runs matches: new writes a game's project, dev builds and serves it
// while it is worked on, check tests its rules; serve hosts the arena, bots join them, replay shows
// recorded matches, level builds and checks levels, lab measures matches in virtual time, wasm
// builds a browser core.
// Start with backstep --help.
//
// The exit code is 0 for success, 1 when something failed or an expectation did not hold, 2
// for an invalid command line or scenario, and 130 when a run of the lab was interrupted.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/alecthomas/kong"
)

// commands is the command line. --help prints its tags.
type commands struct {
	New     newCommand     `cmd:"" help:"Write the project of a new game."`
	Dev     devCommand     `cmd:"" help:"Build, serve and rebuild the game in this folder while you work on it."`
	Check   checkCommand   `cmd:"" help:"Test a game's rules: here, as WebAssembly, and how processors round."`
	Serve   serveCommand   `cmd:"" help:"Serve the arena: matches that browsers and bots can join."`
	Bots    botsCommand    `cmd:"" help:"Connect bots to a server over the network."`
	Replay  replayCommand  `cmd:"" help:"Show a recorded match in a page, or simulate it again and compare."`
	Level   levelCommand   `cmd:"" help:"Build and inspect levels."`
	Lab     labCommand     `cmd:"" help:"Play experiments in virtual time and measure them."`
	Token   tokenCommand   `cmd:"" help:"Make keys for connect tokens, and tokens."`
	Wasm    wasmCommand    `cmd:"" help:"Build a game's browser core, small enough to download."`
	Version versionCommand `cmd:"" help:"Print the version."`
}

// output is where commands print: results, and errors and progress.
type output struct {
	io.Writer
	errors io.Writer
}

// The exit codes.
const (
	exitFine = iota
	exitFailure
	exitUsage
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(run(ctx, os.Args[1:], output{os.Stdout, os.Stderr}))
}

// run runs the command that the arguments name, and returns the exit code.
func run(ctx context.Context, args []string, out output) int {
	var c commands
	helped := false
	parser, err := kong.New(&c,
		kong.Name("backstep"),
		kong.Description("Netcode for action games: client prediction, lag compensation, and a match to try them in."),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(out),
		kong.Writers(out.Writer, out.errors),
		kong.Exit(func(int) { helped = true }), // called by --help only
	)
	if err != nil {
		panic(err) // the struct tags are wrong
	}
	call, err := parser.Parse(args)
	if helped {
		return exitFine
	}
	if err == nil {
		err = call.Run()
	}
	var usage *kong.ParseError
	var exit *exitError
	switch {
	case err == nil:
		return exitFine
	case errors.As(err, &exit):
		if exit.text != "" {
			fmt.Fprintln(out.errors, exit.text)
		}
		return exit.code
	case errors.As(err, &usage):
		fmt.Fprintf(out.errors, "backstep: %v\nTry %s --help.\n", err, commandPath(usage.Context))
		return exitUsage
	}
	fmt.Fprintln(out.errors, "backstep:", err)
	return exitFailure
}

// commandPath returns the command that was parsed before the error.
func commandPath(c *kong.Context) string {
	if c != nil && c.Selected() != nil {
		return c.Selected().FullPath()
	}
	return "backstep"
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
