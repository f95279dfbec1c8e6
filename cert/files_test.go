package cert

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/internal/locked"
)

// A new certificate takes the old one's place while the server runs, and what is broken, half written or
// missing leaves the old one and writes one line, however many handshakes see it. [THR-44]
func TestFilesAreReadAgain(t *testing.T) {
	a, folder, log := newAuthority(t), t.TempDir(), &locked.Buffer{}
	cert, key := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	a.write(1, cert, key)
	f := &files{cert: cert, key: key, log: slog.New(slog.NewTextHandler(log, nil))}
	now := time.Now()
	f.now = func() time.Time { return now }
	var err error
	if f.seen, err = f.look(); err == nil {
		f.current, err = f.read()
	}
	if err != nil {
		t.Fatal(err)
	}
	addr := listen(t, f.get)
	wants := func(what string, want int64) {
		t.Helper()
		for range 3 {
			f.mu.Lock()
			now = now.Add(checkInterval)
			f.mu.Unlock()
			if got, err := shake(a, addr, "game.example"); err != nil || got != want {
				t.Errorf("%s: certificate %d, %v; want %d", what, got, err, want)
			}
		}
	}
	wants("at first", 1)
	a.write(2, cert, key)
	wants("a new one", 2)
	old, _ := os.ReadFile(key)
	a.write(3, cert, key)
	fresh, _ := os.ReadFile(key)
	put(t, key, old)
	wants("a certificate without its key", 2)
	put(t, key, fresh)
	wants("and its key", 3)
	put(t, cert, []byte("no PEM"))
	wants("a broken one", 3)
	if err := os.Remove(cert); err != nil {
		t.Fatal(err)
	}
	wants("none", 3)
	a.write(4, cert, key)
	wants("one again", 4)
	for line, want := range map[string]int{"the old one stays": 3, "certificate read again": 3} {
		if got := strings.Count(log.String(), line); got != want {
			t.Errorf("%q is %d times in the log, want %d:\n%s", line, got, want, log)
		}
	}
}

// Secrets are swapped in containers by a link: the file is another, and its times may be older.
func TestALinkToOtherFilesIsAChange(t *testing.T) {
	a, folder := newAuthority(t), t.TempDir()
	for i, name := range []string{"one", "two"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
		a.write(int64(i+1), filepath.Join(folder, name, "cert.pem"), filepath.Join(folder, name, "key.pem"))
	}
	link := filepath.Join(folder, "current")
	if err := os.Symlink("one", link); err != nil {
		t.Skip(err)
	}
	f := &files{cert: filepath.Join(link, "cert.pem"), key: filepath.Join(link, "key.pem"), log: slog.New(slog.DiscardHandler), now: time.Now}
	f.refresh()
	if got := f.current.Leaf.SerialNumber.Int64(); got != 1 {
		t.Errorf("got certificate %d, want 1", got)
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("two", link); err != nil {
		t.Fatal(err)
	}
	f.refresh()
	if got := f.current.Leaf.SerialNumber.Int64(); got != 2 {
		t.Errorf("after the link has changed: got certificate %d, want 2", got)
	}
}

// What is wrong with options is said with the flag to give.
func TestOptions(t *testing.T) {
	a, folder := newAuthority(t), t.TempDir()
	cert, key := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	a.write(1, cert, key)
	for _, c := range []struct {
		what, want string
		options    Options
		some       bool
	}{
		{"none", "", Options{}, false},
		{"files", "", Options{File: cert, Key: key}, true},
		{"ACME", "", Options{Hosts: []string{"game.example"}, Dir: filepath.Join(folder, "acme")}, true},
		{"no key", "both --tls-cert and --tls-key", Options{File: cert}, false},
		{"no file", "no such file", Options{File: cert + "x", Key: key}, false},
		{"key and certificate swapped", "with the key", Options{File: key, Key: cert}, false},
		{"both", "not both", Options{File: cert, Key: key, Hosts: []string{"game.example"}}, false},
		{"no folder", "--acme-dir", Options{Hosts: []string{"game.example"}}, false},
		{"a file in the folder's place", "cert: ", Options{Hosts: []string{"game.example"}, Dir: cert}, false},
	} {
		get, err := Open(c.options, nil)
		if (get != nil) != c.some || (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, %v; want %q", c.what, get != nil, err, c.want)
		}
	}
}
