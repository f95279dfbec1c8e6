// Package conformance is docs/protocol.md as code of its own: every packet read and
// written field by field, beside and not by session and predict, so that a difference
// between page and code shows. Start at Vector, a message and what it says; Entry is a
// line of a recorded session, Machine plays those by our own ends, Answer is a bad packet
// and what must come of it.
//
// The suite is testdata/conformance at the top of the repository. Its tests hold our ends
// to it; with -update they rewrite it, and the examples in docs/protocol.md, which is
// right only where the format is meant to change: together with session.Version.
// Command check, in the folder below, reads vectors that others made.
package conformance
