package lab

import (
	"slices"
	"strings"
)

// figure is one number of a player or a match, by its path in the JSON.
type figure[T any] struct {
	path string
	get  func(*T) float64
	more bool // beside what the scenario format documents
}

// ofPlayer are a player's figures, in the order of the JSON.
func ofPlayer() []figure[Figures] {
	list := spreadOfPlayer("owner_error", func(f *Figures) *Spread { return &f.OwnerError })
	list = append(list, []figure[Figures]{
		{path: "corrections", get: func(f *Figures) float64 { return float64(f.Corrections) }},
		{path: "correction_max", get: func(f *Figures) float64 { return f.CorrectionMax }},
		{path: "replayed_moves", get: func(f *Figures) float64 { return float64(f.Replayed) }},
		{path: "altered", get: func(f *Figures) float64 { return float64(f.Altered) }, more: true},
		{path: "overtaken", get: func(f *Figures) float64 { return float64(f.Overtaken) }, more: true},
		{path: "slowed", get: func(f *Figures) float64 { return float64(f.Slowed) }, more: true},
		{path: "corrected_again", get: func(f *Figures) float64 { return float64(f.CorrectedAgain) }, more: true},
		{path: "placed", get: func(f *Figures) float64 { return float64(f.Placed) }, more: true},
		{path: "moves.made", get: func(f *Figures) float64 { return float64(f.Moves.Made) }},
		{path: "moves.sent", get: func(f *Figures) float64 { return float64(f.Moves.Sent) }},
		{path: "moves.combined", get: func(f *Figures) float64 { return float64(f.Moves.Combined) }},
		{path: "moves.resent", get: func(f *Figures) float64 { return float64(f.Moves.Resent) }},
		{path: "moves.rejected", get: func(f *Figures) float64 { return float64(f.Moves.Rejected) }},
		{path: "up", get: func(f *Figures) float64 { return f.Up }},
		{path: "down", get: func(f *Figures) float64 { return f.Down }},
		{path: "packets", get: func(f *Figures) float64 { return f.Packets }, more: true},
		{path: "move_bytes", get: func(f *Figures) float64 { return f.MoveBytes }, more: true},
	}...)
	list = append(list, spreadOfPlayer("remote_error", func(f *Figures) *Spread { return &f.RemoteError })...)
	speed := spreadOfPlayer("remote_speed_error", func(f *Figures) *Spread { return &f.SpeedError })
	for i := range speed {
		speed[i].more = true
	}
	list = append(list, speed...)
	list = append(list, []figure[Figures]{
		{path: "remote_starved", get: func(f *Figures) float64 { return f.Starved }, more: true},
		{path: "remote_reversals", get: func(f *Figures) float64 { return float64(f.Reversals) }},
		{path: "remote_snaps", get: func(f *Figures) float64 { return float64(f.Snaps) }},
	}...)
	list = append(list, spreadOfPlayer("view_delay", func(f *Figures) *Spread { return &f.ViewDelay })...)
	list = append(list, ofWay()...)
	return append(list, []figure[Figures]{
		{path: "time_discrepancy.detected", get: func(f *Figures) float64 { return float64(count(f.TimeDiscrepancy.Detected)) }},
		{path: "time_discrepancy.after", get: func(f *Figures) float64 { return f.TimeDiscrepancy.After }},
		{path: "time_discrepancy.gain", get: func(f *Figures) float64 { return f.TimeDiscrepancy.Gain }},
		{path: "time_discrepancy.gained", get: func(f *Figures) float64 { return f.TimeDiscrepancy.Gained }, more: true},
		{path: "view.frames", get: func(f *Figures) float64 { return float64(f.View.Frames) }, more: true},
		{path: "view.known", get: func(f *Figures) float64 { return float64(f.View.Known) }, more: true},
	}...)
}

