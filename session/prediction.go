package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// prediction is a client's own player: its commands, and the state that they lead to before
// the server acknowledges it.
type prediction[S comparable, C any] struct {
	rules            rules[S, C]
	owner            *predict.Owner[S, move[C]] // nil until the server has placed the player
	verdict          predict.Verdict[S]         // scratch
	quantised        C                          // scratch: the input of a frame
	input            move[C]                    // scratch
	stamp            clock.Micros               // of the newest command
	framed           clock.Micros               // match time of the last frame that could make a command
	alpha            float64
	fixed            *fixedTick[S, C] // nil without ClientConfig.Tick
	pending          pendingInput[S, C]
	aimedFor         uint32            // number of the command of the newest aimed shot
	aimed            combat.ClientShot // that shot, as AimedShot returns it
	fired            shot.FireParams   // scratch
	aimYaw, aimPitch float64           // where the trigger of the last frame's input is aimed
	stale            bool              // the last frame was on the screen for too long to shoot into
	teleports        int               // reported so far
	disabled         Disabled
}

// Self returns the player's own state as predicted, nil before the server has placed
// it. It may be read until the next Receive or Frame.
func (c *prediction[S, C]) Self() *S {
	if c.owner == nil {
		return nil
	}
	return c.owner.State()
}

// StateBefore returns the player's own state before its newest command, nil before the server
// has placed it. It may be read until the next Receive or Frame.
func (c *prediction[S, C]) StateBefore() *S {
	if c.owner == nil {
		return nil
	}
	return c.owner.StateBefore()
}

// InterpolationAlpha returns how far the last Frame is between StateBefore and Self, 0 … 1:
// always 1 where each frame makes its command. With ClientConfig.Tick draw the player
// that far on the way, plus Offset; others and bodies are at the same instant.
func (c *prediction[S, C]) InterpolationAlpha() float64 { return c.alpha }

// Offset returns what to add to the drawn position of Self: the rest of the last
// corrections, fading [GAP-38]; zero with Disabled.Prediction.
func (c *prediction[S, C]) Offset() geom.Vec3 {
	if c.owner == nil || c.disabled.Prediction {
		return geom.Vec3{}
	}
	return c.owner.ViewError()
}

// Position returns where Self stands, without Offset.
func (c *prediction[S, C]) Position() geom.Vec3 {
	if c.owner == nil {
		return geom.Vec3{}
	}
	return c.rules.Position(c.owner.State())
}

// Eye returns where Self sees from, without Offset: where its shots leave.
func (c *prediction[S, C]) Eye() geom.Vec3 {
	if c.owner == nil {
		return geom.Vec3{}
	}
	return c.rules.Eye(c.owner.State())
}

// Drawn returns where the last Frame draws the player's character, and where its player looks
// from, in metres: both with Offset, and InterpolationAlpha of the way from StateBefore to Self; with
// Disabled.Prediction as AcknowledgedState has them.
func (c *prediction[S, C]) Drawn() (position, eye geom.Vec3) {
	if c.owner == nil {
		return position, eye
	}
	if c.disabled.Prediction {
		s := c.owner.AcknowledgedState()
		return c.rules.Position(s), c.rules.Eye(s)
	}
	before, offset := c.owner.StateBefore(), c.Offset()
	position = between(c.rules.Position(before), c.Position(), c.alpha).Add(offset)
	eye = between(c.rules.Eye(before), c.Eye(), c.alpha).Add(offset)
	return position, eye
}

// DrawnPose returns how the last Frame draws the player's character: Game.Pose of AcknowledgedState in the world's
// frame, at the position of Drawn, and with a fixed tick turned as far as that. Before the server has placed it, it
// is dead.
func (c *prediction[S, C]) DrawnPose() track.Sample {
	if c.owner == nil {
		return track.Sample{GameData: track.GameData{Dead: true}}
	}
	pose := c.poseOf(c.owner.AcknowledgedState())
	pose.Position, _ = c.Drawn()
	if c.alpha < 1 && !c.disabled.Prediction {
		before := c.poseOf(c.owner.StateBefore())
		pose.Yaw = geom.LerpAngle(before.Yaw, pose.Yaw, c.alpha)
		pose.Pitch = geom.LerpAngle(before.Pitch, pose.Pitch, c.alpha)
	}
	return pose
}

// between returns the point that share of the way from a to b. All of the way is b exactly.
func between(a, b geom.Vec3, share float64) geom.Vec3 {
	if share == 1 {
		return b
	}
	return a.MulAdd(b.Sub(a), share)
}

// AcknowledgedState returns the newest state that the server is known to have of the player, nil before the
// server has placed it. With Disabled.Prediction the character is drawn from it; without, it is Self. It may be
// read until the next Receive or Frame.
func (c *prediction[S, C]) AcknowledgedState() *S {
	if c.owner == nil {
		return nil
	}
	return c.owner.AcknowledgedState()
}

// Newest returns the number of the newest command, 0 before the first.
func (c *prediction[S, C]) Newest() uint32 {
	if c.owner == nil {
		return 0
	}
	return c.owner.Number()
}

// RecentCorrections returns the newest corrections received since joining, at most 16, oldest first, for a display of
// their causes [ACK-14]. They stay in the list until newer ones come; browser.View.Corrections has those
// of one frame. Valid until the next Receive or Frame.
func (c *prediction[S, C]) RecentCorrections() []predict.Correction {
	if c.owner == nil {
		return nil
	}
	return c.owner.RecentCorrections()
}

// LastCorrection returns the newest correction received, the zero Correction before the first.
func (c *prediction[S, C]) LastCorrection() predict.Correction {
	if c.owner == nil {
		return predict.Correction{}
	}
	return c.owner.LastCorrection()
}

// Waiting reports whether a one-time input, such as a shot, is queued for the next command. Further one-time
// input is dropped until then, except the first shot. With ClientConfig.Tick it waits for the next tick;
// without, for 4 ms at most above 250 frames a second (predict.Owner.Advance), and while match time stands still, as
// between two steps of a coarse local clock.
func (c *prediction[S, C]) Waiting() bool { return c.pending.waits || c.fixed != nil && c.fixed.waits }

// pose returns the player's own pose in the world's frame; a dead one before it is in the world.
func (c *prediction[S, C]) pose() track.Sample {
	if c.owner == nil {
		return track.Sample{GameData: track.GameData{Dead: true}}
	}
	return c.poseOf(c.owner.State())
}

// poseOf returns what others see of a state after the newest move, in the world's frame.
func (c *prediction[S, C]) poseOf(s *S) track.Sample {
	pose := c.rules.Pose(s)
	return pose.ToWorld(c.rules.view.World, c.stamp)
}
