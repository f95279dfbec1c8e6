package splitview

import "github.com/backstep-net/backstep/clock"

// moveLog remembers when the moves that the server ran were drawn on their player's screen. The zero
// moveLog is empty.
type moveLog struct {
	entries [256]moveTime
	count   int
}

// moveTime is one move: the match time that others see it at, and that of the frame that drew it.
type moveTime struct{ seen, drawn clock.Micros }

func (l *moveLog) add(seen, drawn clock.Micros) {
	l.entries[l.count%len(l.entries)] = moveTime{seen, drawn}
	l.count++
}

// newest returns when the newest move was drawn; 0 without any.
func (l *moveLog) newest() clock.Micros { return l.back(0).drawn }

// back returns the entry before so many newer ones, the zero entry where there is none.
func (l *moveLog) back(n int) moveTime {
	if n >= l.count || n >= len(l.entries) {
		return moveTime{}
	}
	return l.entries[(l.count-1-n)%len(l.entries)]
}

// drawnAt returns when the player's own screen drew what a view of that time shows of it.
func (l *moveLog) drawnAt(view clock.Micros) clock.Micros {
	for n := range len(l.entries) - 1 {
		b, a := l.back(n), l.back(n+1)
		if view >= b.seen {
			return b.drawn + view - b.seen // extrapolated
		}
		if a.seen <= view && a.seen < b.seen {
			return a.drawn + (b.drawn-a.drawn)*(view-a.seen)/(b.seen-a.seen)
		}
	}
	return view
}
