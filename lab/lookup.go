package lab

import (
	"maps"
	"slices"
	"strings"
)

// figure is one number of a player or a match, by its path in the JSON.
type figure[T any] struct {
	path string
	get  func(*T) float64
}

// ofPlayer returns the figures of a player, in the order of the JSON.
func ofPlayer() []figure[Figures] {
	list := spreadOfPlayer("owner_error", func(f *Figures) *Spread { return &f.OwnerError })
	list = append(list, []figure[Figures]{
		{path: "corrections", get: func(f *Figures) float64 { return float64(f.Corrections) }},
		{path: "correction_max", get: func(f *Figures) float64 { return f.CorrectionMax }},
		{path: "replayed_moves", get: func(f *Figures) float64 { return float64(f.Replayed) }},
		{path: "server_forces", get: func(f *Figures) float64 { return float64(f.ServerForces) }},
		{path: "timeouts", get: func(f *Figures) float64 { return float64(f.Timeouts) }},
		{path: "throttles", get: func(f *Figures) float64 { return float64(f.Throttles) }},
		{path: "corrected_again", get: func(f *Figures) float64 { return float64(f.CorrectedAgain) }},
		{path: "teleports", get: func(f *Figures) float64 { return float64(f.Teleports) }},
		{path: "moves.made", get: func(f *Figures) float64 { return float64(f.Moves.Made) }},
		{path: "moves.sent", get: func(f *Figures) float64 { return float64(f.Moves.Sent) }},
		{path: "moves.combined", get: func(f *Figures) float64 { return float64(f.Moves.Combined) }},
		{path: "moves.resent", get: func(f *Figures) float64 { return float64(f.Moves.Resent) }},
		{path: "moves.rejected", get: func(f *Figures) float64 { return float64(f.Moves.Rejected) }},
		{path: "up", get: func(f *Figures) float64 { return f.Up }},
		{path: "down", get: func(f *Figures) float64 { return f.Down }},
		{path: "packets", get: func(f *Figures) float64 { return f.Packets }},
		{path: "move_bytes", get: func(f *Figures) float64 { return f.MoveBytes }},
	}...)
	list = append(list, spreadOfPlayer("remote_error", func(f *Figures) *Spread { return &f.RemoteError })...)
	list = append(list, spreadOfPlayer("remote_speed_error", func(f *Figures) *Spread { return &f.SpeedError })...)
	list = append(list, []figure[Figures]{
		{path: "remote_extrapolated", get: func(f *Figures) float64 { return f.Extrapolated }},
		{path: "remote_reversals", get: func(f *Figures) float64 { return float64(f.Reversals) }},
		{path: "remote_snaps", get: func(f *Figures) float64 { return float64(f.Snaps) }},
		{path: "remote_inside", get: func(f *Figures) float64 { return float64(f.Inside) }},
	}...)
	list = append(list, spreadOfPlayer("view_delay", func(f *Figures) *Spread { return &f.ViewDelay })...)
	list = append(list, ofWay()...)
	return append(list, []figure[Figures]{
		{path: "time_discrepancy.detected", get: func(f *Figures) float64 { return float64(count(f.TimeDiscrepancy.Detected)) }},
		{path: "time_discrepancy.after", get: func(f *Figures) float64 { return f.TimeDiscrepancy.After }},
		{path: "time_discrepancy.gain", get: func(f *Figures) float64 { return f.TimeDiscrepancy.Gain }},
		{path: "time_discrepancy.gained", get: func(f *Figures) float64 { return f.TimeDiscrepancy.Gained }},
		{path: "view.frames", get: func(f *Figures) float64 { return float64(f.View.Frames) }},
		{path: "view.known", get: func(f *Figures) float64 { return float64(f.View.Known) }},
	}...)
}

// ofBodies returns the figures of a player about rigid bodies.
func ofBodies() []figure[Figures] {
	list := spreadOfPlayer("bodies.error", func(f *Figures) *Spread { return &f.Bodies.Error })
	return append(list, figure[Figures]{path: "bodies.snaps", get: func(f *Figures) float64 { return float64(f.Bodies.Snaps) }})
}

// list returns the figures that the player has.
func (f *Figures) list() []figure[Figures] {
	if f.Bodies == nil {
		return ofPlayer()
	}
	return append(ofPlayer(), ofBodies()...)
}

