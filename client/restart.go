package client

import (
	"context"
	"errors"
	"time"
)

const (
	// askAfter is the silence after which a client asks whether its server was started again, and the time
	// between two such requests. A server sends several packets in that time.
	askAfter = 500 * time.Millisecond
	// askTimeout bounds one.
	askTimeout = 2 * time.Second
)

// errRestarted is a connection to a process that is no more.
var errRestarted = errors.New("client: the server was started again")

// restartWatch finds out that a silent server was started again. A WebSocket ends with its server. A QUIC
// connection does not: its probes are too short for a stateless reset as soon as nothing is acknowledged any
// more, so that it would wait for its idle timeout. The answer to a join request names the start of the server.
type restartWatch struct {
	askedAt time.Time
	answer  chan string // of the request that is under way; nil: none
	cancel  context.CancelFunc
}

// restarted reports whether the server of the connection has been started again. It never waits.
func (l *link) restarted(now time.Time) bool {
	w := &l.restart
	select {
	case id := <-w.answer:
		w.stop()
		return id != "" && id != l.server.Server
	default:
	}
	if w.answer == nil && l.server.Server != "" && now.Sub(l.heardAt) > askAfter && now.Sub(w.askedAt) > askAfter {
		w.askedAt = now
		w.ask(l.server.URL, l.connector.config)
	}
	return false
}

// ask begins a request.
func (w *restartWatch) ask(address string, config Config) {
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	answer := make(chan string, 1)
	w.answer, w.cancel = answer, cancel
	go func() {
		id := ""
		if s, err := Find(ctx, address, config); err == nil {
			id = s.Server
		}
		answer <- id
	}()
}

// stop gives up the request that is under way.
func (w *restartWatch) stop() {
	if w.answer != nil {
		w.cancel()
		w.answer = nil
	}
}
