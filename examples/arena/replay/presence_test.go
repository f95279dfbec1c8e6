package replay_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/examples/arena/replay"
	"github.com/backstep-net/backstep/record"
	"github.com/backstep-net/backstep/session"
)

// visit is a match with clients on connections, recorded.
type visit struct {
	t       *testing.T
	match   *arena.Match
	rec     *record.Recorder
	world   *collide.World
	file    string
	tick    int64
	clients map[session.Peer]*arena.Player
}

func newVisit(t *testing.T) *visit {
	t.Helper()
	v := &visit{t: t, file: filepath.Join(t.TempDir(), "m.bsrec"), clients: map[session.Peer]*arena.Player{}}
	config := court(t)
	v.world = config.World
	var err error
	if v.match, v.rec, err = replay.Record(v.file, config, "court", "test"); err != nil {
		t.Fatal(err)
	}
	return v
}

func (v *visit) join(peer session.Peer, name string, key session.Key) *arena.Player {
	c := arena.NewPlayer(session.ClientConfig{})
	c.Hello(name, key)
	v.clients[peer] = c
	return c
}

func (v *visit) disconnect(peer session.Peer) {
	delete(v.clients, peer)
	v.rec.Disconnect(peer)
}

// run plays until a tick; every client walks in a circle.
func (v *visit) run(until int64) {
	v.t.Helper()
	for v.tick++; v.tick <= until; v.tick++ {
		now := clock.TickTime(v.tick, 60)
		for peer := session.Peer(1); peer < 9; peer++ {
			c := v.clients[peer]
			if c == nil {
				continue
			}
			c.Play(now, arena.Input{Forward: 1, Yaw: now.Seconds()})
			if c.Phase() == session.Loading {
				c.Enter(v.world)
			}
			for _, p := range c.Outgoing() {
				if err := v.rec.Receive(peer, p.Channel, now, p.Bytes); err != nil {
					v.t.Fatal(err)
				}
			}
		}
		v.rec.Tick(now)
		for _, p := range v.rec.Outgoing() {
			if c := v.clients[p.Peer]; c != nil {
				if err := c.Receive(p.Channel, now, p.Bytes); err != nil {
					v.t.Fatal(err)
				}
			}
		}
		time.Sleep(50 * time.Microsecond) // for the disk: the recorder drops ticks that it cannot write
	}
	v.tick = until
}

// close ends the recording and opens it.
func (v *visit) close() *record.File {
	v.t.Helper()
	if err := v.rec.Close(); err != nil {
		v.t.Fatal(err)
	}
	f, err := record.Open(v.file)
	if err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(func() { f.Close() })
	return f
}

// Players join and leave, lose their connection, X// of another that left. The info has each presence with its times, and the match is the
// same when it is simulated again.
func TestPresencesOfPlayersThatComeAndGo(t *testing.T) {
	var v *visit
	var ann, bob *arena.Player
	for attempt := 0; v == nil || v.rec.Lost() > 0; attempt++ {
		if attempt == 10 {
			t.Fatal("the disk is too slow for a whole recording, ten times")
		}
		v = newVisit(t)
		ann = v.join(1, "Ann", session.Key{})
		v.run(60)
		bob = v.join(2, "Bob", session.Key{})
		v.run(200)
		key := ann.Key()
		v.disconnect(1)
		v.run(300)
		v.join(3, "Ann", key)
		v.run(400)
		bob.Leave()
		v.run(450)
		v.join(4, "Cleo", session.Key{})
		v.run(500)
		v.disconnect(4)
		v.run(600)
	}
	f := v.close()
	got := replay.InfoOf(f).Players
	slices.SortFunc(got, func(a, b replay.Presence) int { return strings.Compare(a.Name, b.Name) })
	want := []replay.Presence{
		{ID: ann.ID(), Name: "Ann", From: 0, To: 10, Disconnected: [][2]float64{{3.34, 5.02}}},
		{ID: bob.ID(), Name: "Bob", From: 1, To: 6.68, Disconnected: [][2]float64{}},
		{ID: 3, Name: "Cleo", From: 7.5, To: 10, Disconnected: [][2]float64{{8.33, 10}}},
	}
	if len(got) != len(want) {
		t.Fatalf("got %+v, want three players", got)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < .1 }
	for i, w := range want {
		g := got[i]
		same := g.ID == w.ID && g.Name == w.Name && !g.Bot && near(g.From, w.From) && near(g.To, w.To) && len(g.Disconnected) == len(w.Disconnected)
		for k := range w.Disconnected {
			same = same && near(g.Disconnected[k][0], w.Disconnected[k][0]) && near(g.Disconnected[k][1], w.Disconnected[k][1])
		}
		if !same {
			t.Errorf("got %+v, want about %+v", g, w)
		}
	}
	if r, err := replay.Verify(f); err != nil || r.Differed {
		t.Errorf("simulated again: %+v, %v", r, err)
	}
}

