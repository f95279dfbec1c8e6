package host_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/join"
)

// builtPage is a combiner such as Vite builds, and things that must not be served.
func builtPage(t *testing.T) string {
	t.Helper()
	folder, outside := t.TempDir(), filepath.Join(t.TempDir(), "secret.txt")
	for name, text := range map[string]string{
		"index.html":                  "<!doctype html>" + strings.Repeat("<p>a page</p>", 100),
		"backstep.wasm":               "\x00asm" + strings.Repeat("core", 400),
		"assets/index-BxK3_a9f.js":    strings.Repeat("run();", 300),
		"assets/index-D9aa-kQz.css":   "body{}",
		"assets/worker-entrance.js":   "a word, not a hash",
		"assets/shot-AAAAAAAA.png":    "\x89PNG",
		"assets/manifest.webmanifest": "{}",
		".env":                        "SECRET=1",
		".vite/manifest.json":         "{}",
	} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(outside, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(folder, "link.txt")); err != nil {
		t.Fatal(err)
	}
	return folder
}

// answer is what a request must get; kind and caching where it is 200.
type answer struct {
	method, path  string
	status        int
	kind, caching string
}

// httpAnswers is the table of TestWhatHTTPAnswers.
func httpAnswers(level string) []answer {
	const forGood, ask, fresh = "public, max-age=31536000, immutable", "no-cache", "no-store"
	return []answer{
		{"GET", "/", 200, "text/html; charset=utf-8", ask},
		{"HEAD", "/", 200, "text/html; charset=utf-8", ask},
		{"GET", "/index.html", 200, "text/html; charset=utf-8", ask},
		{"GET", "/?match=arena", 200, "text/html; charset=utf-8", ask},
		{"GET", "/backstep.wasm", 200, "application/wasm", ask},
		{"GET", "/assets/index-BxK3_a9f.js", 200, "text/javascript; charset=utf-8", forGood},
		{"GET", "/assets/index-D9aa-kQz.css", 200, "text/css; charset=utf-8", forGood},
		{"GET", "/assets/worker-entrance.js", 200, "text/javascript; charset=utf-8", ask},
		{"GET", "/assets/shot-AAAAAAAA.png", 200, "image/png", forGood},
		{"GET", "/missing.html", 404, "", ""},
		{"GET", "/favicon.ico", 204, "", ""},
		{"GET", "/assets/", 404, "", ""},
		{"GET", "/assets", 404, "", ""},
		{"GET", "/.env", 404, "", ""},
		{"GET", "/.vite/manifest.json", 404, "", ""},
		{"GET", "/link.txt", 404, "", ""},
		{"GET", "/..%2f..%2fetc%2fpasswd", 404, "", ""},
		{"POST", "/", 405, "", ""},
		{"GET", "/healthz", 200, "text/plain; charset=utf-8", fresh},
		{"HEAD", "/healthz", 200, "text/plain; charset=utf-8", fresh},
		{"DELETE", "/healthz", 405, "", ""},
		{"GET", "/api/status", 200, "application/json", fresh},
		{"HEAD", "/api/status", 200, "application/json", fresh},
		{"POST", "/api/status", 405, "", ""},
		{"GET", "/api/join", 200, "application/json", fresh},
		{"GET", "/api/join?match=arena", 200, "application/json", fresh},
		{"GET", "/api/join?match=nowhere", 404, "", ""},
		{"PUT", "/api/join", 405, "", ""},
		{"GET", "/api/", 404, "", ""},
		{"GET", level, 200, "application/octet-stream", forGood},
		{"HEAD", level, 200, "application/octet-stream", forGood},
		{"GET", level + ".glb", 200, "model/gltf-binary", ask},
		{"GET", level + ".glb?v=another", 200, "model/gltf-binary", ask},
		{"GET", "/levels/0123", 404, "", ""},
		{"GET", "/levels/", 404, "", ""},
		{"POST", level, 405, "", ""},
		{"GET", "/ws", 426, "", ""}, // no upgrade asked for
		{"GET", "/debug/pprof/", 404, "", ""},
	}
}