func spreadOfPlayer(path string, of func(*Figures) *Spread) []figure[Figures] {
	return []figure[Figures]{
		{path: path + ".mean", get: func(f *Figures) float64 { return of(f).Mean }},
		{path: path + ".p50", get: func(f *Figures) float64 { return of(f).P50 }},
		{path: path + ".p99", get: func(f *Figures) float64 { return of(f).P99 }},
		{path: path + ".max", get: func(f *Figures) float64 { return of(f).Max }},
	}
}

// ofMatch returns the figures of the match, without those of single weapons.
func ofMatch() []figure[Result] {
	list := []figure[Result]{
		{path: "ticks", get: func(r *Result) float64 { return float64(r.Ticks) }},
		{path: "shots.fired", get: func(r *Result) float64 { return float64(r.Shots.Fired) }},
		{path: "shots.claimed", get: func(r *Result) float64 { return float64(r.Shots.Claimed) }},
		{path: "shots.confirmed", get: func(r *Result) float64 { return float64(r.Shots.Confirmed) }},
		{path: "shots.refused", get: func(r *Result) float64 { return float64(r.Shots.Refused) }},
		{path: "shots.agreement", get: func(r *Result) float64 { return r.Shots.Agreement }},
		{path: "shots.kept", get: func(r *Result) float64 { return r.Shots.Kept }},
		{path: "shots.false_hits", get: func(r *Result) float64 { return float64(r.Shots.FalseHits) }},
		{path: "shots.undecided", get: func(r *Result) float64 { return float64(r.Shots.Undecided) }},
		{path: "shots.unfired", get: func(r *Result) float64 { return float64(r.Shots.Unfired) }},
		{path: "shots.pose_error.mean", get: func(r *Result) float64 { return r.Shots.PoseError.Mean }},
		{path: "shots.pose_error.p50", get: func(r *Result) float64 { return r.Shots.PoseError.P50 }},
		{path: "shots.pose_error.p99", get: func(r *Result) float64 { return r.Shots.PoseError.P99 }},
		{path: "shots.pose_error.max", get: func(r *Result) float64 { return r.Shots.PoseError.Max }},
	}
	for _, f := range ofCover() {
		get := f.get
		list = append(list, figure[Result]{"shots.behind_cover." + f.path, func(r *Result) float64 { return get(&r.Shots.BehindCover) }})
	}
	return list
}

// ofCover returns the figures of hits on targets out of sight.
func ofCover() []figure[Cover] {
	return []figure[Cover]{
		{"share", func(c *Cover) float64 { return c.Share }},
		{"mean", func(c *Cover) float64 { return c.Mean }},
		{"p50", func(c *Cover) float64 { return c.P50 }},
		{"p99", func(c *Cover) float64 { return c.P99 }},
		{"max", func(c *Cover) float64 { return c.Max }},
	}
}

// ofWeapon returns the figures of the shots with one weapon.
func ofWeapon() []figure[WeaponFigures] {
	list := []figure[WeaponFigures]{
		{"claimed", func(w *WeaponFigures) float64 { return float64(w.Claimed) }},
		{"confirmed", func(w *WeaponFigures) float64 { return float64(w.Confirmed) }},
		{"refused", func(w *WeaponFigures) float64 { return float64(w.Refused) }},
		{"agreement", func(w *WeaponFigures) float64 { return w.Agreement }},
		{"kept", func(w *WeaponFigures) float64 { return w.Kept }},
		{"false_hits", func(w *WeaponFigures) float64 { return float64(w.FalseHits) }},
		{"undecided", func(w *WeaponFigures) float64 { return float64(w.Undecided) }},
		{"unfired", func(w *WeaponFigures) float64 { return float64(w.Unfired) }},
		{"swings", func(w *WeaponFigures) float64 { return float64(w.Swings) }},
		{"swing_agreement", func(w *WeaponFigures) float64 { return w.SwingAgreement }},
		{"end_error.mean", func(w *WeaponFigures) float64 { return w.EndError.Mean }},
		{"end_error.p50", func(w *WeaponFigures) float64 { return w.EndError.P50 }},
		{"end_error.p99", func(w *WeaponFigures) float64 { return w.EndError.P99 }},
		{"end_error.max", func(w *WeaponFigures) float64 { return w.EndError.Max }},
	}
	for _, f := range ofCover() {
		get := f.get
		list = append(list, figure[WeaponFigures]{"behind_cover." + f.path, func(w *WeaponFigures) float64 { return get(&w.BehindCover) }})
	}
	return list
}

