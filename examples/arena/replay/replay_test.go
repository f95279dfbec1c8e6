package replay_test

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/examples/arena/replay"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/record"
	"github.com/backstep-net/backstep/session"
)

// court is a floor of 60 m with four places to enter.
func court(t testing.TB) arena.MatchConfig {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(30, 1, 30), geom.IdentityQuat, collide.Surface{})
	w, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	n := byte(0)
	c := arena.MatchConfig{
		ServerConfig: session.ServerConfig{World: w, LevelHash: w.Hash(), Players: 8, PlayersBlock: true,
			NewKey: func() (k session.Key) { n++; k[0] = n; return k }},
		KillHeight: -20, Seed: 5,
	}
	for _, x := range []float64{-12, -4, 4, 12} {
		c.Spawns = append(c.Spawns, arena.Spawn{Position: geom.V(x, 0, x/2), Yaw: x / 10})
	}
	return c
}

// bots is a match of bots to record.
type bots struct {
	n     int
	skill arena.Skill
	ticks int64
	begun func(*arena.Match, *record.Recorder) // before the first tick; nil is not called
	each  func(*arena.Match)                   // after each tick; nil is not called
}

// record records the match and returns the file, and the match as it is in the end.
func (b bots) record(t testing.TB, config arena.MatchConfig) (*record.File, *arena.Match) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "m.bsrec")
	m, rec, err := replay.Record(name, config, "court", "test")
	if err != nil {
		t.Fatal(err)
	}
	if b.begun != nil {
		b.begun(m, rec)
	}
	match := arena.NewBots(m, b.n, b.skill)
	match.SetEndpoint(rec)
	for tick := int64(1); tick <= b.ticks; tick++ {
		match.Tick(clock.TickTime(tick, 60))
		if b.each != nil {
			b.each(m)
		}
		match.Outgoing()
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := record.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, m
}

// fight records ten seconds of four bots.
func fight(t testing.TB) (*record.File, *arena.Match) {
	t.Helper()
	return bots{n: 4, skill: arena.Veteran, ticks: 600}.record(t, court(t))
}

// What a page reads of ten seconds of four bots: names, shots with their receipts, kills
// as the match counted them, messages; and the samples, byte for byte as
// docs/recording.md has them.
func TestWhatAPageReads(t *testing.T) {
	f, m := fight(t)
	info := replay.InfoOf(f)
	h := replay.Handler(f, info)
	ask := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w
	}
	var got replay.Info
	if err := json.Unmarshal(ask("/replay/info.json").Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Ticks != 600 || got.Duration != 10 || !got.Closed || got.Damage != "" || got.TickRate != 60 || len(got.Players) != 4 {
		t.Errorf("got %+v", got)
	}
	for _, p := range got.Players {
		if !p.Bot || p.Name == "" || p.From > 1 || p.To != 10 || len(p.Disconnected) != 0 {
			t.Errorf("player %+v", p)
		}
	}
	kills, hits := 0, 0
	for id := range session.PlayerID(4) {
		kills += int(m.Score(id + 1).Kills)
	}
	for _, s := range got.Shots {
		if s.Verdict == "hit" {
			hits++
		}
		if s.T <= 0 || s.Shooter < 1 || s.Shooter > 4 || s.Verdict == "hit" != (s.Impact == "player") || s.Impact == "player" && s.Part == "" {
			t.Fatalf("shot %+v", s)
		}
	}
	if len(got.Kills) != kills || kills == 0 || hits == 0 || len(got.Messages) < kills {
		t.Errorf("%d kills of %d, %d hits, %d messages", len(got.Kills), kills, hits, len(got.Messages))
	}
	snapshots(t, ask("/replay/samples?from=590&to=700").Body.Bytes(), m)
	for _, bad := range []string{"", "?from=1", "?from=2&to=1", "?from=-1&to=3", "?from=1&to=5000000000"} {
		if w := ask("/replay/samples" + bad); w.Code != http.StatusBadRequest {
			t.Errorf("samples%s: got %d", bad, w.Code)
		}
	}
	if n := len(ask("/replay/samples?from=0&to=4000000000").Body.Bytes()); n < 600*(8+4*record.PageEntitySize)*9/10 {
		t.Errorf("all snapshots: %d bytes", n)
	}
}