func TestWhatHTTPAnswers(t *testing.T) {
	s := openWith(t, host.Config{Matches: []host.MatchConfig{seat("arena", newMatch(2))}, Web: builtPage(t)})
	for _, c := range httpAnswers("/levels/" + floor().Hash()) {
		res, body := s.ask(c.method, c.path, nil)
		if res.StatusCode != c.status {
			t.Errorf("%s %s: %s, want %d", c.method, c.path, res.Status, c.status)
			continue
		}
		if got := res.Header.Get("X-Content-Type-Options"); got != "nosniff" {
			t.Errorf("%s %s: X-Content-Type-Options %q", c.method, c.path, got)
		}
		if c.status != 200 {
			continue
		}
		if kind, caching := res.Header.Get("Content-Type"), res.Header.Get("Cache-Control"); kind != c.kind || caching != c.caching {
			t.Errorf("%s %s: type %q, caching %q; want %q, %q", c.method, c.path, kind, caching, c.kind, c.caching)
		}
		if (c.method == "HEAD") != (len(body) == 0) {
			t.Errorf("%s %s: %d bytes", c.method, c.path, len(body))
		}
	}
}

// A file of the page that is too large to stay in memory comes as it is on the disk, whole and in ranges.
func TestALargeFileOfThePage(t *testing.T) {
	folder := builtPage(t)
	const size = 32<<20 + 1000
	name := filepath.Join(folder, "film.json")
	if err := os.WriteFile(name, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, size); err != nil { // the rest takes no room
		t.Fatal(err)
	}
	s := openWith(t, host.Config{Matches: []host.MatchConfig{seat("arena", newMatch(2))}, Web: folder})
	res, _ := s.ask("HEAD", "/film.json", nil)
	if res.StatusCode != 200 || res.ContentLength != size || res.Header.Get("Content-Type") != "application/json" || res.Header.Get("Cache-Control") != "no-cache" {
		t.Errorf("got %s, %d bytes, %v; want %d bytes of JSON", res.Status, res.ContentLength, res.Header, size)
	}
	if res, body := s.ask("GET", "/film.json", http.Header{"Range": {"bytes=-10"}}); res.StatusCode != 206 || len(body) != 10 {
		t.Errorf("its end: got %s and %d bytes, want 206 and 10", res.Status, len(body))
	}
}

func TestALevelComesCompressedOnce(t *testing.T) {
	s := open(t, seat("arena", newMatch(2)))
	var to join.Answer
	s.getJSON("/api/join", &to)
	for _, path := range []string{to.World, to.Model} {
		plain, want := s.get(path)
		if got := plain.Header.Get("Content-Encoding"); got != "" || plain.ContentLength != int64(len(want)) {
			t.Errorf("%s: encoding %q, length %d, want none and %d", path, got, plain.ContentLength, len(want))
		}
		for coding, header := range map[string]string{"br": "gzip;q=1.0, br;q=0.8", "gzip": "gzip"} {
			res, body := s.ask("GET", path, http.Header{"Accept-Encoding": {header}})
			if got := res.ContentLength; got != int64(len(body)) { // or the bounds of downloads overlook it
				t.Errorf("%s, %s: length %d, want %d", path, coding, got, len(body))
			}
			if res.Header.Get("Content-Encoding") == coding {
				if got := unpack(t, coding, body); !bytes.Equal(got, want) {
					t.Errorf("%s, %s: unpacks to %d bytes, want the %d of the plain answer", path, coding, len(got), len(want))
				}
				if res.ContentLength != int64(len(body)) || res.Header.Get("Vary") != "Accept-Encoding" {
					t.Errorf("%s, %s: length %d of %d, Vary %q", path, coding, res.ContentLength, len(body), res.Header.Get("Vary"))
				}
				if a, b := res.Header.Get("ETag"), plain.Header.Get("ETag"); a == b {
					t.Errorf("%s, %s: both forms have the ETag %s", path, coding, a)
				}
			} else if path == to.Model {
				t.Errorf("%s: %d bytes came as %q, want %s", path, len(body), res.Header.Get("Content-Encoding"), coding)
			}
			again, body := s.ask("GET", path, http.Header{
				"Accept-Encoding": {header}, "If-None-Match": {res.Header.Get("ETag")},
			})
			if again.StatusCode != http.StatusNotModified || len(body) != 0 {
				t.Errorf("%s: %s with %d bytes for a client that has it already, want 304", path, again.Status, len(body))
			}
		}
		refused, body := s.ask("GET", path, http.Header{"Accept-Encoding": {"gzip;q=0"}})
		if got := refused.Header.Get("Content-Encoding"); got != "" || !bytes.Equal(body, want) {
			t.Errorf("%s: encoding %q for a client that takes no gzip", path, got)
		}
		part, body := s.ask("GET", path, http.Header{"Accept-Encoding": {"gzip"}, "Range": {"bytes=2-5"}})
		if part.StatusCode != http.StatusPartialContent || !bytes.Equal(body, want[2:6]) {
			t.Errorf("%s: %s with %q for bytes 2 to 5, want %q", path, part.Status, body, want[2:6])
		}
	}
	res, _ := s.get(to.Model)
	if got := res.Header.Get("Cache-Control"); !strings.Contains(got, "immutable") {
		t.Errorf("%s: caching %q, want for good: its address has the model's own hash", to.Model, got)
	}
	if got := res.Header.Get("Access-Control-Allow-Origin"); got != "*" {
		t.Errorf("pages from elsewhere: %q, want *", got)
	}
}

