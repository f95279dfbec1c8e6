package report

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/backstep-net/backstep/lab"
)

// definition is a figure of one player: what it is called, in which unit, what it
// means and where it stands. The meanings are those of docs/lab.md, shortened.
type definition struct {
	key, name, unit, means string
	spread                 func(*lab.Figures) *lab.Spread // three rows
	scale                  float64                        // of a spread; 0 is 1
	one                    func(*lab.Figures) float64     // or one row
}

// count is a definition of something that is counted.
func count(name, means string, of func(*lab.Figures) int) definition {
	return definition{name: name, means: means, one: func(f *lab.Figures) float64 { return float64(of(f)) }}
}

// group is figures under one heading.
type group struct {
	name string
	list []definition
}

var groups = []group{
	{"Its own movement", []definition{
		{key: "owner_error", name: "owner error", unit: "m", spread: func(f *lab.Figures) *lab.Spread { return &f.OwnerError },
			means: "Distance between what the owner drew of itself and the authoritative position for the same command, over drawn frames."},
		count("corrections", "Corrections that the owner applied, placements left aside.",
			func(f *lab.Figures) int { return f.Corrections }),
		{name: "largest correction", unit: "m", one: func(f *lab.Figures) float64 { return f.CorrectionMax },
			means: "The largest distance between the owner's prediction and the corrected position for the same command."},
		count("moves replayed", "Moves simulated again after corrections.", func(f *lab.Figures) int { return f.Replayed }),
		count("server_forces", "Corrections among them that the server caused: a push, a mode.", func(f *lab.Figures) int { return f.ServerForces }),
		count("timeouts", "Corrections among them because the server went on without a player who was silent.",
			func(f *lab.Figures) int { return f.Timeouts }),
		count("throttles", "Corrections among them because the server cut moves whose time ran ahead.",
			func(f *lab.Figures) int { return f.Throttles }),
		count("corrected again", "Corrections of moves made before the correction before was applied.",
			func(f *lab.Figures) int { return f.CorrectedAgain }),
		count("teleports", "How often the server put the player somewhere: a death, a return.", func(f *lab.Figures) int { return f.Teleports }),
	}},
	{"Commands", []definition{
		count("made", "Commands made by the owner.", func(f *lab.Figures) int { return f.Moves.Made }),
		count("sent", "Commands sent for the first time.", func(f *lab.Figures) int { return f.Moves.Sent }),
		count("combined", "Commands folded into another before they were sent.", func(f *lab.Figures) int { return f.Moves.Combined }),
		count("resent", "Repeats of commands in later packets.", func(f *lab.Figures) int { return f.Moves.Resent }),
		count("rejected", "Commands that the server refused.", func(f *lab.Figures) int { return f.Moves.Rejected }),
	}},
	{"Others on its screen", []definition{
		{key: "remote_error", name: "remote error", unit: "m", spread: func(f *lab.Figures) *lab.Spread { return &f.RemoteError },
			means: "Distance between what this client drew of every other player and where that player truly was at the view time, over drawn frames."},
		count("reversals", "Drawn frames in which another player moved by more than 1 mm against its true velocity.",
			func(f *lab.Figures) int { return f.Reversals }),
		count("snaps", "Drawn frames in which another player moved more than 0.5 m beyond what its speed allows.",
			func(f *lab.Figures) int { return f.Snaps }),
		{key: "view_delay", name: "view delay", unit: "ms", scale: 1000, spread: func(f *lab.Figures) *lab.Spread { return &f.ViewDelay },
			means: "The server's match time less the view time that this client showed, over drawn frames."},
	}},
	{"Network and clock", []definition{
		{name: "up", unit: "B/s", one: func(f *lab.Figures) float64 { return f.Up }, means: "Bytes a second of datagram payload that the client sent."},
		{name: "packets", unit: "1/s", one: func(f *lab.Figures) float64 { return f.Packets }, means: "Datagrams a second that the client sent."},
		{name: "bytes a move", unit: "B", one: func(f *lab.Figures) float64 { return f.MoveBytes },
			means: "Bytes sent up for each time that a command travels."},
		{name: "down", unit: "B/s", one: func(f *lab.Figures) float64 { return f.Down }, means: "Bytes a second of datagram payload sent to the client."},
		{name: "clock gain", unit: "%", one: func(f *lab.Figures) float64 { return 100 * f.TimeDiscrepancy.Gain },
			means: "Simulated command time over elapsed time, less one."},
		{name: "time gained", unit: "ms", one: func(f *lab.Figures) float64 { return 1000 * f.TimeDiscrepancy.Gained },
			means: "The most by which simulated command time was ever ahead of match time."},
	}},
}

