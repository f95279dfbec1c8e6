package host

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/mem"
)

// A client that was refused for good reads why, as a message that it answers with its end: it would come back after a lost
// connection. One that may come back in a while only loses its connection. Of many that are refused at once some do not
// get the message, so that a flood of hellos keeps few connections open. [THR-35]
func TestARefusalSaysWhetherToComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &Host{config: Config{Log: slog.New(slog.DiscardHandler)}}
		refuse := func(later bool) (here transport.Conn, message string) {
			here, there := mem.Pipe()
			h.refuse(there, &refusal{cause: causeLimit, why: errManyJoins, later: later})
			for _, p := range here.Drain(nil) {
				message += string(p.Bytes)
			}
			return here, message
		}
		want := string(session.RefusalMessage(errManyJoins.Error()))
		if conn, got := refuse(true); got != "" || !conn.Closed() {
			t.Errorf("one that may come back: got %q, closed %v; want nothing, true", got, conn.Closed())
		}
		for round := range 2 { // the places of those that have read it are free again
			var told []transport.Conn
			for range maxTold {
				conn, got := refuse(false)
				if told = append(told, conn); got != want || conn.Closed() {
					t.Fatalf("round %d, refusal %d: got %q, closed %v; want %q and time to read it", round, len(told), got, conn.Closed(), want)
				}
			}
			for range 3 {
				if conn, got := refuse(false); got != "" || !conn.Closed() {
					t.Errorf("one too many: got %q, closed %v; want nothing, true", got, conn.Closed())
				}
			}
			time.Sleep(closeDelay)
			synctest.Wait()
			for _, conn := range told {
				if e, ok := conn.Err().(*transport.CloseError); !ok || e.Reason != errManyJoins.Error() {
					t.Fatalf("closed with %v, want %v", conn.Err(), errManyJoins)
				}
			}
		}
	})
}
