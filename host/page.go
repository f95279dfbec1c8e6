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

// maxCachedFile is the size limit, in bytes, for files that stay in memory. Larger files
// are read from the disk each time and are not compressed.
const maxCachedFile = 32 << 20

// page serves the folder of a built page: regular files only, no listings, no names that
// begin with a dot, nothing outside the folder, not even through a symbolic link. It
// notices rebuilt files.
type page struct {
	folder string
	mu     sync.Mutex
	cached map[string]pageFile
}

// pageFile is the content of a file when it was read, with its time and size.
type pageFile struct {
	changed time.Time
	size    int64
	blob    *blob
}

func newPage(folder string) *page {
	return &page{folder: folder, cached: map[string]pageFile{}}
}

// ServeHTTP answers with a file; / is index.html.
func (p *page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		name = "index.html"
	}
	f, info, err := p.open(name)
	if err != nil {
		if name == "favicon.ico" { // browsers ask for it unasked, and report the lack as an error
			w.WriteHeader(http.StatusNoContent)
			return
		}
		http.Error(w, "no such page", http.StatusNotFound)
		return
	}
	defer f.Close()
	if info.Size() > maxCachedFile {
		w.Header().Set("Content-Type", contentTypeOf(name))
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

// read returns the file's content, from memory if the file has not changed.
func (p *page) read(name string, f *os.File, info fs.FileInfo) (*blob, error) {
	p.mu.Lock()
	old, ok := p.cached[name]
	p.mu.Unlock()
	if ok && old.size == info.Size() && old.changed.Equal(info.ModTime()) {
		return old.blob, nil
	}
	b, err := io.ReadAll(io.LimitReader(f, maxCachedFile))
	if err != nil {
		return nil, err
	}
	fresh := pageFile{info.ModTime(), info.Size(), newBlob(b, contentTypeOf(name))}
	if packed := p.precompressed(name, info); packed != nil {
		fresh.blob.setBrotli(packed)
	}
	p.mu.Lock()
	p.cached[name] = fresh
	p.mu.Unlock()
	return fresh.blob, nil
}

// precompressed returns the file NAME.br that the build of the page wrote beside a file, nil
// if there is none or it is older.
func (p *page) precompressed(name string, info fs.FileInfo) []byte {
	f, packed, err := p.open(name + ".br")
	if err != nil {
		return nil
	}
	defer f.Close()
	if packed.ModTime().Before(info.ModTime()) {
		return nil
	}
	b, err := io.ReadAll(io.LimitReader(f, maxCachedFile))
	if err != nil {
		return nil
	}
	return b
}

// contentTypes are the types of a page's files. The system's table is used for other names
// only: on a minimal Debian it is almost empty.
var contentTypes = map[string]string{
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

func contentTypeOf(name string) string {
	ext := strings.ToLower(path.Ext(name))
	if kind := contentTypes[ext]; kind != "" {
		return kind
	}
	if kind := mime.TypeByExtension(ext); kind != "" {
		return kind
	}
	return "application/octet-stream"
}

// hashedName matches file names in which Vite has put a hash of the content:
// assets/index-BxK3_a9f.js. Eight lower-case letters would be a word.
var hashedName = regexp.MustCompile(`^assets/.*-([A-Za-z0-9_-]{8})\.[a-z0-9.]+$`)

func cachingOf(name string) string {
	m := hashedName.FindStringSubmatch(name)
	if m != nil && strings.ContainsAny(m[1], "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") {
		return cacheForever
	}
	return cacheRevalidate
}