// means is what a figure means, by its key in the result.
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

// tables are the figures of every player, a table for each group, and of every weapon.
func tables(r *lab.Result) []table {
	var out []table
	for _, g := range groups {
		t := table{Name: g.name, Columns: order(r)}
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

// caught is when a wrong clock was noticed.
func caught(r *lab.Result) row {
	out := row{Name: "wrong clock noticed", Unit: "s", Means: "When, after time zero, the server noticed a clock that runs wrong."}
	for _, n := range order(r) {
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
	for _, n := range order(r) {
		v := of(r.Players[n])
		out.Values = append(out.Values, value{figure(v), v == 0})
	}
	return out
}

// tiles are the figures of all shots.
func tiles(r *lab.Result) []tile {
	s := &r.Shots
	if s.Fired == 0 && s.Claimed == 0 {
		return nil
	}
	n := strconv.Itoa
	return []tile{
		{"shots fired", n(s.Fired), "", "Shots asked for."},
		{"claimed", n(s.Claimed), "", "Shots sent in a command: those that the client itself allowed."},
		{"confirmed", n(s.Confirmed), "", "Shots that the server judged to hit somebody."},
		{"refused", n(s.Refused), "", "Shots that the server refused, with a reason."},
		{"agreement", brief(100 * s.Agreement), "%", "Share of claimed shots whose verdict is what the shooter's screen showed at that frame."},
		{"false hits", n(s.FalseHits), "", "Verdicts that give a hit where the shooter's screen showed none."},
		{"undecided", n(s.Undecided), "", "Claims still on their way when the run ended."},
		{"hit from behind cover", brief(100 * s.BehindCover.Share), "%", "Share of the hits on somebody who had been out of the shooter's sight when the shot was judged."},
		{"behind cover, mean", brief(1000 * s.BehindCover.Mean), "ms", "For how long those who were hit had been out of the shooter's sight, over all hits."},
		{"pose error, mean", brief(s.PoseError.Mean), "m", "Distance between hit volumes' middles as drawn and as rebuilt, for players within 2 m of the shot's line."},
		{"pose error, p99", brief(s.PoseError.P99), "m", "As the mean; 99 in 100 are at most this."},
		{"pose error, max", brief(s.PoseError.Max), "m", "As the mean; the largest."},
	}
}

// ofWeapon are the figures of a weapon.
var ofWeapon = []struct {
	name, unit, means string
	of                func(*lab.WeaponFigures) float64
}{
	{"claimed", "", "Shots sent in a command; of a blade each command of its swing.", func(w *lab.WeaponFigures) float64 { return float64(w.Claimed) }},
	{"confirmed", "", "Shots that the server judged to hit somebody.", func(w *lab.WeaponFigures) float64 { return float64(w.Confirmed) }},
	{"refused", "", "Shots that the server refused.", func(w *lab.WeaponFigures) float64 { return float64(w.Refused) }},
	{"agreement", "%", "Share whose verdict is what the shooter's screen showed.", func(w *lab.WeaponFigures) float64 { return 100 * w.Agreement }},
	{"false hits", "", "Hits where the screen showed none.", func(w *lab.WeaponFigures) float64 { return float64(w.FalseHits) }},
	{"swings", "", "A blade's, of several claims each.", func(w *lab.WeaponFigures) float64 { return float64(w.Swings) }},
	{"swings agreed", "%", "Share of the swings that hurt whom they hurt on the screen.", func(w *lab.WeaponFigures) float64 { return 100 * w.SwingAgreement }},
	{"end error, p99", "m", "Between where a projectile ended on the screen and on the server; 99 in 100 are at most this.", func(w *lab.WeaponFigures) float64 { return w.EndError.P99 }},
	{"hit from behind cover", "%", "Share of the hits on somebody who had been out of sight.", func(w *lab.WeaponFigures) float64 { return 100 * w.BehindCover.Share }},
	{"behind cover, p99", "ms", "For how long; 99 in 100 are at most this.", func(w *lab.WeaponFigures) float64 { return 1000 * w.BehindCover.P99 }},
}

// weapons are the figures of each weapon that was fired.
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

// figure is a number for people: four decimals below 1, fewer above.
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

// brief is figure without zeros at the end.
func brief(v float64) string {
	text := figure(v)
	if strings.Contains(text, ".") && !strings.Contains(text, "e") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}
