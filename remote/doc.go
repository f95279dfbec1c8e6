// Package remote is the others as one client draws them: the frames that came,
// a view time that runs smoothly a little behind the match, and every other
// character at that view. Start at Remotes.
//
// What is drawn follows from the View alone, so a server that is told the view has the same
// bits: track.Interpolator is the one function for both. By default (Interpolate) the view's delay
// adapts to how late samples come (delay.go), and news that would make somebody jump is healed
// as part of the view (recover.go). The modes Linear and Exponential draw nearer to now: they
// carry the newest sample on and hide what news moves it by; the view says when news came
// (onward.go).
package remote
