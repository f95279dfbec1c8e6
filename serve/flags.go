package serve

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/netip"

	"github.com/backstep-net/backstep/cert"
	"github.com/backstep-net/backstep/internal/setting"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/token"
	"github.com/backstep-net/backstep/transport/origin"
)

// command is what a program is started with.
type command struct {
	args, environ []string
	out, log      io.Writer
}

// flags are the flags of a server, parsed, with what the environment and a file give for them.
type flags struct {
	*flag.FlagSet
	config  string // the file of settings
	check   bool   // print the configuration and stop
	format  string // of the log: text or json
	verbose bool
	table   []setting.Setting
	given   map[string]setting.Given
	typed   map[string]bool // those of the command line
}

// parse reads the flags, the environment and the file into the configuration.
func parse[S comparable, C any](c *Config[S, C], from command) (*flags, error) {
	c.Name, c.Matches = cmp.Or(c.Name, "match"), cmp.Or(c.Matches, 1)
	c.Addr = cmp.Or(c.Addr, ":8080")
	c.QUIC = cmp.Or(c.QUIC, ":4433")
	// What -check-config prints is a file for backstep doctor too, where 0 means nothing.
	c.Session.TickRate = cmp.Or(c.Session.TickRate, 60)
	c.Session.Players = cmp.Or(c.Session.Players, 16)
	c.Limits.Connections = max(cmp.Or(c.Limits.Connections, 12), -1)
	f := &flags{FlagSet: flag.NewFlagSet(c.Name, flag.ContinueOnError), typed: map[string]bool{}}
	f.SetOutput(io.Discard) // package flag would print all flags below an error
	addServerFlags(f.FlagSet, c)
	addNetworkFlags(f.FlagSet, c)
	f.StringVar(&f.format, "log", "text", "`format` of the log: text or json")
	f.BoolVar(&f.verbose, "verbose", false, "log every malformed packet too")
	f.BoolVar(&f.verbose, "v", false, "short for -verbose")
	f.StringVar(&f.config, "config", setting.File(from.environ), "YAML `file` of these settings; flags override BACKSTEP_NAME in the environment, which overrides the file")
	f.BoolVar(&f.check, "check-config", false, "print the effective configuration with the source of each value, check it, and stop")
	switch err := f.Parse(from.args); {
	case errors.Is(err, flag.ErrHelp):
		f.SetOutput(from.log)
		fmt.Fprintf(from.log, "Usage of %s:\n", c.Name)
		f.PrintDefaults()
		return nil, err
	case err != nil:
		return nil, flagError{setting.NearestFlag(err, f.FlagSet)}
	case f.NArg() > 0:
		return nil, fmt.Errorf("serve: %q is no flag: see -help", f.Arg(0))
	}
	f.Visit(func(v *flag.Flag) { f.typed[v.Name] = true })
	f.typed["verbose"] = f.typed["verbose"] || f.typed["v"]
	f.table = setting.Table(f.FlagSet, "v", "config", "check-config")
	var err error
	if f.given, err = setting.Read(f.table, from.environ, f.config); err != nil {
		return nil, err
	}
	if err := setting.Apply(f.FlagSet, f.typed, f.given); err != nil {
		return nil, err
	}
	return f, setting.Explain(c.validate(f.format), f.given)
}

// validate reports values out of range.
func (c *Config[S, C]) validate(format string) error {
	tick, players, queue, perAddress := c.Session.TickRate, c.Session.Players, c.Session.Queue, c.Limits.Connections
	switch {
	case c.Matches < 1 || c.Matches > MaxMatches:
		return fmt.Errorf("serve: -matches=%d: want 1 to %d", c.Matches, MaxMatches)
	case c.Matches > 1 && c.Another == nil:
		return fmt.Errorf("serve: -matches=%d: this game has one match: set serve.Config.Another, which returns the Config of one more", c.Matches)
	case tick < 0 || tick > 1000:
		return fmt.Errorf("serve: -tick=%d: want 1 to 1000, or 0 for 60", tick)
	case queue < 0 || queue > session.MaxQueue:
		return fmt.Errorf("serve: -queue=%d: want 0 to %d", queue, session.MaxQueue)
	case players < 0 || players > session.MaxPlayers:
		return fmt.Errorf("serve: -players=%d: want 1 to %d, or 0 for 16", players, session.MaxPlayers)
	case perAddress < 1 && perAddress != -1:
		return fmt.Errorf("serve: -per-address=%d: want 1 or more, or -1 for any number", perAddress)
	case format != "text" && format != "json":
		return fmt.Errorf("serve: -log=%s: want text or json", format)
	}
	return nil
}

// logger writes in the format of the flag.
func (f *flags) logger(to io.Writer) *slog.Logger {
	return setting.NewLogger(to, f.format, f.verbose)
}

// report prints the configuration, and returns what is wrong with the files that it names.
func (f *flags) report(secret string, certificate cert.Options, log *slog.Logger, out io.Writer) error {
	err := setting.Print(out, setting.Effective(f.FlagSet, f.table, f.typed, f.given))
	_, noSecret := setting.Secret("-admin-secret", secret)
	_, noCertificate := cert.Open(certificate, log)
	return errors.Join(err, noSecret, noCertificate)
}

