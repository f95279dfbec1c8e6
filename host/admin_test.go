package host_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/session"
)

// askAdmin makes a request of the admin port.
func (s *stage) askAdmin(method, path, body string, head http.Header) (code int, text string) {
	s.t.Helper()
	res, answer := s.request(method, "http://"+s.host.AdminAddr().String()+path, body, head)
	return res.StatusCode, string(answer)
}

// refusals returns how many refusals of a cause the metrics count.
func (s *stage) refusals(cause string) (n int) {
	s.t.Helper()
	_, text := s.askAdmin("GET", "/metrics", "", nil)
	_, value, _ := strings.Cut(text, `backstep_refused_total{cause="`+cause+`"} `)
	if _, err := fmt.Sscan(value, &n); err != nil {
		s.t.Fatalf("%s: %v", cause, err)
	}
	return n
}

func administered(t *testing.T, secret string) *stage {
	t.Helper()
	return openWith(t, host.Config{Matches: []host.MatchConfig{seat("arena", newMatch(4))}, Admin: "127.0.0.1:0", AdminSecret: secret})
}

// THR-33: nothing of the admin port is on the public one, and no profile.
func TestThePublicPortHasNoAdmin(t *testing.T) {
	s := administered(t, "")
	for _, path := range []string{"/metrics", "/debug/pprof/", "/debug/pprof/heap", "/debug/vars", "/status", "/kick", "/drain"} {
		if res, _ := s.get(path); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s, want not found", path, res.Status)
		}
	}
	h, err := host.New(host.Config{Addr: "127.0.0.1:0", QUIC: "127.0.0.1:0", Matches: []host.MatchConfig{seat("arena", newMatch(1))}})
	if err != nil {
		t.Fatal(err)
	}
	if h.AdminAddr() != nil {
		t.Error("a host without Config.Admin has an admin port")
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if err := h.Run(ended); err != nil {
		t.Error(err)
	}
}

// THR-33: the admin port answers requests that name this machine, and acts for no page of another origin; one
// that other machines reach needs a secret, and answers nobody without it.
func TestWhoMayUseTheAdminPort(t *testing.T) {
	s := administered(t, "")
	for _, c := range []struct {
		what, method, path string
		head               http.Header
		want               int
	}{
		{"here", "GET", "/status", nil, 200},
		{"by name", "GET", "/status", http.Header{"Host": {"localhost:1"}}, 200},
		{"a name that leads here", "GET", "/status", http.Header{"Host": {"evil.example"}}, 403},
		{"a page of another site", "POST", "/drain", http.Header{"Origin": {"https://evil.example"}, "Sec-Fetch-Site": {"cross-site"}}, 403},
		{"another page of this machine", "POST", "/drain", http.Header{"Origin": {"http://localhost:3000"}}, 403},
		{"a link to an action", "GET", "/drain", nil, 405},
	} {
		if got, text := s.askAdmin(c.method, c.path, "", c.head); got != c.want {
			t.Errorf("%s: %d %s, want %d", c.what, got, text, c.want)
		}
	}
	if res, _ := s.get("/readyz"); res.StatusCode != 200 {
		t.Error("one of those drained the server")
	}
	guarded := administered(t, "correct horse battery")
	bearer := func(secret string) http.Header { return http.Header{"Authorization": {"Bearer " + secret}} }
	for _, path := range []string{"/", "/status", "/metrics", "/healthz", "/debug/pprof/"} {
		for secret, want := range map[string]int{"": 401, "correct horse batterz": 401, "correct horse battery": 200} {
			if got, _ := guarded.askAdmin("GET", path, "", bearer(secret)); got != want {
				t.Errorf("%s with %q: %d, want %d", path, secret, got, want)
			}
		}
	}
	_, err := host.New(host.Config{Matches: []host.MatchConfig{seat("arena", newMatch(1))}, Admin: ":0"})
	var bad *host.AddressError
	if !errors.As(err, &bad) || bad.Field != "Admin" || !strings.Contains(err.Error(), "AdminSecret") {
		t.Errorf("for other machines without a secret: got %v", err)
	}
}

