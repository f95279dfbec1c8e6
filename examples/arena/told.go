package arena

import "github.com/backstep-net/backstep/bits"

// KillOf reads a message that a match told its players, and reports whether it is of a
// kill.
func KillOf(message []byte) (Kill, bool) {
	n, ok := noteOf(message)
	return n.kill, ok && n.kind == tellKill
}

// ScoreOf reads a message that a match told its players, and reports whether it is a
// line of the scoreboard.
func ScoreOf(message []byte) (Score, bool) {
	n, ok := noteOf(message)
	return n.score, ok && n.kind == tellScore
}

func noteOf(message []byte) (n note, ok bool) {
	var p bits.Packer
	p.Read(message)
	n.pack(&p)
	p.End()
	return n, p.Err() == nil
}
