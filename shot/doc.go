// Package shot implements weapons: weapon data, the predicted state of a loadout, the claim of a
// shot in a command, the server's verdict on it, and projectiles. Start at [Weapon] and [Loadout]
// for what both ends simulate, at [Caster] and [Flight] for what both ends cast, and at [Judge]
// for the server.
//
// The shooter's client steps its Loadout, casts the shot into the view that it drew, and shows the
// hit at once. The server steps the same Loadout, rebuilds the view that the claim names, and
// casts again with the same code. Only the server's cast counts; the client's result is compared
// and reported, and decides nothing (HIT-10).
//
// Read weapon.go, loadout.go and claim.go, then cast.go, judge.go, shooter.go and receipt.go, then flight.go
// and ballistics.go.
//
//	client: Loadout.Claims → Caster.Cast → HitSet.FillClaim → command
//	server: Loadout.Step → Judge.Judge → Receipt.ConfirmDamage → damage
//	both:   Launch → Flight.Advance every frame → Detonation → a second receipt
package shot
