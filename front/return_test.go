package front_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/backstep-net/backstep/front"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/token"
	"github.com/backstep-net/backstep/transport/join"
)

// standIn answers as a server of one match does. While it hangs it does not answer at all, and while it is down it
// closes connections.
type standIn struct {
	*httptest.Server
	hangs, down atomic.Bool
	starts      atomic.Int32  // how often it was started again
	answers     atomic.Int32  // to join requests: each has another level and another ticket of UDP
	asked       chan struct{} // a request has come while it hangs
	left        chan struct{} // and its client has given up
}

func newStandIn(t *testing.T) *standIn {
	t.Helper()
	s := &standIn{asked: make(chan struct{}, 8), left: make(chan struct{}, 8)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.down.Load() {
			panic(http.ErrAbortHandler)
		}
		if s.hangs.Load() {
			s.asked <- struct{}{}
			<-r.Context().Done()
			s.left <- struct{}{}
			return
		}
		if r.URL.Path == "/api/status" {
			_, _ = io.WriteString(w, `{"matches":[{"name":"field","state":"running","connections":0}]}`)
			return
		}
		n := fmt.Sprint(s.answers.Add(1))
		_ = json.NewEncoder(w).Encode(join.Answer{Match: "field", Server: s.start(), Protocol: session.Version, Level: n, UDP: &join.UDP{Ticket: n}})
	}))
	t.Cleanup(s.Close)
	return s
}

// start names the process that answers.
func (s *standIn) start() string { return fmt.Sprint(s.URL, " ", s.starts.Load()) }

// THR-75: a server of a list is killed and starts again. Its players wait for it, and come back to their match with tokens
// for the new process, although another server has a seat. One that stays away loses them after five seconds.
func TestAServerThatStartsAgainHasItsPlayersBack(t *testing.T) {
	t.Parallel()
	a, b, key := newStandIn(t), newStandIn(t), token.NewSharedKey()
	url, _ := openFront(t, front.Config{Allocator: &front.Static{Servers: []string{a.URL, b.URL}, Seats: 8}, Key: key})
	_, first, body := request(t, url+join.Path)
	if first.Address != a.URL {
		t.Fatalf("the first seat: %s, want one at %s", body, a.URL)
	}
	again := url + join.Path + "?ticket=" + first.Ticket
	a.down.Store(true)
	if _, waits, body := request(t, again); waits.Place != 1 || waits.Ticket != first.Ticket {
		t.Errorf("while its server is down: %s, want place 1 and the same ticket", body)
	}
	a.starts.Add(1)
	a.down.Store(false)
	_, back, body := request(t, again)
	if back.Address != a.URL {
		t.Fatalf("after the restart: %s, want its match at %s", body, a.URL)
	}
	who, err := token.NewChecker([]token.Key{key}, a.start()).Check(back.Token, "field", time.Now())
	if err != nil || who.Account == "" {
		t.Errorf("its token for the new process: %+v, %v", who, err)
	}
	a.down.Store(true)
	var other join.Answer
	for other.Address == "" {
		_, other, body = request(t, again)
	}
	if other.Address != b.URL {
		t.Errorf("its server stays away: %s, want a seat at %s", body, b.URL)
	}
}

// THR-75, THR-80: a player comes back because its match has changed the level, or has lost its connection of UDP. Its server
// is the same, and what the server says now counts: of the answer from before it would load the earlier level, over and
// over, and its ticket of UDP has opened a connection already.
func TestAPlayerComesBackToTheNextLevel(t *testing.T) {
	t.Parallel()
	s := newStandIn(t)
	url, _ := openFront(t, front.Config{Allocator: newInTurn(s), Key: token.NewSharedKey()})
	_, first, _ := request(t, url+join.Path)
	for range 3 {
		_, again, body := request(t, url+join.Path+"?ticket="+first.Ticket)
		if want := fmt.Sprint(s.answers.Load()); again.UDP == nil || again.Level != want || again.UDP.Ticket != want {
			t.Errorf("got %s, want level and ticket %s", body, want)
		}
	}
}

// A token that cannot be made, here of a name that is too long for one, is an error of the server, and its player reads whom
// to tell and nothing of the token.
func TestAPlayerForWhomNoTokenCanBeMade(t *testing.T) {
	t.Parallel()
	url, _ := openFront(t, front.Config{
		Allocator: newInTurn(newStandIn(t)), Key: token.NewSharedKey(),
		Identify: func(*http.Request) (session.Identity, error) {
			return session.Identity{Account: "ada", Name: strings.Repeat("a", 1000)}, nil
		},
	})
	code, _, body := request(t, url+join.Path)
	if want := "front: no token can be made: tell the operator of this server\n"; code != http.StatusInternalServerError || body != want {
		t.Errorf("got %d %q, want %q", code, body, want)
	}
}

