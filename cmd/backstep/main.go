// Command backstep makes games and runs matches: new writes a game's project, dev builds and serves it
// while you work on it, check tests its rules; serve hosts the arena, front sends players to one of many
// servers, bots join them, replay shows recorded matches, level builds and checks levels, lab measures
// matches in virtual time, bench measures the speed of the machine, wasm builds a browser core. Start with
// backstep --help.
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
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/backstep-net/backstep/internal/setting"
	"github.com/backstep-net/backstep/record"
	"github.com/backstep-net/backstep/session"
)

// commands is the command line. --help prints its tags.
type commands struct {
	New     newCommand     `cmd:"" help:"Write the project of a new game."`
	Dev     devCommand     `cmd:"" help:"Build, serve and rebuild the game in this folder while you work on it."`
	Check   checkCommand   `cmd:"" help:"Test a game's rules natively and as WebAssembly, and check how processors round."`
	Serve   serveCommand   `cmd:"" help:"Serve the arena: matches that browsers and bots can join."`
	Front   frontCommand   `cmd:"" help:"Run a front door: queue players and send them to one of many servers."`
	Bots    botsCommand    `cmd:"" help:"Connect bots to a server over the network."`
	Replay  replayCommand  `cmd:"" help:"Show a recorded match in a page, or simulate it again and compare."`
	Level   levelCommand   `cmd:"" help:"Build and inspect levels."`
	Lab     labCommand     `cmd:"" help:"Play experiments in virtual time and measure them."`
	Doctor  doctorCommand  `cmd:"" help:"Check whether this machine can run the server with the same flags."`
	Bench   benchCommand   `cmd:"" help:"Measure this machine: steps, queries, rewinds, snapshots, matches, the network."`
	Edge    benchEdge      `cmd:"" name:"bench-edge" hidden:"" help:"The server and the clients that bench measures."`
	Token   tokenCommand   `cmd:"" help:"Make keys for connect tokens, and tokens."`
	Wasm    wasmCommand    `cmd:"" help:"Build a game's browser core, small enough to download."`
	Version versionCommand `cmd:"" help:"Print the version, the commit, and the versions of Go, the protocol and recordings. So does --version."`
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
	os.Exit(runWith(ctx, os.Args[1:], os.Environ(), output{os.Stdout, os.Stderr}))
}

// run is runWith with an empty environment.
func run(ctx context.Context, args []string, out output) int { return runWith(ctx, args, nil, out) }

// runWith runs the command that the arguments name, and returns the exit code. A server reads settings from the
// environment, which is as os.Environ returns it.
func runWith(ctx context.Context, args, environ []string, out output) int {
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
	if len(args) == 1 && args[0] == "--version" {
		args = []string{"version"}
	}
	if len(args) > 0 && args[0] == "help" { // as in go help build
		args = append(args[1:len(args):len(args)], "--help")
	}
	args, from, err := addSettings(parser, args, environ)
	var call *kong.Context
	if err == nil {
		call, err = parser.Parse(args)
		if helped {
			return exitFine
		}
	}
	if err == nil {
		err = call.Run(from)
	}
	return exitCode(setting.Explain(err, from), out)
}

// exitCode prints an error and returns the exit code.
func exitCode(err error, out output) int {
	var usage *kong.ParseError
	var source *setting.SourceError
	var exit *exitError
	switch {
	case err == nil:
		return exitFine
	case errors.As(err, &exit):
		if exit.text != "" {
			fmt.Fprintln(out.errors, exit.text)
		}
		return exit.code
	case errors.As(err, &source): // no mistake of the command line
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

// Run prints the versions, which a bug report needs.
func (versionCommand) Run(out output) error {
	fmt.Fprintf(out, "backstep %s\ncommit %s\ngo %s %s/%s\nprotocol %d\nrecordings %d\n", version(), commit(),
		strings.TrimPrefix(runtime.Version(), "go"), runtime.GOOS, runtime.GOARCH, session.Version, record.FormatVersion)
	return nil
}

// commit is the commit that the program was built from, with "+" where files had been changed since.
func commit() string {
	id, changed := "unknown", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				id = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				changed = "+"
			}
		}
	}
	return id + changed
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
