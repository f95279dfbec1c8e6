package front

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/backstep-net/backstep/transport/join"
)

// ErrFull is what an Allocator returns when no server has a seat: the queue waits.
var ErrFull = errors.New("front: every server is full")

// Place is a seat for one player.
type Place struct {
	URL   string // of the server's HTTP, without a slash at its end
	QUIC  string // "host:port" at which players reach its QUIC; "" means what the server itself says
	Match string // which match of the server
}

// Allocator finds seats. It is called from one goroutine at a time.
type Allocator interface {
	// Allocate returns a seat for one player, or ErrFull. Any other error is logged, and the queue waits too.
	Allocate(ctx context.Context) (Place, error)
}

// Static allocates from a fixed list of servers, such as units of systemd or processes of this machine.
type Static struct {
	// Servers are their URLs. A server that does not answer, or drains, is skipped; one that lets a request wait is
	// asked again after ten seconds. Required.
	Servers []string
	// Seats is how many players a match takes. Required.
	Seats int

	rooms rooms
	hung  map[string]hang // by server; nil holds none
}

// hang is a server that let a request wait in vain. Each seat would wait for it too.
type hang struct {
	at     time.Time
	reason error
}

// hangPause is for how long it is not asked.
const hangPause = 10 * time.Second

// Allocate implements Allocator: the first server of the list that has a seat, so that matches fill up.
func (s *Static) Allocate(ctx context.Context) (Place, error) {
	why := ErrFull
	for _, server := range s.Servers {
		server = strings.TrimSuffix(server, "/")
		if h, ok := s.hung[server]; ok && time.Since(h.at) < hangPause {
			why = errors.Join(h.reason, why)
			continue
		}
		match, err := s.rooms.find(ctx, server, s.Seats)
		if err == nil {
			return Place{URL: server, Match: match}, nil
		}
		if !errors.Is(err, ErrFull) {
			why = errors.Join(err, why)
		}
		if errors.Is(err, context.DeadlineExceeded) {
			if s.hung == nil {
				s.hung = map[string]hang{}
			}
			s.hung[server] = hang{time.Now(), err}
		}
	}
	return Place{}, why
}

func (s *Static) note(p Place) { s.rooms.note(p) }

func (s *Static) servers() (places []Place) {
	for _, url := range s.Servers {
		places = append(places, Place{URL: strings.TrimSuffix(url, "/")})
	}
	return places
}

// rooms finds a match with a seat on a server. The zero value is ready.
type rooms struct {
	mu     sync.Mutex
	handed map[string][]handed // by server and match: seats given a short time ago
}

// handed is a seat that was given.
type handed struct {
	at    time.Time
	taken int // seats of the match that were taken before it; unknown if another front door has given it
}

// unknown is handed.taken of a seat of another front door.
const unknown = -1

// joining is how long a seat that was given counts in addition to the connections in the server's status, until its
// player has come.
const joining = 5 * time.Second

// status is the part of a server's public status that is read here.
type status struct {
	Draining bool `json:"draining"`
	Matches  []struct {
		Name        string `json:"name"`
		State       string `json:"state"`
		Connections int    `json:"connections"`
	} `json:"matches"`
}

// find returns the fullest match that has a seat, and takes the seat. Filling one match after another leaves servers
// empty, and an empty server can be removed.
func (r *rooms) find(ctx context.Context, server string, seats int) (string, error) {
	var s status
	if err := get(ctx, server+"/api/status", &s); err != nil {
		return "", err
	}
	if s.Draining {
		return "", ErrFull
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now, best, most := time.Now(), "", -1
	for _, m := range s.Matches {
		taken := m.Connections + r.joining(server+" "+m.Name, m.Connections, now)
		if m.State == "running" && taken < seats && taken > most {
			best, most = m.Name, taken
		}
	}
	if best == "" {
		return "", ErrFull
	}
	r.hand(server+" "+best, handed{now, most})
	return best, nil
}

// hand counts a seat that was given. It forgets the matches of which none was given within the time joining, since their
// servers may be gone. Call it with the lock held.
func (r *rooms) hand(match string, seat handed) {
	maps.DeleteFunc(r.handed, func(_ string, given []handed) bool { return seat.at.Sub(given[len(given)-1].at) > joining })
	if r.handed == nil {
		r.handed = map[string][]handed{}
	}
	r.handed[match] = append(r.handed[match], seat)
}

// note counts a seat that another front door has given.
func (r *rooms) note(p Place) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hand(p.URL+" "+p.Match, handed{time.Now(), unknown})
}

// joining returns how many seats of a match were given within the time joining to players that are not among its
// connections yet. It deletes the older ones. A connection that was lost meanwhile makes it return too many, but never
// more than were given.
func (r *rooms) joining(match string, connections int, now time.Time) int {
	given := r.handed[match]
	for len(given) > 0 && now.Sub(given[0].at) > joining {
		given = given[1:]
	}
	if len(given) == 0 {
		delete(r.handed, match)
		return 0
	}
	r.handed[match] = given
	first := slices.IndexFunc(given, func(h handed) bool { return h.taken != unknown })
	if first < 0 {
		return len(given)
	}
	since := len(given) - first
	return first + min(max(given[first].taken+since-connections, 0), since)
}

// ask returns a server's answer to the join request for a place.
func ask(ctx context.Context, p Place) (*join.Answer, error) {
	var a join.Answer
	if err := get(ctx, p.URL+join.Path+"?match="+url.QueryEscape(p.Match), &a); err != nil {
		return nil, err
	}
	if a.Match == "" || a.Server == "" {
		return nil, fmt.Errorf("front: %s%s: no answer of a Backstep server", p.URL, join.Path)
	}
	if a.Address = p.URL; p.QUIC != "" {
		path := ""
		if u, err := url.Parse(a.WebTransport); err == nil {
			path = u.Path
		}
		a.QUIC, a.WebTransport = p.QUIC, "https://"+p.QUIC+path
	}
	return &a, nil
}

// The bounds of a request to a server.
const (
	askTimeout = 2 * time.Second
	maxAnswer  = 1 << 20 // bytes
)

// web makes the requests to servers and to the allocator. It follows no redirect, so it asks no other host.
var web = &http.Client{Timeout: askTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// get reads the JSON of a URL into v.
func get(ctx context.Context, address string, v any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fmt.Errorf("front: %w", err)
	}
	return do(web, r, v)
}

// do makes a request and reads its JSON into v. An answer other than 200 is a *statusError.
func do(by *http.Client, r *http.Request, v any) error {
	res, err := by.Do(r)
	if err != nil {
		return fmt.Errorf("front: %w", err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err == nil && res.StatusCode != http.StatusOK {
		return &statusError{r.URL.Host + r.URL.Path, res.StatusCode, strings.TrimSpace(string(b[:min(len(b), 200)]))}
	}
	if err == nil {
		err = json.Unmarshal(b, v)
	}
	if err != nil {
		return fmt.Errorf("front: %s%s: %w", r.URL.Host, r.URL.Path, err)
	}
	return nil
}

// statusError is an answer of HTTP that is not OK.
type statusError struct {
	from string
	code int
	text string
}

func (e *statusError) Error() string { return fmt.Sprintf("front: %s: %d %s", e.from, e.code, e.text) }
