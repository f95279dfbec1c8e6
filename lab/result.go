package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Result is what one run showed: the figures that docs/lab.md defines, from time
// zero to the end. Lengths are in metres, times in seconds of match time since
// time zero, all rounded to six decimals.
type Result struct {
	Name  string `json:"name"`
	Seed  uint64 `json:"seed"`
	Ticks int    `json:"ticks"`
	// Hash is FNV-1a of the final authoritative state of every entity, in id order:
	// 16 hex digits.
	Hash string `json:"hash"`

	// Duration and TickRate (Hz) are the scenario's.
	Duration float64 `json:"duration"`
	TickRate int     `json:"tick_rate"`
	// Order is the players' names in the order of the file.
	Order   []string            `json:"order"`
	Players map[string]*Figures `json:"players"`
	Shots   Shots               `json:"shots"`
	// Expect says of each expectation whether it held.
	Expect []Checked `json:"expect,omitempty"`
	// Series is what a report draws; nil unless Options.Series asked for it.
	Series *Series `json:"series,omitempty"`
}

// Figures are one player's.
type Figures struct {
	Trajectory []Point `json:"trajectory"`
	// OwnerError is the distance between what the owner drew of itself and the
	// authoritative position for the same command.
	OwnerError Spread `json:"owner_error"`
	// Corrections that the owner applied, placements left aside; CorrectionMax is
	// the largest distance of one, Replayed how many moves were simulated again.
	Corrections   int     `json:"corrections"`
	CorrectionMax float64 `json:"correction_max"`
	Replayed      int     `json:"replayed_moves"`
	// ServerForces is how many of the Corrections the server caused: a push, a mode.
	ServerForces int `json:"server_forces"`
	// Timeouts is how many came of the server going on without a player who was silent,
	// Slowed how many of its cutting moves whose time ran ahead.
	Timeouts int `json:"timeouts"`
	Throttles    int `json:"throttles"`
	// CorrectedAgain is how many, of predictions that were wrong, were about a move made
	// before the one before was applied.
	CorrectedAgain int `json:"corrected_again"`
	// Teleports is how often the server put the player somewhere: a death, a return.
	Teleports int   `json:"teleports"`
	Moves  Moves `json:"moves"`
	// Up and Down are bytes a second of datagram payload, as sent; Packets are the
	// datagrams a second up, and MoveBytes the bytes up for each time a move travels.
	Up        float64 `json:"up"`
	Down      float64 `json:"down"`
	Packets   float64 `json:"packets"`
	MoveBytes float64 `json:"move_bytes"`
	// RemoteError is the distance between where this client drew every other
	// player and where that player truly was at the view time.
	RemoteError Spread `json:"remote_error"`
	// SpeedError is by which share of its true speed another player was seen to move too
	// fast or too slowly from one frame to the next, of those faster than 1 m/s, and Starved
	// the share of those pictures that were drawn past the last sample that had come.
	SpeedError Spread  `json:"remote_speed_error"`
	Extrapolated    float64 `json:"remote_extrapolated"`
	// Reversals counts drawn frames in which another player went backwards, Snaps
	// those in which one jumped, Inside those in which one was inside the level.
	Reversals int `json:"remote_reversals"`
	Snaps     int `json:"remote_snaps"`
	Inside    int `json:"remote_inside"`
	// ViewDelay is the server's match time less the view time.
	ViewDelay       Spread          `json:"view_delay"`
	TimeDiscrepancy TimeDiscrepancy `json:"time_discrepancy"`
	Events          []Event         `json:"events"`
	// View is how many frames were drawn, and of how many of those the owner error
	// is known.
	View View `json:"view"`
	// Recorded is how far from where it led when it was recorded each command led, for
	// players with recorded commands; nil for others. One that the server did not run
	// counts as 1,000 m.
	Recorded *Spread `json:"recorded,omitempty"`
	// Bodies is how this client drew rigid bodies; nil where there are none.
	Bodies *BodyFigures `json:"bodies,omitempty"`
	PathSummary
}

// Point is where a player stands on the server at a match time.
type Point struct {
	T    float64    `json:"t"`
	P    [3]float64 `json:"p"` // feet
	V    [3]float64 `json:"v"`
	Mode string     `json:"mode"`
}

// Spread is a distribution in four numbers; percentiles are nearest ranks.
type Spread struct {
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
}

// Moves counts one player's commands.
type Moves struct {
	Made     int `json:"made"`     // by the owner
	Sent     int `json:"sent"`     // for the first time
	Combined int `json:"combined"` // folded into another before that
	Resent   int `json:"resent"`   // repeats in later packets
	Rejected int `json:"rejected"` // refused by the server
}

// BodyFigures are of the rigid bodies that one client drew.
type BodyFigures struct {
	// Error is the distance between where a body was drawn and where the server had it
	// at the same match time, of bodies that moved there.
	Error Spread `json:"error"`
	// Snaps are bodies that were drawn elsewhere at once, because they were far from
	// where the server had them, or stuck.
	Snaps int `json:"snaps"`
}

