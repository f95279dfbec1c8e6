// Package shot is shooting: weapons as data, arms as predicted state, the claim that rides
// in a command, the verdict on it, and what flies. Start at Weapon and Arms for what both
// ends simulate, at Caster and Flight for what both ends cast, at Judge for what only the
// server does.
//
// The shooter's client steps Arms, casts at what it drew and shows the hit at once. The
// server steps the same Arms, rebuilds the picture that the claim names and casts again, by
// the same code. Only the server's cast counts; what the client saw is compared and
// reported, never believed (HIT-10).
//
//	client: arms.Claims → caster.Cast(scene) → met.Claimed(&claim) → command
//	server: arms.Step → judge.Judge(shot) → receipt.Settle → damage
//	both:   Launch → flight.Advance, frame by frame → Burst → a second receipt
package shot