// ofBodies are a player's figures where there are rigid bodies.
func ofBodies() []figure[Figures] {
	list := spreadOfPlayer("bodies.error", func(f *Figures) *Spread { return &f.Bodies.Error })
	return append(list, figure[Figures]{path: "bodies.snaps", get: func(f *Figures) float64 { return float64(f.Bodies.Snaps) }})
}

// list are the figures that the player has.
func (f *Figures) list() []figure[Figures] {
	if f.Bodies == nil {
		return ofPlayer()
	}
	return append(ofPlayer(), ofBodies()...)
}

func spreadOfPlayer(path string, of func(*Figures) *Spread) []figure[Figures] {
	return []figure[Figures]{
		{path: path + ".mean", get: func(f *Figures) float64 { return of(f).Mean }},
		{path: path + ".p50", get: func(f *Figures) float64 { return of(f).P50 }, more: true},
		{path: path + ".p99", get: func(f *Figures) float64 { return of(f).P99 }},
		{path: path + ".max", get: func(f *Figures) float64 { return of(f).Max }},
	}
}

// ofMatch are the match's figures.
func ofMatch() []figure[Result] {
	return []figure[Result]{
		{path: "ticks", get: func(r *Result) float64 { return float64(r.Ticks) }},
		{path: "shots.fired", get: func(r *Result) float64 { return float64(r.Shots.Fired) }},
		{path: "shots.claimed", get: func(r *Result) float64 { return float64(r.Shots.Claimed) }},
		{path: "shots.confirmed", get: func(r *Result) float64 { return float64(r.Shots.Confirmed) }},
		{path: "shots.refused", get: func(r *Result) float64 { return float64(r.Shots.Refused) }},
		{path: "shots.agreement", get: func(r *Result) float64 { return r.Shots.Agreement }},
		{path: "shots.false_hits", get: func(r *Result) float64 { return float64(r.Shots.FalseHits) }},
		{path: "shots.undecided", get: func(r *Result) float64 { return float64(r.Shots.Undecided) }, more: true},
		{path: "shots.unfired", get: func(r *Result) float64 { return float64(r.Shots.Unfired) }, more: true},
		{path: "shots.pose_error.mean", get: func(r *Result) float64 { return r.Shots.PoseError.Mean }},
		{path: "shots.pose_error.p50", get: func(r *Result) float64 { return r.Shots.PoseError.P50 }, more: true},
		{path: "shots.pose_error.p99", get: func(r *Result) float64 { return r.Shots.PoseError.P99 }},
		{path: "shots.pose_error.max", get: func(r *Result) float64 { return r.Shots.PoseError.Max }},
	}
}

// moreFigures are those beside what the scenario format documents; "*" stands for
// every player.
func moreFigures() []string {
	var out []string
	for _, f := range ofPlayer() {
		if f.more {
			out = append(out, "*."+f.path)
		}
	}
	for _, f := range ofMatch() {
		if f.more {
			out = append(out, f.path)
		}
	}
	for _, kind := range eventKinds {
		out = append(out, "*.events."+kind)
	}
	for _, f := range append(spreadOfPlayer("recorded", nil), ofBodies()...) {
		out = append(out, "*."+f.path)
	}
	return out
}

// eventKinds are those of Event.Kind: how many of each there were is a figure.
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

// Lookup returns the figure at a path, such as ann, owner_error, max; a yes is 1
// and a no 0. It reports false where there is none.
func (r *Result) Lookup(path []string) (float64, bool) {
	if len(path) == 0 {
		return 0, false
	}
	if i := find(ofMatch(), strings.Join(path, ".")); i >= 0 {
		return ofMatch()[i].get(r), true
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

func find[T any](list []figure[T], path string) int {
	return slices.IndexFunc(list, func(f figure[T]) bool { return f.path == path })
}

// Number is a figure of a result by its path, such as ann.owner_error.max.
type Number struct {
	Path  string
	Value float64
}

// Numbers are all figures: the players' in their order, then the match's.
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
	return out
}