// TimeDiscrepancy is whether and when the server noticed a wrong clock.
type TimeDiscrepancy struct {
	Detected bool    `json:"detected"`
	After    float64 `json:"after"` // since time zero; 0 where not detected
	// Gain is simulated command time over elapsed time, minus 1.
	Gain float64 `json:"gain"`
	// Gained is the most by which command time was ever ahead of match time, s.
	Gained float64 `json:"gained"`
}

// View counts drawn frames.
type View struct {
	Frames int `json:"frames"`
	Known  int `json:"known"`
}

// Event is something that happened to a player: on the server, or (corrected) on
// its own client. The kinds are jumped, landed, stepped, walked_off, stuck,
// crushed, entered_water, left_water, boosted, spawned, died, pushed, mode,
// root_motion, frozen, hidden, cut and corrected.
type Event struct {
	T    float64 `json:"t"`
	Kind string  `json:"kind"`
	// Speed of a jump (upwards), a landing (downwards), on entering and leaving
	// water, and after a jump pad, m/s.
	Speed float64 `json:"speed,omitempty"`
	// Distance of a correction, height of a step, depth of a crush.
	Distance float64 `json:"distance,omitempty"`
}

// Shots are those of the whole match.
type Shots struct {
	Fired     int `json:"fired"`     // asked for
	Claimed   int `json:"claimed"`   // sent in a command
	Confirmed int `json:"confirmed"` // judged to hit somebody
	Refused   int `json:"refused"`   // with a reason
	// Agreement is the share of claimed shots whose verdict is what the shooter's
	// screen showed; 1 where nothing was claimed.
	Agreement float64 `json:"agreement"`
	// Kept is the share of those that hit somebody on the shooter's screen that hurt the same
	// one on the server; 1 of none.
	Kept float64 `json:"kept"`
	// FalseHits are verdicts of a hit where the screen showed none.
	FalseHits int `json:"false_hits"`
	// Undecided are claims still on their way when the run ended, Unfired those
	// whose command the server never ran.
	Undecided int `json:"undecided"`
	Unfired   int `json:"unfired"`
	// PoseError is between hit volumes' middles as drawn and as rebuilt.
	PoseError Spread `json:"pose_error"`
	// BehindCover is of all hits.
	BehindCover Cover `json:"behind_cover"`
	// Weapons are the figures of each weapon that was fired, by its name.
	Weapons  map[string]*WeaponFigures `json:"weapons"`
	Receipts []Receipt                 `json:"receipts"`
}

// Cover is for how long, by the server's present when the shot was judged, those who were
// hit had been out of the shooter's sight, in seconds, 1 at most; Share is of the hits for
// which that was any time at all.
type Cover struct {
	Share float64 `json:"share"`
	Spread
}

// WeaponFigures are of the shots with one weapon: see Shots, and docs/lab.md.
type WeaponFigures struct {
	Claimed     int     `json:"claimed"`
	Confirmed   int     `json:"confirmed"`
	Refused     int     `json:"refused"`
	Agreement   float64 `json:"agreement"`
	Kept        float64 `json:"kept"`
	FalseHits   int     `json:"false_hits"`
	Undecided   int     `json:"undecided"`
	Unfired     int     `json:"unfired"`
	BehindCover Cover   `json:"behind_cover"`
	// Swings are a blade's, of several claims each, and SwingAgreement the share of those
	// that hurt on the server whom they hurt on the screen; 1 of none.
	Swings         int     `json:"swings"`
	SwingAgreement float64 `json:"swing_agreement"`
	// EndError is between where a projectile ended on the shooter's screen and where on the
	// server.
	EndError Spread `json:"end_error"`
}

// Receipt is the server's word on one shot.
type Receipt struct {
	T        float64 `json:"t"` // when it was judged
	Shooter  string  `json:"shooter"`
	Weapon   string  `json:"weapon"`
	ViewTime float64 `json:"view_time"` // that it was judged by
	Target   string  `json:"target"`    // "" unless a player was hit
	Part     string  `json:"part"`
	Verdict  string  `json:"verdict"` // hit, miss or refused
	Reason   string  `json:"reason"`
	Distance float64 `json:"distance"`
	// Hidden is, of a hit, for how long the target had been out of the shooter's sight by
	// then.
	Hidden float64 `json:"hidden"`
	// Agrees tells whether the shooter's screen showed the same.
	Agrees bool `json:"agrees"`
}

// Checked is an expectation and what came of it.
type Checked struct {
	Text string  `json:"text"`
	Got  float64 `json:"got"`
	Held bool    `json:"held"`
}

// Held reports whether every expectation held.
func (r *Result) Held() bool {
	for _, c := range r.Expect {
		if !c.Held {
			return false
		}
	}
	return true
}

// Write writes the result as JSON: the same result gives the same bytes.
func (r *Result) Write(w io.Writer) error { return writeJSON(w, r) }

// errNoResult is JSON of something else.
var errNoResult = errors.New("lab: not a result: it has no players or no hash")

// Read reads what Write wrote.
func Read(in io.Reader) (*Result, error) {
	r := &Result{}
	if err := json.NewDecoder(in).Decode(r); err != nil {
		return nil, fmt.Errorf("lab: not a result: %w", err)
	}
	if r.Players == nil || r.Hash == "" {
		return nil, errNoResult
	}
	return r, nil
}
