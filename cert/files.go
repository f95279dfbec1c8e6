package cert

import (
	"crypto/tls"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"
)

// checkInterval is the least time between two checks of the files. Handshakes make them.
const checkInterval = time.Second

// files is a certificate of two files.
type files struct {
	cert, key string
	log       *slog.Logger

	mu      sync.Mutex
	now     func() time.Time
	checked time.Time      // when they were last looked at
	seen    [2]fs.FileInfo // as they were when they were last read
	current *tls.Certificate
}

// FromFiles returns the certificate of two PEM files and its key. A handshake reads them again when they
// have changed, at most once a second, and works with the old ones where the new ones are broken or do not
// belong together yet: log says so once for each change. The error is that of the first reading.
func FromFiles(cert, key string, log *slog.Logger) (Func, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	f := &files{cert: cert, key: key, log: log, now: time.Now}
	var err error
	if f.seen, err = f.look(); err == nil {
		f.current, err = f.read()
	}
	if err != nil {
		return nil, err
	}
	f.checked = f.now()
	return f.get, nil
}

// get is the Func.
func (f *files) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := f.now(); now.Sub(f.checked) >= checkInterval {
		f.checked = now
		f.refresh()
	}
	return f.current, nil
}

// refresh reads the files if they have changed. A certificate may be written before its key, so what does
// not fit is read again with the next change and never ends the server.
func (f *files) refresh() {
	seen, err := f.look()
	if err == nil && same(seen[0], f.seen[0]) && same(seen[1], f.seen[1]) {
		return
	}
	if err != nil && f.seen == seen {
		return // they are still missing
	}
	f.seen = seen
	var fresh *tls.Certificate
	if err == nil {
		fresh, err = f.read()
	}
	if err != nil {
		f.log.Error("certificate not read again: the old one stays", "why", err)
		return
	}
	f.current = fresh
	f.log.Info("certificate read again", "file", f.cert, "until", fresh.Leaf.NotAfter)
}

// look returns the fs.FileInfo of both files, nil for both if one is missing.
func (f *files) look() (seen [2]fs.FileInfo, err error) {
	for i, name := range []string{f.cert, f.key} {
		if seen[i], err = os.Stat(name); err != nil {
			return [2]fs.FileInfo{}, fmt.Errorf("cert: %w", err)
		}
	}
	return seen, nil
}

// same reports whether a file is as it was. A link that leads to another file, as secrets are swapped in
// containers, is a change.
func same(a, b fs.FileInfo) bool {
	return b != nil && os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// read reads both files.
func (f *files) read() (*tls.Certificate, error) {
	c, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return nil, fmt.Errorf("cert: %s with the key %s: %w", f.cert, f.key, err)
	}
	return &c, nil
}