// snapshots reads the answer for the ticks 590 … 600.
func snapshots(t *testing.T, b []byte, m *arena.Match) {
	t.Helper()
	le := binary.LittleEndian
	if string(b[:8]) != "BSRF\x03\x00\x00\x00" || le.Uint32(b[8:]) != 11 {
		t.Fatalf("got %q and %d snapshots, want 11", b[:8], le.Uint32(b[8:]))
	}
	b = b[12:]
	for tick := uint32(590); tick <= 600; tick++ {
		if le.Uint32(b) != tick || le.Uint32(b[4:]) != 4 {
			t.Fatalf("tick %d with %d things, want %d with 4", le.Uint32(b), le.Uint32(b[4:]), tick)
		}
		for i := range 4 {
			entity := b[8+i*record.PageEntitySize:]
			if tick < 600 {
				continue
			}
			want := m.FullSnapshot().Entities(nil)[i]
			float := func(at int) float64 { return float64(math.Float32frombits(le.Uint32(entity[at:]))) }
			at := geom.V(float(8), float(12), float(16))
			if le.Uint16(entity) != uint16(want.ID) || at.Dist(want.Position) > 1e-4 || math.Abs(float(32)-want.Yaw) > 1e-6 ||
				entity[4] != want.Mode || entity[3]&2 != 0 != want.Dead || entity[5] != want.Life ||
				math.Abs(float(84)-(want.At-m.Now()).Seconds()) > 1e-7 {
				t.Errorf("entity %d at %v, %v: want %+v", le.Uint16(entity), at, entity[:8], want)
			}
		}
		b = b[8+4*record.PageEntitySize:]
	}
	if len(b) != 0 {
		t.Errorf("%d bytes too many", len(b))
	}
}

// Every field of a match's configuration is in the recording or known to be elsewhere,
// and comes back as it was.
func TestAConfigurationComesBack(t *testing.T) {
	c := court(t)
	c.Limits.TrustDistance = 0.1
	c.Peaceful, c.Strict, c.SnapshotRate, c.MaxRewind = true, true, 20, 300*clock.Millisecond
	b, err := replay.Config(&c)
	if err != nil {
		t.Fatal(err)
	}
	var back arena.MatchConfig
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if back.World, back.NewKey = c.World, c.NewKey; back.Limits != c.Limits {
		t.Errorf("limits: got %+v", back.Limits)
	}
	got, want := reflect.ValueOf(back), reflect.ValueOf(c)
	for i := range want.NumField() {
		name := want.Type().Field(i).Name
		if name == "ServerConfig" {
			continue
		}
		if !reflect.DeepEqual(got.Field(i).Interface(), want.Field(i).Interface()) {
			t.Errorf("%s: got %v want %v", name, got.Field(i), want.Field(i))
		}
	}
	if back.TickRate != c.TickRate || back.SnapshotRate != 20 || back.Players != 8 || !back.PlayersBlock || back.MaxRewind != c.MaxRewind {
		t.Errorf("got %+v", back.ServerConfig)
	}
	c.Game = arena.NewGame()
	if _, err := replay.Config(&c); err == nil {
		t.Errorf("a match with rules of its own: no error")
	}
}

// A recording of another program is refused with a reason.
func TestAnotherProgramsRecordingIsRefused(t *testing.T) {
	f, _ := fight(t)
	for _, c := range []struct {
		says   string
		change func(h *record.Head)
	}{
		{"of the game \"chess\"", func(h *record.Head) { h.Game = "chess" }},
		{"format 00000001", func(h *record.Head) { h.Format = 1 }},
		{"protocol 2,", func(h *record.Head) { h.Protocol = 2 }},
		{"unknown field", func(h *record.Head) { h.Config = []byte(`{"Gravity":3}`) }},
		{"Spawns is empty", func(h *record.Head) { h.Config = []byte(`{}`) }},
		{"Players is 1 to 1000", func(h *record.Head) { h.Config = []byte(`{"Players":100000000,"Spawns":[{}]}`) }},
	} {
		was := *f.Head()
		c.change(f.Head())
		if _, err := replay.Verify(f); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("want %q, got %v", c.says, err)
		}
		*f.Head() = was
	}
}