// A player that left is a spectator in the scenario of the recording, and names that a
// scenario does not allow are changed and stay unique.
func TestScenarioNamesAreAllowedAndUnique(t *testing.T) {
	v := newVisit(t)
	for i, name := range []string{"Shots", "a b", "A_B", "Ünal 2", "!?"} {
		v.join(session.Peer(i+1), name, session.Key{})
	}
	v.run(150)
	v.clients[2].Leave()
	v.run(300)
	scene, err := replay.ScenarioOf(v.close(), "scene", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for name := range scene.Files {
		if player, ok := strings.CutSuffix(strings.TrimPrefix(name, "scene."), ".commands"); ok {
			got = append(got, player)
		}
	}
	slices.Sort(got)
	if want := []string{"__", "a_b", "a_b-2", "shots-2", "ünal_2"}; !slices.Equal(got, want) {
		t.Errorf("players %q, want %q", got, want)
	}
	if r := play(t, scene); !r.Held() {
		t.Errorf("the scenario's expectations fail: %+v", r.Expect)
	}
}

// A recording of which the end is missing, or that has a bad byte, is served as far as it
// is whole, and says so.
func TestADamagedRecordingIsServedUpToTheDamage(t *testing.T) {
	v := newVisit(t)
	v.join(1, "Ann", session.Key{})
	v.run(900)
	v.close()
	whole, err := os.ReadFile(v.file)
	if err != nil {
		t.Fatal(err)
	}
	const seed = 17
	r := rand.New(rand.NewPCG(seed, 1))
	damaged := 0
	for range 60 {
		b := slices.Clone(whole)
		if r.IntN(2) == 0 {
			b = b[:len(b)/3+r.IntN(len(b)*2/3)]
		} else {
			b[len(b)/3+r.IntN(len(b)*2/3)] ^= 1 << r.IntN(8)
		}
		f, err := record.Read(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			continue
		}
		info := replay.InfoOf(f)
		if info.Damage != "" {
			damaged++
		}
		if info.Ticks > 900 || info.Duration > 15 || info.Damage == "" && info.Closed && info.Ticks != 900 {
			t.Errorf("seed %d: %d ticks, %v s, damage %q", seed, info.Ticks, info.Duration, info.Damage)
		}
		w := httptest.NewRecorder()
		replay.Handler(f, info).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/replay/samples?from=1&to=901", nil))
		if n := binary.LittleEndian.Uint32(w.Body.Bytes()[8:]); w.Code != http.StatusOK || n > 900 {
			t.Errorf("seed %d: status %d, %d snapshots", seed, w.Code, n)
		}
	}
	if damaged < 10 {
		t.Errorf("seed %d: damage was reported %d times in 60", seed, damaged)
	}
}

// The handler answers GET and HEAD only, and many requests at once.
func TestTheHandlerServesManyRequestsAtOnce(t *testing.T) {
	v := newVisit(t)
	v.join(1, "Ann", session.Key{})
	v.run(120)
	f := v.close()
	h := replay.Handler(f, replay.InfoOf(f))
	ask := func(method, path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, path, nil))
		return w
	}
	for path, want := range map[string]int{"/replay/info.json": 405, "/replay/samples?from=1&to=2": 405, "/replay/frames?from=1&to=2": 404, "/": 404} {
		if got := ask(http.MethodPost, path).Code; got != want {
			t.Errorf("POST %s: got %d, want %d", path, got, want)
		}
	}
	if w := ask(http.MethodHead, "/replay/info.json"); w.Code != 200 || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("HEAD: got %d, %q", w.Code, w.Header())
	}
	var info replay.Info
	if err := json.Unmarshal(ask(http.MethodGet, "/replay/info.json").Body.Bytes(), &info); err != nil || info.Shots == nil || info.Kills == nil {
		t.Errorf("%v; lists without elements must be [], got %+v", err, info)
	}
	want := ask(http.MethodGet, "/replay/samples?from=10&to=100").Body.Bytes()
	var done sync.WaitGroup
	for range 8 {
		done.Go(func() {
			for range 5 {
				if got := ask(http.MethodGet, "/replay/samples?from=10&to=100").Body.Bytes(); !bytes.Equal(got, want) {
					t.Errorf("%d bytes, want the same %d in every answer", len(got), len(want))
				}
			}
		})
	}
	done.Wait()
}

// What cannot be recorded is an error before the match begins, and leaves no match behind.
func TestARecordingThatCannotBeWritten(t *testing.T) {
	own := court(t)
	own.Game = arena.NewGame()
	for name, c := range map[string]struct {
		file   string
		config arena.MatchConfig
	}{
		"no folder":        {filepath.Join(t.TempDir(), "missing", "m.bsrec"), court(t)},
		"rules of its own": {filepath.Join(t.TempDir(), "m.bsrec"), own},
	} {
		if m, rec, err := replay.Record(c.file, c.config, "court", "test"); err == nil || m != nil || rec != nil {
			t.Errorf("%s: got %v, %v, %v", name, m, rec, err)
		}
	}
	v := newVisit(t)
	v.run(90)
	if _, err := replay.ScenarioOf(v.close(), "scene", 0, 0); err == nil {
		t.Error("a recording without players became a scenario")
	}
}
