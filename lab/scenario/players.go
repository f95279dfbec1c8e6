package scenario

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/strictyaml"
)

// readPlayer is the schema of a player. It returns the script, which may name any player and is
// read after all of them.
func (r *reader) readPlayer(m *strictyaml.Mapping) (script strictyaml.Value) {
	p := Player{
		Frame: []float64{60}, Send: 60, Network: r.Network, Clock: Clock{Rate: 1},
		Remote: "interpolate", Cheat: "none", Bot: "none", Line: m.Line,
	}
	r.readUniqueName(m.Key("name").Required(), &p.Name)
	m.Key("at").Vector(&p.At, MaxReach)
	m.Key("yaw").Angle(&p.Yaw, -360, 360)
	frame, tick, script, bot, cheat, clocks := m.Key("frame"), m.Key("tick"), m.Key("script"), m.Key("bot"), m.Key("cheat"), m.Key("clock")
	if v := m.Key("commands"); v.Given() { // they leave nothing to a script, a bot or a frame rate
		name := ""
		if v.Text(&name, "the name of a file", func(s string) bool { return s != "" }) {
			p.Commands = r.beside(name)
		}
		for _, v := range []strictyaml.Value{script, bot, cheat, frame, tick, clocks} {
			v.When(false, "does not go with commands")
		}
	}
	readFrame(frame, &p.Frame)
	strictyaml.Whole(m.Key("send"), &p.Send, 1, MaxSend)
	if strictyaml.Whole(tick, &p.Tick, 0, MaxTick); p.Tick > 0 && p.Tick < MinTick {
		tick.Errorf("tick is %d, not 0 and not within %d … %d", p.Tick, MinTick, MaxTick)
	}
	m.Key("input_delay").Time(&p.InputDelay, 0, MaxInputDelay)
	r.readNetwork(m.Key("network"), &p.Network)
	clocks.Mapping(func(m *strictyaml.Mapping) {
		m.Key("rate").Number(&p.Clock.Rate, 0.1, 10, "")
		m.Key("offset").Time(&p.Clock.Offset, -MaxTime, MaxTime)
	})
	m.Key("remote").Word(&p.Remote, Remotes())
	readCheat(cheat, &p)
	bot.Word(&p.Bot, bots)
	r.Players = append(r.Players, p)
	return script
}

func (r *reader) readUniqueName(v strictyaml.Value, into *string) {
	switch {
	case !readName(v, into):
	case r.Player(*into) >= 0:
		v.Errorf("two players are called %q", *into)
	case slices.Contains(reservedNames, *into):
		v.Errorf("a player cannot be called %q; results have that word already", *into)
	}
}

// readName reads a word that can stand in paths of overrides and figures.
func readName(v strictyaml.Value, into *string) bool {
	return v.Text(into, "a word of 1 to "+strconv.Itoa(MaxName)+" letters, digits, - and _", func(s string) bool {
		return s != "" && len(s) <= MaxName && !strings.ContainsFunc(s, func(c rune) bool {
			return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '-' && c != '_'
		})
	})
}

// readFrame reads one display rate, or a list of whole ones.
func readFrame(v strictyaml.Value, into *[]float64) {
	if !v.IsList() {
		v.Number(&(*into)[0], 1, 1000, "")
		return
	}
	var rates []float64
	v.List(1, 60, func(_ int, v strictyaml.Value) {
		rate := 1
		strictyaml.Whole(v, &rate, 1, 1000)
		rates = append(rates, float64(rate))
	})
	if rates != nil {
		*into = rates
	}
}

// cheatDefaults are the parameters of the cheats that have some; zero: it has no such parameter.
var cheatDefaults = map[string]CheatParams{
	"speed":    {Rate: 2},
	"burst":    {Rate: 2, Hold: 250 * clock.Millisecond, Every: clock.Second},
	"lag":      {Hold: 250 * clock.Millisecond, Every: clock.Second},
	"withhold": {Hold: 150 * clock.Millisecond, Every: clock.Second},
	"ping":     {Hold: 300 * clock.Millisecond},
	"backdate": {Hold: 400 * clock.Millisecond},
}

// readCheat reads a word, or a mapping of kind and parameters.
func readCheat(v strictyaml.Value, p *Player) {
	if !v.IsMapping() {
		v.Word(&p.Cheat, Cheats())
		p.CheatParams = cheatDefaults[p.Cheat]
		return
	}
	v.Mapping(func(m *strictyaml.Mapping) {
		known := m.Key("kind").Required().Word(&p.Cheat, Cheats())
		c := cheatDefaults[p.Cheat]
		key := func(name string, has bool) strictyaml.Value {
			return m.Key(name).When(has || !known, "does not go with cheat %s", p.Cheat)
		}
		longest := 60 * clock.Second
		if c.Every == 0 {
			longest = 10 * clock.Second
		}
		key("rate", c.Rate > 0).Number(&c.Rate, 0.1, 100, "")
		key("hold", c.Hold > 0).Time(&c.Hold, clock.Millisecond, longest)
		key("every", c.Every > 0).Time(&c.Every, clock.Millisecond, longest)
		if c.Every > 0 && c.Hold > c.Every {
			m.Errorf("hold is %s, more than every, %s", strictyaml.FormatTime(c.Hold), strictyaml.FormatTime(c.Every))
		}
		p.CheatParams = c
	})
}
