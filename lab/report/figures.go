package report

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/backstep-net/backstep/lab"
)

// definition is a figure of one player: name, unit, meaning and value. The meanings are those of
// docs/lab.md, shortened.
type definition struct {
	key, name, unit, means string
	spread                 func(*lab.Figures) *lab.Spread // three rows
	scale                  float64                        // of a spread; 0 is 1
	one                    func(*lab.Figures) float64     // or one row
}

// count returns the definition of a count.
func count(name, means string, of func(*lab.Figures) int) definition {
	return definition{name: name, means: means, one: func(f *lab.Figures) float64 { return float64(of(f)) }}
}

// group has the figures under one heading.
type group struct {
	name string
	list []definition
}

var groups = []group{
	{"Its own movement", []definition{
		{key: "owner_error", name: "owner error", unit: "m", spread: func(f *lab.Figures) *lab.Spread { return &f.OwnerError },
			means: "Distance between the owner's drawn position and the authoritative position after the same command, over drawn frames."},
		count("corrections", "Corrections that the owner applied, without teleports.",
			func(f *lab.Figures) int { return f.Corrections }),
		{name: "largest correction", unit: "m", one: func(f *lab.Figures) float64 { return f.CorrectionMax },
			means: "The largest distance between the owner's prediction and the corrected position for the same command."},
		count("moves replayed", "Moves simulated again after corrections.", func(f *lab.Figures) int { return f.Replayed }),
		count("server_forces", "Corrections that the server caused: a push, a mode.", func(f *lab.Figures) int { return f.ServerForces }),
		count("timeouts", "Corrections after the server continued a silent player itself.",
			func(f *lab.Figures) int { return f.Timeouts }),
		count("throttles", "Corrections after the server cut moves whose time ran ahead.",
			func(f *lab.Figures) int { return f.Throttles }),
		count("corrected again", "Corrections of moves made before the correction before was applied.",
			func(f *lab.Figures) int { return f.CorrectedAgain }),
		count("teleports", "How often the server set the position of the player: a death, a respawn.", func(f *lab.Figures) int { return f.Teleports }),
	}},
	{"Commands", []definition{
		count("made", "Commands made by the owner.", func(f *lab.Figures) int { return f.Moves.Made }),
		count("sent", "Commands sent for the first time.", func(f *lab.Figures) int { return f.Moves.Sent }),
		count("combined", "Commands combined with another before they were sent.", func(f *lab.Figures) int { return f.Moves.Combined }),
		count("resent", "Repeats of commands in later packets.", func(f *lab.Figures) int { return f.Moves.Resent }),
		count("rejected", "Commands that the server refused.", func(f *lab.Figures) int { return f.Moves.Rejected }),
	}},
	{"Others on its screen", []definition{
		{key: "remote_error", name: "remote error", unit: "m", spread: func(f *lab.Figures) *lab.Spread { return &f.RemoteError },
			means: "Distance between the drawn and the true position of other players at the view time, over drawn frames."},
		count("reversals", "Drawn frames in which another player moved by more than 1 mm against its true velocity.",
			func(f *lab.Figures) int { return f.Reversals }),
		count("snaps", "Drawn frames in which another player moved more than 0.5 m beyond what its speed allows.",
			func(f *lab.Figures) int { return f.Snaps }),
		{key: "view_delay", name: "view delay", unit: "ms", scale: 1000, spread: func(f *lab.Figures) *lab.Spread { return &f.ViewDelay },
			means: "The server's match time minus the view time of this client, over drawn frames."},
	}},
	{"Network and clock", []definition{
		{name: "up", unit: "B/s", one: func(f *lab.Figures) float64 { return f.Up }, means: "Bytes a second of datagram payload that the client sent."},
		{name: "packets", unit: "1/s", one: func(f *lab.Figures) float64 { return f.Packets }, means: "Datagrams a second that the client sent."},
		{name: "bytes a move", unit: "B", one: func(f *lab.Figures) float64 { return f.MoveBytes },
			means: "Bytes sent up per command in them."},
		{name: "down", unit: "B/s", one: func(f *lab.Figures) float64 { return f.Down }, means: "Bytes a second of datagram payload sent to the client."},
		{name: "clock gain", unit: "%", one: func(f *lab.Figures) float64 { return 100 * f.TimeDiscrepancy.Gain },
			means: "Simulated command time over elapsed time, minus one."},
		{name: "time gained", unit: "ms", one: func(f *lab.Figures) float64 { return 1000 * f.TimeDiscrepancy.Gained },
			means: "The largest lead of simulated command time over match time."},
	}},
}

// means returns the meaning of a figure, by its key in the result.
func means(key string) string {
	for _, g := range groups {
		for _, d := range g.list {
			if d.key == key {
				return d.means
			}
		}
	}
	return ""
}

// tables returns the figures of every player, a table for each group, and of every weapon.
func tables(r *lab.Result) []table {
	var out []table
	for _, g := range groups {
		t := table{Name: g.name, Columns: r.Order}
		for _, d := range g.list {
			t.Rows = append(t.Rows, d.rows(r)...)
		}
		out = append(out, t)
	}
	last := &out[len(out)-1]
	last.Rows = append(last.Rows, caught(r))
	if len(r.Shots.Weapons) > 0 {
		out = append(out, weapons(r))
	}
	return out
}

// caught returns the row of detected time discrepancies.
func caught(r *lab.Result) row {
	out := row{Name: "time discrepancy detected", Unit: "s", Means: "When, after time zero, the server detected a wrong clock."}
	for _, n := range r.Order {
		v := value{"–", true}
		if t := r.Players[n].TimeDiscrepancy; t.Detected {
			v = value{figure(t.After), false}
		}
		out.Values = append(out.Values, v)
	}
	return out
}

