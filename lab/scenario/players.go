package scenario

import (
	"cmp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/strictyaml"
)

// reserved are no names of players: results and expectations have them already.
var reserved = []string{"shots", "players", "ticks", "seed", "name", "hash"}

func (f fields) players(s *Scenario) {
	n := f.of["players"]
	if n == nil {
		return
	}
	if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		f.add(n.Line, "players is empty; a scenario has at least one")
	}
	f.list(n, "players", MaxPlayers, func(_ int, n *yaml.Node) {
		s.Players = append(s.Players, f.one(n, s))
	})
	for i := range s.Players {
		if script := value(n.Content[i], "script"); script != nil {
			s.Players[i].Script = f.script(script, s, i)
		}
	}
}

// value is what a mapping has under a key, nil for nothing.
func value(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
		if n.Content[i].Value == key && n.Content[i+1].Tag != "!!null" {
			return n.Content[i+1]
		}
	}
	return nil
}

// one reads a player, the script left aside: that may name any player.
func (f fields) one(n *yaml.Node, s *Scenario) Player {
	p := Player{
		Frame: []float64{60}, Send: 60, Network: s.Network, Clock: Clock{Rate: 1},
		Remote: "interpolate", Cheat: "none", Bot: "none", Line: n.Line,
	}
	g := f.fields(n, "players", "name", "at", "yaw", "frame", "send", "tick", "input_delay",
		"network", "clock", "remote", "cheat", "bot", "script", "commands")
	g.need("name")
	g.ident("name", &p.Name)
	g.unique(p.Name, s)
	g.vector("at", &p.At, MaxReach)
	g.angle("yaw", &p.Yaw, -360, 360)
	g.frame(&p.Frame)
	g.number("send", &p.Send, 1, 1000)
	g.pace(&p)
	if m := g.of["network"]; m != nil {
		p.Network = f.network(m, p.Network)
	}
	if c := g.of["clock"]; c != nil {
		h := f.fields(c, "clock", "rate", "offset")
		h.number("rate", &p.Clock.Rate, 0.1, 10)
		h.time("offset", &p.Clock.Offset, -MaxTime, MaxTime)
	}
	g.used("remote", &p.Remote, Remotes(), UseRemote)
	g.cheat(&p)
	g.used("bot", &p.Bot, Bots(), UseBot)
	g.commands(&p)
	return p
}

// commands reads the name of a file of commands, which leaves nothing to a script, a bot
// or a frame rate.
func (f fields) commands(p *Player) {
	n := f.of["commands"]
	if n == nil {
		return
	}
	if n.Kind != yaml.ScalarNode || n.Value == "" {
		f.add(n.Line, "commands is %s, not the name of a file", strictyaml.Describe(n))
		return
	}
	p.Commands = f.beside(n.Value)
	for _, key := range []string{"script", "bot", "cheat", "frame", "tick", "clock"} {
		if o := f.of[key]; o != nil {
			f.add(o.Line, "%s does not go with commands", key)
		}
	}
	f.use(UsePlayer, "commands", n.Line)
}

// pace reads how a client makes its commands and how they travel.
func (f fields) pace(p *Player) {
	f.whole("tick", &p.Tick, 0, MaxTick)
	if n := f.of["tick"]; n != nil && p.Tick > 0 && p.Tick < MinTick {
		f.add(n.Line, "tick is %d, not 0 and not within %d … %d", p.Tick, MinTick, MaxTick)
	}
	f.time("input_delay", &p.InputDelay, 0, MaxInputDelay)
	if p.Tick > 0 {
		f.use(UsePlayer, "tick", f.of["tick"].Line)
	}
	if p.InputDelay > 0 {
		f.use(UsePlayer, "input_delay", f.of["input_delay"].Line)
	}
}

// cheat reads a word, or a mapping of kind and how much.
func (f fields) cheat(p *Player) {
	n := f.of["cheat"]
	g, key := f, "cheat"
	if n != nil && n.Kind == yaml.MappingNode {
		g, key = f.fields(n, "cheat", "kind", "rate", "hold", "every"), "kind"
		g.need("kind")
	}
	before := p.Cheat
	p.Cheat = ""
	if g.word(key, &p.Cheat, Cheats()); p.Cheat == "" {
		p.Cheat = before
		return
	}
	f.use(UseCheat, p.Cheat, n.Line)
	g.foul(p)
}

