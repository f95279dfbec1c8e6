package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Result is the result of one run: the figures that docs/lab.md defines, from time zero to the end.
// Lengths are in metres, times in seconds of match time since time zero, all rounded to six
// decimals.
type Result struct {
	Name  string `json:"name"`  // of the scenario or Experiment
	Seed  uint64 `json:"seed"`  // that the run was played with
	Ticks int    `json:"ticks"` // server ticks after time zero
	// Hash is FNV-1a of the final authoritative state of every entity in id order, 16 hex digits.
	Hash string `json:"hash"`

	// Duration and TickRate (Hz) are the scenario's.
	Duration float64 `json:"duration"`
	TickRate int     `json:"tick_rate"`
	// Order has the names of the players in the order of the file.
	Order   []string            `json:"order"`
	Players map[string]*Figures `json:"players"` // by the name of the player
	Shots   Shots               `json:"shots"`   // of all players
	// Expect are the checked expectations.
	Expect []Checked `json:"expect,omitempty"`
	// Series is for reports; nil without Options.Series.
	Series *Series `json:"series,omitempty"`

	values map[string]int // by the path of a figure with values of its own: how many it has
}

// Figures are the figures of one player.
type Figures struct {
	// Trajectory has the player's pose on the server every 10 ms, from time zero to the end of the
	// run. Each pose is that of the newest tick by then.
	Trajectory []Point `json:"trajectory"`
	// OwnerError is the distance between the owner's drawn position and the authoritative position
	// after the same command.
	OwnerError Spread `json:"owner_error"`
	// Corrections counts the corrections that the owner applied, without Teleports; CorrectionMax is
	// the largest distance of one, Replayed the number of moves that were replayed.
	Corrections   int     `json:"corrections"`
	CorrectionMax float64 `json:"correction_max"`
	Replayed      int     `json:"replayed_moves"`
	// ServerForces counts the Corrections that the server caused: a push, a mode.
	ServerForces int `json:"server_forces"`
	// Timeouts counts the Corrections after the server continued a silent player itself, Throttles
	// those after it cut moves whose time ran ahead.
	Timeouts  int `json:"timeouts"`
	Throttles int `json:"throttles"`
	// CorrectedAgain counts the mispredictions of moves that were made before the correction before
	// was applied.
	CorrectedAgain int `json:"corrected_again"`
	// Teleports counts how often the server set the player's position: a death, a respawn.
	Teleports int   `json:"teleports"`
	Moves     Moves `json:"moves"` // counts of the player's commands
	// Up and Down are bytes a second of datagram payload, as sent; Packets is the datagrams a second
	// up, MoveBytes the bytes up per move in them.
	Up        float64 `json:"up"`
	Down      float64 `json:"down"`
	Packets   float64 `json:"packets"`
	MoveBytes float64 `json:"move_bytes"`
	// RemoteError is the distance between the drawn and the true position of other players at the
	// view time.
	RemoteError Spread `json:"remote_error"`
	// SpeedError is the error of the drawn speed of other players from one frame to the next, as a
	// share of their true speed, where that is over 1 m/s; Extrapolated is the share of those views
	// that were drawn past the last received sample.
	SpeedError   Spread  `json:"remote_speed_error"`
	Extrapolated float64 `json:"remote_extrapolated"`
	// Reversals counts drawn frames in which another player moved backwards, Snaps those in which one
	// jumped, Inside those in which one was inside the level.
	Reversals int `json:"remote_reversals"`
	Snaps     int `json:"remote_snaps"`
	Inside    int `json:"remote_inside"`
	// ViewDelay is the server's match time minus the view time.
	ViewDelay Spread `json:"view_delay"`
	// TimeDiscrepancy compares the time that the player's commands simulate with match time.
	TimeDiscrepancy TimeDiscrepancy `json:"time_discrepancy"`
	Events          []Event         `json:"events"` // in order of time; empty, not nil, without any
	// View counts the samples of OwnerError.
	View View `json:"view"`
	// Recorded is the distance between the positions after recorded commands and the recorded
	// positions; nil for other players. A command that the server did not run counts as 1,000 m.
	Recorded *Spread `json:"recorded,omitempty"`
	// Bodies measures how this client drew rigid bodies; nil where there are none.
	Bodies *BodyFigures `json:"bodies,omitempty"`
	PathSummary
}

// Point is a player on the server at a match time.
type Point struct {
	T    float64    `json:"t"`    // match time since time zero, s
	P    [3]float64 `json:"p"`    // feet
	V    [3]float64 `json:"v"`    // velocity in the world, m/s
	Mode string     `json:"mode"` // movement mode: walking, falling, …
}

// Spread is a distribution in four numbers, in the unit of its values; percentiles are nearest
// ranks. All four are 0 where there are no values.
type Spread struct {
	Mean float64 `json:"mean"` // arithmetic mean
	P50  float64 `json:"p50"`  // median
	P99  float64 `json:"p99"`  // 99th percentile
	Max  float64 `json:"max"`  // largest value
}

// Moves counts one player's commands.
type Moves struct {
	Made     int `json:"made"`     // by the owner
	Sent     int `json:"sent"`     // for the first time
	Combined int `json:"combined"` // combined with another before that
	Resent   int `json:"resent"`   // repeats in later packets
	Rejected int `json:"rejected"` // refused by the server
}

// BodyFigures are of the rigid bodies that one client drew.
type BodyFigures struct {
	// Error is the distance between a body's drawn position and the server's at the same match time,
	// for bodies that moved on the server.
	Error Spread `json:"error"`
	// Snaps counts corrections of bodies that were not blended, because the body was far off or
	// stuck.
	Snaps int `json:"snaps"`
}

