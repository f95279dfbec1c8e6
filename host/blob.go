package host

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/andybalholm/brotli"
)

// The Cache-Control headers: cacheForever for addresses that change with their bytes,
// cacheRevalidate for all others.
const (
	cacheForever    = "public, max-age=31536000, immutable"
	cacheRevalidate = "no-cache"
)

// liveBrotli is the quality of brotli for content that no file has compressed: a level, compressed at its
// first request, for which the first visitor waits. 5 takes 0.1 s for the arena and leaves 291 kB;
// 10 takes two seconds for 238 kB.
const liveBrotli = 5

// codings are the compressed forms of a blob, the preferred one first. Browsers accept
// brotli over HTTPS only.
var codings = [...]struct {
	name string
	pack func(to io.Writer) io.WriteCloser
}{
	{"br", func(to io.Writer) io.WriteCloser { return brotli.NewWriterLevel(to, liveBrotli) }},
	{"gzip", func(to io.Writer) io.WriteCloser { return gzip.NewWriter(to) }},
}

// blob is content that is served repeatedly, with its compressed forms.
type blob struct {
	bytes []byte
	kind  string // Content-Type
	tag   string // entity tag: the first half of the bytes' SHA-256, hex

	packed [len(codings)]struct {
		once  sync.Once
		bytes []byte // nil where compression saves less than a tenth; valid after once
	}
}

func newBlob(b []byte, kind string) *blob {
	sum := sha256.Sum256(b)
	return &blob{bytes: b, kind: kind, tag: hex.EncodeToString(sum[:16])}
}

// setBrotli gives the bytes as brotli of a better quality than the blob would make.
func (b *blob) setBrotli(packed []byte) {
	b.packed[0].once.Do(func() { b.packed[0].bytes = packed })
}

// compressed returns the bytes in a coding, nil where that saves less than a tenth. The
// first call compresses.
func (b *blob) compressed(coding int) []byte {
	p := &b.packed[coding]
	p.once.Do(func() {
		if !compressible(b.kind) {
			return
		}
		var out bytes.Buffer
		w := codings[coding].pack(&out)
		_, _ = w.Write(b.bytes) // a write to a Buffer never fails
		_ = w.Close()
		if out.Len() < len(b.bytes)/10*9 {
			p.bytes = out.Bytes()
		}
	})
	return p.bytes
}

// compressible reports whether content of that type is not compressed already.
func compressible(kind string) bool {
	return !strings.HasPrefix(kind, "image/") && !strings.HasPrefix(kind, "font/") ||
		strings.HasPrefix(kind, "image/svg")
}

// serve answers with the blob, compressed where the client accepts it. It handles HEAD,
// ranges and conditional requests.
func (b *blob) serve(w http.ResponseWriter, r *http.Request, caching string) {
	head := w.Header()
	head.Set("Cache-Control", caching)
	head.Set("Content-Type", b.kind)
	body, tag := b.bytes, b.tag
	if compressible(b.kind) {
		head.Add("Vary", "Accept-Encoding")
		if coding, z := b.chosen(r); z != nil {
			body, tag = z, tag+"-"+coding
			head.Set("Content-Encoding", coding)
			head.Set("Content-Length", strconv.Itoa(len(z))) // ServeContent does not set it for encoded content
		}
	}
	head.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// chosen returns the first coding that the client accepts and that makes the blob smaller,
// nil if there is none or the client wants a range.
func (b *blob) chosen(r *http.Request) (string, []byte) {
	if r.Header.Get("Range") != "" {
		return "", nil
	}
	for i, c := range codings {
		if acceptsEncoding(r.Header.Get("Accept-Encoding"), c.name) {
			if z := b.compressed(i); z != nil {
				return c.name, z
			}
		}
	}
	return "", nil
}

// acceptsEncoding reports whether an Accept-Encoding header allows a coding by name.
func acceptsEncoding(header, coding string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, weight, _ := strings.Cut(part, ";")
		if !strings.EqualFold(strings.TrimSpace(name), coding) {
			continue
		}
		_, q, ok := strings.Cut(weight, "=")
		share, err := strconv.ParseFloat(strings.TrimSpace(q), 64)
		return !ok || err == nil && share > 0
	}
	return false
}

// levelFiles is a level in the form in which it is served.
type levelFiles struct {
	hash         string
	world, model *blob
}

func newLevelFiles(hash string, l Level) *levelFiles {
	f := &levelFiles{hash: hash, world: newBlob(l.World, "application/octet-stream")}
	if len(l.Model) > 0 {
		f.model = newBlob(l.Model, "model/gltf-binary")
	}
	return f
}

// modelPath returns the model's path, "" where the level has none. The level's hash is the
// hash of its world, so two models of one world differ in the query.
func (f *levelFiles) modelPath() string {
	if f.model == nil {
		return ""
	}
	return "/levels/" + f.hash + ".glb?v=" + f.model.tag
}

// serveLevel answers /levels/HASH and /levels/HASH.glb.
func (h *Host) serveLevel(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Access-Control-Allow-Origin", "*") // the page may have another origin
	hash, model := strings.CutSuffix(r.PathValue("name"), ".glb")
	files := h.levels[hash]
	switch {
	case files == nil, model && files.model == nil:
		http.Error(w, "no such level", http.StatusNotFound)
	case !model:
		files.world.serve(w, r, cacheForever)
	case r.URL.Query().Get("v") == files.model.tag:
		files.model.serve(w, r, cacheForever)
	default:
		files.model.serve(w, r, cacheRevalidate)
	}
}
