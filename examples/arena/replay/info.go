package replay

import (
	"encoding/json"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/record"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// Info is what a page needs of a recording before it draws: /replay/info.json. Times are
// match time in seconds, lengths in metres, angles in radians.
type Info struct {
	Game    string    `json:"game"`    // name of the game: "arena"
	Match   string    `json:"match"`   // name of the match at its host
	Began   time.Time `json:"began"`   // time of match time 0, in UTC
	Program string    `json:"program"` // version of the program that recorded the match
	Level   string    `json:"level"`   // hash of the world
	World   string    `json:"world"`   // path of the packed world
	Model   string    `json:"model"`   // path of the model, "" for none

	TickRate int     `json:"tick_rate"`  // Hz
	Ticks    uint32  `json:"ticks"`      // number of the last one
	Duration float64 `json:"duration"`   // match time of the last tick
	Lost     int     `json:"ticks_lost"` // ticks that are missing because the disk was too slow
	Closed   bool    `json:"closed"`     // false: the recording program ended without closing it
	Damage   string  `json:"damage"`     // where and how the file is truncated, "" if it is not

	Weapons  []Weapon   `json:"weapons"`  // the match's table; empty if the file has none
	Players  []Presence `json:"players"`  // in the order of joining; a player that returns after leaving is there again
	Shots    []Shot     `json:"shots"`    // in the order of the ticks
	Kills    []Kill     `json:"kills"`    // in the order of the ticks
	Messages []Message  `json:"messages"` // in the order of the ticks
}

// Weapon is a weapon of the match.
type Weapon struct {
	Name  string  `json:"name"`  // as in the weapon table
	Kind  string  `json:"kind"`  // hitscan, melee, projectile
	Blast float64 `json:"blast"` // radius of its blast, 0 for none
}

// Presence is the time of one player in the match, from joining to leaving.
type Presence struct {
	ID   session.PlayerID `json:"id"`   // from 1; after leaving another player may have it
	Name string           `json:"name"` // as on the scoreboard
	Bot  bool             `json:"bot"`  // the server played it
	Team uint8            `json:"team"` // 1 red, 2 blue, 0 none
	From float64          `json:"from"` // when it joined, in seconds of the recording
	To   float64          `json:"to"`   // the end of the recording if it did not leave before
	// Disconnected are the spans, from and to, without a connection.
	Disconnected [][2]float64 `json:"disconnected"`
}

// Shot is a shot and its receipt.
type Shot struct {
	T             float64          `json:"t"`              // time of Tick
	Tick          uint32           `json:"tick"`           // the tick in which the server judged it
	Shooter       session.PlayerID `json:"shooter"`        // from 1
	Number        uint32           `json:"number"`         // of the command
	Weapon        uint8            `json:"weapon"`         // index in Info.Weapons, from 0
	ViewRequested float64          `json:"view_requested"` // view time that the client claimed
	ViewGranted   float64          `json:"view_granted"`   // 0: refused
	Verdict       string           `json:"verdict"`        // refused, miss, hit, launched
	Reason        string           `json:"reason"`         // why it was refused or did no damage, else ""
	Impact        string           `json:"impact"`         // nothing, world, player
	Target        session.PlayerID `json:"target"`         // 0 unless a player
	Part          string           `json:"part"`           // body, head, arm, leg, shield; "" unless a player
	Distance      float64          `json:"distance"`       // from the origin to Point
	Damage        uint16           `json:"damage"`         // in total
	DamageEvents  []DamageEvent    `json:"damage_events"`  // one for each target
	// Agrees is whether the shooter's screen showed the same. For a projectile only the
	// client knows it.
	Agrees        bool       `json:"agrees"`
	ProjectileEnd bool       `json:"projectile_end"` // of a projectile: its end or its refusal, not its launch
	Eye           [3]float64 `json:"eye"`            // origin of the shot
	Point         [3]float64 `json:"point"`          // where it ended
	Yaw           float64    `json:"yaw"`            // of the aim, as Pitch
	Pitch         float64    `json:"pitch"`
}

// DamageEvent is the damage of a shot to one player.
type DamageEvent struct {
	Target session.PlayerID `json:"target"` // from 1
	Part   string           `json:"part"`   // "" of a blast
	Damage uint16           `json:"damage"` // points
	Reason string           `json:"reason"` // why it did no damage, "" if it did
}

// Kill is a line of the kill feed.
type Kill struct {
	T        float64 `json:"t"`        // time of the tick that sent it
	Killer   uint16  `json:"killer"`   // player id; the victim's own if nobody else was involved
	Victim   uint16  `json:"victim"`   // player id
	Weapon   uint8   `json:"weapon"`   // its number in the match's table, from 1; 0 of a fall
	Part     string  `json:"part"`     // "" of a blast and a fall
	Head     bool    `json:"head"`     // Part is the head
	Distance float64 `json:"distance"` // to 0.1 m
}

// Message is a message of the game to players, as pages received it during the match.
type Message struct {
	T     float64        `json:"t"`     // time of the tick that sent it
	To    []session.Peer `json:"to"`    // the host's connection numbers, not player ids
	Bytes []byte         `json:"bytes"` // base64
}

// InfoOf reads a whole recording. Damaged parts are omitted and reported.
func InfoOf(f *record.File) *Info {
	h := f.Head()
	in := &Info{
		Game: h.Game, Match: h.Match, Began: h.Began, Program: h.Program,
		Level: h.Level, World: "/levels/" + h.Level, TickRate: h.TickRate, Closed: f.Closed(),
		Weapons: weaponsOf(h.Config), Players: []Presence{}, Shots: []Shot{}, Kills: []Kill{}, Messages: []Message{},
	}
	here := map[session.PlayerID]int{}
	for tick, err := range f.Ticks(0) {
		if err != nil {
			break
		}
		in.addTick(tick, here)
	}
	in.Duration = clock.TickTime(int64(in.Ticks), in.TickRate).Seconds()
	if d := f.Damage(); d != nil {
		in.Damage = d.Error()
	}
	for _, i := range here {
		in.leave(i, in.Duration)
	}
	return in
}

// addTick adds a tick; here is the index in Players of everybody present.
func (in *Info) addTick(tick *record.Tick, here map[session.PlayerID]int) {
	t := tick.Snapshot.At.Seconds()
	in.Ticks = tick.Snapshot.Tick
	in.Lost += tick.Lost
	for i := range tick.Players {
		in.updatePresence(&tick.Players[i], t, here)
	}
	for i := range tick.Shots {
		s := shown(&tick.Shots[i], tick.Snapshot.Tick, t)
		s.ProjectileEnd = s.Verdict != "launched" && int(s.Weapon) < len(in.Weapons) && in.Weapons[s.Weapon].Kind == "projectile"
		in.Shots = append(in.Shots, s)
	}
	for _, m := range tick.Messages {
		in.Messages = append(in.Messages, Message{t, m.To, append([]byte(nil), m.Bytes...)})
		if k, ok := arena.KillOf(m.Bytes); ok && in.Game == Game {
			in.Kills = append(in.Kills, Kill{t, k.Killer, k.Victim, k.Weapon, k.HitGroup.String(), k.HitGroup == rig.Head, k.Distance})
		}
	}
	for i := range tick.Fields {
		f := &tick.Fields[i]
		if n, ok := here[session.PlayerID(f.ID)]; ok {
			in.Players[n].setField(f)
		}
	}
}

// setField records a field of the player.
func (p *Presence) setField(f *record.Field) {
	switch f.Name {
	case "name":
		p.Name = f.Text
	case "bot":
		p.Bot = f.Number == 1
	case "team":
		p.Team = uint8(f.Number)
	}
}

// updatePresence records the state of a player's place.
func (in *Info) updatePresence(p *record.Player, t float64, here map[session.PlayerID]int) {
	i, was := here[p.ID]
	switch {
	case was && !p.Taken:
		in.leave(i, t)
		delete(here, p.ID)
		return
	case !p.Taken:
		return
	case !was:
		i = len(in.Players)
		here[p.ID] = i
		in.Players = append(in.Players, Presence{ID: p.ID, Name: p.Name, From: t, Disconnected: [][2]float64{}})
	}
	away := &in.Players[i].Disconnected
	open := len(*away) > 0 && (*away)[len(*away)-1][1] == 0
	switch {
	case p.Connected && open:
		(*away)[len(*away)-1][1] = t
	case !p.Connected && !open:
		*away = append(*away, [2]float64{t, 0})
	}
}

// leave ends a stay.
func (in *Info) leave(i int, t float64) {
	p := &in.Players[i]
	p.To = t
	if n := len(p.Disconnected); n > 0 && p.Disconnected[n-1][1] == 0 {
		p.Disconnected[n-1][1] = t
	}
}

func shown(s *record.Shot, tick uint32, t float64) Shot {
	r := &s.Receipt
	o := &r.Outcome
	out := Shot{
		T: t, Tick: tick, Shooter: r.Shooter, Number: r.Shot, Weapon: r.Weapon,
		ViewRequested: r.ViewRequested.Seconds(), ViewGranted: r.ViewGranted.Seconds(),
		Verdict: [...]string{"refused", "miss", "hit", "launched"}[min(r.Verdict, shot.Launched)], Reason: r.Reason.String(),
		Impact: "nothing", Distance: o.Distance, Damage: r.Damage, Agrees: r.Agrees,
		DamageEvents: []DamageEvent{}, Eye: array(s.Eye), Point: array(o.Point), Yaw: s.Yaw, Pitch: s.Pitch,
	}
	switch o.Kind {
	case rewind.World:
		out.Impact = "world"
	case rewind.Player:
		out.Impact, out.Target, out.Part = "player", o.Target, o.HitGroup.String()
	}
	for i := range r.Events[:r.EventCount] {
		h := &r.Events[i]
		out.DamageEvents = append(out.DamageEvents, DamageEvent{h.Target, h.HitGroup.String(), h.Damage, h.Reason.String()})
	}
	return out
}

// weaponsOf returns the weapons of a match's configuration.
func weaponsOf(config []byte) []Weapon {
	var c struct{ Weapons shot.Table }
	if json.Unmarshal(config, &c) != nil {
		return []Weapon{}
	}
	out := []Weapon{}
	for i := range c.Weapons {
		w := &c.Weapons[i]
		out = append(out, Weapon{w.Name, w.Kind.String(), w.Blast.Radius})
	}
	return out
}

func array(v geom.Vec3) [3]float64 { return [3]float64{v.X, v.Y, v.Z} }
