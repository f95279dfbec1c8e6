package combat

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/session/notice"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Events is what a Client reports to its game.
type Events interface {
	// ShotJudged is called with the server's receipt of a shot of the player.
	ShotJudged(r shot.Receipt)
	// Seen is called for a shot of another player, and for the end of its projectile when the view
	// reaches that time. The argument is valid until it returns.
	Seen(s *SeenShot)
	// Detonated is called for the end of a projectile that the player fired, and again if the server
	// has it end at another point.
	Detonated(at geom.Vec3, r shot.Receipt, again bool)
	// Damaged is called for damage that the player took. The argument is valid until it returns.
	Damaged(d *Damage)
}

// ClientShot is a shot as its shooter's screen showed it, for measuring.
type ClientShot struct {
	Number uint32     // of the command that carries it
	Claim  shot.Claim // as sent to the server
	// Eye is the origin of the shot, Outcome the hit that counts most (Claim.SeenHit). Outcomes has one
	// hit for each pellet of a weapon with rays, one for each target of a blade, none for a projectile.
	Eye      geom.Vec3
	Outcome  rewind.Outcome
	Outcomes []rewind.Outcome
	// Targets are the entities of the view that it was aimed into.
	Targets []track.Entity
}

// Counters are the verdicts on a client's shots.
type Counters struct {
	Agreed    uint64 // shots that were judged as this client's screen showed them
	Disagreed uint64 // shots that were judged otherwise, refused ones too
	Refused   uint64 // shots that were not judged at all: their player was dead, or still reloading
	Hits      uint64 // shots that hit a target, as the server judged
}

func (n *Counters) add(r *shot.Receipt) {
	if r.Agrees {
		n.Agreed++
	} else {
		n.Disagreed++
	}
	if r.Verdict == shot.Refused {
		n.Refused++
	}
	if r.Verdict == shot.Hit {
		n.Hits++
	}
}

// Client handles the shots of one player: it casts them into the view that was drawn last, flies their
// projectiles, and compares both with the server's receipts.
type Client struct {
	events Events
	player track.ID
	seats  int
	others *remote.Remotes
	drawn  track.View
	world  *collide.World

	cast   *rewind.Scene
	caster shot.Caster
	swung  shot.SwingState
	aimed  ClientShot   // the last aim, until the next command
	fired  []ClientShot // by the commands of the newest frame

	projectiles projectiles
	ends        []SeenShot // of others' projectiles that the view has not come to yet
	counters    Counters
	taken       struct{ receipts, shots, damage notice.Reader }
}

// NewClient returns a Client that reports to events. scene returns an empty scene with the game's hitboxes
// and rules.
func NewClient(events Events, scene func() *rewind.Scene) *Client {
	return &Client{events: events, cast: scene(), projectiles: projectiles{scene: scene()}}
}

// Join sets the player's id, the seats of the match, the source of the other players' samples, and the
// seed of the match.
func (c *Client) Join(player track.ID, seats int, others *remote.Remotes, seed uint64) {
	c.player, c.seats, c.others, c.caster.Seed = player, seats, others, seed
}

// Counters returns the verdicts so far.
func (c *Client) Counters() Counters { return c.counters }

// BeginFrame forgets the shots of the frame before.
func (c *Client) BeginFrame() { c.fired = c.fired[:0] }

// FiredShots are the shots of this frame's commands, valid until the next BeginFrame.
func (c *Client) FiredShots() []ClientShot { return c.fired }

// Aim completes a claim as a shot from an eye into the view that was drawn last, its movers
// and riders as they stand where the next command, of that number, begins. It returns what
// the shot hits there: nothing yet for a blade or a projectile. The view is kept with it,
// since the command that carries it may not be made for some frames, and may begin at
// another time than drawn.
func (c *Client) Aim(claim *shot.Claim, number uint32, eye geom.Vec3, begins clock.Micros, weapons shot.Table) []rewind.Outcome {
	view := c.drawn
	// The server casts at the beginning of the command, where movers are a frame earlier or
	// later than drawn.
	view.Platform = max(begins, view.At)
	c.aimed.Targets = c.others.Targets(view, c.world, c.aimed.Targets[:0])
	claim.Fire, claim.View = true, view
	// What the game left in the claim must not be sent.
	claim.SeenHit, claim.SceneSum = rewind.HitTarget{}, 0
	// Cast with what the server will read, or a shot at the edge of a hitbox is judged otherwise
	// than shown.
	*claim = claim.Quantise()
	c.aimed.Eye, c.aimed.Outcome, c.aimed.Outcomes = eye, rewind.Outcome{}, c.aimed.Outcomes[:0]
	if w := &weapons[claim.Weapon]; w.Kind == shot.Hitscan {
		c.trace(w, &shot.FireParams{Shooter: c.player, Number: number, Eye: eye, Claim: claim}, begins)
	}
	return c.aimed.Outcomes
}

