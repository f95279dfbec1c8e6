package lab

// Cheat describes a cheat of scenarios.
type Cheat struct {
	Name string // the word for it in a scenario's key cheat
	Does string // what the client does and how the server answers: sentences for users
}

// Cheats returns all cheats.
func Cheats() []Cheat {
	return []Cheat{
		{"speed", "Every command claims to last twice as long as its frame took, or rate times, to walk as much faster. " +
			"The server lets moves last longer than their stamps advance by 250 ms in all, refuses what is beyond, and corrects."},
		{"teleport", "Once a second the client puts itself 10 m ahead and claims to be there. " +
			"The server knows where its moves lead, and corrects."},
		{"backdate", "Every shot claims a view 400 ms older than the one drawn, or hold, and is aimed at where its target was drawn then, to hit players that have hidden since. " +
			"The server refuses a view older than the shooter's link explains."},
		{"nocooldown", "The client fires in every frame, ready or not. " +
			"The server steps cool-down and magazine itself, and fires no shot that they do not allow."},
		{"aimthrough", "The client claims to have hit its target through walls. " +
			"The server casts the shot itself and believes no claim."},
		{"lag", "A lag switch holds all packets to the server for a while and then sends them at once, again and again, " +
			"to act unseen and be judged by old stamps. " +
			"The server continues silent players itself, drops the moves that arrive later for that time, and corrects."},
		{"burst", "Commands claim to last several times as long, but only for short bursts, " +
			"to spend a time budget that refills. " +
			"The server refills its budget only with moves that last less than their stamps advance."},
		{"ping", "The client delays all its packets, so that its round trip looks longer and more of the past is compensated. " +
			"The server compensates the measured round trip up to the cap of the match or the weapon."},
		{"forge", "Every shot is aimed 20° aside and claims in turn: the head of the target, a weapon that does not exist, " +
			"a snapshot that was never sent, a view of the future, and a view of old snapshots. " +
			"The server believes no claim, refuses impossible ones, and casts the others along their aim."},
		{"duplicate", "Every shot is claimed again by the next two commands, with the same view and aim. " +
			"The server fires what cool-down and magazine allow, and judges each command once."},
		{"withhold", "For a while, again and again, the client acknowledges no snapshot, so that its link looks worse, and claims views that are older by as much. " +
			"The server credits the view delay that an honest client would have on that link, up to the cap, and no sooner than an honest view would have it."},
	}
}
