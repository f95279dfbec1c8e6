package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/backstep-net/backstep/internal/newgame"
)

type newCommand struct {
	Name    string `arg:"" help:"The game's module path, such as tag or example.com/tag; the folder is its last element."`
	Shooter bool   `xor:"kind" help:"A game with a weapon, health and respawn."`
	Topdown bool   `xor:"kind" help:"A game seen from above, drawn on a canvas."`
	Bodies  bool   `xor:"kind" help:"A game with balls to push."`
	Library string `placeholder:"VERSION" help:"The library's version, such as v0.1.0; by default that of this command."`
	Local   string `type:"path" placeholder:"DIR" help:"Build with the library in this checkout instead of a published version. Its npm packages must be built."`
}

// Validate refuses a checkout that is none. kong's own type of existing folders stays empty in a second parse, and
// addSettings is the first.
func (c *newCommand) Validate() error {
	if c.Local == "" {
		return nil
	}
	if _, err := os.Stat(filepath.Join(c.Local, "web", "client")); err != nil {
		return fmt.Errorf("--local=%s is no checkout of the library: it has no folder web/client", c.Local)
	}
	return nil
}

// Run writes the project and says what to do next.
func (c *newCommand) Run(out output) error {
	o := newgame.Options{Name: c.Name, Version: c.Library, Local: c.Local}
	if o.Version == "" {
		o.Version = moduleVersion()
	}
	for kind, chosen := range map[string]bool{"shooter": c.Shooter, "topdown": c.Topdown, "bodies": c.Bodies} {
		if chosen {
			o.Kind = kind
		}
	}
	folder := newgame.Folder(c.Name)
	if err := newgame.Write(folder, o); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s is written. Next:\n\n\tcd %s\n%s\tbackstep dev\n", folder, folder, c.buildPackages())
	return nil
}

// buildPackages returns the line that builds the npm packages of the checkout, where that is still to be done.
func (c *newCommand) buildPackages() string {
	if c.Local == "" {
		return ""
	}
	if _, err := os.Stat(filepath.Join(c.Local, "web", "vite", "dist", "index.js")); err == nil {
		return ""
	}
	return fmt.Sprintf("\t(cd %q && npm ci && npm run packages)\n", filepath.Join(c.Local, "web"))
}

// moduleVersion returns the version that go install built this command from, "" for a checkout.
func moduleVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "(devel)" || strings.Contains(info.Main.Version, "+dirty") {
		return ""
	}
	return info.Main.Version
}

type devCommand struct {
	Flags []string `arg:"" optional:"" passthrough:"" help:"Further flags for vite, such as --host to serve the local network."`
}

// Run installs what is missing and serves the project with Vite, whose plugin @backstep/vite builds the
// Go side, until the context ends.
func (c *devCommand) Run(ctx context.Context, out output) error {
	if err := inProject(); err != nil {
		return err
	}
	for _, program := range []string{"go", "node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("dev: %w: install Go 1.26 and Node 20, or newer", err)
		}
	}
	if _, err := os.Stat("go.sum"); err != nil {
		if err := command(ctx, out, ".", "go", "mod", "tidy"); err != nil {
			return err
		}
	}
	if _, err := os.Stat("web/node_modules"); err != nil {
		if err := install(ctx, out); err != nil {
			return err
		}
	}
	// Not by npx, which hands no signal on.
	err := become(ctx, out, "web", "node", append([]string{"node_modules/vite/bin/vite.js"}, c.Flags...)...)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// become replaces this process by a program in a folder: then what ends this process ends the program,
// even if that cannot be passed on. It returns where that fails, and on Windows, which cannot do it, when
// the program ends.
func become(ctx context.Context, out output, folder, name string, args ...string) error {
	file, err := exec.LookPath(name)
	if err != nil {
		return err
	}
	if runtime.GOOS == "windows" {
		return command(ctx, out, folder, name, args...)
	}
	if err := os.Chdir(folder); err != nil {
		return err
	}
	return syscall.Exec(file, append([]string{name}, args...), withSelf(os.Environ()))
}

// withSelf adds to an environment where this command is, for programs that run it again.
func withSelf(environment []string) []string {
	self, err := os.Executable()
	if err != nil {
		return environment // then they look for it in the module's tools
	}
	return append(environment, "BACKSTEP="+self)
}

// inProject reports where the current folder is no project of a game.
func inProject() error {
	for _, name := range []string{"go.mod", "game", "web/vite.config.ts"} {
		if _, err := os.Stat(name); err != nil {
			return fmt.Errorf("no %s here: run this in the folder that backstep new made", name)
		}
	}
	return nil
}

// install installs the page's npm packages; downloads fail now and then, so it tries three times.
func install(ctx context.Context, out output) (err error) {
	for range 3 {
		if err = command(ctx, out, "web", "npm", "install", "--no-audit", "--no-fund"); err == nil || ctx.Err() != nil {
			return err
		}
	}
	return fmt.Errorf("%w: is the network there?", err)
}

// command runs a program in a folder until it ends, or until the context does: then it gets SIGTERM.
func command(ctx context.Context, out output, folder, name string, args ...string) error {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Stdin, c.Stdout, c.Stderr = folder, os.Stdin, out.Writer, out.errors
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = 5 * time.Second
	c.Env = withSelf(c.Environ())
	if err := c.Run(); err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
		}
		return err
	}
	return nil
}
