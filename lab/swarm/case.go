package swarm

import (
	"fmt"
	"strings"

	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/lab/scenario"
)

// Case is a drawn match, as the parts that shrinking may take away. Texts are values of a scenario
// file.
type Case struct {
	Name     string   // of the scenario
	Seed     uint64   // of the scenario's dice; zero is a seed like any other
	Seconds  int      // without the quiet part
	Server   []Key    // the mapping server
	Level    string   // the key geometry or level, whole
	Players  []Player // 1 to 15
	Faults   []Fault  // in the order of their times
	Comments []string // above the file
}

// Key is a key of a mapping and its value.
type Key struct {
	Name  string // as in a scenario file
	Value string // as in a scenario file, quoted where it must be
}

// Player is a player of a Case.
type Player struct {
	Name   string  // as the script's targets and the faults say it
	Keys   []Key   // but the script
	Script []Entry // in the order of their times
}

// Entry is an entry of a script.
type Entry struct {
	At     int    // ms
	Target string // the player that it shoots at, empty for none
	Text   string // its other keys
}

// Fault is a fault of a Case.
type Fault struct {
	At, For int    // ms; no For: the kind has none
	Player  string // empty: it is the server's
	Text    string // its other keys
}

// quietSeconds is long enough for a respawn, a reload and a correction after it.
const quietSeconds = 6

// File returns the case as a scenario file.
func (c *Case) File() string {
	var b strings.Builder
	for _, line := range c.Comments {
		fmt.Fprintf(&b, "# %s\n", line)
	}
	fmt.Fprintf(&b, "name: %q\nseed: %d\nduration: %ds\nquiet: %ds\n", c.Name, c.Seed, c.Seconds+quietSeconds, quietSeconds)
	if len(c.Server) > 0 {
		fmt.Fprintf(&b, "server: {%s}\n", join(c.Server))
	}
	b.WriteString(strings.TrimRight(c.Level, "\n") + "\nplayers:\n")
	for i := range c.Players {
		c.Players[i].write(&b)
	}
	if len(c.Faults) > 0 {
		b.WriteString("faults:\n")
	}
	for _, f := range c.Faults {
		keys := []Key{{"at", fmt.Sprintf("%dms", f.At)}}
		if f.For > 0 {
			keys = append(keys, Key{"for", fmt.Sprintf("%dms", f.For)})
		}
		if f.Player != "" {
			keys = append(keys, Key{"player", f.Player})
		}
		fmt.Fprintf(&b, "  - {%s, %s}\n", join(keys), f.Text)
	}
	return b.String()
}

func (p *Player) write(b *strings.Builder) {
	fmt.Fprintf(b, "  - name: %s\n", p.Name)
	for _, k := range p.Keys {
		fmt.Fprintf(b, "    %s: %s\n", k.Name, k.Value)
	}
	if len(p.Script) > 0 {
		b.WriteString("    script:\n")
	}
	for _, e := range p.Script {
		fmt.Fprintf(b, "      - {at: %dms, %s}\n", e.At, e.Text)
	}
}

func join(keys []Key) string {
	var list []string
	for _, k := range keys {
		list = append(list, k.Name+": "+k.Value)
	}
	return strings.Join(list, ", ")
}

// Scenario reads the case as `backstep lab run` reads its file.
func (c *Case) Scenario(g lab.Game) (*scenario.Scenario, error) {
	f, err := scenario.Open("swarm.yaml", []byte(c.File()))
	if err != nil {
		return nil, err
	}
	return f.Scenario(lab.Words(g))
}
