package lab

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/lab/scenario"
	"github.com/backstep-net/backstep/strictyaml"
)

// Fairness compares settings of lag compensation: the same fight with each setting, at each ping.
type Fairness struct {
	Name  string // a word: "rewind"
	Title string // heading of the curves
	// Over is the quantity of the x axis, in ms: the ping, or what a cheat adds.
	Over string
	// Curves has one curve for each setting.
	Curves []FairnessCurve
}

// FairnessCurve is one setting.
type FairnessCurve struct {
	Name string // the label of the setting in tables: "100 ms"
	// Server is the setting as keys of a scenario's server.
	Server string
	Points []FairnessPoint // in the order of FairnessOptions.At
	weapon string
	cheat  string // of the shooter, whose ping is 60 ms; "": honest, at each ping
}

// FairnessNames returns the names of the comparisons.
func FairnessNames() []string {
	var names []string
	for _, f := range fairnessOf() {
		names = append(names, f.Name)
	}
	return names
}

// FairnessPoint is one point of a curve, the mean over the seeds.
type FairnessPoint struct {
	At float64 // ms
	// Kept is the share of the hits on the shooter's screen that hit on the server.
	Kept float64
	// Behind is the share of the server's hits on targets that were out of the shooter's sight by
	// then, Hidden the 99th percentile of the time out of sight, in ms.
	Behind float64
	Hidden float64
	Hits   float64 // a minute
}

// fairnessAt are the default points of the curves, in ms.
var fairnessAt = []int{0, 50, 100, 150, 200, 250, 300, 350, 400}

// fairnessOf returns the comparisons.
func fairnessOf() []Fairness {
	rewind := func(ms string) FairnessCurve {
		return FairnessCurve{Name: "max_rewind " + ms + " ms", Server: "max_rewind: " + ms + "ms", weapon: "rifle"}
	}
	return []Fairness{
		{"rewind", "Rifle: the longest time into the past (max_rewind)", "ping", []FairnessCurve{rewind("0"), rewind("100"), rewind("250"), rewind("400")}},
		{"beyond", "Rifle: beyond a max_rewind of 200 ms", "ping", []FairnessCurve{
			{Name: "capped", Server: "max_rewind: 200ms, beyond: capped", weapon: "rifle"},
			{Name: "present", Server: "max_rewind: 200ms, beyond: present", weapon: "rifle"},
		}},
		{"cover", "Rifle: no hit behind cover later than", "ping", []FairnessCurve{
			{Name: "no limit", Server: "cover: 0s", weapon: "rifle"},
			{Name: "200 ms", Server: "cover: 200ms", weapon: "rifle"},
			{Name: "100 ms", Server: "cover: 100ms", weapon: "rifle"},
		}},
		{"rocket", "Rocket: the past that it flies through (flight_timeline)", "ping", []FairnessCurve{
			{Name: "shooter", Server: "flight_timeline: shooter", weapon: "rocket"},
			{Name: "fade", Server: "flight_timeline: fade", weapon: "rocket"},
			{Name: "present", Server: "flight_timeline: present", weapon: "rocket"},
		}},
		{"cheats", "Cheats, 60 ms away: a view that is claimed to be older, a line that is made to look worse", "what is claimed too much", []FairnessCurve{
			{Name: "backdate", Server: "max_rewind: 300ms", weapon: "rifle", cheat: "backdate"},
			{Name: "withhold", Server: "max_rewind: 300ms", weapon: "rifle", cheat: "withhold"},
			{Name: "false ping", Server: "max_rewind: 300ms", weapon: "rifle", cheat: "ping"},
			{Name: "false ping, beyond: present", Server: "max_rewind: 300ms, beyond: present", weapon: "rifle", cheat: "ping"},
			{Name: "false ping, cover: 100 ms", Server: "max_rewind: 300ms, cover: 100ms", weapon: "rifle", cheat: "ping"},
		}},
	}
}

// coverFight is the fight of all of them: bob runs to and fro behind two walls with a gap between
// them, and ann shoots at the drawn bob; rockets at his feet, where the gap is wider.
const coverFight = `duration: %[1]s
server: {%[2]s}
geometry:
  - box: {min: [-50, -1, -50], max: [50, 0, 50]}
  - box: {min: [-9, 0, -7], max: [-%[7]v, 3, -6.8]}
  - box: {min: [%[7]v, 0, -7], max: [9, 3, -6.8]}
network: {rtt: %[3]dms, jitter: 5ms}
players:
  - {name: ann, frame: 60, cheat: %[8]s, script: [{at: 700ms, every: %[4]s, times: 5000, fire: {at: bob, weapon: %[5]s, part: %[6]s, lead: true}}]}
  - {name: bob, at: [-4, 0, -10], network: {rtt: 60ms}, script: [{at: 0s, right: 1}, {at: 1500ms, every: 3s, times: 300, right: -1}, {at: 3s, every: 3s, times: 300, right: 1}]}
`

