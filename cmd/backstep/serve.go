package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/backstep-net/backstep/cert"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/damage"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/examples/arena/assets"
	"github.com/backstep-net/backstep/fleet"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/internal/setting"
	"github.com/backstep-net/backstep/level"
	"github.com/backstep-net/backstep/nav"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/transport/origin"
	"github.com/backstep-net/backstep/visibility"
	"github.com/backstep-net/backstep/weaponfile"
)

type serveCommand struct {
	Addr       string         `default:":8080" help:"TCP address of the page, the API and WebSockets; port 0 picks a free one."`
	QUIC       string         `name:"quic" default:":4433" help:"UDP address of QUIC and WebTransport; port 0 picks a free one."`
	NoUDP      bool           `name:"no-udp" help:"Native clients use QUIC instead of transport/udp on the port of --quic, which costs more."`
	Web        string         `type:"path" placeholder:"DIR" help:"Folder of the built page (web/dist). Without it only the API is served."`
	Level      string         `type:"path" placeholder:"FILE" help:"A .glb file to play in instead of the built-in arena."`
	Weapons    string         `type:"path" placeholder:"FILE" help:"A .yaml file of weapons instead of the arena's own."`
	Matches    int            `default:"1" help:"How many matches to run, named arena, arena-2, …; at most 64."`
	Players    int            `default:"32" help:"Players per match, bots included; at most 1000."`
	Bots       int            `default:"4" help:"Bots per match."`
	BotSkill   string         `name:"bot-skill" default:"easy" enum:"easy,normal,hard" placeholder:"LEVEL" help:"Skill of the bots: easy, normal or hard."`
	Round      time.Duration  `default:"5m" help:"Length of a round, up to 18h; then there is a winner and a vote for the next level. 0s means no rounds."`
	RoundKills int            `name:"round-kills" default:"0" placeholder:"N" help:"Kills that end a round early, at most 60000; 0 for no limit."`
	Tick       int            `default:"60" help:"Ticks per second, 10 to 240."`
	Cores      int            `default:"1" placeholder:"N" help:"Cores that each match may use, at most 64. More than one is for matches of 32 players or more."`
	Peaceful   bool           `help:"Judge shots but apply no damage."`
	Demo       bool           `help:"Allow each player to switch off lag compensation of its own shots, for demonstrations."`
	Teams      bool           `help:"Play red against blue; new players join the smaller team."`
	Friendly   float64        `name:"friendly-fire" default:"0" placeholder:"SHARE" help:"Share of damage that applies to team-mates, 0 to 1."`
	Record     string         `type:"path" placeholder:"DIR" help:"Record each match into a file of this folder, for backstep replay."`
	Address    int            `name:"per-address" default:"12" placeholder:"N" help:"Maximum connections of one address, this machine excepted; -1 for no limit."`
	Queue      int            `default:"0" placeholder:"N" help:"Maximum players in the queue of a full match, at most 1024."`
	TokenKey   []string       `name:"token-key" type:"path" placeholder:"FILE" help:"A key of connect tokens (backstep token key); clients then need a token to join. Repeat it to accept tokens of several keys."`
	Origin     []string       `sep:"none" placeholder:"HOST" help:"Another host with pages that may join, such as game.example or *.game.example; * for any. May be repeated."`
	Proxy      []netip.Prefix `sep:"none" placeholder:"CIDR" help:"Addresses of a proxy, such as 127.0.0.1/32, that names the client in X-Forwarded-For. May be repeated."`
	Public     string         `placeholder:"HOST[:PORT]" help:"Where players reach QUIC; by default at the host of their request and the port of --quic."`
	TLSCert    string         `name:"tls-cert" type:"path" placeholder:"FILE" help:"A PEM certificate for HTTPS and QUIC, reloaded when it changes; needs --tls-key."`
	TLSKey     string         `name:"tls-key" type:"path" placeholder:"FILE" help:"The private key of --tls-cert."`
	ACME       []string       `name:"acme" sep:"none" placeholder:"HOST" help:"A name of this server for which Let's Encrypt signs a certificate; needs TCP port 443 and --acme-dir. May be repeated."`
	ACMEDir    string         `name:"acme-dir" type:"path" placeholder:"DIR" help:"Folder that stores the certificates of --acme."`
	Admin      string         `default:"127.0.0.1:0" help:"TCP address of the admin port: metrics, profiles, players, kick, drain; \"\" opens none. Other machines need --admin-secret."`
	Secret     string         `name:"admin-secret" type:"path" placeholder:"FILE" help:"File with the secret of the admin port, sent as a bearer token or password."`
	Checkpoint string         `type:"path" placeholder:"DIR" help:"Write a checkpoint of each match into this folder every 0.8 s, and continue from it after a restart."`
	Bans       string         `type:"path" placeholder:"FILE" help:"File that stores the bans of the admin port across restarts."`
	Drain      time.Duration  `default:"0s" help:"On SIGTERM or Ctrl-C, how long to wait for matches to finish; new players are refused. A second signal stops at once."`
	Log        string         `default:"text" enum:"text,json" placeholder:"FORMAT" help:"Format of the log: text or json."`
	Verbose    bool           `short:"v" help:"Log every malformed packet too."`

	tracesFlag
	configFlags
}

