package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena/replay"
	"github.com/backstep-net/backstep/internal/locked"
	"github.com/backstep-net/backstep/record"
)

// onlyFile is the one file of a folder.
func onlyFile(t *testing.T, folder string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(names) != 1 {
		t.Fatalf("files %v, %v; want one", names, err)
	}
	return names[0]
}

// A served match with bots of its own and players over a bad network is recorded, plays
// again to its hashes, and a page can read it.
func TestAServedMatchIsRecordedAndReplayed(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "recordings")
	url, log, stop := server(t, "--bots", "2", "--record", folder)
	code, out, errs := twoBots(t, url, 3, "--rtt", "60ms", "--jitter", "20ms", "--loss", "0.02")
	if code != 0 {
		t.Errorf("bots: exit code %d, errors %q, output\n%s", code, errs, out)
	}
	if code := stop(); code != 0 || !strings.Contains(log.String(), "lost_ticks=0") {
		t.Errorf("the server's exit code is %d; its log\n%s", code, log)
	}
	file := onlyFile(t, folder)
	if ok, _ := regexp.MatchString(`\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-arena\.bsrec$`, file); !ok {
		t.Errorf("the file is %s", file)
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, %v", info.Mode(), err)
	}
	code, out, errs = say(t.Context(), "replay", file, "--verify")
	if code != 0 || !strings.HasPrefix(out, "equal: ") || errs != "" {
		t.Errorf("verify: exit code %d, output %q, errors %q", code, out, errs)
	}
	t.Logf("verify: %s", out)
	shows(t, file)
	scene := t.TempDir()
	code, out, errs = say(t.Context(), "lab", "record", file, "-o", scene, "--name", "served")
	t.Logf("record: %s", out)
	if code != 0 || errs != "" {
		t.Fatalf("lab record: exit code %d, errors %q", code, errs)
	}
	code, out, errs = say(t.Context(), "lab", "run", filepath.Join(scene, "served.yaml"))
	if code != 0 {
		t.Errorf("lab run: exit code %d, errors %q, output\n%s", code, errs, out)
	}
}

// shows has replay serve a file, and asks it what a page asks.
func shows(t *testing.T, file string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out, errs := &locked.Buffer{}, &locked.Buffer{}
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"replay", file, "--addr", "127.0.0.1:0", "--level", yard(t)}, output{out, errs})
	}()
	at := regexp.MustCompile(`data at (http://\S+)/replay/info.json`)
	var url string
	for deadline := time.Now().Add(patience); url == ""; time.Sleep(5 * time.Millisecond) {
		if m := at.FindStringSubmatch(out.String()); m != nil {
			url = m[1]
		}
		if time.Now().After(deadline) {
			t.Fatalf("replay does not start:\n%s%s", out, errs)
		}
	}
	get := func(path string) []byte {
		res, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Errorf("%s: %v, %v", path, res.Status, err)
		}
		return b
	}
	var info replay.Info
	if err := json.Unmarshal(get("/replay/info.json"), &info); err != nil {
		t.Fatal(err)
	}
	people := 0
	for _, p := range info.Players {
		if !p.Bot {
			people++
		}
	}
	if len(info.Players) != 4 || people != 2 || info.Duration < 3 || info.Match != "arena" {
		t.Errorf("players %+v, %v s of %s", info.Players, info.Duration, info.Match)
	}
	if model := get(info.Model); string(model[:4]) != "glTF" {
		t.Errorf("the model begins with %q", model[:4])
	}
	if len(get(info.World)) == 0 {
		t.Error("the world is empty")
	}
	if frames, most := framesIn(t, get("/replay/samples?from=1&to=3600")); frames == 0 || most < 4 {
		t.Errorf("%d frames with %d entities at most; want some, with the four players", frames, most)
	}
	cancel()
	http.DefaultClient.CloseIdleConnections()
	if code := <-ended; code != 0 {
		t.Errorf("replay: exit code %d, errors %s", code, errs)
	}
}

// framesIn reads an answer of frames, which must come out even, and returns how many there
// are and how many entities the fullest has. A slow machine skips ticks.
func framesIn(t *testing.T, b []byte) (frames, most int) {
	t.Helper()
	const head, frameHead = 12, 8
	if len(b) < head || string(b[:5]) != "BSRF\x03" {
		t.Fatalf("the frames begin with %q", b[:min(len(b), head)])
	}
	left := b[head:]
	for range binary.LittleEndian.Uint32(b[8:]) {
		if len(left) < frameHead {
			t.Fatal("the frames end early")
		}
		entities := int(binary.LittleEndian.Uint32(left[4:]))
		if left = left[frameHead:]; len(left) < entities*record.PageEntitySize {
			t.Fatal("a frame ends early")
		}
		left = left[entities*record.PageEntitySize:]
		frames, most = frames+1, max(most, entities)
	}
	if len(left) != 0 {
		t.Errorf("%d bytes are left over", len(left))
	}
	return frames, most
}

// THR-09: kill -9 in the middle of a recorded match. The file is read up to
// what was flushed last, which is not more than a second of match time and a bit before
// the end, and plays again to its hashes.
func TestAKilledServersRecordingIsReadable(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	cmd, _, log := serveProcess(t, "--bots", "3", "--record", folder)
	file := onlyFile(t, folder)
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		f, err := record.Open(file) // while it is written
		if err == nil {
			long := f.Duration()
			f.Close()
			if long > 2500*clock.Millisecond {
				break
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("nothing is recorded: %v\n%s", err, log)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	f, err := record.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v, err := replay.Verify(f)
	if err != nil || v.Differed || v.Hashes < 3 || f.Closed() {
		t.Errorf("%v, %v; closed %v, damage %v", v, err, f.Closed(), f.Damage())
	}
	t.Logf("%v; %v long, damage %v", v, f.Duration().Seconds(), f.Damage())
}

// A recording of another game has no page that plays it: the line says so, and names no address that the page
// does not know.
func TestTheAddressOfAReplay(t *testing.T) {
	for _, c := range []struct{ web, game, want string }{
		{"dist", replay.Game, "backstep: open http://x/?replay"},
		{"", replay.Game, "backstep: data at http://x/replay/info.json (--web shows it)"},
		{"dist", "hill", "backstep: data at http://x/replay/info.json; only recordings of the arena have a page that plays them"},
		{"", "hill", "backstep: data at http://x/replay/info.json; only recordings of the arena have a page that plays them"},
	} {
		if got := (&replayCommand{Web: c.web}).address("http://x", c.game); got != c.want {
			t.Errorf("%q of %s: got %q, want %q", c.web, c.game, got, c.want)
		}
	}
}
