package edge

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// CapacityReport is what backstep bench capacity has measured.
type CapacityReport struct {
	// Machine is the commit, the version of Go, the processor and its cores.
	Machine string `json:"machine"`
	// Cores is how many the machine has.
	Cores int `json:"cores"`
	// Ramps are in the order in which they were measured.
	Ramps []Ramp `json:"ramps"`
}

// Ramp is a server that players join step by step.
type Ramp struct {
	// Load and Transport are names, and TickRate is in ticks a second.
	Load      string `json:"load"`
	Transport string `json:"transport"`
	TickRate  int    `json:"tick_rate"`
	// ServerCores and LoadCores are how many the server and the clients may use.
	ServerCores int `json:"server_cores"`
	LoadCores   int `json:"load_cores"`
	// Steps are in the order in which players joined.
	Steps []Step `json:"steps"`
	// Limit is what ended the ramp.
	Limit string `json:"limit"`
}

// Step is what was measured with so many players.
type Step struct {
	// Players is how many play.
	Players int `json:"players"`
	// Tick50 and Tick99 are how long a tick takes, Late99 and Late999 how long after it is due it begins, in µs.
	Tick50  float64 `json:"tick_p50_us"`
	Tick99  float64 `json:"tick_p99_us"`
	Late99  float64 `json:"late_p99_us"`
	Late999 float64 `json:"late_p999_us"`
	// Shots is how many were judged, and Agreement the share that was judged as the shooter saw it, in percent.
	Shots     uint64  `json:"shots"`
	Agreement float64 `json:"agreement_percent"`
	// Corrections of a player in a minute.
	Corrections float64 `json:"corrections_per_minute"`
	// ServerUsed and LoadUsed are processor time, in cores.
	ServerUsed float64 `json:"server_cores_used"`
	LoadUsed   float64 `json:"load_cores_used"`
	// LoadFrame is the processor time of a client's frame, in µs, with all that the load does beside.
	LoadFrame float64 `json:"load_frame_us"`
	// Frames is the share of their frames that the clients have made.
	Frames float64 `json:"frames"`
	// Down and Up are payload to a player and from it, in kB/s.
	Down float64 `json:"down_kBps"`
	Up   float64 `json:"up_kBps"`
	// Lost is how many players could not join or were disconnected.
	Lost int `json:"lost"`
	// Limit is why players do not go on to join; "" if they do. Kept is whether no bound was broken but that of lateness,
	// and Held whether that was kept too.
	Limit string `json:"limit"`
	Kept  bool   `json:"kept"`
	Held  bool   `json:"held"`
}

// fill sets what two samples say that are so far apart.
func (s *Step) fill(server, clients *[2]sample, apart time.Duration, frameRate int) {
	a, b := &clients[0], &clients[1]
	seconds, players := apart.Seconds(), float64(s.Players)
	s.Tick50, s.Tick99, s.Late99, s.Late999 = server[1].Tick50, server[1].Tick99, server[1].Late99, server[1].Late999
	s.ServerUsed, s.LoadUsed = (server[1].CPU-server[0].CPU).Seconds()/seconds, (b.CPU-a.CPU).Seconds()/seconds
	agreed := b.Agreed - a.Agreed
	if s.Shots = agreed + b.Disagreed - a.Disagreed; s.Shots > 0 {
		s.Agreement = 100 * float64(agreed) / float64(s.Shots)
	}
	s.Corrections = float64(b.Corrections-a.Corrections) * 60 / seconds / players
	frames := float64(b.Frames - a.Frames)
	s.Frames = frames / seconds / players / float64(frameRate)
	s.LoadFrame = float64((b.CPU - a.CPU).Nanoseconds()) / 1000 / max(frames, 1)
	s.Down, s.Up = float64(b.Payload-a.Payload)/seconds/players/1000, float64(b.PayloadOut-a.PayloadOut)/seconds/players/1000
	s.Lost = b.Lost
}

// judge decides whether a step held its players, and whether more may join. Late ticks do not end a ramp: a machine that
// is shared with others may have them with any number of players.
func (r *Ramp) judge(s *Step, b Bounds) {
	interval := 1e6 / float64(r.TickRate)
	switch {
	case s.Lost > 0:
		s.Limit = fmt.Sprintf("%d players could not join or were disconnected", s.Lost)
	case s.Tick99 > b.Tick*interval:
		s.Limit = fmt.Sprintf("tick time: p99 %.1f ms", s.Tick99/1000)
	case s.Shots > 0 && s.Agreement < b.Agreement:
		s.Limit = fmt.Sprintf("agreement: %.1f %%", s.Agreement)
	}
	used := s.LoadUsed / float64(r.LoadCores)
	missed := s.Lost == 0 && s.Frames < allFrames // the load is not what it should be
	s.Kept = s.Limit == "" && !missed
	s.Held = s.Kept && s.Late99 <= b.Late*interval
	switch {
	case missed && used > busy, s.Kept && used > full:
		s.Limit = strings.TrimPrefix(s.Limit+", and "+loadIsFull, ", and ")
	case missed:
		s.Limit = strings.TrimPrefix(s.Limit+", and "+loadIsStarved, ", and ")
	}
}