// unfired has the figures of a weapon that was never fired.
var unfired = WeaponFigures{Agreement: 1, Kept: 1, SwingAgreement: 1}

// figureNames returns the paths of all figures; "*" stands for every player.
func figureNames(weapons []string) []string {
	var out []string
	for _, f := range ofMatch() {
		out = append(out, f.path)
	}
	for _, w := range weapons {
		for _, f := range ofWeapon() {
			out = append(out, "shots.weapons."+w+"."+f.path)
		}
	}
	for _, list := range [][]figure[Figures]{ofPlayer(), spreadOfPlayer("recorded", nil), ofBodies()} {
		for _, f := range list {
			out = append(out, "*."+f.path)
		}
	}
	for _, kind := range eventKinds {
		out = append(out, "*.events."+kind)
	}
	return out
}

// eventKinds are the values of Event.Kind; the count of each is a figure.
var eventKinds = []string{
	"jumped", "landed", "stepped", "walked_off", "stuck", "crushed", "entered_water", "left_water",
	"boosted", "spawned", "died", "pushed", "mode", "root_motion", "frozen", "hidden", "cut", "corrected",
}

// happened counts the events of one kind.
func (f *Figures) happened(kind string) int {
	n := 0
	for i := range f.Events {
		n += count(f.Events[i].Kind == kind)
	}
	return n
}

// Lookup returns the figure at a path, such as ann, owner_error, max; true is 1 and false is 0. It
// reports false where there is no such figure.
func (r *Result) Lookup(path []string) (float64, bool) {
	if len(path) == 0 {
		return 0, false
	}
	if i := find(ofMatch(), strings.Join(path, ".")); i >= 0 {
		return ofMatch()[i].get(r), true
	}
	if len(path) > 3 && path[0] == "shots" && path[1] == "weapons" {
		return r.ofWeapon(path[2], strings.Join(path[3:], "."))
	}
	p, ok := r.Players[path[0]]
	if ok && len(path) == 3 && path[1] == "events" && slices.Contains(eventKinds, path[2]) {
		return float64(p.happened(path[2])), true
	}
	if ok && len(path) == 3 && path[1] == "recorded" && p.Recorded != nil {
		all := spreadOfPlayer("recorded", func(f *Figures) *Spread { return f.Recorded })
		if i := find(all, strings.Join(path[1:], ".")); i >= 0 {
			return all[i].get(p), true
		}
	}
	if !ok {
		return 0, false
	}
	if i := find(p.list(), strings.Join(path[1:], ".")); i >= 0 {
		return p.list()[i].get(p), true
	}
	return 0, false
}

// ofWeapon returns a figure of a weapon, even of one that was never fired.
func (r *Result) ofWeapon(name, path string) (float64, bool) {
	w := r.Shots.Weapons[name]
	if w == nil {
		w = &unfired
	}
	i := find(ofWeapon(), path)
	if i < 0 {
		return 0, false
	}
	return ofWeapon()[i].get(w), true
}

func find[T any](list []figure[T], path string) int {
	return slices.IndexFunc(list, func(f figure[T]) bool { return f.path == path })
}

// Number is a figure of a result by its path, such as ann.owner_error.max.
type Number struct {
	Path  string
	Value float64
}

// Numbers returns all figures: those of the players in their order, of the match, and of each weapon
// that was fired.
func (r *Result) Numbers() []Number {
	var out []Number
	for _, name := range r.Order {
		p := r.Players[name]
		for _, f := range p.list() {
			out = append(out, Number{name + "." + f.path, f.get(p)})
		}
	}
	for _, f := range ofMatch() {
		out = append(out, Number{f.path, f.get(r)})
	}
	for _, name := range slices.Sorted(maps.Keys(r.Shots.Weapons)) {
		for _, f := range ofWeapon() {
			out = append(out, Number{"shots.weapons." + name + "." + f.path, f.get(r.Shots.Weapons[name])})
		}
	}
	return out
}
