package scenario

import (
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/strictyaml"
	"github.com/backstep-net/backstep/transport/mem"
)

// reader decodes a scenario.
type reader struct {
	*strictyaml.Reader
	*Scenario
	options Options
}

// readScenario is the schema of a file. Players come after the network that they inherit, and
// what names players after them.
func (r *reader) readScenario(m *strictyaml.Mapping) {
	s := r.Scenario
	m.Key("name").Text(&s.Name, "a line of 1 to 200 bytes", isLine)
	m.Key("seed").Uint64(&s.Seed)
	m.Key("duration").Required().Time(&s.Duration, clock.Millisecond, MaxTime)
	if quiet := m.Key("quiet"); quiet.Time(&s.Quiet, 0, MaxTime) && s.Duration > 0 && s.Quiet > s.Duration {
		quiet.Errorf("quiet is %s, more than duration, %s", strictyaml.FormatTime(s.Quiet), strictyaml.FormatTime(s.Duration))
	}
	m.Key("server").Mapping(func(n *strictyaml.Mapping) { r.readServer(n, m.Key("level")) })
	if s.Server.Snapshots == 0 {
		s.Server.Snapshots = s.Server.Tick
	}
	r.readWorld(m)
	r.readPaths(m.Key("paths"))
	m.Key("params").Mapping(r.readParams)
	r.readNetwork(m.Key("network"), &s.Network)
	var scripts []strictyaml.Value
	m.Key("players").Required().List(1, MaxPlayers, func(_ int, v strictyaml.Value) {
		v.Mapping(func(m *strictyaml.Mapping) { scripts = append(scripts, r.readPlayer(m)) })
	})
	for i, v := range scripts {
		r.readScript(v, i)
	}
	m.Key("faults").List(0, MaxFaults, func(_ int, v strictyaml.Value) { v.Mapping(r.readFault) })
	figures := r.figures()
	m.Key("expect").List(0, MaxExpect, func(_ int, v strictyaml.Value) { r.readExpectation(v, figures) })
}

func (r *reader) readServer(m *strictyaml.Mapping, level strictyaml.Value) {
	s := &r.Server
	m.Key("start_time").Time(&s.StartTime, 0, MaxStartTime)
	strictyaml.Whole(m.Key("tick"), &s.Tick, 1, 1000)
	strictyaml.Whole(m.Key("snapshots"), &s.Snapshots, 1, s.Tick)
	m.Key("max_rewind").Time(&s.MaxRewind, 0, MaxRewind)
	m.Key("beyond").Word(&s.Beyond, beyonds)
	m.Key("cover").Time(&s.Cover, 0, 10*clock.Second)
	m.Key("flight_timeline").Word(&s.FlightTimeline, FlightTimelines())
	m.Key("damage").Bool(&s.Damage)
	m.Key("block").Bool(&s.Block)
	strictyaml.Whole(m.Key("budget"), &s.Budget, 50, 10_000)
	m.Key("radius").Number(&s.Radius, 1, MaxReach, "m")
	m.Key("visibility").Bool(&s.Visibility)
	entities := m.Key("entities")
	if entities.Bool(&s.Entities); s.Entities && !level.Given() {
		entities.Errorf("entities go with a level that has some, such as arena; this scenario has none")
	}
}

// readParams reads the tunables in the order of the file.
func (r *reader) readParams(m *strictyaml.Mapping) {
	known := r.options.Tunables
	if known == nil {
		known = m.Given()
	}
	for _, name := range m.Given() {
		if !slices.Contains(known, name) {
			continue
		}
		v, value, yes := m.Key(name), 0.0, false
		var ok bool
		switch {
		case name == inDegrees:
			ok = v.Angle(&value, 0, 90)
		case slices.Contains(r.options.Switches, name), r.options.Switches == nil && v.IsBool():
			if ok = v.Bool(&yes); yes {
				value = 1
			}
		default:
			ok = v.Number(&value, -1e9, 1e9, "")
		}
		if ok {
			r.Params = append(r.Params, Param{name, value, v.Line()})
		}
	}
	for _, name := range known {
		m.Key(name)
	}
}

// inDegrees is the tunable that is an angle.
const inDegrees = "walkable_slope"

// readNetwork reads a profile's name, or keys that override the network that is there.
func (r *reader) readNetwork(v strictyaml.Value, n *mem.Network) {
	if !v.IsMapping() {
		readProfile(v, n)
		return
	}
	v.Mapping(func(m *strictyaml.Mapping) {
		readProfile(m.Key("profile"), n)
		readTime(m.Key("rtt"), &n.RTT, 0)
		readTime(m.Key("jitter"), &n.Jitter, 0)
		m.Key("loss").Number(&n.Loss, 0, 1, "")
		m.Key("duplicate").Number(&n.Duplicate, 0, 1, "")
		m.Key("reorder").Number(&n.Reorder, 0, 1, "")
		strictyaml.Whole(m.Key("rate"), &n.Rate, 0, 10_000_000_000)
		if queue := m.Key("queue"); readTime(queue, &n.Queue, clock.Microsecond) && n.Rate == 0 {
			queue.Errorf("queue goes with a rate, and this network has none")
		}
		m.Key("burst").Mapping(func(m *strictyaml.Mapping) {
			m.Key("enter").Number(&n.Burst.Enter, 0, 1, "")
			m.Key("leave").Number(&n.Burst.Leave, 0, 1, "")
		})
	})
}

