package front_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os/exec"
	"sync"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/backstep-net/backstep/front"
	"github.com/backstep-net/backstep/internal/targets"
	"github.com/backstep-net/backstep/token"
	"github.com/backstep-net/backstep/transport/join"
)

// embedded runs a server of NATS in this process and returns its URL.
func embedded(t *testing.T) string {
	t.Helper()
	s, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: -1, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(patience) {
		t.Fatal("NATS does not start")
	}
	return s.ClientURL()
}

// debian runs the nats-server of the system.
func debian(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("nats-server")
	if err != nil {
		program, err = exec.LookPath("/usr/sbin/nats-server") // which only root has in its path
	}
	if err != nil {
		targets.NotRun(t, "front doors over NATS as a process of its own: nats-server is not here: install nats-server")
		t.Skip("no nats-server")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	cmd := exec.Command(program, "-a", "127.0.0.1", "-p", port)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return "nats://127.0.0.1:" + port
}

// connect connects to NATS until the test's end; the server may still be starting.
func connect(t *testing.T, url string) *nats.Conn {
	t.Helper()
	var conn *nats.Conn
	until(t, "NATS answers", func() (ok bool) {
		c, err := nats.Connect(url)
		conn = c
		return err == nil
	})
	t.Cleanup(conn.Close)
	return conn
}

// reports is what front doors tell each other.
type reports struct {
	mu    sync.Mutex
	lines map[string]int // how many wait at each front door
	seats int            // given so far
}

// listen reads the reports of all front doors until the test's end.
func listen(t *testing.T, url string) *reports {
	t.Helper()
	r, conn := &reports{lines: map[string]int{}}, connect(t, url)
	_, err := conn.Subscribe("backstep.front.*", func(m *nats.Msg) {
		var line struct {
			Door    string
			Waiting int
		}
		if err := json.Unmarshal(m.Data, &line); err != nil {
			t.Error(err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if m.Subject == "backstep.front.seat" {
			r.seats++
		} else {
			r.lines[line.Door] = line.Waiting
		}
	})
	if err == nil {
		err = conn.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// until waits until something is so, and a little longer: the front doors read the same reports at about the same time.
func (r *reports) until(t *testing.T, what string, is func() bool) {
	t.Helper()
	until(t, what, func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return is()
	})
	time.Sleep(200 * time.Millisecond)
}

// THR-79: two front doors of the same players. A ticket counts at both: the other door sends the request on, and a
// player gets its own seat and account there. Where seats are short they go to the player that waits longest, at whatever
// door, and a seat counts at both as soon as its report has come. When a front door is gone, its players begin anew at the other.
func TestTwoFrontDoors(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]func(*testing.T) string{"in this process": embedded, "of Debian": debian} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := run(t)
			key := token.NewSharedKey()
			s := openServer(t, key)
			reports := listen(t, url)
			var doors [2]string
			var halt func()
			for i := range doors {
				conn := connect(t, url)
				doors[i], halt = openFront(t, front.Config{Allocator: &front.Static{Servers: []string{s.url}, Seats: 2}, Key: key, NATS: conn})
			}
			reports.until(t, "both doors report", func() bool { return len(reports.lines) == 2 })
			var seats []join.Answer
			for i := range 2 { // one at each door; a seat counts at both before its player connects
				_, a, body := request(t, doors[i]+join.Path)
				if a.Place != 0 || a.Token == "" {
					t.Fatalf("the first at door %d: %s", i, body)
				}
				seats = append(seats, a)
				reports.until(t, "the seat's report", func() bool { return reports.seats == i+1 })
			}
			if _, a, body := request(t, doors[0]+join.Path); a.Place != 1 {
				t.Errorf("a third player, of two seats: %s, want place 1", body)
			}
			first, err := token.NewChecker([]token.Key{key}, seats[0].Server).Check(seats[0].Token, "field", time.Now())
			if err != nil {
				t.Fatal(err)
			}
			_, other, body := request(t, doors[1]+join.Path+"?ticket="+seats[0].Ticket)
			again, err := token.NewChecker([]token.Key{key}, seats[0].Server).Check(other.Token, "field", time.Now())
			if err != nil || other.Ticket != seats[0].Ticket || again.Account != first.Account {
				t.Errorf("with the first door's ticket at the second: account %q, %v, %s; want the same ticket and account %q", again.Account, err, body, first.Account)
			}
			for _, strange := range []string{"00000000-1", "*", "a.b-c", ">-", seats[0].Ticket + "0"} {
				if _, a, body := request(t, doors[1]+join.Path+"?ticket="+strange); a.Ticket == "" || a.Ticket == strange {
					t.Errorf("with the ticket %q, which nobody gave: %s, want a new one", strange, body)
				}
			}
			halt() // the second door
			if _, a, body := request(t, doors[0]+join.Path+"?ticket="+seats[1].Ticket); a.Ticket == "" || a.Ticket == seats[1].Ticket {
				t.Errorf("with a ticket of a door that is gone: %s, want a new one", body)
			}
		})
	}
}

// THR-79: four players ask two doors in turn while no seat is free, and seats become free one after another: they
// are given in the order of coming, whatever the door.
func TestTheOrderAcrossDoors(t *testing.T) {
	t.Parallel()
	url := embedded(t)
	key := token.NewSharedKey()
	s := openServer(t, key)
	reports := listen(t, url)
	gate := &gatekeeper{place: front.Place{URL: s.url, Match: "field"}}
	var doors [2]string
	for i := range doors {
		doors[i], _ = openFront(t, front.Config{Allocator: gate, Key: key, NATS: connect(t, url)})
	}
	seated := make(chan int, 4)
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			for ticket := ""; ; {
				_, a, body := request(t, doors[i%2]+join.Path+"?ticket="+ticket)
				if a.Ticket == "" {
					t.Errorf("player %d: %s", i, body)
					return
				}
				if ticket = a.Ticket; a.Place == 0 {
					seated <- i
					return
				}
			}
		})
		reports.until(t, "the player waits", func() bool {
			waiting := 0
			for _, n := range reports.lines {
				waiting += n
			}
			return waiting == i+1
		})
	}
	var order []int
	for range 4 {
		gate.open()
		order = append(order, <-seated)
	}
	group.Wait()
	if got, want := fmt.Sprint(order), "[0 1 2 3]"; got != want {
		t.Errorf("seats were given in the order %s, want %s", got, want)
	}
}

// gatekeeper is an allocator that has a seat when the test says so.
type gatekeeper struct {
	mu    sync.Mutex
	free  int
	place front.Place
}

func (g *gatekeeper) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.free++
}

func (g *gatekeeper) Allocate(context.Context) (front.Place, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.free == 0 {
		return front.Place{}, front.ErrFull
	}
	g.free--
	return g.place, nil
}