// unpack undoes a coding.
func unpack(t *testing.T, coding string, b []byte) []byte {
	t.Helper()
	var r io.Reader = brotli.NewReader(bytes.NewReader(b))
	if coding == "gzip" {
		var err error
		if r, err = gzip.NewReader(bytes.NewReader(b)); err != nil {
			t.Fatal(err)
		}
	}
	all, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The build of a page puts NAME.br beside a file: it is sent in the file's place, unless the
// file is newer.
func TestAPageCompressedBeforehand(t *testing.T) {
	folder := t.TempDir()
	want := bytes.Repeat([]byte("console.log(1);"), 1000)
	var packed bytes.Buffer
	w := brotli.NewWriterLevel(&packed, 1) // not as the server packs
	_, _ = w.Write(want)
	_ = w.Close()
	now := time.Now()
	for _, f := range []struct {
		name  string
		bytes []byte
	}{{"a.js", want}, {"a.js.br", packed.Bytes()}, {"b.js", want}, {"b.js.br", []byte("an old one")}} {
		if err := os.WriteFile(filepath.Join(folder, f.name), f.bytes, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(filepath.Join(folder, "b.js.br"), now, now.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	files, err := host.Files(folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.js", "b.js"} {
		r := httptest.NewRequest("GET", "/"+name, nil)
		r.Header.Set("Accept-Encoding", "gzip, br")
		answer := httptest.NewRecorder()
		files.ServeHTTP(answer, r)
		body := answer.Body.Bytes()
		if coding := answer.Header().Get("Content-Encoding"); coding != "br" || !bytes.Equal(unpack(t, "br", body), want) {
			t.Errorf("%s: %d bytes as %q, want brotli of the file", name, len(body), coding)
		}
		if same := bytes.Equal(body, packed.Bytes()); same != (name == "a.js") {
			t.Errorf("%s: the file beside it was sent: %t", name, same)
		}
	}
}

func TestAPageBuiltAnewIsServedAnew(t *testing.T) {
	folder := builtPage(t)
	s := openWith(t, host.Config{Matches: []host.MatchConfig{seat("arena", newMatch(2))}, Web: folder})
	old, _ := s.get("/")
	path := filepath.Join(folder, "index.html")
	if err := os.WriteFile(path, []byte("built anew"), 0o644); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Minute)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	res, body := s.ask("GET", "/", http.Header{"If-None-Match": {old.Header.Get("ETag")}})
	if res.StatusCode != 200 || string(body) != "built anew" {
		t.Errorf("%s %q", res.Status, body)
	}
}

func TestAServerWithoutAPageSaysSo(t *testing.T) {
	s := open(t, seat("arena", newMatch(2)))
	if res, body := s.get("/"); res.StatusCode != 200 || !strings.Contains(string(body), "/api/join") {
		t.Errorf("%s %q", res.Status, body)
	}
	if res, _ := s.get("/index.html"); res.StatusCode != 404 {
		t.Errorf("/index.html: %s", res.Status)
	}
}

func TestJoinSaysWhereToConnect(t *testing.T) {
	s := open(t, seat("first", newMatch(2)), seat("second", newMatch(2)))
	var to join.Answer
	s.getJSON("/api/join?match=second", &to)
	_, port, _ := net.SplitHostPort(s.host.QUICAddr().String())
	want := join.Answer{
		Version: "test", Protocol: session.Version, Format: newMatch(4).Format(), Match: "second", QUIC: "127.0.0.1:" + port,
		WebTransport: "https://127.0.0.1:" + port + "/play", WebSocket: "/ws",
		Level: floor().Hash(), World: "/levels/" + floor().Hash(),
		CertHashes: to.CertHashes, Model: to.Model, Server: to.Server, UDP: to.UDP,
	}
	if u := to.UDP; u == nil || len(u.Ticket) != 80 || len(u.Secret) != 64 || len(u.Key) != 64 {
		t.Errorf("the ticket is %+v", u)
	}
	if fmt.Sprint(to) != fmt.Sprint(want) {
		t.Errorf("got  %+v\nwant %+v", to, want)
	}
	var again join.Answer
	if s.getJSON("/api/join", &again); len(to.Server) != 32 || again.Server != to.Server {
		t.Errorf("the server is %q and then %q, want one name of 128 bits for this start", to.Server, again.Server)
	}
	if len(to.CertHashes) != 2 || len(to.CertHashes[0]) != 64 {
		t.Errorf("certificate hashes %q, want the current one and the next", to.CertHashes)
	}
	if ok, _ := regexp.MatchString(`^/levels/[0-9a-f]+\.glb\?v=[0-9a-f]{32}$`, to.Model); !ok {
		t.Errorf("model at %q", to.Model)
	}
	_, body := s.get(to.World)
	if w, err := collide.Unpack(body); err != nil || w.Hash() != to.Level {
		t.Errorf("the world unpacks with %v and is not %s", err, to.Level)
	}
}

func TestTheStatusHasThisShape(t *testing.T) {
	s := open(t, seat("arena", newMatch(4)))
	s.join("quic", "", "ann", session.Key{})
	s.until("the status has her", func() bool {
		m := s.status().Matches[0]
		return len(m.Players) == 1 && m.Out > 0
	})
	_, text := s.askAdmin("GET", "/status", "", nil)
	body := []byte(text)
	var got map[string]any
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatal(err)
	}
	if keys, want := keysOf(got), "matches uptime_s version"; keys != want {
		t.Errorf("the status has %s, want %s", keys, want)
	}
	match := got["matches"].([]any)[0].(map[string]any)
	want := "bytes_in_per_second bytes_out_per_second connections level name peers players state " +
		"tick tick_histogram tick_late_max_ms tick_late_p99_ms tick_max_ms tick_p50_ms tick_p99_ms tick_rate ticks_missed transports"
	if keys := keysOf(match); keys != want {
		t.Errorf("a match has\n%s, want\n%s", keys, want)
	}
	player := match["players"].([]any)[0].(map[string]any)
	want = "bot bytes_in bytes_out connected corrections deaths health id input_delay_ms kills loss name position rtt_ms time_discrepancy timeouts"
	if keys := keysOf(player); keys != want {
		t.Errorf("a player has\n%s, want\n%s", keys, want)
	}
}

func keysOf(m map[string]any) string {
	return strings.Join(slices.Sorted(maps.Keys(m)), " ")
}

// Positions would serve cheats as a radar: the public port gives them to no request, from wherever it comes or seems
// to come. The admin port has them. [THR-33, THR-61]
func TestThePublicPortShowsNoPlayer(t *testing.T) {
	s := open(t, seat("arena", newMatch(4)))
	s.join("quic", "", "ann", session.Key{})
	s.until("the status has her", func() bool { return len(s.status().Matches[0].Players) == 1 })
	if _, text := s.askAdmin("GET", "/status", "", nil); !strings.Contains(text, `"position"`) || !strings.Contains(text, `"name":"ann"`) {
		t.Errorf("the admin port does not show her: %s", text)
	}
	for name, head := range map[string]http.Header{
		"from this machine": nil,
		"by its name":       {"Host": {"localhost"}},
		"through a proxy":   {"X-Forwarded-For": {"192.0.2.7"}},
		"through another":   {"Forwarded": {"for=192.0.2.7"}},
		"by a public name":  {"Host": {"game.example"}},
	} {
		for _, path := range []string{"/api/status", "/api/status?details=1", "/api/join", "/"} {
			_, body := s.ask("GET", path, head)
			for _, secret := range []string{"position", "players", "ann", "rtt", "tick_max"} {
				if bytes.Contains(body, []byte(secret)) {
					t.Errorf("%s, %s: the answer has %q: %s", name, path, secret, body)
				}
			}
		}
	}
}
