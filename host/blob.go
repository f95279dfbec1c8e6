package host

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// How long others may keep an answer: for good, where its address changes with
// its bytes, or only after asking whether it is still so.
const (
	keepForGood  = "public, max-age=31536000, immutable"
	askEveryTime = "no-cache"
)

// blob is bytes that are served over and over, and what they compress to.
type blob struct {
	bytes []byte
	kind  string // Content-Type
	tag   string // of the bytes: SHA-256, hex, its first half

	zip    sync.Once
	zipped []byte // nil where it gains little; after zip
}

func newBlob(b []byte, kind string) *blob {
	sum := sha256.Sum256(b)
	return &blob{bytes: b, kind: kind, tag: hex.EncodeToString(sum[:16])}
}

// compressed returns the bytes gzipped, nil where that gains less than a tenth.
// The first call does the work.
func (b *blob) compressed() []byte {
	b.zip.Do(func() {
		if !compressible(b.kind) {
			return
		}
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		_, _ = w.Write(b.bytes) // a Buffer takes everything
		_ = w.Close()
		if out.Len() < len(b.bytes)/10*9 {
			b.zipped = out.Bytes()
		}
	})
	return b.zipped
}

// compressible reports whether a kind of content is not compressed already.
func compressible(kind string) bool {
	return !strings.HasPrefix(kind, "image/") && !strings.HasPrefix(kind, "font/") ||
		strings.HasPrefix(kind, "image/svg")
}

// serve answers with the blob, compressed where that is understood. It takes care
// of HEAD, ranges, and of who has it already.
func (b *blob) serve(w http.ResponseWriter, r *http.Request, caching string) {
	head := w.Header()
	head.Set("Cache-Control", caching)
	head.Set("Content-Type", b.kind)
	body, tag := b.bytes, b.tag
	if compressible(b.kind) {
		head.Add("Vary", "Accept-Encoding")
		if r.Header.Get("Range") == "" && accepts(r.Header.Get("Accept-Encoding"), "gzip") {
			if z := b.compressed(); z != nil {
				body, tag = z, tag+"-gzip"
				head.Set("Content-Encoding", "gzip")
				head.Set("Content-Length", strconv.Itoa(len(z))) // ServeContent leaves it to us then
			}
		}
	}
	head.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// accepts reports whether an Accept-Encoding header allows a coding by name.
func accepts(header, coding string) bool {
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

// levelFiles is a level as it is served.
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

// modelPath is where the model is, "" where there is none. The level's hash is
// that of its world; two models of one world differ in the query.
func (f *levelFiles) modelPath() string {
	if f.model == nil {
		return ""
	}
	return "/levels/" + f.hash + ".glb?v=" + f.model.tag
}

// serveLevel answers /levels/HASH and /levels/HASH.glb.
func (h *Host) serveLevel(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Access-Control-Allow-Origin", "*") // a page may come from elsewhere
	hash, model := strings.CutSuffix(r.PathValue("name"), ".glb")
	files := h.levels[hash]
	switch {
	case files == nil, model && files.model == nil:
		http.Error(w, "no such level", http.StatusNotFound)
	case !model:
		files.world.serve(w, r, keepForGood)
	case r.URL.Query().Get("v") == files.model.tag:
		files.model.serve(w, r, keepForGood)
	default:
		files.model.serve(w, r, askEveryTime)
	}
}
