// Package movement moves a character: one pure function from a state, a command and a
// duration to the next state, the same bits on every machine. Start at [Step]; a game
// with modes of its own writes the three lines of Step itself, around [StepContext].
//
// # The order of one step [PRF-01]
//
// Begin, once a command:
//
//  1. facing and view are the command's
//  2. mode None: what is pending is dropped and nothing else happens [PRF-02]
//  3. up is where gravity pulls from (gravity.go, BAS-05)
//  4. the base carries it (base.go); movers that moved into it push it out (pushers.go)
//  5. a body that something else moved looks for its floor [PRF-03]
//  6. the volume it is in: water, a jump pad (volume.go, VOL-01)
//  7. jump, if this command is the press [JMP-01, INP-08]
//  8. the command's input becomes an acceleration [INP-06, INP-07]
//  9. root motion that is over is removed (motion.go, RMS-03)
//  10. impulses and forces [PRF-04 … PRF-06]
//  11. crouching and standing up [PRF-08, BAS-03]
//  12. a launch [PRF-07]
//  13. root motion is prepared [RMS-03]
//
// then Advance, until the time is spent: the present mode integrates slices of
// at most 50 ms [PRF-11] until it hands over to another, at most 8 slices and 8
// hand-overs a command. Each mode has its file: walking, falling, swimming,
// flying, navwalk, path. All slide along surfaces by slide.go. When the time is spent,
// Running ends the move: the body turns as its policy says (facing.go, BAS-04), then by
// root motion, and its position on its base is saved.
//
// # A new field, a new tunable
//
// State.fields lists the fields of a State once: packing, the hash and [Differ] follow from
// it (fields.go). The table in tunables.go lists those of a [Model] once: its defaults,
// Check, Set and [TunableNames] follow. A [Command] is compared with ==; Quantise and Pack
// name its fields, because each has a form of its own on the wire.
//
// # A dash, and other motion that is not steered
//
// State.Motion holds root motion sources (package movement/rootmotion). An ability
// of the owner starts in the game's step, before the move, on a flag of the command;
// both ends do that in the same command, so it needs no correction [RMS-21]:
//
//	Step: func(m *session.Move, h *Hero, c *Command) {
//		h.Ready = max(h.Ready-m.Duration, 0)
//		if c.Dash && h.Ready == 0 {
//			dash := rootmotion.Constant(geom.V(0, 0, -12), clock.Second/4) // 3 m ahead
//			dash.Flags = rootmotion.Local | rootmotion.IgnoreVertical
//			dash.Finish, dash.FinishVelocity = rootmotion.Clamp, geom.V(6, 0, 0)
//			if _, ok := h.Motion.Apply(dash, m.World.At); ok {
//				h.Ready = clock.Second
//			}
//		}
//		m.Walk(&model, &h.State, &c.Command)
//	},
//
// The game's ClearOneTime clears the flag (a dash happens once), its PackCommand packs it. A Digest of
// the game's own adds h.Motion.Digest(), which finds that one end began or ended a source in a
// command and the other did not; without one the numbers that the source moves show it.
//
// What the owner cannot predict the server applies, between moves, and the next
// claim is corrected; the correction carries the source [RMS-08]:
//
//	server.Modify(player, func(h *Hero) { h.Motion.Apply(knockBack, now) })
//
// Clips and curves that sources name are in Model.Motion. A mode of the game's own moves by
// [StepContext.UnderMotion] of the velocity it wants.
//
// # Speeds by state
//
// A character that aims, carries or is frozen is slower by its State.SpeedScale, which the
// game sets before the step; client and server derive it from the same state:
//
//	h.SpeedScale = 0 // as the Model says
//	if h.Aiming {
//		h.SpeedScale = 0.6
//	}
//
// A sprint is Command.Sprint with Model.MaxSprintSpeed. Package movement/parkour shows more:
// ladders, mantles, slides, and a stance lower than crouched.
//
// # Fewer moves than frames
//
// Where a client makes one longer move of two, [Model.CanCombine] reports whether movement
// allows it (rows CMB). [Differ] lists the fields in which a prediction was wrong.
// character.Fill sets a game's Combine and Differ from them; a game overrides Combine only if
// its own fields forbid combining.
//
// The body is an upright capsule. It stands on its lowest point, Position, which
// hovers 19 to 24 mm above the floor, so that a sweep over flat ground touches
// nothing, whatever seams the ground has.
package movement