// TimeDiscrepancy measures how far the time of a player's commands ran ahead of match time, and
// the server's detection of it.
type TimeDiscrepancy struct {
	// Detected reports that the server flagged the player after time zero: an episode of
	// predict.Discrepancy began.
	Detected bool    `json:"detected"`
	After    float64 `json:"after"` // since time zero; 0 where not detected
	// Gain is simulated command time over elapsed time, minus 1.
	Gain float64 `json:"gain"`
	// Gained is the largest lead of command time over match time, in seconds.
	Gained float64 `json:"gained"`
}

// View counts the frames that a client has drawn.
type View struct {
	Frames int `json:"frames"` // frames drawn since time zero
	Known  int `json:"known"`  // of these, frames whose owner error is known: the server ran their command
}

// Event is an event of a player on the server, or (corrected) on its own client.
type Event struct {
	T    float64 `json:"t"`    // match time since time zero, s
	Kind string  `json:"kind"` // jumped, landed, …; docs/lab.md explains the kinds
	// Speed of a jump (upwards), a landing (downwards), on entering and leaving
	// water, and after a jump pad, m/s.
	Speed float64 `json:"speed,omitempty"`
	// Distance of a correction, height of a step, depth of a crush.
	Distance float64 `json:"distance,omitempty"`
}

// Shots are the figures of the shots of the whole match.
type Shots struct {
	Fired     int `json:"fired"`     // requested by the script, the bot or a cheat
	Claimed   int `json:"claimed"`   // sent in a command
	Confirmed int `json:"confirmed"` // judged to hit a player
	Refused   int `json:"refused"`   // with a reason
	// Agreement is the share of claimed shots whose verdict equals the outcome on the shooter's
	// screen; 1 of none.
	Agreement float64 `json:"agreement"`
	// Kept is the share of hits on the shooter's screen that damaged the same player on the server; 1
	// of none.
	Kept float64 `json:"kept"`
	// Denied counts the others.
	Denied int `json:"denied"`
	// FalseHits counts hits on the server that the screen did not show.
	FalseHits int `json:"false_hits"`
	// Undecided counts claims that were on their way when the run ended, Unfired those whose command
	// the server never ran.
	Undecided int `json:"undecided"`
	Unfired   int `json:"unfired"`
	// PoseError is the distance between the drawn and the rebuilt middles of hitboxes.
	PoseError Spread `json:"pose_error"`
	// BehindCover is of all hits.
	BehindCover Cover `json:"behind_cover"`
	// Weapons are the figures of each weapon that was fired, by its name.
	Weapons  map[string]*WeaponFigures `json:"weapons"`
	Receipts []Receipt                 `json:"receipts"` // in the order in which the server judged
}

// Cover is how long the targets of hits had been out of the shooter's sight in the server's present
// when the shot was judged, in seconds, 1 at most.
type Cover struct {
	Share float64 `json:"share"` // of hits with a time above zero, 0 … 1; 0 of none
	Spread
}

// WeaponFigures are the figures of the shots with one weapon. docs/lab.md defines them.
type WeaponFigures struct {
	// Claimed and the fields up to BehindCover are those of Shots, over the shots with this weapon.
	Claimed     int     `json:"claimed"`
	Confirmed   int     `json:"confirmed"`
	Refused     int     `json:"refused"`
	Agreement   float64 `json:"agreement"`
	Kept        float64 `json:"kept"`
	Denied      int     `json:"denied"`
	FalseHits   int     `json:"false_hits"`
	Undecided   int     `json:"undecided"`
	Unfired     int     `json:"unfired"`
	BehindCover Cover   `json:"behind_cover"`
	// Swings counts the swings of a blade, of several claims each; SwingAgreement is the share of
	// swings that hit the same targets on the server and on the screen; 1 of none.
	Swings         int     `json:"swings"`
	SwingAgreement float64 `json:"swing_agreement"`
	// EndError is the distance between the ends of a projectile on the shooter's screen and on the
	// server.
	EndError Spread `json:"end_error"`
}

// Receipt is the server's receipt of one shot.
type Receipt struct {
	T        float64 `json:"t"`         // when it was judged
	Shooter  string  `json:"shooter"`   // the player's name
	Weapon   string  `json:"weapon"`    // the weapon's name
	ViewTime float64 `json:"view_time"` // that it was judged by
	Target   string  `json:"target"`    // "" unless a player was hit
	Part     string  `json:"part"`      // hit group that was hit; "" for none
	Verdict  string  `json:"verdict"`   // hit, miss or refused
	Reason   string  `json:"reason"`    // why it was refused; "" if it was not
	Distance float64 `json:"distance"`  // from the eye to what was hit, metres
	// Hidden is how long the target of a hit had been out of the shooter's sight by then.
	Hidden float64 `json:"hidden"`
	// Agrees reports whether the shooter's screen showed the same.
	Agrees bool `json:"agrees"`
}

// Checked is a checked expectation.
type Checked struct {
	Text string  `json:"text"` // the expectation as the scenario has it
	Got  float64 `json:"got"`  // value of its figure in this run; true is 1 and false is 0
	Held bool    `json:"held"` // whether Got meets the condition; false for Unmeasured
	// Unmeasured reports that the figure had no value in this run, as the error of players that were never drawn.
	Unmeasured bool `json:"unmeasured,omitempty"`
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

// Write writes the result as JSON in one line: the same result gives the same bytes.
func (r *Result) Write(w io.Writer) error { return writeJSON(w, r) }

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // expectations have < and >
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("lab: %w", err)
	}
	return nil
}

// errNoResult reports JSON that is no result.
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