// foul reads how much a cheat cheats.
func (f fields) foul(p *Player) {
	rate, every := p.Cheat == "speed" || p.Cheat == "burst", p.Cheat == "lag" || p.Cheat == "burst" || p.Cheat == "withhold"
	if rate {
		p.Foul.Rate = 2
		f.number("rate", &p.Foul.Rate, 0.1, 100)
	}
	late := p.Cheat == "ping" || p.Cheat == "backdate"
	if late {
		if p.Foul.Hold = 300 * clock.Millisecond; p.Cheat == "backdate" {
			p.Foul.Hold = 400 * clock.Millisecond
		}
		f.time("hold", &p.Foul.Hold, clock.Millisecond, 10*clock.Second)
	}
	if every {
		if p.Foul.Hold, p.Foul.Every = 250*clock.Millisecond, clock.Second; p.Cheat == "withhold" {
			p.Foul.Hold = 150 * clock.Millisecond
		}
		f.time("hold", &p.Foul.Hold, clock.Millisecond, 60*clock.Second)
		f.time("every", &p.Foul.Every, clock.Millisecond, 60*clock.Second)
		if p.Foul.Hold > p.Foul.Every {
			f.add(f.node.Line, "hold is %s, more than every, %s", Spell(p.Foul.Hold), Spell(p.Foul.Every))
		}
	}
	for _, k := range []struct {
		key string
		has bool
	}{{"rate", rate}, {"hold", every || late}, {"every", every}} {
		if n := f.of[k.key]; n != nil && !k.has && f.name == "cheat" {
			f.add(n.Line, "%s does not go with cheat %s", k.key, p.Cheat)
		}
	}
}

// used reads a word and notes its use.
func (f fields) used(key string, into *string, words []string, of UseOf) {
	before := *into
	*into = ""
	if f.word(key, into, words); *into == "" {
		*into = before
		return
	}
	f.use(of, *into, f.of[key].Line)
}

func (f fields) unique(name string, s *Scenario) {
	switch {
	case name == "":
	case s.Player(name) >= 0:
		f.add(f.of["name"].Line, "two players are called %q", name)
	case contains(reserved, name):
		f.add(f.of["name"].Line, "a player cannot be called %q; results have that word already", name)
	}
}

// frame reads one rate, or a list of whole ones.
func (f fields) frame(into *[]float64) {
	n := f.of["frame"]
	switch {
	case n == nil:
	case n.Kind != yaml.SequenceNode:
		f.number("frame", &(*into)[0], 1, 1000)
	case len(n.Content) == 0:
		f.add(n.Line, "frame is an empty list")
	default:
		var rates []float64
		f.list(n, "frame", 60, func(_ int, n *yaml.Node) {
			g := fields{f.reader, "frame", n, map[string]*yaml.Node{"frame": n}}
			rate := 1
			g.whole("frame", &rate, 1, 1000)
			rates = append(rates, float64(rate))
		})
		*into = rates
	}
}

// script reads player i's, and sorts it by time.
func (f fields) script(n *yaml.Node, s *Scenario, i int) []Entry {
	var out []Entry
	f.list(n, "script", MaxEntries, func(_ int, n *yaml.Node) {
		out = f.repeated(n, f.entry(n, s, i), out)
	})
	slices.SortStableFunc(out, func(a, b Entry) int { return cmp.Compare(a.At, b.At) })
	return out
}

// repeated appends an entry to into as often as it says, so long after one another.
func (f fields) repeated(n *yaml.Node, e Entry, into []Entry) []Entry {
	g := fields{f.reader, "script", n, map[string]*yaml.Node{}}
	for _, key := range []string{"every", "times"} {
		if v := value(n, key); v != nil {
			g.of[key] = v
		}
	}
	times, every := 1, clock.Micros(0)
	g.whole("times", &times, 2, MaxEntries)
	g.time("every", &every, clock.Millisecond, MaxTime)
	if (g.of["every"] == nil) != (g.of["times"] == nil) {
		f.add(n.Line, "every and times go together: how long after one another, and how often")
	}
	if len(into)+times > MaxEntries {
		f.add(n.Line, "the script comes to more than %d entries", MaxEntries)
		return into
	}
	for ; times > 0 && e.At <= MaxTime; times-- {
		into = append(into, e)
		e.At += every
	}
	return into
}

