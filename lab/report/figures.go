package report

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/backstep-net/backstep/lab"
)

// definition is a figure of a player, a weapon or the shots: its path in the result, and its name,
// unit and meaning on the page. The meanings are those of docs/lab.md, shortened.
type definition struct {
	path, name, unit, means string
	scale                   float64 // from the result's unit to this one; 0 is 1
	spread                  bool    // mean, p99 and max have a row each
}

// group has the figures under one heading.
type group struct {
	name string
	list []definition
}

var groups = []group{
	{"Its own movement", []definition{
		{path: "owner_error", name: "owner error", unit: "m", spread: true, means: "Distance between the owner's drawn position and the authoritative position after the same command, over drawn frames."},
		{path: "corrections", name: "corrections", means: "Corrections that the owner applied, without teleports."},
		{path: "correction_max", name: "largest correction", unit: "m", means: "The largest distance between the owner's prediction and the corrected position for the same command."},
		{path: "replayed_moves", name: "moves replayed", means: "Moves simulated again after corrections."},
		{path: "server_forces", name: "server forces", means: "Corrections that the server caused: a push, a mode."},
		{path: "timeouts", name: "timeouts", means: "Corrections after the server continued a silent player itself."},
		{path: "throttles", name: "throttles", means: "Corrections after the server cut moves whose time ran ahead."},
		{path: "corrected_again", name: "corrected again", means: "Corrections of moves made before the correction before was applied."},
		{path: "teleports", name: "teleports", means: "How often the server set the position of the player: a death, a respawn."},
	}},
	{"Commands", []definition{
		{path: "moves.made", name: "made", means: "Commands made by the owner."},
		{path: "moves.sent", name: "sent", means: "Commands sent for the first time."},
		{path: "moves.combined", name: "combined", means: "Commands combined with another before they were sent."},
		{path: "moves.resent", name: "resent", means: "Repeats of commands in later packets."},
		{path: "moves.rejected", name: "rejected", means: "Commands that the server refused."},
	}},
	{"Others on its screen", []definition{
		{path: "remote_error", name: "remote error", unit: "m", spread: true, means: "Distance between the drawn and the true position of other players at the view time, over drawn frames."},
		{path: "remote_reversals", name: "reversals", means: "Drawn frames in which another player moved by more than 1 mm against its true velocity."},
		{path: "remote_snaps", name: "snaps", means: "Drawn frames in which another player moved more than 0.5 m beyond what its speed allows."},
		{path: "view_delay", name: "view delay", unit: "ms", scale: 1000, spread: true, means: "The server's match time minus the view time of this client, over drawn frames."},
	}},
	{"Network and clock", []definition{
		{path: "up", name: "up", unit: "B/s", means: "Bytes a second of datagram payload that the client sent."},
		{path: "packets", name: "packets", unit: "1/s", means: "Datagrams a second that the client sent."},
		{path: "move_bytes", name: "bytes a move", unit: "B", means: "Bytes sent up per command in them."},
		{path: "down", name: "down", unit: "B/s", means: "Bytes a second of datagram payload sent to the client."},
		{path: "time_discrepancy.gain", name: "clock gain", unit: "%", scale: 100, means: "Simulated command time over elapsed time, minus one."},
		{path: "time_discrepancy.gained", name: "time gained", unit: "ms", scale: 1000, means: "The largest lead of simulated command time over match time."},
	}},
}

// ofShots are the figures of all shots.
var ofShots = []definition{
	{path: "fired", name: "shots fired", means: "Shots requested."},
	{path: "claimed", name: "claimed", means: "Shots sent in a command: those that the client itself allowed."},
	{path: "confirmed", name: "confirmed", means: "Shots that the server judged to hit a player."},
	{path: "refused", name: "refused", means: "Shots that the server refused, with a reason."},
	{path: "agreement", name: "agreement", unit: "%", scale: 100, means: "Share of claimed shots whose verdict equals the outcome on the shooter's screen."},
	{path: "false_hits", name: "false hits", means: "Hits on the server that the shooter's screen did not show."},
	{path: "undecided", name: "undecided", means: "Claims still on their way when the run ended."},
	{path: "behind_cover.share", name: "hit from behind cover", unit: "%", scale: 100, means: "Share of the hits on players that were out of the shooter's sight when the shot was judged."},
	{path: "behind_cover.mean", name: "behind cover, mean", unit: "ms", scale: 1000, means: "How long targets had been out of the shooter's sight, over all hits."},
	{path: "pose_error.mean", name: "pose error, mean", unit: "m", means: "Distance between the drawn and the rebuilt middles of hitboxes, for players within 2 m of the shot's line."},
	{path: "pose_error.p99", name: "pose error, p99", unit: "m", means: "As the mean; 99 in 100 are at most this."},
	{path: "pose_error.max", name: "pose error, max", unit: "m", means: "As the mean; the largest."},
}