// Validate reports invalid flags. Kong calls it.
func (c *serveCommand) Validate() error {
	switch {
	case c.Matches < 1 || c.Matches > 64:
		return fmt.Errorf("--matches=%d: want 1 to 64", c.Matches)
	case c.Players < 1 || c.Players > session.MaxPlayers:
		return fmt.Errorf("--players=%d: want 1 to %d", c.Players, session.MaxPlayers)
	case c.Bots < 0 || c.Bots > c.Players:
		return fmt.Errorf("--bots=%d: want 0 to %d, as many as --players", c.Bots, c.Players)
	case !(c.Friendly >= 0 && c.Friendly <= 1): // false for NaN too
		return fmt.Errorf("--friendly-fire=%g: want a share, 0 to 1", c.Friendly)
	case c.Round < 0 || c.Round > 18*time.Hour:
		return fmt.Errorf("--round=%v: want 0s to 18h", c.Round)
	case c.RoundKills < 0 || c.RoundKills > 60000:
		return fmt.Errorf("--round-kills=%d: want 0 to 60000", c.RoundKills)
	case c.Address < 1 && c.Address != -1:
		return fmt.Errorf("--per-address=%d: want 1 or more, or -1 for any number", c.Address)
	case c.Drain < 0:
		return fmt.Errorf("--drain=%v: want 0s or more", c.Drain)
	case c.Queue < 0 || c.Queue > session.MaxQueue:
		return fmt.Errorf("--queue=%d: want 0 to %d", c.Queue, session.MaxQueue)
	case c.Record != "" && c.Checkpoint != "":
		return errors.New("--record and --checkpoint exclude each other: a recording begins with an empty match")
	case c.Cores < 1 || c.Cores > session.MaxWorkers:
		return fmt.Errorf("--cores=%d: want 1 to %d", c.Cores, session.MaxWorkers)
	case c.Tick < 10 || c.Tick > 240:
		return fmt.Errorf("--tick=%d: want 10 to 240", c.Tick)
	case c.Public != "" && !origin.ValidHost(origin.HostOf(c.Public)):
		return fmt.Errorf("--public=%s: want a host, or host:port", c.Public)
	}
	for _, o := range c.Origin {
		if err := origin.CheckPattern(o); err != nil {
			return fmt.Errorf("--origin=%s: %w", o, err)
		}
	}
	return c.tracesFlag.check()
}

// prepared is what a server reads before it opens its ports.
type prepared struct {
	host    host.Config // without matches
	levels  []playedLevel
	weapons shot.Table
	pools   []*host.Pool // of the matches on several cores
}

// close ends what open has started beside the host.
func (p *prepared) close() {
	for _, pool := range p.pools {
		pool.Close()
	}
}

// parallel returns what runs the parts of a match's ticks on so many cores; nil is the match itself.
func (p *prepared) parallel(cores int) func(batches int, work func(batch int)) {
	if cores == 1 {
		return nil
	}
	pool := host.NewPool(cores - 1)
	p.pools = append(p.pools, pool)
	return pool.Run
}

