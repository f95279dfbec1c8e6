package session

// Respawn begins a new life of a player in a state: SetState that others never see as a way from the
// old place, also where that is near. It returns the number of the life, which hits name: a hit on
// an earlier one does nothing to this one (GAP-50). With health in a damage.Ledger, a spawn or
// respawn into a team is one line:
//
//	ledger.Spawn(id, server.Respawn(id, state), red)
//
// A game whose Pose counts lives itself (track.GameData.Life) does not need it. Where the seat is free
// nothing happens.
func (s *Server[S, C]) Respawn(id PlayerID, state S) (life uint8) {
	t := s.seats.player(id)
	if t.taken {
		t.remote.lives++
		t.remote.motion.begun = false // the stance does not fade from that of the old life
		s.SetState(id, state)
	}
	return s.rules.game.Pose(&state).Life + t.remote.lives
}
