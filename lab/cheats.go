package lab

// Cheat is a way to cheat that a scenario's player can have.
type Cheat struct{ Name, Does string }

// Cheats are all of them, each with what it does and what a server should make of
// it, in a sentence or two.
func Cheats() []Cheat {
	return []Cheat{
		{"speed", "Every command claims to last twice as long as its frame took, or rate times, to walk as much faster. " +
			"The server lets moves last longer than their stamps advance by 250 ms in all, refuses what is beyond, and corrects."},
		{"teleport", "Once a second the client puts itself 10 m ahead and claims to be there. " +
			"The server knows where its moves lead, and corrects."},
		{"backdate", "Every shot claims a view 400 ms older than the one drawn, or hold, and is aimed at where its target was drawn then, to hit those who have hidden since. " +
			"The server refuses a view older than the shooter's line explains."},
		{"nocooldown", "The client fires in every frame, ready or not. " +
			"The server steps cool-down and magazine itself, and fires no shot that they do not allow."},
		{"aimthrough", "The client claims to have hit whoever it aimed at, whatever stood between. " +
			"The server casts the shot itself and takes a claim for a claim."},
		{"lag", "A switch in the way up holds everything for a while and then lets it go at once, again and again, " +
			"to act unseen and be judged by old stamps. " +
			"The server carries on who is silent, drops the moves that come later for that time, and corrects."},
		{"burst", "Commands claim to last several times as long, but only for a moment now and then, " +
			"to use a slack that somebody might refill. " +
			"The server's slack is refilled by nothing but moves that last less than their stamps advance."},
		{"ping", "All that the client sends is delayed, to make its line look longer and be granted more of the past. " +
			"The server grants the round trip that it measures up to the cap of the match or the weapon, and nothing beyond."},
		{"forge", "Every shot is aimed 20° aside and claims what cannot be, in turn: the head of whoever it aimed at, a weapon that there is not, " +
			"a snapshot that was never sent, a view of the future, and one from snapshots of long ago. " +
			"The server takes a claim for a claim, refuses what makes no sense, and casts the rest where they were aimed."},
		{"duplicate", "Every shot is claimed again by the next two commands, with the same view and aim. " +
			"The server fires what cool-down and magazine allow, and judges each command once."},
		{"withhold", "For a while, again and again, the client acknowledges no snapshot that came, to make its line look worse, and claims views that are older by as much. " +
			"The server credits the view delay that an honest client would have on that line, up to the cap, and no sooner than its view would get there."},
	}
}