// playedLevel is a level of the rotation, and the navigation mesh of all its bots: nil without bots.
type playedLevel struct {
	*level.Level
	hash string
	mesh *nav.Mesh
}

// prepare reads the files that the flags name, and reports what is wrong with them.
func (c *serveCommand) prepare(log *slog.Logger) (*prepared, error) {
	if err := c.checkWeb(); err != nil {
		return nil, err
	}
	secret, err := setting.Secret("--admin-secret", c.Secret)
	if err != nil {
		return nil, err
	}
	keys, err := readKeys(c.TokenKey)
	if err != nil {
		return nil, err
	}
	levels, served, err := c.levels()
	if err != nil {
		return nil, err
	}
	weapons, err := c.weapons()
	if err != nil {
		return nil, err
	}
	certificate, err := cert.Open(cert.Options{File: c.TLSCert, Key: c.TLSKey, Hosts: c.ACME, Dir: c.ACMEDir}, log)
	if err != nil {
		return nil, err
	}
	return &prepared{levels: levels, weapons: weapons, host: host.Config{
		Addr: c.Addr, QUIC: c.QUIC, NoUDP: c.NoUDP, Web: c.Web, Version: version(), Log: log, Limits: host.Limits{Connections: c.Address}, Tokens: keys, Drain: c.Drain, Admin: c.Admin, AdminSecret: secret, Bans: c.Bans,
		Origins: c.Origin, Proxies: c.Proxy, Public: c.Public, Certificate: certificate,
		Levels: served,
	}}, nil
}

// Run serves until the context ends.
func (c *serveCommand) Run(ctx context.Context, out output, call *kong.Context, from given) error {
	log := newLogger(out.errors, c.Log, c.Verbose)
	p, err := c.prepare(log)
	if c.CheckConfig {
		return errors.Join(printSettings(out, call, from), err)
	}
	if err != nil {
		return err
	}
	setting.CollectSeldom()
	if c.Checkpoint != "" {
		if p.host.ResetKey, err = host.OpenCheckpoints(c.Checkpoint); err != nil {
			return fmt.Errorf("--checkpoint: %w", err)
		}
	}
	tracer, endTraces, err := c.tracesFlag.open(log)
	if err != nil {
		return err
	}
	defer endTraces()
	p.host.Tracer = tracer
	recorder := recordings{folder: c.Record, log: log}
	defer p.close() // after the matches
	h, err := c.open(p, &recorder, log)
	if err != nil {
		return errors.Join(withAdvice(err), recorder.discard())
	}
	log.Info("serving", "http", h.Addr().String(), "quic", h.QUICAddr().String(), "admin", addressOf(h.AdminAddr()), "matches", c.Matches, "version", p.host.Version)
	fmt.Fprintf(out, "backstep: open %s\n", c.openURL(h.Addr()))
	if url := networkURL(h.Addr()); url != "" && p.host.Certificate == nil {
		fmt.Fprintf(out, "backstep: from other machines %s\n", url)
	}
	err = fleet.Run(ctx, fleet.Config{Rooms: c.Matches, Players: max(c.Matches*(c.Players-c.Bots), 1), Log: log}, h)
	log.Info("stopped")
	recorder.close()
	return err
}

// addressOf returns an address as text, "" for none.
func addressOf(a net.Addr) string {
	if a == nil {
		return ""
	}
	return a.String()
}

// open makes the matches and opens the ports.
func (c *serveCommand) open(p *prepared, recorder *recordings, log *slog.Logger) (*host.Host, error) {
	skill, _ := arena.SkillNamed(c.BotSkill) // the flag's enum has the same words
	if err := c.bakeMeshes(p.levels); err != nil {
		return nil, err
	}
	for i := range c.Matches {
		parallel := p.parallel(c.Cores)
		configOf := func(level int, earlier *arena.Match) arena.MatchConfig {
			config := c.match(p.levels, level, i, p.weapons)
			config.Workers, config.Parallel, config.Earlier = c.Cores, parallel, earlier
			return config
		}
		match, err := c.restored(matchName(i), log, func() (*arena.Rotation, error) {
			first, err := recorder.match(configOf(0, nil), matchName(i), c.Bots, skill)
			return arena.NewRotation(first, func(level int, earlier *arena.Match) *arena.Bots {
				return arena.NewBots(arena.NewMatch(configOf(level, earlier)), c.Bots, skill)
			}), err
		})
		if err != nil {
			return nil, err
		}
		p.host.Matches = append(p.host.Matches, match)
	}
	return host.New(p.host)
}

