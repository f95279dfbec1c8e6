package fleet_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// fake is a sidecar as its contract has it (agones.dev, "REST Game Server Client API"): calls are taken at once
// and carried out later, in batches; 64-bit numbers are strings in both directions; the watch is a line of JSON
// for each change, and one at its begin. The cluster behind it goes on when the sidecar starts again. It has
// faults: a test makes it slow, lets it answer 500, lose what it has taken, or start again.
type fake struct {
	t     *testing.T
	addr  string
	batch time.Duration

	mu       sync.Mutex
	server   *http.Server
	state    string
	counts   map[string][2]int64 // count and capacity
	wanted   []func()            // taken and not carried out yet
	watchers map[chan string]bool
	watches  int    // that have begun
	note     string // the annotation of the last allocation
	calls    map[string]int
	fail     int           // so many calls are answered with 500
	lose     int           // so many calls are taken and not carried out
	slow     time.Duration // before each answer
	stop     chan struct{} // ends the batches
}

func newFake(t *testing.T) *fake {
	f := &fake{
		t: t, addr: "localhost:0", batch: 50 * time.Millisecond, state: "Scheduled", calls: map[string]int{},
		counts: map[string][2]int64{"rooms": {0, 4}, "players": {0, 10}}, watchers: map[chan string]bool{}, stop: make(chan struct{}),
	}
	f.start()
	var group sync.WaitGroup
	group.Go(f.batches)
	t.Cleanup(func() { f.kill(); close(f.stop); group.Wait() })
	return f
}

// start serves, at the port of before if there was one.
func (f *fake) start() {
	l, err := net.Listen("tcp", f.addr)
	if err != nil {
		f.t.Fatal(err)
	}
	f.addr = l.Addr().String()
	mux := http.NewServeMux()
	for path, state := range map[string]string{"/ready": "Ready", "/allocate": "Allocated", "/shutdown": "Shutdown", "/health": ""} {
		mux.HandleFunc("POST "+path, f.take(func(*http.Request) (any, int) {
			if state != "" {
				f.later(func() { f.state = state })
			}
			return struct{}{}, 200
		}))
	}
	mux.HandleFunc("GET /gameserver", f.take(func(*http.Request) (any, int) { return json.RawMessage(f.shown()), 200 }))
	mux.HandleFunc("PATCH /v1beta1/counters/{name}", f.take(f.patch))
	mux.HandleFunc("GET /watch/gameserver", f.watch)
	f.server = &http.Server{Handler: mux}
	go f.server.Serve(l)
}

// kill ends the process of the sidecar: what it has taken and not carried out is lost.
func (f *fake) kill() {
	f.mu.Lock()
	f.wanted = nil
	f.mu.Unlock()
	f.server.Close()
}

// take is the handler of a call, with the faults.
func (f *fake) take(do func(*http.Request) (any, int)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.calls[r.URL.Path]++
		if wait := f.slow; wait > 0 {
			f.mu.Unlock()
			time.Sleep(wait)
			f.mu.Lock()
		}
		if f.fail > 0 {
			f.fail--
			http.Error(w, `{"code":13,"message":"internal"}`, 500)
			return
		}
		v, status := do(r)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(v)
	}
}

// later notes what the next batch does.
func (f *fake) later(do func()) {
	if f.lose > 0 {
		f.lose--
		return
	}
	f.wanted = append(f.wanted, do)
}

func (f *fake) patch(r *http.Request) (any, int) {
	name := r.PathValue("name")
	now, declared := f.counts[name]
	var in struct{ Count, Capacity *json.RawMessage }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || !declared {
		return map[string]any{"code": 5, "message": "not found"}, 404
	}
	for i, text := range []*json.RawMessage{in.Count, in.Capacity} {
		if text == nil {
			continue
		}
		if _, err := fmt.Sscanf(string(*text), `"%d"`, &now[i]); err != nil {
			f.t.Errorf("the number %s is no string", *text)
		}
	}
	if now[0] < 0 || now[0] > now[1] {
		return map[string]any{"code": 11, "message": "out of range"}, 400
	}
	f.later(func() { f.counts[name] = now })
	return map[string]string{"name": name, "count": fmt.Sprint(now[0]), "capacity": fmt.Sprint(now[1])}, 200
}

// shown is the game server as JSON. Call it with the lock.
func (f *fake) shown() string {
	var counts []string
	for name, c := range f.counts {
		counts = append(counts, fmt.Sprintf(`%q:{"count":"%d","capacity":"%d"}`, name, c[0], c[1]))
	}
	return fmt.Sprintf(`{"object_meta":{"name":"local","generation":"1","annotations":{"agones.dev/last-allocated":%q}},`+
		`"status":{"state":%q,"address":"127.0.0.1","ports":[{"name":"http","port":7001}],"counters":{%s}}}`, f.note, f.state, strings.Join(counts, ","))
}

func (f *fake) watch(w http.ResponseWriter, r *http.Request) {
	lines := make(chan string, 64)
	f.mu.Lock()
	if f.fail > 0 {
		f.fail--
		f.mu.Unlock()
		http.Error(w, "internal", 500)
		return
	}
	f.watchers[lines] = true
	f.watches++
	lines <- f.line()
	f.mu.Unlock()
	for {
		select {
		case <-r.Context().Done():
			f.mu.Lock()
			defer f.mu.Unlock()
			delete(f.watchers, lines)
			return
		case line := <-lines:
			fmt.Fprintln(w, line)
			w.(http.Flusher).Flush()
		}
	}
}

// batches carries out what was taken.
func (f *fake) batches() {
	for {
		select {
		case <-f.stop:
			return
		case <-time.After(f.batch):
		}
		f.mu.Lock()
		if len(f.wanted) > 0 {
			for _, do := range f.wanted {
				do()
			}
			f.wanted = nil
			f.tell()
		}
		f.mu.Unlock()
	}
}

// line is the game server as a line of the watch. Call it with the lock.
func (f *fake) line() string { return `{"result":` + f.shown() + "}" }

// tell sends the game server to every watch. Call it with the lock.
func (f *fake) tell() { f.say(f.line()) }

// say sends a line to every watch. Call it with the lock.
func (f *fake) say(line string) {
	for lines := range f.watchers {
		select {
		case lines <- line:
		default:
		}
	}
}

// breakWatch says a line to a watch that is open, after which the agent has to open another.
func (f *fake) breakWatch(line string) {
	watches := func(open int) (n int) {
		f.set(func() {
			if len(f.watchers) >= open {
				n = f.watches
			}
		})
		return n
	}
	before := 0
	until(f.t, "it watches", func() bool { before = watches(1); return before > 0 })
	f.set(func() { f.say(line) })
	until(f.t, "it watches again", func() bool { return watches(0) > before })
}

// set is what the cluster does by itself.
func (f *fake) set(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
	f.tell()
}

// now returns the state, the counter of players, and how often a call was made.
func (f *fake) now(call string) (state string, players [2]int64, calls int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state, f.counts["players"], f.calls[call]
}
