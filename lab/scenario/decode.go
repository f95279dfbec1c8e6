package scenario

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/strictyaml"
	"github.com/backstep-net/backstep/transport/mem"
)

// scenario reads the whole file. Players come after the network they inherit,
// and what names players after them.
func (r *reader) scenario(root *yaml.Node) *Scenario {
	s := &Scenario{
		File: r.file, Sets: r.sets,
		Name: strings.TrimSuffix(filepath.Base(r.file), filepath.Ext(r.file)), Seed: 1,
		Server:  Server{Tick: 60, MaxRewind: 600 * clock.Millisecond, Cap: 400 * clock.Millisecond, Beyond: "capped"},
		Network: mem.Network{Burst: mem.Burst{Leave: 1}},
	}
	f := r.fields(root, "", "name", "seed", "duration", "server", "geometry", "level", "paths", "params",
		"network", "players", "faults", "expect")
	f.need("duration", "players")
	f.text("name", &s.Name, 200)
	f.seed(&s.Seed)
	f.time("duration", &s.Duration, clock.Millisecond, MaxTime)
	f.server(&s.Server)
	f.world(s)
	f.rails(s)
	if n := f.of["params"]; n != nil {
		s.Params = r.params(n)
	}
	if n := f.of["network"]; n != nil {
		s.Network = r.network(n, s.Network)
	}
	f.players(s)
	f.faults(s)
	f.expect(s)
	s.Uses = r.uses
	return s
}

func (f fields) seed(into *uint64) {
	n := f.of["seed"]
	if n == nil {
		return
	}
	x, err := strconv.ParseUint(n.Value, 10, 64)
	if err != nil || n.Kind != yaml.ScalarNode || n.Style != 0 {
		f.add(n.Line, "seed is %s, not a whole number within 0 … 18446744073709551615", strictyaml.Describe(n))
		return
	}
	*into = x
}

func (f fields) server(s *Server) {
	n := f.of["server"]
	if n == nil {
		s.Snapshots = s.Tick
		return
	}
	g := f.fields(n, "server", "begin", "tick", "snapshots", "max_rewind", "cap", "beyond", "cover", "favour",
		"damage", "block", "budget", "radius", "sight", "things")
	g.time("begin", &s.Begin, 0, MaxBegin)
	g.whole("tick", &s.Tick, 1, 1000)
	s.Snapshots = s.Tick
	g.whole("snapshots", &s.Snapshots, 1, s.Tick)
	g.time("max_rewind", &s.MaxRewind, clock.Microsecond, MostRewind)
	g.time("cap", &s.Cap, 0, 10*clock.Second)
	g.word("beyond", &s.Beyond, Beyonds())
	g.time("cover", &s.Cover, 0, 10*clock.Second)
	g.word("favour", &s.Favour, Favours())
	g.truth("damage", &s.Damage)
	g.truth("block", &s.Block)
	g.whole("budget", &s.Budget, 50, 10_000)
	g.number("radius", &s.Radius, 1, MaxReach)
	g.truth("sight", &s.Sight)
	g.truth("things", &s.Things)
	if s.Block {
		f.use(UseServer, "block", g.of["block"].Line)
	}
	if s.Damage {
		f.use(UseServer, "damage", g.of["damage"].Line)
	}
	if s.Things {
		f.things(g.of["things"].Line)
	}
}

// things are wanted by a line of the file: only levels have places for any.
func (f fields) things(line int) {
	f.use(UseServer, "things", line)
	if !f.has("level") {
		f.add(line, "things go with a level that has some, such as arena; this scenario has none")
	}
}

// params keeps the order of the file.
func (r *reader) params(n *yaml.Node) []Param {
	known := r.options.Tunables
	for _, p := range DefaultParams() {
		known = append(known[:len(known):len(known)], p.Name)
	}
	var out []Param
	r.pairs(n, "params", func(key, value *yaml.Node) {
		if !contains(known, key.Value) {
			r.add(key.Line, "unknown key %q in params%s", strictyaml.Clip(key.Value), strictyaml.DidYouMean(key.Value, known))
			return
		}
		if x, ok := r.tunable(key.Value, value); ok {
			out = append(out, Param{key.Value, x, value.Line})
			r.use(UseParam, key.Value, value.Line)
		}
	})
	return out
}

// tunable is the value of one of params. Which ones beyond the documented are
// yes or no is not known here: they may be either.
func (r *reader) tunable(name string, n *yaml.Node) (float64, bool) {
	_, isNumber := literal(n)
	documented := false
	for _, p := range DefaultParams() {
		documented = documented || p.Name == name
	}
	if name == yesOrNo || !documented && !isNumber {
		yes, ok := r.truth(n, name)
		if yes {
			return 1, ok
		}
		return 0, ok
	}
	if name == inDegrees {
		x, ok := r.number(n, name+" in degrees", 0, 90)
		return radians(x), ok
	}
	return r.number(n, name, -1e9, 1e9)
}

