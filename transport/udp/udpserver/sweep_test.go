package udpserver

import (
	"net/netip"
	"testing"
	"time"

	"github.com/backstep-net/backstep/transport/internal/pump"
	"github.com/backstep-net/backstep/transport/internal/udpwire"
)

// THR-32: a listener without clients is closed at the instant at which one comes that nobody hears of again. Close does
// not wait for its end in vain: the goroutine of the timers goes on until then, whichever of the two it learns first.
func TestCloseWhileTheFirstClientComes(t *testing.T) {
	for range 20 { // select picks either
		l := &Listener{places: pump.NewAcceptQueue(), done: make(chan struct{}), wake: make(chan struct{}, 1), peers: map[uint32]*peer{}}
		l.socket = &Socket{}
		l.socket.out = newOutbox(l.socket)
		l.socket.out.mu.Lock() // holds the goroutine up when it has found no client
		ended := make(chan struct{})
		go func() { defer close(ended); l.sweep() }()
		for l.swept.Load() == 0 {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(5 * time.Millisecond)
		p := &peer{helloBy: time.Now().Add(time.Minute), leave: func() {}}
		p.conn = udpwire.New(udpwire.Config{Sender: silent{}, Server: true}, time.Now())
		l.mu.Lock()
		l.peers[1] = p
		l.mu.Unlock()
		l.wake <- struct{}{}
		close(l.done)
		l.socket.out.mu.Unlock()
		p.conn.Close("server closed")
		<-ended
		select {
		case <-p.conn.Finished():
		default:
			t.Fatal("nothing looks after the connection any more, which has not ended")
		}
	}
}

// silent sends nothing.
type silent struct{}

func (silent) Send([]byte, netip.AddrPort) {}
func (silent) Flush()                      {}