// inTurn is an allocator that gives each of its places once.
type inTurn struct{ places chan front.Place }

func newInTurn(servers ...*standIn) *inTurn {
	a := &inTurn{make(chan front.Place, len(servers))}
	for _, s := range servers {
		a.places <- front.Place{URL: s.URL, Match: "field"}
	}
	return a
}

func (a *inTurn) Allocate(context.Context) (front.Place, error) {
	select {
	case p := <-a.places:
		return p, nil
	default:
		return front.Place{}, front.ErrFull
	}
}

// THR-75: a player that comes back gives its request up while the front door asks its server, as a page does that is
// reloaded or whose network changes. Its seat stays that of its match.
func TestARequestThatIsGivenUpKeepsTheSeat(t *testing.T) {
	t.Parallel()
	a, b := newStandIn(t), newStandIn(t)
	url, _ := openFront(t, front.Config{Allocator: newInTurn(a, b), Key: token.NewSharedKey()})
	_, first, body := request(t, url+join.Path)
	if first.Address != a.URL {
		t.Fatalf("the first seat: %s, want one at %s", body, a.URL)
	}
	a.hangs.Store(true)
	ctx, giveUp := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r, _ := http.NewRequestWithContext(ctx, "GET", url+join.Path+"?ticket="+first.Ticket, nil)
		if res, err := http.DefaultClient.Do(r); err == nil {
			res.Body.Close()
		}
	}()
	<-a.asked
	giveUp()
	<-ended
	<-a.left
	a.hangs.Store(false)
	for range 20 {
		if _, again, body := request(t, url+join.Path+"?ticket="+first.Ticket); again.Address != a.URL {
			t.Fatalf("it comes back to %s, want its match at %s: %s", again.Address, a.URL, body)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// THR-79: the server of a player does not answer any more, no other has a seat, and the player asks another front door
// than that of its ticket. It keeps the ticket, with which it waits in front of the others.
func TestATicketOutlivesItsServerAtAnotherDoor(t *testing.T) {
	t.Parallel()
	nats := embedded(t)
	a, key := newStandIn(t), token.NewSharedKey()
	var doors [2]string
	for i, places := range []*inTurn{newInTurn(a), newInTurn()} {
		doors[i], _ = openFront(t, front.Config{Allocator: places, Key: key, NATS: connect(t, nats)})
	}
	_, first, body := request(t, doors[0]+join.Path)
	if first.Address != a.URL {
		t.Fatalf("the first seat: %s, want one at %s", body, a.URL)
	}
	a.hangs.Store(true)
	if _, again, body := request(t, doors[1]+join.Path+"?ticket="+first.Ticket); again.Ticket != first.Ticket || again.Place != 1 {
		t.Errorf("at the other door: %s, want place 1 and the ticket %s", body, first.Ticket)
	}
}

// THR-79: the front door of a ticket is cut off, so that it takes requests and answers none. Another one answers the
// player all the same, in the time that an answer may take.
func TestADoorThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	url := embedded(t)
	if _, err := connect(t, url).Subscribe("backstep.front.ask.00000000", func(*nats.Msg) {}); err != nil {
		t.Fatal(err)
	}
	door, _ := openFront(t, front.Config{Allocator: none{front.ErrFull}, Key: token.NewSharedKey(), NATS: connect(t, url)})
	if status, a, body := request(t, door+join.Path+"?ticket=00000000-1"); status != http.StatusOK || a.Place != 1 {
		t.Errorf("got %d %s, want place 1 with a new ticket", status, body)
	}
}

// One server of the list takes requests and answers none, as a machine does that is overloaded, or whose packets are lost.
// Each seat would wait for it: so it is asked once, and then not for a while.
func TestAServerThatHangsDelaysOneSeat(t *testing.T) {
	t.Parallel()
	dead, good := newStandIn(t), newStandIn(t)
	dead.hangs.Store(true)
	a := &front.Static{Servers: []string{dead.URL, good.URL}, Seats: 8}
	for i := range 3 {
		if p, err := a.Allocate(t.Context()); err != nil || p.URL != good.URL {
			t.Errorf("seat %d: got %+v, %v; want one at %s", i, p, err, good.URL)
		}
	}
	if n := len(dead.asked); n != 1 {
		t.Errorf("the server that hangs was asked %d times, want once", n)
	}
	only := &front.Static{Servers: []string{dead.URL}, Seats: 8}
	for i := range 2 {
		if _, err := only.Allocate(t.Context()); !errors.Is(err, front.ErrFull) || err == front.ErrFull {
			t.Errorf("without another server, request %d: got %v, want ErrFull and why", i, err)
		}
	}
}
