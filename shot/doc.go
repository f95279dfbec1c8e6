// Package shot is shooting: weapons as data, ammunition as predicted state, the
// claim that rides in a command, and the verdict on it. Start at Weapon and Ammo
// for what both ends simulate, at Judge for what only the server does.
//
// The shooter's client steps Ammo, casts at what it drew and shows the hit at
// once. The server steps the same Ammo, rebuilds the picture that the claim names
// and casts again. Only the server's cast counts; what the client saw is compared
// and reported, never believed (HIT-10).
package shot