// restored returns a match with the state of its checkpoint, where there is one.
func (c *serveCommand) restored(name string, log *slog.Logger, newMatch func() (*arena.Rotation, error)) (m host.MatchConfig, err error) {
	m = host.MatchConfig{Name: name, TickRate: c.Tick}
	if c.Checkpoint == "" {
		m.Match, err = newMatch()
		return m, err
	}
	m.Checkpoint = host.CheckpointFile(c.Checkpoint, name)
	m.Match, err = host.Restore(m.Checkpoint, log.With("match", name), newMatch)
	return m, err
}

// checkWeb reports a page that has not been built.
func (c *serveCommand) checkWeb() error {
	if c.Web == "" {
		return nil
	}
	if _, err := os.Stat(filepath.Join(c.Web, "index.html")); err != nil {
		return fmt.Errorf("--web=%s: no page there (make web builds it): %w", c.Web, err)
	}
	return nil
}

// withAdvice adds to the error of a port or a file which flag to change, and to what.
func withAdvice(err error) error {
	var a *host.AddressError
	if !errors.As(err, &a) {
		return err
	}
	flag := "--" + strings.ToLower(a.Field)
	other, free, such, kind := ":8081", ":0", ":8081 or 192.0.2.1:8081", "TCP"
	switch a.Field {
	case "Bans", "Web": // a file and a folder
		return fmt.Errorf("%s=%s: %w", flag, a.Value, a.Err)
	case "QUIC":
		other, such, kind = ":4434", ":4434 or 192.0.2.1:4434", "UDP"
	case "Admin":
		other, free, such = "127.0.0.1:9090", "127.0.0.1:0", "127.0.0.1:9090, or --admin-secret"
	}
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%s=%s: that %s port is in use; take another with %s=%s, or %s=%s for any",
			flag, a.Value, kind, flag, other, flag, free)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("%s=%s: no right to open that port; take one above 1023 with %s=%s", flag, a.Value, flag, other)
	}
	return fmt.Errorf("%s=%s: want an address such as %s: %w", flag, a.Value, such, a.Err)
}

// levels reads the levels that players choose from, the first to be played first, and returns what clients fetch of
// them by hash: the file of --level alone, else the arena's own. A recording is of one level: then there is no choice.
func (c *serveCommand) levels() (list []playedLevel, served map[string]host.Level, err error) {
	type source struct {
		name  string
		model []byte
	}
	sources := []source{{"the built-in arena", assets.Arena}, {"the built-in yard", assets.Yard}}
	switch {
	case c.Level != "":
		b, err := os.ReadFile(c.Level)
		if err != nil {
			return nil, nil, fmt.Errorf("--level: %w", err)
		}
		sources = []source{{"--level=" + c.Level, b}}
	case c.Record != "":
		sources = sources[:1]
	}
	served = map[string]host.Level{}
	for _, s := range sources {
		l, err := level.Read(s.model)
		if err == nil && len(l.Spawns) == 0 {
			err = errors.New("level: no spawn points")
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", s.name, err)
		}
		list = append(list, playedLevel{Level: l, hash: l.World.Hash()})
		served[l.World.Hash()] = host.Level{World: l.World.AppendBinary(nil), Model: s.model}
	}
	return list, served, nil
}

// bakeMeshes bakes the navigation meshes, for bots only: it takes some tenths of a second each, and all matches share
// them.
func (c *serveCommand) bakeMeshes(levels []playedLevel) (err error) {
	for i := range levels {
		if c.Bots == 0 {
			return nil
		}
		var feet []geom.Vec3
		for _, s := range levels[i].Spawns {
			feet = append(feet, s.Position)
		}
		if levels[i].mesh, err = arena.Mesh(levels[i].World, feet...); err != nil {
			return err
		}
	}
	return nil
}