// Somebody without the secret sends the beginning of a request whose body never comes: the answer comes all the same, and
// the connection ends, instead of holding a descriptor for ever. [THR-33]
func TestARefusedRequestWithoutItsBodyEnds(t *testing.T) {
	s := administered(t, "correct horse battery")
	conn, err := net.Dial("tcp", s.host.AdminAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(conn, "POST /ban HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil || !strings.Contains(string(answer), "401 Unauthorized") {
		t.Errorf("got %q, %v; want a refusal and the end of the connection", answer, err)
	}
}

// An administrator sees the players, throws one out, who reads the reason and whose seat is free, and drains the
// server. What names no match or player is refused in words. [THR-34]
func TestAnAdministratorActs(t *testing.T) {
	s := administered(t, "")
	ann := s.join("websocket", "", "ann", session.Key{})
	s.until("the status has her", func() bool {
		_, text := s.askAdmin("GET", "/status", "", nil)
		return strings.Contains(text, `"name":"ann"`) && strings.Contains(text, `"position"`)
	})
	for body, want := range map[string]int{
		"":                                    400,
		`{"match": "nowhere", "player": 1}`:   404,
		`{"player": 3}`:                       404,
		`{"player": 999}`:                     404,
		`{"player": -1}`:                      400,
		`{"player": 1, "why": "Bad manners"}`: 200,
	} {
		if want == 200 {
			continue
		}
		if got, text := s.askAdmin("POST", "/kick", body, nil); got != want {
			t.Errorf("kick %s: %d %s, want %d", body, got, text, want)
		}
	}
	if got, text := s.askAdmin("POST", "/kick", `{"player": 1, "why": "Bad manners"}`, nil); got != 200 {
		t.Errorf("kick: %d %s", got, text)
	}
	s.until("she reads why", func() bool { return ann.refused == "Bad manners" })
	several := openWith(t, host.Config{Matches: []host.MatchConfig{seat("first", newMatch(4)), seat("second", newMatch(4))}})
	several.join("websocket", "first", "ann", session.Key{})
	bob := several.join("quic", "second", "bob", session.Key{})
	if got, text := several.askAdmin("POST", "/kick", `{"player": 1, "why": "Bad manners"}`, nil); got != 400 || !strings.Contains(text, `"match" is missing`) {
		t.Errorf("kick of a player 1 of two matches: %d %s, want 400 with the cure", got, text)
	}
	if got, text := several.askAdmin("POST", "/kick", `{"match": "second", "player": 1, "why": "Bad manners"}`, nil); got != 200 {
		t.Errorf("kick in the second match: %d %s", got, text)
	}
	several.until("he reads why", func() bool { return bob.refused == "Bad manners" })
	s.until("her seat is free", func() bool {
		_, text := s.askAdmin("GET", "/status", "", nil)
		return !strings.Contains(text, `"name":"ann"`)
	})
	if !strings.Contains(s.log.String(), "msg=kicked") {
		t.Errorf("the log does not say who was kicked:\n%s", s.log)
	}
	if got, text := s.askAdmin("POST", "/drain", "", nil); got != 200 {
		t.Errorf("drain: %d %s", got, text)
	}
	if err := <-s.ended; err != nil {
		t.Errorf("drained: %v", err)
	}
}

// The metrics tell how many players wait for a seat, and when a checkpoint was written last: an alarm on its age finds
// a disk that is full.
func TestQueueAndCheckpointAreMeasured(t *testing.T) {
	began := time.Now()
	field := seat("arena", newMatchWithQueue(1, 2))
	field.Checkpoint = host.CheckpointFile(t.TempDir(), "arena")
	s := openWith(t, host.Config{Matches: []host.MatchConfig{field}, Admin: "127.0.0.1:0"})
	s.join("websocket", "", "ann", session.Key{})
	s.hello("quic", "", "bob", session.Key{})
	value := func(name string) (v float64) {
		_, text := s.askAdmin("GET", "/metrics", "", nil)
		_, after, _ := strings.Cut(text, "\n"+name+`{match="arena"} `)
		_, _ = fmt.Sscan(after, &v)
		return v
	}
	s.until("one waits", func() bool { return value("backstep_queued") == 1 })
	at := func() float64 { return value("backstep_checkpoint_timestamp_seconds") }
	if first := at(); first < float64(began.Unix()) || first > float64(time.Now().Unix()+1) {
		t.Errorf("got a checkpoint at %.0f, want one since %d", first, began.Unix())
	}
	before := at()
	s.until("another checkpoint is written", func() bool { return at() > before })
	// A folder in the place of the file that is written is as good as a full disk.
	s.until("it cannot be written", func() bool { return os.Mkdir(field.Checkpoint+".part", 0o700) == nil })
	s.until("none is written", func() bool { return strings.Contains(s.log.String(), "checkpoint not written") })
	last := at()
	for range 20 {
		time.Sleep(100 * time.Millisecond)
		if now := at(); now != last {
			t.Fatalf("got a checkpoint at %f although none can be written, want %f", now, last)
		}
	}
}

// The metrics tell of players, traffic and ticks, and have the names that the dashboard of Grafana asks for.
func TestMetrics(t *testing.T) {
	s := administered(t, "")
	ann := s.join("websocket", "", "ann", session.Key{})
	s.join("udp", "", "carol", session.Key{}).conn.Close("enough")
	s.refusedWith(s.hello("quic", "nowhere", "bob", session.Key{}), "a hello to another match", "no match")
	shots := func(text string) (judged, rewound string) {
		_, judged, _ = strings.Cut(text, `backstep_shots_total{match="arena",verdict="miss"} `)
		_, rewound, _ = strings.Cut(text, `backstep_rewind_seconds_count{match="arena"} `)
		judged, _, _ = strings.Cut(judged, "\n")
		rewound, _, _ = strings.Cut(rewound, "\n")
		return judged, rewound
	}
	ann.input.Fire = true
	s.until("her shots are counted", func() bool {
		_, text := s.askAdmin("GET", "/metrics", "", nil)
		judged, rewound := shots(text)
		if judged != rewound {
			t.Errorf("%s shots missed, and %s have a view: want as many", judged, rewound)
		}
		return judged != "0"
	})
	ann.input.Fire = false
	var text string
	s.until("the metrics have her", func() bool {
		_, text = s.askAdmin("GET", "/metrics", "", nil)
		return strings.Contains(text, `backstep_players{match="arena"} 1`) && strings.Contains(text, `backstep_rtt_seconds_count{match="arena"}`)
	})
	for _, want := range []string{
		`backstep_connections{match="arena",transport="websocket"} 1`, `backstep_joins_total{match="arena"} 2`, `backstep_draining 0`,
		`backstep_bytes_total{direction="out",match="arena"}`, `backstep_corrections_total{cause="timeout",match="arena"} `,
		`backstep_handshakes_total{result="begun",transport="quic"} 1`, `backstep_handshakes_total{result="begun",transport="udp"} 1`, `backstep_handshakes_total{result="retry",transport="quic"} 0`,
		`backstep_datagrams_dropped_total{match="arena",reason="in"} 0`, `backstep_shots_total{match="arena",verdict="hit"} 0`,
		`backstep_refused_total{cause="banned"} 0`, `backstep_refused_total{cause="match"} 1`, `backstep_refused_total{cause="admin"} 0`, `backstep_tick_seconds_bucket{match="arena"`, "go_gc_duration_seconds", "process_open_fds",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in the metrics", want)
		}
	}
	if regexp.MustCompile(`\bann\b`).MatchString(text) {
		t.Error("a player's name is in the metrics")
	}
	known := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (\S+) (\S+)`).FindAllStringSubmatch(text, -1) {
		known[m[1]] = true
		if m[2] == "histogram" {
			known[m[1]+"_bucket"], known[m[1]+"_sum"], known[m[1]+"_count"] = true, true, true
		}
	}
	b, err := os.ReadFile(filepath.Join("..", "deploy", "grafana", "backstep.json"))
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(b, &board); err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, p := range board.Panels {
		for _, q := range p.Targets {
			for _, name := range regexp.MustCompile(`\b(?:backstep|go|process)_\w+`).FindAllString(q.Expr, -1) {
				if asked++; !known[name] {
					t.Errorf("the panel %q asks for %s, which no metric is", p.Title, name)
				}
			}
		}
	}
	if asked < 8 {
		t.Errorf("the dashboard asks for %d metrics, want a dozen", asked)
	}
}

// Connections that say nothing are counted once each, however many read the metrics at once. [THR-04]
func TestSilentConnectionsAreCounted(t *testing.T) {
	s := openWith(t, host.Config{Matches: []host.MatchConfig{seat("arena", newMatch(4))}, Hello: 100 * time.Millisecond, Admin: "127.0.0.1:0"})
	all := append([]string{"udp"}, transportNames...)
	for _, via := range all {
		s.connect(via, "")
	}
	counted := func() int { return s.refusals("handshake") }
	want := len(all)
	s.until("they are counted", func() bool {
		var readers sync.WaitGroup
		for range 8 {
			readers.Go(func() { counted() })
		}
		readers.Wait()
		return counted() == want
	})
	if got := counted(); got != want {
		t.Errorf("read again: got %d, want %d", got, want)
	}
	for i, c := range s.clients {
		s.until(all[i]+" is closed", c.conn.Closed)
	}
}

// Connections to the admin port that do nothing are bounded, and lock out nobody: the oldest give way. [THR-33]
func TestIdleConnectionsOfTheAdminPort(t *testing.T) {
	s := administered(t, "")
	const idle, kept = 200, 64
	var all []net.Conn
	for range idle {
		c, err := net.Dial("tcp", s.host.AdminAddr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		all = append(all, c)
	}
	if status, text := s.askAdmin("GET", "/metrics", "", nil); status != http.StatusOK {
		t.Errorf("got %d and %.100q, want the metrics", status, text)
	}
	for i, c := range all[:idle-kept] {
		_ = c.SetReadDeadline(time.Now().Add(patience))
		if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("connection %d of %d: got %v, want it closed: %d may stay", i, idle, err, kept)
		}
	}
}

// The end of the certificate that clients see is a metric, so that a renewal that failed is noticed. [THR-44]
func TestTheEndOfTheCertificateIsAMetric(t *testing.T) {
	s := openTLS(t, host.Config{Admin: "127.0.0.1:0", Matches: []host.MatchConfig{seat("arena", newMatch(4))}})
	metric := func() string {
		res, err := http.Get("http://" + s.host.AdminAddr().String() + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if want := "\nbackstep_certificate_end_timestamp_seconds 0\n"; !strings.Contains(metric(), want) {
		t.Errorf("before a handshake: no %q", want)
	}
	conn, err := tls.Dial("tcp", s.host.Addr().String(), &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	end := float64(conn.ConnectionState().PeerCertificates[0].NotAfter.Unix())
	if want := "backstep_certificate_end_timestamp_seconds " + strconv.FormatFloat(end, 'g', -1, 64); !strings.Contains(metric(), want) {
		t.Errorf("after one: no %q", want)
	}
}
