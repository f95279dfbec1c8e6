package native

import (
	"errors"
	"sync"
)

// handles are the clients that C has, by number.
var handles struct {
	sync.Mutex
	players map[uint32]player
	last    uint32
}

// hold gives a player a number, which no other gets.
func hold(p player) uint32 {
	handles.Lock()
	defer handles.Unlock()
	if handles.players == nil {
		handles.players = map[uint32]player{}
	}
	handles.last++
	handles.players[handles.last] = p
	return handles.last
}

// held returns the player of a number: of one that is none, a player that has ended.
func held(number uint32) player {
	handles.Lock()
	defer handles.Unlock()
	if p, ok := handles.players[number]; ok {
		return p
	}
	return nobody
}

// release takes the player of a number away.
func release(number uint32) player {
	p := held(number)
	handles.Lock()
	defer handles.Unlock()
	delete(handles.players, number)
	return p
}

// nobody is the player for a number that no player has.
var nobody player = &instance[struct{}, struct{}]{
	err: errors.New("native: there is no such client, or it is closed: pass what bs_connect returned"),
}
