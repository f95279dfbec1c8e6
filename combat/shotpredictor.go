package combat

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Predictor is the client's side of combat: a Client, which predicts what its player's shots hit, or one that does
// nothing in a game without shots. The session calls no method of Client directly, or the linker would keep all of it in
// every browser core.
type Predictor interface {
	// ReadTable reads the match's table of weapons, as shot.ReadTable does.
	ReadTable(b []byte) (shot.Table, error)
	// Join sets the player's id, the seats of the match, the source of the other players' samples, and
	// the seed of the match.
	Join(player track.ID, seats int, others *remote.Remotes, seed uint64)
	// Counters returns the verdicts so far.
	Counters() Counters
	// BeginFrame forgets the shots of the frame before.
	BeginFrame()
	// FiredShots are the shots of this frame's commands, valid until the next BeginFrame.
	FiredShots() []ClientShot
	// Aim completes a claim as a shot from an eye into the view that was drawn last.
	Aim(claim *shot.Claim, number uint32, eye geom.Vec3, begins clock.Micros, weapons shot.Table) []rewind.Outcome
	// SwapAim exchanges the current aim with a stored one.
	SwapAim(other *ClientShot)
	// Fired completes a shot once its command was made.
	Fired(l *shot.FireParams, begins clock.Micros, weapons shot.Table)
	// Sent stores the aim with the command that carries the claim.
	Sent(number uint32, claim *shot.Claim)
	// Draw sets the view that a frame shows, and advances projectiles to it.
	Draw(view track.View, w *collide.World, self track.Sample, weapons shot.Table)
	// Receive handles the notices of a datagram.
	Receive(n *Notices)
	// Projectiles returns the player's own projectiles in the air, as the last Draw left them.
	Projectiles() []Projectile
	// Hides reports whether an entity must not be drawn; see Client.Hides.
	Hides(e *track.Entity, weapons shot.Table) bool
}

// ReadTable reads the match's table of weapons, as shot.ReadTable does.
func (c *Client) ReadTable(b []byte) (shot.Table, error) { return shot.ReadTable(b) }

// unarmed is the Predictor of a game without shots. Notices of shots, which no server of such a
// game sends, change nothing.
type unarmed struct{}

func (unarmed) ReadTable([]byte) (shot.Table, error)             { return nil, bits.ErrRange }
func (unarmed) Join(track.ID, int, *remote.Remotes, uint64)      {}
func (unarmed) Counters() Counters                               { return Counters{} }
func (unarmed) BeginFrame()                                      {}
func (unarmed) FiredShots() []ClientShot                         { return nil }
func (unarmed) SwapAim(*ClientShot)                              {}
func (unarmed) Fired(*shot.FireParams, clock.Micros, shot.Table) {}
func (unarmed) Sent(uint32, *shot.Claim)                         {}
func (unarmed) Receive(*Notices)                                 {}
func (unarmed) Projectiles() []Projectile                        { return nil }
func (unarmed) Hides(*track.Entity, shot.Table) bool             { return false }

func (unarmed) Draw(track.View, *collide.World, track.Sample, shot.Table) {}

func (unarmed) Aim(*shot.Claim, uint32, geom.Vec3, clock.Micros, shot.Table) []rewind.Outcome {
	return nil
}

// Targets is what the shots of a game can hit; session.Game documents the fields.
type Targets struct {
	Hitboxes   func() rewind.HitboxProvider // nil: rig.DefaultRig
	Characters func(kind track.Kind) bool   // nil: kind 0 alone
	Blockers   func() rewind.Blockers       // nil: all movers stop shots
}

// NewScene returns an empty scene.
func (s Targets) NewScene() *rewind.Scene {
	scene := rewind.NewScene(s.NewHitboxes())
	if s.Blockers != nil {
		scene.Blockers = s.Blockers()
	}
	return scene
}

// NewHitboxes returns the game's hitboxes, nil where it has none of its own.
func (s Targets) NewHitboxes() rewind.HitboxProvider {
	if s.Hitboxes != nil {
		return s.Hitboxes()
	}
	if s.Characters != nil {
		return &rewind.Upright{Rig: rig.DefaultRig(), Kinds: s.Characters}
	}
	return nil
}
