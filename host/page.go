package host

import (
	"io"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"
)

// maxKept is the longest file of a page that is kept in memory, in bytes. Longer
// ones are read from the disk each time, and not compressed.
const maxKept = 32 << 20

// page serves the folder of a built page: files only, no listings, nothing whose
// name begins with a dot, nothing outside the folder, not even by a link. What is
// built anew is served anew.
type page struct {
	folder string
	mu     sync.Mutex
	kept   map[string]pageFile
}

// pageFile is a file as it was when it was read.
type pageFile struct {
	changed time.Time
	size    int64
	blob    *blob
}

func newPage(folder string) *page {
	return &page{folder: folder, kept: map[string]pageFile{}}
}

// ServeHTTP answers with a file; the folder itself is index.html.
func (p *page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		name = "index.html"
	}
	f, info, err := p.open(name)
	if err != nil {
		http.Error(w, "no such page", http.StatusNotFound)
		return
	}
	defer f.Close()
	if info.Size() > maxKept {
		w.Header().Set("Content-Type", kindOf(name))
		w.Header().Set("Cache-Control", cachingOf(name))
		http.ServeContent(w, r, "", info.ModTime(), f)
		return
	}
	b, err := p.read(name, f, info)
	if err != nil {
		http.Error(w, "cannot read the page", http.StatusInternalServerError)
		return
	}
	b.serve(w, r, cachingOf(name))
}

// open opens a regular file of the folder.
func (p *page) open(name string) (*os.File, fs.FileInfo, error) {
	if !fs.ValidPath(name) || strings.HasPrefix(name, ".") || strings.Contains(name, "/.") {
		return nil, nil, fs.ErrNotExist
	}
	f, err := os.OpenInRoot(p.folder, name)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err != nil {
		f.Close()
	}
	return f, info, err
}

// read returns the file's bytes, from memory where it has not changed.
func (p *page) read(name string, f *os.File, info fs.FileInfo) (*blob, error) {
	p.mu.Lock()
	old, ok := p.kept[name]
	p.mu.Unlock()
	if ok && old.size == info.Size() && old.changed.Equal(info.ModTime()) {
		return old.blob, nil
	}
	b, err := io.ReadAll(io.LimitReader(f, maxKept))
	if err != nil {
		return nil, err
	}
	fresh := pageFile{info.ModTime(), info.Size(), newBlob(b, kindOf(name))}
	p.mu.Lock()
	p.kept[name] = fresh
	p.mu.Unlock()
	return fresh.blob, nil
}

// kinds are the types of what a page consists of. The system's table is asked
// only for others: on a bare Debian it has hardly any.
var kinds = map[string]string{
	".html":  "text/html; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".mjs":   "text/javascript; charset=utf-8",
	".css":   "text/css; charset=utf-8",
	".txt":   "text/plain; charset=utf-8",
	".json":  "application/json",
	".map":   "application/json",
	".wasm":  "application/wasm",
	".svg":   "image/svg+xml",
	".png":   "image/png",
	".jpg":   "image/jpeg",
	".webp":  "image/webp",
	".ico":   "image/x-icon",
	".woff2": "font/woff2",
	".glb":   "model/gltf-binary",
}

func kindOf(name string) string {
	ext := strings.ToLower(path.Ext(name))
	if kind := kinds[ext]; kind != "" {
		return kind
	}
	if kind := mime.TypeByExtension(ext); kind != "" {
		return kind
	}
	return "application/octet-stream"
}

// hashed matches what Vite builds with a hash of the bytes in the name:
// assets/index-BxK3_a9f.js. A hash of eight small letters would be a word.
var hashed = regexp.MustCompile(`^assets/.*-([A-Za-z0-9_-]{8})\.[a-z0-9.]+$`)

func cachingOf(name string) string {
	m := hashed.FindStringSubmatch(name)
	if m != nil && strings.ContainsAny(m[1], "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") {
		return keepForGood
	}
	return askEveryTime
}
