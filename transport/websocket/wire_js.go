package websocket

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall/js"
	"time"

	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/internal/pump"
)

const (
	// readyBelow is how many bytes may wait in the socket before a batch waits here, where
	// a newer one can replace it.
	readyBelow = 4 << 10
	// bufferPoll is how often a message looks for room in the socket's buffer.
	bufferPoll = 5 * time.Millisecond
	// maxUnread bounds the bytes that wait for the reader: a browser's socket cannot be
	// told to stop.
	maxUnread = 1 << 20
)

// closeEvent is the end of a socket, as its close event has it.
type closeEvent struct {
	code   int
	reason string
}

// Error names the code and the reason.
func (e *closeEvent) Error() string { return fmt.Sprintf("close code %d: %s", e.code, e.reason) }

var errUnread = errors.New("websocket: the game does not drain its connection")

// wire is the pump.Wire of one WebSocket of the JavaScript environment. Its callbacks run
// on the event loop and must not block: they queue what came for the reader.
type wire struct {
	framing
	socket    js.Value
	array     js.Value // the constructor Uint8Array
	callbacks map[string]js.Func
	opened    chan struct{} // closed by the open event
	closed    chan struct{} // closed by the close event
	arrived   chan struct{} // holds one token: frames wait

	mu     sync.Mutex
	frames [][]byte
	unread int   // bytes of frames
	bad    error // an invalid frame came
	end    *closeEvent
}

var _ pump.Wire = (*wire)(nil)

// Dial connects to a server's WebSocket, "ws://host:port/ws" or "wss://…". ctx bounds the
// handshake only. The server accepts the connection when the first stream message arrives:
// send one. JavaScript does not say why a handshake failed.
func Dial(ctx context.Context, url string) (transport.Conn, error) {
	w, err := open(url)
	if err == nil {
		select {
		case <-w.opened:
			return w.start(), nil
		case <-w.closed:
			err = w.end
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		w.Shut("")
	}
	return nil, fmt.Errorf("websocket: dialing %s: %w", url, err)
}

// open creates the socket and listens to its events. The constructor throws on an invalid
// URL, and in a page of https: on a URL of ws:.
func open(url string) (w *wire, err error) {
	constructor := js.Global().Get("WebSocket")
	if constructor.IsUndefined() {
		return nil, errors.New("this JavaScript environment has no WebSocket; Node has one from version 22")
	}
	defer func() {
		if thrown, ok := recover().(js.Error); ok {
			w, err = nil, thrown
		}
	}()
	w = &wire{
		socket: constructor.New(url), array: js.Global().Get("Uint8Array"), framing: framing{url},
		opened: make(chan struct{}), closed: make(chan struct{}), arrived: make(chan struct{}, 1),
	}
	w.socket.Set("binaryType", "arraybuffer")
	w.callbacks = map[string]js.Func{
		"onopen":    callback(func(js.Value) { close(w.opened) }),
		"onclose":   callback(w.onClose),
		"onmessage": callback(w.onMessage),
	}
	for name, f := range w.callbacks {
		w.socket.Set(name, f)
	}
	return w, nil
}

// callback makes a JavaScript function of one argument.
func callback(f func(event js.Value)) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any { f(args[0]); return nil })
}

func (w *wire) onClose(event js.Value) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.end = &closeEvent{code: event.Get("code").Int(), reason: event.Get("reason").String()}
	close(w.closed)
}

func (w *wire) onMessage(event js.Value) {
	w.mu.Lock()
	defer w.mu.Unlock()
	data := event.Get("data")
	var b []byte
	binary := data.Type() == js.TypeObject
	if binary {
		from := w.array.New(data)
		b = make([]byte, from.Length())
		js.CopyBytesToGo(b, from)
	}
	switch err := check(binary, b); {
	case w.bad != nil:
		return
	case err != nil:
		w.bad = err
	case w.unread+len(b) > maxUnread:
		w.bad = errUnread
	default:
		w.frames, w.unread = append(w.frames, b), w.unread+len(b)
	}
	select {
	case w.arrived <- struct{}{}:
	default:
	}
}

// take returns the frames that wait, oldest first, and why no more may follow.
func (w *wire) take() ([][]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	frames := w.frames
	w.frames, w.unread = nil, 0
	return frames, w.bad
}

// start makes the connection and starts its reader.
func (w *wire) start() *pump.Conn {
	c := pump.New(w)
	go w.read(c)
	return c
}

// read moves packets into the inbox. What came before the end is received before it.
func (w *wire) read(c *pump.Conn) {
	for ended := false; ; {
		frames, bad := w.take()
		for _, b := range frames {
			if !c.Receive(transport.Channel(b[0]), b[1:], time.Now()) {
				return
			}
		}
		switch {
		case bad != nil:
			c.End(false, bad.Error(), bad)
			return
		case ended:
			c.Fail(w.end)
			return
		}
		select {
		case <-w.arrived:
		case <-w.closed:
			ended = true
		case <-c.Done():
			return
		}
	}
}

// Datagram implements pump.Wire.
func (w *wire) Datagram(b []byte) error {
	w.send(append([]byte{byte(transport.Datagram)}, b...))
	return nil
}

// Ready implements pump.Wire.
func (w *wire) Ready() bool { return w.buffered() <= readyBelow }

// Write implements pump.Wire. It writes whole messages, since half a WebSocket message
// cannot be taken back, and none while the socket's buffer is full.
func (w *wire) Write(b []byte, until time.Time) (int, error) {
	for w.buffered() > sendBuffer {
		if !time.Now().Before(until) {
			return 0, nil
		}
		time.Sleep(bufferPoll)
	}
	w.send(b)
	return len(b), nil
}

// buffered returns how many bytes wait in the socket.
func (w *wire) buffered() int { return w.socket.Get("bufferedAmount").Int() }

// send writes one binary message. A socket that has closed ignores it.
func (w *wire) send(b []byte) {
	to := w.array.New(len(b))
	js.CopyBytesToJS(to, b)
	w.socket.Call("send", to)
}

// Shut implements pump.Wire.
func (w *wire) Shut(reason string) {
	w.socket.Call("close", 1000, reason)
	select {
	case <-w.closed:
	case <-time.After(closeTimeout):
	}
	for name, f := range w.callbacks {
		w.socket.Set(name, js.Null())
		f.Release()
	}
}

// Cause implements pump.Wire: the browser reports an end in one way.
func (w *wire) Cause(err error) error { return err }

// Explain implements pump.Wire.
func (w *wire) Explain(err error) string {
	var closed *closeEvent
	switch {
	case !errors.As(err, &closed):
		return "connection lost"
	case closed.reason != "":
		return closed.reason
	case closed.code == 1000 || closed.code == 1001:
		return "socket closed"
	}
	return "connection lost"
}