// readProfile reads a named network. A profile without bursts gets their default end, so that an
// override of enter alone does not last for ever.
func readProfile(v strictyaml.Value, n *mem.Network) {
	name := ""
	v.Name = "network profile"
	if !v.Word(&name, mem.ProfileNames()) {
		return
	}
	if *n, _ = mem.Profile(name); n.Burst == (mem.Burst{}) {
		n.Burst.Leave = 1
	}
}

// readTime reads a time of a network, up to a minute.
func readTime(v strictyaml.Value, into *time.Duration, least clock.Micros) bool {
	var t clock.Micros
	if !v.Time(&t, least, 60*clock.Second) {
		return false
	}
	*into = time.Duration(t) * time.Microsecond
	return true
}

func (r *reader) readFault(m *strictyaml.Mapping) {
	f := Fault{Line: m.Line}
	m.Key("at").Required().Time(&f.At, 0, MaxTime)
	lasts, by, player := m.Key("for"), m.Key("by"), m.Key("player")
	m.Key("kind").Required().Word(&f.Kind, faultKinds)
	switch f.Kind {
	case "clock_step":
		lasts.When(false, "does not go with kind: clock_step")
		by.Required().Time(&f.By, clock.Microsecond, MaxTime)
	case "network":
		lasts.Time(&f.For, clock.Microsecond, MaxTime)
		by.When(false, "goes with kind: clock_step")
	default:
		lasts.Required().Time(&f.For, clock.Microsecond, MaxTime)
		by.When(f.Kind == "", "goes with kind: clock_step")
	}
	if f.ofServer() {
		player.When(false, "does not go with kind: "+f.Kind+", which is of the server")
	} else {
		r.readPlayerName(player.Required(), &f.Player)
	}
	r.readOtherNetwork(m, &f)
	if f.Kind == "background" {
		f.Frame = 1
	}
	m.Key("frame").When(f.Kind == "background" || f.Kind == "", "goes with kind: background").Number(&f.Frame, 0, 60, "")
	times, every := readRepetition(m, len(r.Faults), MaxFaults, "the faults")
	if every > 0 && every < f.For {
		m.Errorf("every is %s, less than for, %s", strictyaml.FormatTime(every), strictyaml.FormatTime(f.For))
	}
	for ; times > 0 && f.At <= MaxTime; times-- {
		r.Faults = append(r.Faults, f)
		f.At += every
	}
}

// ofServer reports whether it is a fault of the server and not of a player.
func (f *Fault) ofServer() bool { return slices.Contains(serverFaults, f.Kind) }

// readOtherNetwork reads the network of a fault, which overrides that of its player.
func (r *reader) readOtherNetwork(m *strictyaml.Mapping, f *Fault) {
	network, direction := m.Key("network"), m.Key("direction")
	if f.Kind != "network" {
		network.When(f.Kind == "", "goes with kind: network")
		direction.When(f.Kind == "", "goes with kind: network")
		return
	}
	for i := range r.Players {
		if r.Players[i].Name == f.Player {
			f.Network = r.Players[i].Network
		}
	}
	r.readNetwork(network.Required(), &f.Network)
	direction.Word(&f.Direction, []string{"up", "down"})
}

// readRepetition reads how often something happens, once by default, and how long after one
// another. There are so many already, of at most so many; beyond that, it is an error and never.
func readRepetition(m *strictyaml.Mapping, already, most int, what string) (times int, every clock.Micros) {
	times = 1
	again, pause := m.Key("times"), m.Key("every")
	strictyaml.Whole(again, &times, 2, most)
	pause.Time(&every, clock.Millisecond, MaxTime)
	if again.Given() != pause.Given() {
		m.Errorf("every and times go together: how long after one another, and how often")
	}
	if already+times > most {
		m.Errorf("%s come to more than %d", what, most)
		return 0, every
	}
	return times, every
}

// readPlayerName reads the name of a player of the scenario.
func (r *reader) readPlayerName(v strictyaml.Value, into *string) {
	v.Name = "player"
	v.Word(into, r.names())
}

func (s *Scenario) names() []string {
	names := []string{}
	for i := range s.Players {
		names = append(names, s.Players[i].Name)
	}
	return names
}

func (s *Scenario) pathNames() []string {
	names := []string{}
	for i := range s.Paths {
		names = append(names, s.Paths[i].Name)
	}
	return names
}

// beside returns the path, from where the program runs, of a file that the scenario names.
func (s *Scenario) beside(name string) string {
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(s.File), name)
}

func isLine(s string) bool {
	return s != "" && len(s) <= 200 && !strings.ContainsFunc(s, unicode.IsControl)
}