// addServerFlags adds the flags of the match, its ports and its files.
func addServerFlags[S comparable, C any](f *flag.FlagSet, c *Config[S, C]) {
	f.StringVar(&c.Addr, "addr", c.Addr, "TCP `address` of the page, the API and WebSockets; port 0 picks a free one")
	f.StringVar(&c.QUIC, "quic", c.QUIC, "UDP `address` of QUIC and WebTransport; port 0 picks a free one")
	f.BoolVar(&c.NoUDP, "no-udp", c.NoUDP, "native clients use QUIC instead of transport/udp on the same port")
	f.StringVar(&c.Web, "web", c.Web, "`folder` of the built page; empty serves none")
	f.StringVar(&c.Checkpoint, "checkpoint", c.Checkpoint, "`folder` for checkpoints of each match, one every 0.8 s, from which a restarted server continues; empty: none")
	f.StringVar(&c.Record, "record", c.Record, "`folder` in which each match is recorded into a file; empty: none")
	f.IntVar(&c.Session.TickRate, "tick", c.Session.TickRate, "ticks a second, 1 to 1000")
	f.IntVar(&c.Matches, "matches", c.Matches, "matches, named NAME, NAME-2, NAME-3; at most 64, above 1 the game needs serve.Config.Another")
	f.IntVar(&c.Session.Players, "players", c.Session.Players, "seats of a match, 1 to 1000")
	f.StringVar(&c.Admin, "admin", c.Admin, "TCP `address` of a port for metrics, profiles, kick and drain; empty opens none; other machines need -admin-secret")
	f.StringVar(&c.Bans, "bans", c.Bans, "`file` that stores the bans of the admin port across restarts; empty keeps them in memory")
	f.StringVar(&c.AdminSecret, "admin-secret", c.AdminSecret, "`file` with the secret of the admin port, sent as a bearer token or password")
	f.DurationVar(&c.Drain, "drain", c.Drain, "when interrupted, how long to wait for matches to finish; new players are refused")
	f.IntVar(&c.Bots, "bots", c.Bots, "players of each match that the server itself plays; above 0 the game needs serve.Config.Think")
	f.IntVar(&c.Limits.Connections, "per-address", c.Limits.Connections, "maximum connections of one address, this machine excepted; -1 for no limit")
	f.IntVar(&c.Session.Queue, "queue", c.Session.Queue, "maximum players in the queue of each full match, at most 1024")
	f.Var(&setting.List{Add: func(file string) error {
		k, err := token.ReadKey(file)
		if err == nil && !k.Checks() {
			err = errors.New("a signing key is the backend's: give the server the key that checks, FILE.pub")
		}
		c.Tokens = append(c.Tokens, k)
		return err
	}}, "token-key", "`file` with a key of connect tokens (backstep token key); clients then need a token to join")
}

// addNetworkFlags adds the flags of origins, proxies and certificates.
func addNetworkFlags[S comparable, C any](f *flag.FlagSet, c *Config[S, C]) {
	f.Var(&setting.List{Values: c.Origins, Add: func(s string) error {
		c.Origins = append(c.Origins, s)
		return origin.CheckPattern(s)
	}}, "origin", "another `host` whose pages may join, such as game.example or *.game.example, * for any; may be repeated")
	f.Var(&setting.List{Values: texts(c.Proxies), Add: func(s string) error {
		p, err := netip.ParsePrefix(s)
		c.Proxies = append(c.Proxies, p)
		return err
	}}, "proxy", "`addresses` of a proxy, such as 127.0.0.1/32, that names the client in X-Forwarded-For; may be repeated")
	f.Var(&setting.Text{To: &c.Public, Check: func(s string) error {
		if s != "" && !origin.ValidHost(origin.HostOf(s)) {
			return errors.New("want a host, or host:port")
		}
		return nil
	}}, "public", "`host`, or host:port, where players reach QUIC; by default the host of their request")
	f.StringVar(&c.Certificate.File, "tls-cert", c.Certificate.File, "PEM `file` of a certificate for HTTPS and QUIC, reloaded when it changes; needs -tls-key")
	f.StringVar(&c.Certificate.Key, "tls-key", c.Certificate.Key, "PEM `file` of its private key")
	f.Var(&setting.List{Values: c.Certificate.Hosts, Add: func(s string) error {
		c.Certificate.Hosts = append(c.Certificate.Hosts, s)
		return nil
	}}, "acme", "`name` of this server for which Let's Encrypt signs a certificate; needs TCP port 443 and -acme-dir; may be repeated")
	f.StringVar(&c.Certificate.Dir, "acme-dir", c.Certificate.Dir, "`folder` that stores the certificates of -acme")
}

func texts(prefixes []netip.Prefix) (list []string) {
	for _, p := range prefixes {
		list = append(list, p.String())
	}
	return list
}