func (d *definition) rows(r *lab.Result) []row {
	if d.spread == nil {
		return []row{d.row(r, d.name, d.means, d.one)}
	}
	scale := d.scale
	if scale == 0 {
		scale = 1
	}
	return []row{
		d.row(r, d.name+", mean", d.means, func(f *lab.Figures) float64 { return scale * d.spread(f).Mean }),
		d.row(r, d.name+", p99", d.means+" 99 in 100 are at most this.", func(f *lab.Figures) float64 { return scale * d.spread(f).P99 }),
		d.row(r, d.name+", max", d.means+" The largest.", func(f *lab.Figures) float64 { return scale * d.spread(f).Max }),
	}
}

func (d *definition) row(r *lab.Result, name, means string, of func(*lab.Figures) float64) row {
	out := row{Name: name, Unit: d.unit, Means: means}
	for _, n := range r.Order {
		v := of(r.Players[n])
		out.Values = append(out.Values, value{figure(v), v == 0})
	}
	return out
}

// tiles returns the figures of all shots.
func tiles(r *lab.Result) []tile {
	s := &r.Shots
	if s.Fired == 0 && s.Claimed == 0 {
		return nil
	}
	n := strconv.Itoa
	return []tile{
		{"shots fired", n(s.Fired), "", "Shots requested."},
		{"claimed", n(s.Claimed), "", "Shots sent in a command: those that the client itself allowed."},
		{"confirmed", n(s.Confirmed), "", "Shots that the server judged to hit a player."},
		{"refused", n(s.Refused), "", "Shots that the server refused, with a reason."},
		{"agreement", brief(100 * s.Agreement), "%", "Share of claimed shots whose verdict equals the outcome on the shooter's screen."},
		{"false hits", n(s.FalseHits), "", "Hits on the server that the shooter's screen did not show."},
		{"undecided", n(s.Undecided), "", "Claims still on their way when the run ended."},
		{"hit from behind cover", brief(100 * s.BehindCover.Share), "%", "Share of the hits on players that were out of the shooter's sight when the shot was judged."},
		{"behind cover, mean", brief(1000 * s.BehindCover.Mean), "ms", "How long targets had been out of the shooter's sight, over all hits."},
		{"pose error, mean", brief(s.PoseError.Mean), "m", "Distance between the drawn and the rebuilt middles of hit volumes, for players within 2 m of the shot's line."},
		{"pose error, p99", brief(s.PoseError.P99), "m", "As the mean; 99 in 100 are at most this."},
		{"pose error, max", brief(s.PoseError.Max), "m", "As the mean; the largest."},
	}
}

// ofWeapon has the figures of a weapon.
var ofWeapon = []struct {
	name, unit, means string
	of                func(*lab.WeaponFigures) float64
}{
	{"claimed", "", "Shots sent in a command; for a blade each command of its swing.", func(w *lab.WeaponFigures) float64 { return float64(w.Claimed) }},
	{"confirmed", "", "Shots that the server judged to hit a player.", func(w *lab.WeaponFigures) float64 { return float64(w.Confirmed) }},
	{"refused", "", "Shots that the server refused.", func(w *lab.WeaponFigures) float64 { return float64(w.Refused) }},
	{"agreement", "%", "Share whose verdict equals the outcome on the shooter's screen.", func(w *lab.WeaponFigures) float64 { return 100 * w.Agreement }},
	{"false hits", "", "Hits where the screen showed none.", func(w *lab.WeaponFigures) float64 { return float64(w.FalseHits) }},
	{"swings", "", "A blade's, of several claims each.", func(w *lab.WeaponFigures) float64 { return float64(w.Swings) }},
	{"swings agreed", "%", "Share of the swings that damaged the same players on the server and on the screen.", func(w *lab.WeaponFigures) float64 { return 100 * w.SwingAgreement }},
	{"end error, p99", "m", "Distance between the ends of a projectile on the screen and on the server; 99 in 100 are at most this.", func(w *lab.WeaponFigures) float64 { return w.EndError.P99 }},
	{"hit from behind cover", "%", "Share of the hits on players that were out of sight.", func(w *lab.WeaponFigures) float64 { return 100 * w.BehindCover.Share }},
	{"behind cover, p99", "ms", "How long; 99 in 100 are at most this.", func(w *lab.WeaponFigures) float64 { return 1000 * w.BehindCover.P99 }},
}

// weapons returns the figures of each weapon that was fired.
func weapons(r *lab.Result) table {
	t := table{Name: "By weapon", Columns: slices.Sorted(maps.Keys(r.Shots.Weapons))}
	for _, d := range ofWeapon {
		out := row{Name: d.name, Unit: d.unit, Means: d.means}
		for _, n := range t.Columns {
			v := d.of(r.Shots.Weapons[n])
			out.Values = append(out.Values, value{figure(v), v == 0})
		}
		t.Rows = append(t.Rows, out)
	}
	return t
}

// figure formats a number: four decimals below 1, fewer above.
func figure(v float64) string {
	a := math.Abs(v)
	decimals := 4
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "–"
	case a == math.Trunc(a):
		decimals = 0
	case a >= 100:
		decimals = 1
	case a >= 1:
		decimals = 2
	case a < 0.00005:
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// brief formats a number without zeros at the end.
func brief(v float64) string {
	text := figure(v)
	if strings.Contains(text, ".") && !strings.Contains(text, "e") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}