// weapons reads the weapons file; nil means the arena's own weapons.
func (c *serveCommand) weapons() (shot.Table, error) {
	if c.Weapons == "" {
		return nil, nil
	}
	t, err := weaponfile.ReadFile(c.Weapons)
	if err != nil {
		return nil, fmt.Errorf("--weapons: %w", err)
	}
	return t, nil
}

// match returns the configuration of match i on a level. Its seed is i + 1, so matches of one server differ and
// those of the same number on two servers do not.
func (c *serveCommand) match(levels []playedLevel, on, i int, weapons shot.Table) arena.MatchConfig {
	l := levels[on]
	config := arena.MatchConfig{
		ServerConfig: session.ServerConfig{
			World: l.World, LevelHash: l.hash, TickRate: c.Tick, Players: c.Players, Queue: c.Queue, NewKey: newKey, PlayersBlock: true,
			LagCompensationOptOut: c.Demo,
			Visibility:            &visibility.Rules{},
		},
		KillHeight: l.KillHeight, Weapons: weapons, Peaceful: c.Peaceful, Teams: c.Teams, Damage: damage.Rules{Friendly: c.Friendly}, Mesh: l.mesh, Seed: uint64(i) + 1,
		SpawnProtection: arena.DefaultSpawnProtection, SafeSpawns: true,
		Rounds: arena.RoundRules{Time: clock.Micros(c.Round.Microseconds()), Kills: uint16(c.RoundKills), Level: on},
	}
	for _, l := range levels {
		config.Rounds.Levels = append(config.Rounds.Levels, l.Name)
	}
	for _, s := range l.Spawns {
		config.Spawns = append(config.Spawns, arena.Spawn{Position: s.Position, Yaw: s.Yaw})
	}
	for _, t := range l.Entities {
		config.Entities = append(config.Entities, arena.Entity{Kind: t.Kind, Position: t.Position, Yaw: t.Yaw, Half: t.Half, Team: t.Team})
	}
	return config
}

// newKey draws a player's secret key.
func newKey() (k session.Key) {
	rand.Read(k[:]) // never fails
	return k
}

func matchName(i int) string {
	if i == 0 {
		return "arena"
	}
	return fmt.Sprintf("arena-%d", i+1)
}

// pageURL returns the page's address on this machine.
func pageURL(a net.Addr) string {
	where, port, err := net.SplitHostPort(a.String())
	if ip := net.ParseIP(where); err != nil || ip == nil || ip.IsUnspecified() {
		where = "localhost"
	}
	return "http://" + net.JoinHostPort(where, port)
}

// openURL returns the page's address to open: with a certificate that of a name which it has.
func (c *serveCommand) openURL(a net.Addr) string {
	_, port, err := net.SplitHostPort(a.String())
	switch {
	case err != nil || c.TLSCert == "" && len(c.ACME) == 0:
		return pageURL(a)
	case len(c.ACME) > 0:
		return "https://" + net.JoinHostPort(c.ACME[0], port)
	case c.Public != "":
		return "https://" + net.JoinHostPort(origin.HostOf(c.Public), port)
	}
	return "https://" + net.JoinHostPort("localhost", port)
}

// networkURL returns the page's address for other machines of the network, "" if there is
// none: the server listens on one address only, or has no network.
func networkURL(a net.Addr) string {
	where, port, err := net.SplitHostPort(a.String())
	if ip := net.ParseIP(where); err != nil || ip == nil || !ip.IsUnspecified() {
		return ""
	}
	// Connecting UDP sends nothing; it only selects the address that would be used.
	conn, err := net.Dial("udp4", "192.0.2.1:9")
	if err != nil {
		return ""
	}
	defer conn.Close()
	own, _, _ := net.SplitHostPort(conn.LocalAddr().String())
	return "http://" + net.JoinHostPort(own, port)
}
