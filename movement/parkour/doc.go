// Package parkour adds ladders, mantling, sliding and lying prone to package movement. It
// is an example of moves that a game can have of its own: it uses the public API alone, and
// a game may use it as it is or copy it. Start at [Step].
//
// A game embeds [movement.State], keeps a [State] beside it, and steps by [Step] instead of
// [movement.Step]:
//
//	type Hero struct {
//		movement.State
//		Parkour parkour.State
//	}
//
//	game := session.Game[Hero, Command]{
//		Step: func(m *session.Move, h *Hero, c *Command) {
//			parkour.Step(&model, &h.Parkour, &h.State, &c.Command, m.Duration, m.World, &m.Motor)
//		},
//		PackState: func(p *bits.Packer, h *Hero) { h.State.Pack(p); h.Parkour.Pack(p) },
//	}
//	character.Fill(&game, &model.Model)
//
// All four are predicted: client and server get the same bits from the same commands.
//
// # The moves
//
// A ladder is a volume of the level whose name begins with "ladder", in front of a steep
// wall. Input towards the wall climbs up, input away climbs down, input aside goes along
// the wall. Jump leaps off, Crouch lets go. Near the top of the wall the climber mantles
// onto it. A character that falls in front of the wall grabs it when it faces it, so one
// that backs off the roof is on the ladder. Let the volume reach a
// metre in front of the wall and half a metre above its top. Volumes do not move, and
// neither do ladders.
//
// A mantle pulls the character onto a ledge ahead: on the press of Jump with the input
// ahead, in the air for as long as Jump is held. It takes a time that follows from the
// height, and its path follows from the time alone, so it is the same at every frame rate.
// The ledge may be on a mover.
//
// A slide begins when a character crouches that runs fast enough. Friction slows it, slopes
// speed it up or slow it down, input turns it a little. It ends when it is slow, when Crouch
// is released, or in the air; then the character stands, or stays crouched where it lacks room.
//
// Prone is a stance lower than crouched, while the button [ProneButton] of
// movement.Command.Buttons is held on the ground. A character gets up as far as there is room.
//
// Ladder and mantle are modes ([movement.Custom] and up). Slide and prone are not: they walk
// (mode Walking), with a velocity (StepContext.Coast) and a height (Body.SetHalfHeight) of their
// own, and so have steps, slopes, moving bases and other characters like any walker.
package parkour