func (f fields) entry(n *yaml.Node, s *Scenario, i int) Entry {
	e := Entry{Line: n.Line}
	g := f.fields(n, "script", "at", "every", "times", "forward", "right", "up", "yaw", "turn", "pitch", "tilt", "jump", "crouch", "press", "release", "mode", "path",
		"push", "fire", "root_motion")
	g.need("at")
	g.time("at", &e.At, 0, MaxTime)
	if idle(n) && g.of["at"] != nil {
		f.add(n.Line, "the entry at %s does nothing", Spell(e.At))
	}
	e.Forward = optional(g, "forward", func(x *float64) { g.number("forward", x, -1, 1) })
	e.Right = optional(g, "right", func(x *float64) { g.number("right", x, -1, 1) })
	e.Yaw = optional(g, "yaw", func(x *float64) { g.angle("yaw", x, -360, 360) })
	e.Turn = optional(g, "turn", func(x *float64) { g.angle("turn", x, -3600, 3600) })
	e.Tilt = optional(g, "tilt", func(x *float64) { g.angle("tilt", x, -3600, 3600) })
	e.Up = optional(g, "up", func(x *float64) { g.number("up", x, -1, 1) })
	e.Pitch = optional(g, "pitch", func(x *float64) { g.angle("pitch", x, -90, 90) })
	e.Jump = optional(g, "jump", func(x *bool) { g.truth("jump", x) })
	e.Crouch = optional(g, "crouch", func(x *bool) { g.truth("crouch", x) })
	g.word("press", &e.Press, f.options.Buttons)
	g.word("release", &e.Release, f.options.Buttons)
	e.Push = optional(g, "push", func(x *geom.Vec3) {
		g.vector("push", x, 1000)
		f.use(UseScript, "push", n.Line)
	})
	e.Fire = optional(g, "fire", func(x *Fire) { g.fire(x, s, i) })
	e.RootMotion = optional(g, "root_motion", func(x *RootMotion) { g.rootMotion(x) })
	g.used("mode", &e.Mode, Modes(), UseMode)
	g.rail(&e, s)
	return e
}

// idle reports whether an entry has no more than when it is.
func idle(n *yaml.Node) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if !slices.Contains([]string{"at", "every", "times"}, n.Content[i].Value) {
			return false
		}
	}
	return true
}

// optional is nil where the key is missing, and else what read makes of it.
func optional[T any](f fields, key string, read func(*T)) *T {
	if f.of[key] == nil {
		return nil
	}
	x := new(T)
	read(x)
	return x
}

// fire reads a shot at a player or along two angles.
func (f fields) fire(x *Fire, s *Scenario, shooter int) {
	n := f.of["fire"]
	g := f.fields(n, "fire", "weapon", "at", "part", "lead", "yaw", "pitch")
	weapons := f.options.Weapons
	if weapons == nil {
		weapons = Weapons()
	}
	f.use(UseScript, "fire", n.Line)
	x.Weapon = "rifle"
	g.used("weapon", &x.Weapon, weapons, UseWeapon)
	aimed := g.of["at"] != nil
	angled := g.of["yaw"] != nil || g.of["pitch"] != nil
	switch {
	case aimed && angled:
		f.add(n.Line, "fire has at and angles; it has one of the two")
	case aimed:
		x.Part = "body"
		g.player("at", &x.At, s)
		g.used("part", &x.Part, Parts(), UsePart)
		g.truth("lead", &x.Lead)
		if x.At != "" && x.At == s.Players[shooter].Name {
			f.add(g.of["at"].Line, "%s fires at itself", x.At)
		}
	case g.of["lead"] != nil:
		f.add(n.Line, "fire has lead and no at; whom does it lead?")
	case g.of["part"] != nil:
		f.add(n.Line, "fire has a part and no at; which player's?")
	case g.of["yaw"] == nil && n.Kind == yaml.MappingNode:
		f.add(n.Line, "fire has neither at nor yaw")
	}
	g.angle("yaw", &x.Yaw, -360, 360)
	g.angle("pitch", &x.Pitch, -90, 90)
}

// rail reads which path a character in mode path follows: the first, where the
// entry does not say.
func (f fields) rail(e *Entry, s *Scenario) {
	n := f.of["path"]
	switch {
	case e.Mode != "path" && n != nil && (e.Mode != "" || f.of["mode"] == nil):
		f.add(n.Line, "path goes with mode: path")
	case e.Mode != "path":
	case len(s.Paths) == 0:
		f.add(f.node.Line, "mode is path, and the scenario has no paths")
	case n != nil:
		var names []string
		for i := range s.Paths {
			names = append(names, s.Paths[i].Name)
		}
		name := ""
		f.word("path", &name, names)
		e.Path = max(s.Rail(name), 0)
	}
}