// ofWeapon are the figures of the shots with one weapon.
var ofWeapon = []definition{
	{path: "claimed", name: "claimed", means: "Shots sent in a command; for a blade each command of its swing."},
	{path: "confirmed", name: "confirmed", means: "Shots that the server judged to hit a player."},
	{path: "refused", name: "refused", means: "Shots that the server refused."},
	{path: "agreement", name: "agreement", unit: "%", scale: 100, means: "Share whose verdict equals the outcome on the shooter's screen."},
	{path: "false_hits", name: "false hits", means: "Hits where the screen showed none."},
	{path: "swings", name: "swings", means: "A blade's, of several claims each."},
	{path: "swing_agreement", name: "swings agreed", unit: "%", scale: 100, means: "Share of the swings that damaged the same players on the server and on the screen."},
	{path: "end_error.p99", name: "end error, p99", unit: "m", means: "Distance between the ends of a projectile on the screen and on the server; 99 in 100 are at most this."},
	{path: "behind_cover.share", name: "hit from behind cover", unit: "%", scale: 100, means: "Share of the hits on players that were out of sight."},
	{path: "behind_cover.p99", name: "behind cover, p99", unit: "ms", scale: 1000, means: "How long; 99 in 100 are at most this."},
}

// of returns the figure in the definition's unit; begin is the path of its player, of its weapon or
// of the shots.
func (d *definition) of(r *lab.Result, begin ...string) float64 {
	v, _ := r.Lookup(append(begin, strings.Split(d.path, ".")...))
	if d.scale != 0 {
		v *= d.scale
	}
	return v
}

// meaning returns the meaning of a figure of players, by its path.
func meaning(path string) string {
	for _, g := range groups {
		for _, d := range g.list {
			if d.path == path {
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
	last.Rows = append(last.Rows, detected(r))
	if names := slices.Sorted(maps.Keys(r.Shots.Weapons)); len(names) > 0 {
		t := table{Name: "By weapon", Columns: names}
		for _, d := range ofWeapon {
			t.Rows = append(t.Rows, d.row(r, names, "shots", "weapons"))
		}
		out = append(out, t)
	}
	return out
}

// detected returns the row of detected time discrepancies.
func detected(r *lab.Result) row {
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

// rows returns the rows of a figure of players.
func (d definition) rows(r *lab.Result) []row {
	if !d.spread {
		return []row{d.row(r, r.Order)}
	}
	var out []row
	for _, part := range [][2]string{{"mean", ""}, {"p99", " 99 in 100 are at most this."}, {"max", " The largest."}} {
		of := d
		of.path, of.name, of.means = d.path+"."+part[0], d.name+", "+part[0], d.means+part[1]
		out = append(out, of.row(r, r.Order))
	}
	return out
}

// row returns the figure of each name; begin is the path before the names.
func (d *definition) row(r *lab.Result, names []string, begin ...string) row {
	out := row{Name: d.name, Unit: d.unit, Means: d.means}
	for _, n := range names {
		v := d.of(r, append(slices.Clone(begin), n)...)
		out.Values = append(out.Values, value{figure(v), v == 0})
	}
	return out
}

// tiles returns the figures of all shots, none where there were no shots.
func tiles(r *lab.Result) (out []tile) {
	if r.Shots.Fired == 0 && r.Shots.Claimed == 0 {
		return nil
	}
	for _, d := range ofShots {
		out = append(out, tile{d.name, brief(d.of(r, "shots")), d.unit, d.means})
	}
	return out
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