// FairnessOptions configure FairnessCurves.
type FairnessOptions struct {
	Duration clock.Micros // of each match, four times as long with rockets; zero is 30 s
	Seeds    int          // of each point; zero is 4
	Parallel int          // points at a time; zero is one per core
	Only     string       // the name of the one comparison to play; "" is all
	At       []int        // the points of each curve, ms; nil is 0 to 400 in steps of 50
	// Progress is called after each point with the number of points done and of all, one call at a
	// time. Nil is not called.
	Progress func(done, all int)
}

// filled returns o with its zeros replaced.
func (o FairnessOptions) filled() FairnessOptions {
	o.Duration = cmp.Or(o.Duration, 30*clock.Second)
	o.Seeds = cmp.Or(o.Seeds, 4)
	if o.At == nil {
		o.At = fairnessAt
	}
	return o
}

// FairnessCurves plays each comparison at each ping. Comparisons of weapons that the game does not
// have are left out. Where the context ends, the error is ErrStopped.
func FairnessCurves(ctx context.Context, game Game, o FairnessOptions) ([]Fairness, error) {
	weapons := game.Words().Weapons
	list := slices.DeleteFunc(fairnessOf(), func(f Fairness) bool {
		return o.Only != "" && f.Name != o.Only || !slices.Contains(weapons, f.Curves[0].weapon)
	})
	o = o.filled()
	var curves []*FairnessCurve
	for i := range list {
		for k := range list[i].Curves {
			c := &list[i].Curves[k]
			c.Points = make([]FairnessPoint, len(o.At))
			curves = append(curves, c)
		}
	}
	var mu sync.Mutex
	all, done := len(curves)*len(o.At), 0
	return list, Parallel(ctx, all, o.Parallel, func(i int) error {
		c, n := curves[i/len(o.At)], i%len(o.At)
		p, err := c.play(ctx, game, o.At[n], o)
		mu.Lock()
		defer mu.Unlock()
		c.Points[n] = p
		if done++; o.Progress != nil && err == nil {
			o.Progress(done, all)
		}
		return err
	})
}

// play plays one point.
func (c *FairnessCurve) play(ctx context.Context, game Game, at int, o FairnessOptions) (FairnessPoint, error) {
	long, every, part, half := o.Duration, "170ms", "head", 1.5
	if c.weapon == "rocket" {
		long, every, part, half = 4*o.Duration, "1070ms", "foot_l", 2.5
	}
	ping, cheat := at, "none"
	if c.cheat != "" {
		ping = 60
	}
	if c.cheat != "" && at > 0 {
		cheat = fmt.Sprintf("{kind: %s, hold: %dms}", c.cheat, at)
	}
	text := fmt.Sprintf(coverFight, strictyaml.FormatTime(long), c.Server, ping, every, c.weapon, part, half, cheat)
	s, err := parseScenario(c.Name, text, game)
	if err != nil {
		return FairnessPoint{}, err
	}
	d, err := Seeds(ctx, s, game, o.Seeds, SeedOptions{Parallel: 1})
	if err != nil {
		return FairnessPoint{}, err
	}
	of := func(path string) float64 { return d.Figures["shots."+path].Mean }
	return FairnessPoint{
		At: float64(at), Kept: of("kept"),
		Behind: of("behind_cover.share"), Hidden: round(1000 * of("behind_cover.p99")),
		Hits: round(of("confirmed") * 60 / long.Seconds()),
	}, nil
}

// parseScenario reads a scenario of the lab's own.
func parseScenario(name, text string, game Game) (*scenario.Scenario, error) {
	f, err := scenario.Open(name, []byte(text))
	if err != nil {
		return nil, err
	}
	return f.Scenario(Words(game))
}

// FairnessTable returns a comparison as tables for documents: a column for each point.
func FairnessTable(f *Fairness) string {
	var out strings.Builder
	for _, t := range []struct {
		what string
		of   func(*FairnessPoint) string
	}{
		{"hits a minute", func(p *FairnessPoint) string { return fixed(p.Hits, 0) }},
		{"hits kept, %", func(p *FairnessPoint) string { return fixed(100*p.Kept, 1) }},
		{"hits behind cover, %", func(p *FairnessPoint) string { return fixed(100*p.Behind, 1) }},
		{"behind cover, p99, ms", func(p *FairnessPoint) string { return fixed(p.Hidden, 0) }},
	} {
		head := []string{t.what}
		for _, p := range f.Curves[0].Points {
			head = append(head, fmt.Sprintf("%.0f ms", p.At))
		}
		rows := table{head}
		for i := range f.Curves {
			cells := []string{f.Curves[i].Name}
			for n := range f.Curves[i].Points {
				cells = append(cells, t.of(&f.Curves[i].Points[n]))
			}
			rows = append(rows, cells)
		}
		out.WriteString(rows.String() + "\n")
	}
	return out.String()
}