// network reads a network that begins as base: a profile's name, or keys.
func (r *reader) network(n *yaml.Node, base mem.Network) mem.Network {
	if n.Kind == yaml.ScalarNode {
		return r.profile(n, base)
	}
	f := r.fields(n, "network", "profile", "rtt", "jitter", "loss", "burst", "duplicate", "reorder", "rate")
	if p := f.of["profile"]; p != nil {
		base = r.profile(p, base)
	}
	f.duration("rtt", &base.RTT)
	f.duration("jitter", &base.Jitter)
	f.number("loss", &base.Loss, 0, 1)
	f.number("duplicate", &base.Duplicate, 0, 1)
	f.number("reorder", &base.Reorder, 0, 1)
	f.whole("rate", &base.Rate, 0, 10_000_000_000)
	if b := f.of["burst"]; b != nil {
		g := r.fields(b, "burst", "enter", "leave")
		g.number("enter", &base.Burst.Enter, 0, 1)
		g.number("leave", &base.Burst.Leave, 0, 1)
	}
	return base
}

// profile is a named network. One without bursts gets their default end, so that
// an override of enter alone does not last for ever.
func (r *reader) profile(n *yaml.Node, base mem.Network) mem.Network {
	p, ok := mem.Profile(n.Value)
	if n.Kind != yaml.ScalarNode || !ok {
		r.add(n.Line, "unknown network profile %s%s", strictyaml.Describe(n), strictyaml.DidYouMean(n.Value, Profiles()))
		return base
	}
	if p.Burst == (mem.Burst{}) {
		p.Burst.Leave = 1
	}
	return p
}

// duration reads one of the network's times.
func (f fields) duration(key string, into *time.Duration) {
	t := clock.Micros(*into / time.Microsecond)
	f.time(key, &t, 0, 60*clock.Second)
	*into = time.Duration(t) * time.Microsecond
}

func (f fields) faults(s *Scenario) {
	n := f.of["faults"]
	if n == nil {
		return
	}
	f.list(n, "faults", MaxFaults, func(_ int, n *yaml.Node) {
		fault := Fault{Line: n.Line}
		g := f.fields(n, "faults", "at", "every", "times", "for", "kind", "player", "frame")
		g.need("at", "for", "kind", "player")
		g.time("at", &fault.At, 0, MaxTime)
		g.time("for", &fault.For, clock.Microsecond, MaxTime)
		g.used("kind", &fault.Kind, FaultKinds(), UseFault)
		g.player("player", &fault.Player, s)
		switch frame := g.of["frame"]; {
		case fault.Kind == "background":
			fault.Frame = 1
			g.number("frame", &fault.Frame, 0, 60)
		case frame != nil && fault.Kind != "":
			f.add(frame.Line, "frame goes with kind: background")
		}
		s.Faults = g.recurring(fault, s.Faults)
	})
}

// recurring appends a fault to into as often as it says, so long after one another.
func (f fields) recurring(fault Fault, into []Fault) []Fault {
	times, every := 1, clock.Micros(0)
	f.whole("times", &times, 2, MaxFaults)
	f.time("every", &every, clock.Millisecond, MaxTime)
	if (f.of["every"] == nil) != (f.of["times"] == nil) {
		f.add(f.node.Line, "every and times go together: how long after one another, and how often")
	}
	if every > 0 && every < fault.For {
		f.add(f.node.Line, "every is %s, less than for, %s", Spell(every), Spell(fault.For))
	}
	if len(into)+times > MaxFaults {
		f.add(f.node.Line, "the faults come to more than %d", MaxFaults)
		return into
	}
	for ; times > 0 && fault.At <= MaxTime; times-- {
		into = append(into, fault)
		fault.At += every
	}
	return into
}

// player reads the name of one.
func (f fields) player(key string, into *string, s *Scenario) {
	n := f.of[key]
	if n == nil {
		return
	}
	names := s.names()
	switch {
	case n.Kind != yaml.ScalarNode:
		f.add(n.Line, "%s is %s, not the name of a player", key, strictyaml.Describe(n))
	case !contains(names, n.Value):
		f.add(n.Line, "%s: there is no player %q%s", key, strictyaml.Clip(n.Value), strictyaml.DidYouMean(n.Value, names))
	default:
		*into = n.Value
	}
}

func (s *Scenario) names() []string {
	var names []string
	for i := range s.Players {
		if s.Players[i].Name != "" {
			names = append(names, s.Players[i].Name)
		}
	}
	return names
}
