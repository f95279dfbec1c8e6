package transport_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/transport"
)

func TestTheReasonReachesTheOtherSide(t *testing.T) {
	long := strings.Repeat("ä", 100)
	for _, reason := range []string{"kicked: flying", "", long} {
		for _, byServer := range []bool{true, false} {
			t.Run(fmt.Sprintf("%.6s by server %v", reason, byServer), func(t *testing.T) {
				onEachTransport(t, func(t *testing.T, client, server transport.Conn) {
					from, to := client, server
					if byServer {
						from, to = server, client
					}
					from.Close(reason)
					from.Close("a second reason")
					want := reason
					if reason == long {
						want = strings.Repeat("ä", transport.MaxReason/2)
					}
					here, there := ended(t, from), ended(t, to)
					if here.Remote || here.Reason != want {
						t.Errorf("here: %+v", here)
					}
					if !there.Remote || there.Reason != want {
						t.Errorf("there: %+v, want the reason %q", there, want)
					}
					if err := to.Stream([]byte("?")); !errors.Is(err, transport.ErrClosed) {
						t.Errorf("Stream after the end: %v", err)
					}
					to.Datagrams([]byte("?"))
				})
			})
		}
	}
}

// A side that goes on sending until the other closes hears the reason too, though a write may fail before a read does.
func TestASenderHearsWhyTheOtherSideCloses(t *testing.T) {
	for round := range 4 {
		for _, byServer := range []bool{true, false} {
			t.Run(fmt.Sprintf("%d by server %v", round, byServer), func(t *testing.T) {
				onEachTransport(t, func(t *testing.T, client, server transport.Conn) {
					from, to := client, server
					if byServer {
						from, to = server, client
					}
					sends := make(chan struct{})
					go func() {
						defer close(sends)
						for i := 0; !to.Closed(); i++ {
							to.Datagrams([]byte("on and on"))
							if i%8 == 0 {
								_ = to.Stream([]byte("and on"))
							}
							runtime.Gosched()
						}
					}()
					from.Drain(nil)
					from.Close("the server is stopping")
					if e := ended(t, to); !e.Remote || e.Reason != "the server is stopping" {
						t.Errorf("it heard %q (%v), want the reason of the other side", e.Reason, e)
					}
					<-sends
				})
			})
		}
	}
}

func TestWhatArrivedBeforeTheEndCanStillBeDrained(t *testing.T) {
	onEachTransport(t, func(t *testing.T, client, server transport.Conn) {
		client.Stream([]byte("last words"))
		for server.Stats().MessagesIn < 1 || (client.Kind() != "mem" && server.Stats().MessagesIn < 2) {
			time.Sleep(time.Millisecond)
		}
		client.Close("bye")
		ended(t, server)
		if got := server.Drain(nil); len(got) != 1 || string(got[0].Bytes) != "last words" {
			t.Errorf("drained %v", got)
		}
	})
}
