package arena

import "github.com/backstep-net/backstep/bits"

// KillOf reads a match's message and reports whether it is a kill.
func KillOf(message []byte) (Kill, bool) {
	n, ok := messageOf(message)
	return n.kill, ok && n.kind == messageKill
}

// ScoreOf reads a match's message and reports whether it is a line of the scoreboard.
func ScoreOf(message []byte) (Score, bool) {
	n, ok := messageOf(message)
	return n.score, ok && n.kind == messageScore
}

func messageOf(message []byte) (n message, ok bool) {
	var p bits.Packer
	p.Read(message)
	n.pack(&p)
	p.End()
	return n, p.Err() == nil
}
