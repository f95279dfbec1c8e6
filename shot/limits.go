package shot

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// Limits bounds how far into the past shots are judged. The zero value is the default.
type Limits struct {
	// MaxRewind is the longest time into the past at which any shot is judged, whatever explains
	// its view: from the tick that judges it back to the instant that its targets are tested at. A
	// target that reached cover longer ago is not hit (HIT-12). A shot into an older view is
	// judged at exactly MaxRewind, or as Beyond says. At most LongestRewind.
	//
	// Zero means LongestRewind, of which the link explains at most LinkCredit: the rest is for
	// slow screens and input delays. Below zero, as NoRewind, every shot is judged at the present.
	MaxRewind clock.Micros
	// InterpolatedOnly judges every view as interpolated between samples, whatever its
	// track.DrawMode. The default is false: each view in the mode that it claims.
	InterpolatedOnly bool
	// Burst is how many shots beyond rate × elapsed server time are accepted, for commands that
	// arrive in bursts. Zero means 2 (THR-19), below zero none.
	Burst int
	// Beyond selects how shots into views older than MaxRewind are judged. Zero means Capped.
	Beyond Beyond
	// Cover is the longest time for which a target behind cover can still be hit, also within
	// MaxRewind. Zero means MaxRewind alone protects it.
	Cover clock.Micros
	// Evades reports whether a target is in a state, such as a dodge, in which old shots do no
	// damage, by its newest sample. Nil protects no target.
	Evades func(*track.Sample) bool
	// Seed and Secret are the seeds of random spread: Seed is that of the match, which every
	// client knows, Secret is the server's own. Zero is a seed like any other.
	Seed, Secret uint64
}

// The bounds of MaxRewind.
const (
	// NoRewind is the MaxRewind of a match without lag compensation.
	NoRewind clock.Micros = -1
	// LongestRewind is the largest MaxRewind: 250 ms of link, its view delay, a screen of two
	// frames a second and an input delay of 250 ms. A server remembers as much.
	LongestRewind = 1500 * clock.Millisecond
	// LinkCredit is the longest link delay (ViewAge.LinkDelay and UplinkDelay) that is believed
	// where MaxRewind is zero. A client can make its link look worse than it is, but not its
	// screen (THR-21).
	LinkCredit = 250 * clock.Millisecond
)

// burst returns Burst with its zero replaced.
func (l *Limits) burst() int {
	if l.Burst == 0 {
		return 2
	}
	return max(l.Burst, 0)
}

// rewindLimit is how far into the past the shots of one weapon are judged: in total, and how much of that
// the link may explain.
type rewindLimit struct{ link, total clock.Micros }

// rewindLimit returns the limit of the match, or of a weapon that is not nil. A weapon's own MaxRewind
// counts if it is smaller.
func (l *Limits) rewindLimit(w *Weapon) rewindLimit {
	r := rewindLimit{LinkCredit, LongestRewind}
	if l.MaxRewind != 0 {
		r.total = max(l.MaxRewind, 0)
		r.link = r.total
	}
	if w != nil && w.LagCompensation.MaxRewind != 0 {
		r.total = min(r.total, w.LagCompensation.MaxRewind)
		r.link = min(r.link, r.total)
	}
	return r
}

// beyond returns how older views of a weapon's shots are judged.
func (l *Limits) beyond(w *Weapon) Beyond {
	if b := w.LagCompensation.Beyond; b != BeyondMatch {
		return b
	}
	return l.Beyond
}

// cover returns for how long a target behind cover can be hit by a weapon; 0 is no limit.
func (l *Limits) cover(w *Weapon) clock.Micros {
	if c := w.LagCompensation.Cover; c != 0 {
		return c
	}
	return l.Cover
}

// ViewAgeMargin is how much older a view may be than its ViewAge: the lag of a server's estimates
// behind those of its client.
const ViewAgeMargin = 40 * clock.Millisecond

// MaxDisplayTime is the longest time for which a view stays valid on a screen: 550 ms, a tenth
// longer than a frame at 2 frames a second (HIT-15).
const MaxDisplayTime = 550 * clock.Millisecond

// ViewAge is the largest age of the view of an honest shot when it arrives, term by term, as the
// server estimates it (HIT-16): what is plausible. Limits.MaxRewind says what is allowed.
type ViewAge struct {
	// RoundTrip is the shooter's round trip without jitter.
	RoundTrip clock.Micros
	// LinkDelay is the round trip and what jitter and loss on the downlink add to the view
	// delay. UplinkDelay is the delay that jitter and loss added to this shot on the uplink. A
	// client that acknowledges late raises the first, one that sends late the second;
	// Limits.MaxRewind, or LinkCredit where that is zero, bounds both together.
	LinkDelay, UplinkDelay clock.Micros
	// Delay is the view delay of a client on a perfect link: the interval of snapshots and the
	// age of their samples.
	Delay clock.Micros
	// DisplayTime is how long the view had been on the screen, of which MaxDisplayTime counts.
	DisplayTime clock.Micros
	// Silence is the largest recent age of this client's newest snapshot. Where it is longer
	// than LinkDelay, views were extrapolated from a snapshot older than the view.
	Silence clock.Micros
}

// plausible returns the largest age of a view, with so much of the link believed.
func (a ViewAge) plausible(link clock.Micros) clock.Micros {
	return a.linkAge(link) + a.Delay + a.displayed()
}

// plausibleNewest returns the largest age of the newest snapshot of such a view: that of the view
// plus the longest extrapolation (track.MaxExtrapolation), or the age that silences explain.
func (a ViewAge) plausibleNewest(link clock.Micros) clock.Micros {
	view := a.plausible(link)
	a.LinkDelay = max(a.LinkDelay, a.Silence)
	return max(view+track.MaxExtrapolation, a.plausible(link))
}

// linkOver reports whether the link delay is longer than is believed.
func (a ViewAge) linkOver(link clock.Micros) bool {
	return max(a.LinkDelay+a.UplinkDelay, a.RoundTrip) > link
}

// linkAge returns the age that the link explains, with the margin.
func (a ViewAge) linkAge(link clock.Micros) clock.Micros {
	// No margin on top of the bound, or a link just above it would get older views than one just
	// below.
	if a.LinkDelay > link {
		return link
	}
	return min(a.LinkDelay+a.UplinkDelay, link) + ViewAgeMargin
}

// displayed returns DisplayTime within its bounds.
func (a ViewAge) displayed() clock.Micros { return min(max(a.DisplayTime, 0), MaxDisplayTime) }