// SwapAim exchanges the current aim with one that was stored earlier: for an input that waits for its
// command.
func (c *Client) SwapAim(other *ClientShot) { c.aimed, *other = *other, c.aimed }

// Fired completes a shot once the command that carries it has been made: a blade cuts through the part of
// its swing that the command covers, a projectile leaves.
func (c *Client) Fired(l *shot.FireParams, begins clock.Micros, weapons shot.Table) {
	l.Shooter = c.player
	switch w := &weapons[l.Claim.Weapon]; {
	case !l.Result.Fired:
	case w.Kind == shot.Melee:
		c.trace(w, l, begins)
	case w.Kind == shot.Projectile:
		c.launch(w, l, begins)
	}
}

// trace casts a shot into the view that it was aimed into, and stores its hits, in the claim too.
func (c *Client) trace(w *shot.Weapon, l *shot.FireParams, begins clock.Micros) {
	c.cast.Set(collide.WorldAt{World: c.world, At: max(begins, l.Claim.View.At)}, c.aimed.Targets)
	hits := c.caster.Cast(c.cast, w, l, &c.swung)
	hits.FillClaim(w, l.Claim)
	c.aimed.Eye, c.aimed.Outcome = l.Eye, hits.Outcome
	c.aimed.Outcomes = append(c.aimed.Outcomes[:0], c.caster.Rays()...)
	if len(c.aimed.Outcomes) == 0 {
		c.aimed.Outcomes = append(c.aimed.Outcomes, hits.Outcome)
	}
}

// Sent stores the aim together with the command that carries the claim.
func (c *Client) Sent(number uint32, claim *shot.Claim) {
	if !claim.Fire {
		return
	}
	// Each frame reuses the slices of the shots of earlier frames.
	n := len(c.fired)
	if n == cap(c.fired) {
		c.fired = append(c.fired, ClientShot{})
	}
	c.fired = c.fired[:n+1] // an older entry, whose slices are reused
	f := &c.fired[n]
	*f, c.aimed = c.aimed, ClientShot{Outcomes: f.Outcomes[:0], Targets: f.Targets[:0]}
	f.Claim, f.Number = *claim, number
}

// Draw sets the view that a frame shows and the player's own pose, and advances its projectiles to that view.
// Projectiles and shots that ended by then are reported.
func (c *Client) Draw(view track.View, w *collide.World, self track.Sample, weapons shot.Table) {
	c.drawn, c.world = view, w
	c.fly(weapons, self)
	n := 0
	for i := range c.ends {
		if g := &c.ends[i]; g.At <= view.At {
			c.events.Seen(g)
		} else {
			c.ends[n] = *g
			n++
		}
	}
	c.ends = c.ends[:n]
}

// Receive handles the notices of a datagram. Notices are repeated until acknowledged, so only those that are
// newer than the last one count.
func (c *Client) Receive(n *Notices) {
	receipts := notice.New(&c.taken.receipts, &n.Receipts)
	for i := range receipts {
		c.confirm(&receipts[i].Receipt)
	}
	shots := notice.New(&c.taken.shots, &n.Shots)
	for i := range shots {
		c.see(&shots[i])
	}
	damage := notice.New(&c.taken.damage, &n.Damage)
	for i := range damage {
		c.events.Damaged(&damage[i])
	}
}

// maxEnds is how many ends of projectiles can wait for the view to reach their time. If there are more, the
// oldest is reported at once.
const maxEnds = 32

// see handles a shot of another player, or the end of its projectile, which is reported when the view
// reaches its time.
func (c *Client) see(g *SeenShot) {
	if !g.Ended {
		c.events.Seen(g)
		return
	}
	// Shown early, because it would be dropped otherwise.
	if len(c.ends) == maxEnds {
		c.events.Seen(&c.ends[0])
		c.ends = append(c.ends[:0], c.ends[1:]...)
	}
	c.ends = append(c.ends, *g)
}
