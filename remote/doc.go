// Package remote is the others as one client draws them: the frames that came,
// a view time that runs smoothly a little behind the match, and every other
// character at that view. Start at Remotes.
package remote