// What ends a ramp without a result of the server: the load has used its cores, or other programs have.
const (
	loadIsFull    = "the load's own cores are full"
	loadIsStarved = "other programs used the load's cores"
)

// next returns how many players the next step has: whole groups.
func (r *Ramp) next(s *Step, group int) int {
	interval := 1e6 / float64(r.TickRate)
	near := max(s.ServerUsed/float64(r.ServerCores), s.LoadUsed/float64(r.LoadCores), s.Tick99/interval)
	more := s.Players / 3
	if near > nearlyFull {
		more = s.Players / 12
	}
	return s.Players + max(1, (more+group-1)/group)*group
}

// kept returns the largest step of which no bound was broken but that of lateness; nil if there is none.
func (r *Ramp) kept() *Step {
	for _, s := range slices.Backward(r.Steps) {
		if s.Kept {
			return &s
		}
	}
	return nil
}

// held returns the most players with which no bound was broken.
func (r *Ramp) held() (players int) {
	for i := range r.Steps {
		if r.Steps[i].Held {
			players = r.Steps[i].Players
		}
	}
	return players
}

// line is a step as it is reported at once.
func (s *Step) line() string {
	text := fmt.Sprintf("%5d players: ticks %.2f ms, p99 %.2f; late p99 %.2f, p99.9 %.2f; %.2f corrections a minute; %.2f %% of %d shots agree; server %.2f cores, load %.2f (%.0f µs a frame); down %.1f kB/s, up %.1f",
		s.Players, s.Tick50/1000, s.Tick99/1000, s.Late99/1000, s.Late999/1000, s.Corrections, s.Agreement, s.Shots, s.ServerUsed, s.LoadUsed, s.LoadFrame, s.Down, s.Up)
	switch {
	case s.Limit != "":
		text += "\n        " + s.Limit
	case !s.Held:
		text += "\n        ticks are late"
	}
	return text
}

// Markdown returns the report for a page.
func (c *CapacityReport) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n| load | transport | players held | but for lateness | per core used | server CPU per player, of a core | ticks, p99 | late, p99 | corrections a minute | shots agree | down, up | the load took, of the machine | for a client's frame | ended by |\n|---|---|"+strings.Repeat("---:|", 11)+"---|\n", c.Machine)
	for i := range c.Ramps {
		r := &c.Ramps[i]
		s := r.kept()
		if s == nil {
			fmt.Fprintf(&b, "| %s | %s | 0 | 0 |%s %s |\n", what(r.Load), r.Transport, strings.Repeat(" – |", 9), r.Limit)
			continue
		}
		atLeast := ""
		if r.open() {
			atLeast = "at least "
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %s%d | %.0f | %.2f %% | %.1f ms | %.1f ms | %.2f | %.2f %% of %d | %.1f, %.1f kB/s | %.0f %% | %.0f µs | %s |\n",
			what(r.Load), r.Transport, r.held(), atLeast, s.Players, float64(s.Players)/s.ServerUsed, 100*s.ServerUsed/float64(s.Players), s.Tick99/1000, s.Late99/1000,
			s.Corrections, s.Agreement, s.Shots, s.Down, s.Up, 100*s.LoadUsed/float64(c.Cores), s.LoadFrame, r.Limit)
	}
	return b.String()
}

// open reports whether the server might hold more players than the ramp has shown.
func (r *Ramp) open() bool {
	last := &r.Steps[len(r.Steps)-1]
	return last.Kept || strings.HasSuffix(last.Limit, loadIsFull) || strings.HasSuffix(last.Limit, loadIsStarved)
}

// what names a load.
func what(name string) string {
	for _, c := range capacityLoads {
		if c.Name == name {
			return c.What
		}
	}
	return name
}

// Measured returns the largest step of a load over a transport in which ticks were late at most. If none was, as on a busy machine, it
// is the last one, whose processor time and bytes still count; nil if there is none in which all played.
func (c *CapacityReport) Measured(load, transport string) *Step {
	for i := range c.Ramps {
		r := &c.Ramps[i]
		if r.Load != load || r.Transport != transport {
			continue
		}
		if s := r.kept(); s != nil {
			return s
		}
		if last := &r.Steps[len(r.Steps)-1]; last.Lost == 0 {
			return last
		}
	}
	return nil
}

// ReadCapacity reads a report that Write has written.
func ReadCapacity(file string) (*CapacityReport, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	c := &CapacityReport{}
	return c, json.Unmarshal(text, c)
}

// Write writes the report as JSON.
func (c *CapacityReport) Write(file string) error {
	text, err := json.MarshalIndent(c, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}
