package report

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// findBrowser is a Chromium or Chrome, "" where there is none.
func findBrowser() string {
	for _, name := range []string{os.Getenv("CHROMIUM"), os.Getenv("CHROME"), "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	return ""
}

// said reports that the missing browser was logged: once is enough.
var said bool

// needBrowser skips the test, loudly, where there is no browser.
func needBrowser(t *testing.T) string {
	t.Helper()
	path := findBrowser()
	if path != "" {
		return path
	}
	why := "the lab's report in a browser: no Chromium or Chrome here; install chromium or set CHROMIUM"
	if name := os.Getenv("BACKSTEP_NOT_RUN"); name != "" && !said {
		said = true
		f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := fmt.Fprintln(f, why); err != nil {
			t.Fatal(err)
		}
	}
	t.Skip(why)
	return ""
}

// tab is a page in a browser of its own, spoken to over a pair of pipes in the
// DevTools protocol: JSON with a zero byte after each message.
type tab struct {
	t          *testing.T
	to         io.WriteCloser
	from       *bufio.Reader
	session    string
	id         int
	complaints []string // uncaught errors, and errors on the console
}

// message is a message in either direction.
type message struct {
	ID        int             `json:"id,omitempty"`
	Method    string          `json:"method,omitempty"`
	Params    any             `json:"params,omitempty"`
	SessionID string          `json:"sessionId,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     json.RawMessage `json:"error,omitempty"`
}

// open opens a page in a browser of that size.
func open(t *testing.T, page []byte, width, height int) *tab {
	t.Helper()
	b := start(t, needBrowser(t), t.TempDir())
	var target struct{ TargetID, SessionID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	b.session = target.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		b.call(domain+".enable", nil, nil)
	}
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.show(page)
	return b
}

// show goes to another page.
func (b *tab) show(page []byte) {
	b.t.Helper()
	file := filepath.Join(b.t.TempDir(), "report.html")
	if err := os.WriteFile(file, page, 0o666); err != nil {
		b.t.Fatal(err)
	}
	b.call("Page.navigate", map[string]any{"url": "file://" + file}, nil)
	b.wait("Page.loadEventFired")
}

// start starts the browser and ends it with the test.
func start(t *testing.T, path, dir string) *tab {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	cmd := exec.CommandContext(ctx, path, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
		"--user-data-dir="+filepath.Join(dir, "profile"), "--remote-debugging-pipe")
	theirs, to := pipe(t)
	from, theirsToo := pipe(t)
	cmd.ExtraFiles = []*os.File{theirs, theirsToo} // 3 and 4, by the browser's rule
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	theirsToo.Close()
	b := &tab{t: t, to: to, from: bufio.NewReader(from)}
	t.Cleanup(func() {
		b.session = ""
		b.call("Browser.close", nil, nil)
		cmd.Wait()
		cancel()
		to.Close()
		from.Close()
	})
	return b
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

// call asks the browser for something and waits for the answer.
func (b *tab) call(method string, params, into any) {
	b.t.Helper()
	b.id++
	text, err := json.Marshal(message{ID: b.id, Method: method, Params: params, SessionID: b.session})
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.to.Write(append(text, 0)); err != nil {
		b.t.Fatal(err)
	}
	for {
		m := b.next()
		if m.ID != b.id {
			continue
		}
		if m.Error != nil {
			b.t.Fatalf("%s: %s", method, m.Error)
		}
		if into != nil {
			if err := json.Unmarshal(m.Result, into); err != nil {
				b.t.Fatal(err)
			}
		}
		return
	}
}

// wait waits for an event.
func (b *tab) wait(event string) {
	b.t.Helper()
	for b.next().Method != event {
	}
}

// next returns the next message. It keeps the errors of the page.
func (b *tab) next() message {
	b.t.Helper()
	text, err := b.from.ReadBytes(0)
	if err != nil {
		b.t.Fatalf("the browser is gone: %v", err)
	}
	text = bytes.TrimSuffix(text, []byte{0})
	var m message
	if err := json.Unmarshal(text, &m); err != nil {
		b.t.Fatal(err)
	}
	bad := m.Method == "Runtime.exceptionThrown" || m.Method == "Log.entryAdded" ||
		m.Method == "Runtime.consoleAPICalled" && bytes.Contains(text, []byte(`"type":"error"`))
	if bad {
		b.complaints = append(b.complaints, string(text))
	}
	return m
}

// eval runs a script, an expression that may be a promise, and returns its value.
func (b *tab) eval(script string, into any) {
	b.t.Helper()
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate", map[string]any{"expression": script, "awaitPromise": true, "returnByValue": true}, &got)
	if got.ExceptionDetails != nil {
		b.t.Fatalf("the script failed: %s", got.ExceptionDetails)
	}
	if into == nil {
		return
	}
	if err := json.Unmarshal(got.Result.Value, into); err != nil {
		b.t.Fatalf("%v: %s", err, got.Result.Value)
	}
}

// picture returns a PNG of the window.
func (b *tab) picture() []byte {
	b.t.Helper()
	var got struct{ Data string }
	b.call("Page.captureScreenshot", nil, &got)
	png, err := base64.StdEncoding.DecodeString(got.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	return png
}

// silent fails the test where the page logged an error.
func (b *tab) silent() {
	b.t.Helper()
	for _, c := range b.complaints {
		b.t.Errorf("the page complains: %.2000s", c)
	}
}
