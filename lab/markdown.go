package lab

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Overview returns a table with a row for each scenario: means over its seeds and players; maxima
// are over all players and seeds.
func Overview(all []*Distributions) string {
	t := table{{"scenario", "seeds", "corrections a minute", "owner error mean (mm)", "owner error max (m)",
		"remote error mean (mm)", "remote error p99 (mm)", "view delay mean (ms)", "shots agreed", "pose error max (m)", "up (B/s)", "down (B/s)"}}
	for _, d := range all {
		t = append(t, []string{
			d.Name, fmt.Sprint(len(d.Seeds)),
			fixed(d.overPlayers("corrections")*60/d.Duration, 2),
			fixed(d.overPlayers("owner_error.mean")*1000, 2),
			fixed(d.maxOver("owner_error.max"), 3),
			fixed(d.overPlayers("remote_error.mean")*1000, 2),
			fixed(d.overPlayers("remote_error.p99")*1000, 1),
			fixed(d.overPlayers("view_delay.mean")*1000, 0),
			fixed(d.Figures["shots.agreement"].Mean*100, 2) + " %",
			fixed(d.Figures["shots.pose_error.max"].Max, 3),
			fixed(d.overPlayers("up"), 0), fixed(d.overPlayers("down"), 0),
		})
	}
	return t.String()
}

// RemoteOverview returns a table about drawn remote players, with a row for each scenario: means over
// its seeds and players; maxima and counts are over all of them. Agreed shots have the verdict that
// the shooter's screen showed, including the hitbox; kept hits hit the same player on
// both.
func RemoteOverview(all []*Distributions) string {
	t := table{{"scenario", "seeds", "remote error mean (m)", "remote error p99 (m)", "remote error max (m)", "view delay mean (ms)",
		"speed error p99", "past the last sample", "reversals a run", "snaps a run", "frames inside walls",
		"pose error mean (m)", "pose error max (m)", "shots", "shots agreed", "hits kept", "up (B/s)"}}
	for _, d := range all {
		runs := float64(len(d.Seeds))
		of := func(path string) float64 { return d.Figures["shots."+path].Mean }
		t = append(t, []string{
			d.Name, fmt.Sprint(len(d.Seeds)),
			fixed(d.overPlayers("remote_error.mean"), 4), fixed(d.overPlayers("remote_error.p99"), 3), fixed(d.maxOver("remote_error.max"), 2),
			fixed(d.overPlayers("view_delay.mean")*1000, 0),
			fixed(d.overPlayers("remote_speed_error.p99")*100, 0) + " %", fixed(d.overPlayers("remote_extrapolated")*100, 1) + " %",
			fixed(d.overPlayers("remote_reversals"), 1), fixed(d.overPlayers("remote_snaps"), 1),
			fixed(d.overPlayers("remote_inside")*runs*float64(len(d.Order)), 0),
			fixed(of("pose_error.mean"), 3), fixed(d.Figures["shots.pose_error.max"].Max, 3),
			fixed(of("claimed")*runs, 0), fixed(of("agreement")*100, 2) + " %", fixed(of("kept")*100, 2) + " %",
			fixed(d.overPlayers("up"), 0),
		})
	}
	return t.String()
}

// WeaponOverview returns a table about weapons, with a row for each scenario: means over its seeds of
// the claims of each weapon, those that agreed and hit, the swings of blades, and the largest
// errors. It is empty where no scenario has more than one weapon.
func WeaponOverview(all []*Distributions) string {
	names, most := []string{}, 0
	for _, d := range all {
		most = max(most, len(d.weapons()))
		for _, n := range d.weapons() {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	if most < 2 {
		return ""
	}
	slices.Sort(names)
	head := []string{"scenario", "seeds"}
	for _, n := range names {
		head = append(head, n+": agreed of claims a seed (hits)")
	}
	t := table{append(head, "swings agreed", "pose error p99 (mm)", "pose error max (mm)", "false hits")}
	for _, d := range all {
		cells, swings := []string{d.Name, fmt.Sprint(len(d.Seeds))}, "–"
		for _, n := range names {
			of := func(figure string) Range { return d.Figures["shots.weapons."+n+"."+figure] }
			cells = append(cells, fmt.Sprintf("%s %% of %s (%s)", fixed(100*of("agreement").Mean, 2), fixed(of("claimed").Mean, 0), fixed(of("confirmed").Mean, 1)))
			if s := of("swings"); s.Max > 0 {
				swings = fmt.Sprintf("%s %% of %s", fixed(100*of("swing_agreement").Mean, 2), fixed(s.Mean, 0))
			}
		}
		t = append(t, append(cells, swings, fixed(1000*d.Figures["shots.pose_error.p99"].Max, 1),
			fixed(1000*d.Figures["shots.pose_error.max"].Max, 1), fixed(d.Figures["shots.false_hits"].Mean*float64(len(d.Seeds)), 0)))
	}
	return t.String()
}

// weapons returns the names of the weapons that were fired.
func (d *Distributions) weapons() (names []string) {
	for _, path := range slices.Sorted(maps.Keys(d.Figures)) {
		rest, ok := strings.CutPrefix(path, "shots.weapons.")
		if name, of := strings.CutSuffix(rest, ".claimed"); ok && of {
			names = append(names, name)
		}
	}
	return names
}

func fixed(x float64, decimals int) string { return fmt.Sprintf("%.*f", decimals, x) }

// overPlayers returns the mean of a figure over the players and the seeds.
func (d *Distributions) overPlayers(path string) float64 {
	sum := 0.0
	for _, name := range d.Order {
		sum += d.Figures[name+"."+path].Mean
	}
	return sum / float64(max(len(d.Order), 1))
}

// maxOver returns the maximum of a figure over the players and the seeds.
func (d *Distributions) maxOver(path string) float64 {
	most := 0.0
	for _, name := range d.Order {
		most = max(most, d.Figures[name+"."+path].Max)
	}
	return most
}
