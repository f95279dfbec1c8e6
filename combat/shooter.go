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

// Shooter is the combat of one player's end of a match: a Client, whose methods say what each
// does, or of a game without shots one that does nothing. The session calls no method of Client
// directly, or the linker would keep all of it in every browser core.
type Shooter interface {
	// ReadTable reads the match's table of weapons, as shot.ReadTable does.
	ReadTable(b []byte) (shot.Table, error)
	// Join says which player it is, how many seats the match has, what the others are drawn from, and
	// the match's seed.
	Join(player track.ID, seats int, others *remote.Remotes, seed uint64)
	// Counters returns the verdicts so far.
	Counters() Counters
	// BeginFrame begins a frame: it forgets the shots of the frame before.
	BeginFrame()
	// FiredShots are the shots of this frame's commands, valid until the next BeginFrame.
	FiredShots() []ClientShot
	// Aim completes a claim as a shot from an eye into the view that was drawn last.
	Aim(claim *shot.Claim, number uint32, eye geom.Vec3, begins clock.Micros, weapons shot.Table) []rewind.Outcome
	// SwapAim exchanges what is aimed with what was aimed earlier.
	SwapAim(other *ClientShot)
	// Fired does with a shot what its command decides.
	Fired(l *shot.FireParams, begins clock.Micros, weapons shot.Table)
	// Sent keeps what was aimed beside the command that carries the claim.
	Sent(number uint32, claim *shot.Claim)
	// Draw takes the view that a frame shows, and moves projectiles on to it.
	Draw(view track.View, w *collide.World, self track.Sample, weapons shot.Table)
	// Receive takes the notices of a datagram.
	Receive(n *Notices)
	// Projectiles are the player's own on their way, as the last Draw left them.
	Projectiles() []Projectile
	// Hides reports whether an entity is not drawn, because the player's own flight is.
	Hides(e *track.Entity, weapons shot.Table) bool
}

// ReadTable reads the match's table of weapons, as shot.ReadTable does.
func (c *Client) ReadTable(b []byte) (shot.Table, error) { return shot.ReadTable(b) }

// unarmed is the Shooter of a game without shots. Notices of shots, which no server of such a
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

// Scenery is what the shots of a game meet; session.Game documents the fields.
type Scenery struct {
	Hitboxes   func() rewind.HitboxProvider // nil: rig.DefaultRig
	Characters func(kind track.Kind) bool   // nil: kind 0 alone
	Blockers   func() rewind.Blockers       // nil: all bodies stop shots
}

// NewScene returns an empty scene.
func (s Scenery) NewScene() *rewind.Scene {
	scene := rewind.NewScene(s.NewHitboxes())
	if s.Blockers != nil {
		scene.Blockers = s.Blockers()
	}
	return scene
}

// NewHitboxes returns the game's hitboxes, nil where it has none of its own.
func (s Scenery) NewHitboxes() rewind.HitboxProvider {
	if s.Hitboxes != nil {
		return s.Hitboxes()
	}
	if s.Characters != nil {
		return &rewind.Upright{Rig: rig.DefaultRig(), Kinds: s.Characters}
	}
	return nil
}
