package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena/assets"
	"github.com/backstep-net/backstep/examples/arena/replay"
	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/level"
	"github.com/backstep-net/backstep/record"
)

type replayCommand struct {
	File   string `arg:"" type:"path" help:"A recording: see backstep serve --record."`
	Verify bool   `help:"Simulate the match again from its recorded inputs and compare the hashes, instead of showing it."`
	Addr   string `default:"127.0.0.1:8090" help:"TCP address of the page; port 0 picks a free one. A recording shows everything: serve it on this machine only."`
	Web    string `type:"path" placeholder:"DIR" help:"Folder of the arena's built page (web/dist). Without it only the data is served."`
	Level  string `type:"path" placeholder:"FILE" help:"The .glb file of the match's level, to draw it; not needed for the built-in arena."`
}

// Run shows the recording until the context ends, or verifies it.
func (c *replayCommand) Run(ctx context.Context, out output) error {
	f, err := record.Open(c.File)
	if err != nil {
		return err
	}
	defer f.Close()
	if c.Verify {
		return c.verify(f, out)
	}
	if c.Web != "" {
		if _, err := os.Stat(filepath.Join(c.Web, "index.html")); err != nil {
			return fmt.Errorf("--web=%s: no page there (make web builds it): %w", c.Web, err)
		}
	}
	files, path, err := c.files(f)
	if err != nil {
		return err
	}
	info := replay.InfoOf(f)
	info.Model = path
	c.describe(f, info, out)
	return c.serve(ctx, out, files, info.Game, replay.Handler(f, info))
}

// verify simulates the match again. A truncated file is reported, but is not a failure.
func (c *replayCommand) verify(f *record.File, out output) error {
	v, err := replay.Verify(f)
	var damage *record.DamageError
	if err != nil && !errors.As(err, &damage) {
		return err
	}
	fmt.Fprintln(out, v)
	if d := f.Damage(); d != nil {
		fmt.Fprintln(out, d)
	}
	if v.Differed {
		return &exitError{code: exitFailure}
	}
	return err
}

// describe prints what is in the file.
func (c *replayCommand) describe(f *record.File, info *replay.Info, to io.Writer) {
	fmt.Fprintf(to, "%s: %s, match %s of %s, %.1f s, %d shots", c.File, info.Game, info.Match,
		info.Began.Format(time.RFC3339), f.Duration().Seconds(), len(info.Shots))
	if info.Game == replay.Game { // another game's messages are its own
		fmt.Fprintf(to, ", %d kills", len(info.Kills))
	}
	fmt.Fprintln(to)
	for _, p := range info.Players {
		fmt.Fprintf(to, "  %3d %-24s %8.2f … %.2f s\n", p.ID, p.Name, p.From, p.To)
	}
	switch {
	case info.Damage != "":
		fmt.Fprintln(to, info.Damage)
	case !info.Closed:
		fmt.Fprintln(to, "not closed: its program ended first")
	}
	if info.Lost > 0 {
		fmt.Fprintf(to, "%d ticks are missing (%v): the disk was too slow\n", info.Lost,
			duration(clock.TickTime(int64(info.Lost), info.TickRate)))
	}
}

// address returns the line that says what to open. Only the arena's page has a player of recordings.
func (c *replayCommand) address(url, game string) string {
	switch {
	case game != replay.Game:
		return fmt.Sprintf("backstep: data at %s/replay/info.json; only recordings of the arena have a page that plays them", url)
	case c.Web != "":
		return fmt.Sprintf("backstep: open %s/?replay", url)
	}
	return fmt.Sprintf("backstep: data at %s/replay/info.json (--web shows it)", url)
}

func duration(m clock.Micros) time.Duration { return time.Duration(m) * time.Microsecond }

// files serves the page and the level, and returns the path of the level's model. The page draws
// the model and collides with the recorded world; a model of another world would show walls where
// there were none, so it is refused where a flag names it, and left out where it is the arena's.
func (c *replayCommand) files(f *record.File) (http.Handler, string, error) {
	b := assets.Arena
	if c.Level != "" {
		var err error
		if b, err = os.ReadFile(c.Level); err != nil {
			return nil, "", fmt.Errorf("--level: %w", err)
		}
	}
	read, err := level.Read(b)
	if err != nil {
		return nil, "", fmt.Errorf("--level=%s: %w", c.Level, err)
	}
	hash := f.Head().Level
	shown := host.Level{World: f.PackedWorld()}
	switch {
	case read.World.Hash() == hash:
		shown.Model = b
	case c.Level != "":
		return nil, "", fmt.Errorf("--level=%s: its world is %s, the recording's %s", c.Level, read.World.Hash(), hash)
	}
	files, err := host.Files(c.Web, map[string]host.Level{hash: shown})
	return files, host.ModelPath(hash, shown), err
}

// serve answers until the context ends.
func (c *replayCommand) serve(ctx context.Context, out output, files http.Handler, game string, data http.Handler) error {
	door, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("--addr=%s: %w", c.Addr, err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", files)
	mux.Handle("/replay/", data)
	// Without the limits a client that never finishes its request would hold a connection for ever.
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	fmt.Fprintln(out, c.address(pageURL(door.Addr()), game))
	if err = server.Serve(door); errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
