package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"time"
)

// The states of a game server that matter here, as Agones names them.
const (
	statePortAllocation = "PortAllocation"
	stateCreating       = "Creating"
	stateStarting       = "Starting"
	stateScheduled      = "Scheduled"
	stateAllocated      = "Allocated"
	stateShutdown       = "Shutdown"
	stateUnhealthy      = "Unhealthy"
	stateError          = "Error"
)

// lastAllocated is the annotation in which Agones writes when it allocated a server, again for each allocation.
const lastAllocated = "agones.dev/last-allocated"

// gameServer is what a sidecar shows of its game server.
type gameServer struct {
	Meta struct {
		Annotations map[string]string `json:"annotations"`
	} `json:"object_meta"`
	Status struct {
		State    string             `json:"state"`
		Counters map[string]counter `json:"counters"`
	} `json:"status"`
}

// counter is one counter of a game server. The gateway of the sidecar writes 64-bit numbers as strings.
type counter struct {
	Count    int64 `json:"count,string"`
	Capacity int64 `json:"capacity,string"`
}

// counterRequest sets both numbers of a counter: one that counts up and down would drift
// with each lost answer.
type counterRequest counter

// sidecar is the REST API beside the process.
type sidecar struct {
	url     string
	timeout time.Duration // of a call
	client  *http.Client
}

func newSidecar(port string, timeout time.Duration) sidecar {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy = nil // it is on this machine
	t.ResponseHeaderTimeout = timeout
	return sidecar{"http://" + net.JoinHostPort("localhost", port), timeout, &http.Client{Transport: t}}
}

// post makes a call without arguments.
func (s *sidecar) post(ctx context.Context, path string) error {
	return s.call(ctx, http.MethodPost, path, struct{}{}, nil)
}

func (s *sidecar) patch(ctx context.Context, path string, v any) error {
	return s.call(ctx, http.MethodPatch, path, v, nil)
}

// call makes a call and reads its answer into v, unless that is nil.
func (s *sidecar) call(ctx context.Context, method, path string, body, v any) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	res, err := s.do(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil || v == nil {
		return err
	}
	return json.Unmarshal(b, v)
}

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 1 << 20

// do makes a request; an answer other than 200 is an error.
func (s *sidecar) do(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var b []byte
	if body != nil {
		b, _ = json.Marshal(body) // cannot fail: the types of this package
	}
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	res, err := s.client.Do(r)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(res.Body, 200))
		res.Body.Close()
		return nil, fmt.Errorf("fleet: the sidecar answers %s %s with %s: %s", method, path, res.Status, strings.TrimSpace(string(text)))
	}
	return res, nil
}

// watch passes on what the sidecar shows, for ever: after the end of a stream it opens another.
func (a *Agent) watch(ctx context.Context, shown chan<- gameServer) {
	defer a.sidecar.client.CloseIdleConnections()
	for wait := (backoff{}); ; {
		err := a.watchOnce(ctx, shown, &wait)
		if wait.sleep(ctx) != nil {
			return
		}
		a.log.Info("fleet: watching again", "why", err)
	}
}

// watchOnce reads one stream to its end. It asks for the state when the stream is open, so that nothing of between
// is missed.
func (a *Agent) watchOnce(ctx context.Context, shown chan<- gameServer, wait *backoff) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	res, err := a.sidecar.do(ctx, http.MethodGet, "/watch/gameserver", nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var g gameServer
	if err := a.sidecar.call(ctx, http.MethodGet, "/gameserver", nil, &g); err != nil {
		return err
	}
	for lines := json.NewDecoder(res.Body); ; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case shown <- g:
		}
		var line struct {
			Result *gameServer `json:"result"`
		}
		if err := lines.Decode(&line); err != nil {
			return err
		}
		if line.Result == nil {
			return errors.New("fleet: the sidecar ends its watch with an error")
		}
		g, *wait = *line.Result, backoff{}
	}
}

// backoff is a wait that grows from a quarter of a second to ten, each time a random share of it between half and
// all, so that the servers of a fleet do not ask at the same instant. The zero value begins.
type backoff struct{ tries int }

// sleep waits, or returns why the context has ended.
func (b *backoff) sleep(ctx context.Context) error {
	most := min(250*time.Millisecond<<min(b.tries, 10), 10*time.Second)
	b.tries++
	timer := time.NewTimer(most/2 + rand.N(most/2))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
