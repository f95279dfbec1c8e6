package replay

import (
	"encoding/binary"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"

	"github.com/backstep-net/backstep/record"
)

// MaxTicks is the most ticks in one answer of /replay/samples.
const MaxTicks = 3600

// samplesMagic begins such an answer: "BSRF", and a version.
const samplesMagic = "BSRF\x03\x00\x00\x00"

// Handler serves a recording to a page, GET and HEAD only: /replay/info.json, which is
// info, and /replay/samples?from=TICK&to=TICK. docs/recording.md describes both.
func Handler(f *record.File, info *Info) http.Handler {
	s := &server{file: f}
	b, err := json.Marshal(info)
	if err != nil {
		panic("replay: an Info is JSON: " + err.Error())
	}
	s.info = append(b, '\n')
	mux := http.NewServeMux()
	mux.HandleFunc("GET /replay/info.json", s.serveInfo)
	mux.HandleFunc("GET /replay/samples", s.serveSamples)
	return mux
}

// server serves a recording.
type server struct {
	info []byte
	mu   sync.Mutex // the file is not safe for concurrent reads
	file *record.File
}

func (s *server) serveInfo(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(s.info)
}

// serveSamples answers with the samples of the ticks from … to−1.
func (s *server) serveSamples(w http.ResponseWriter, r *http.Request) {
	from, err := strconv.ParseUint(r.FormValue("from"), 10, 32)
	to, err2 := strconv.ParseUint(r.FormValue("to"), 10, 32)
	if err != nil || err2 != nil || to < from {
		http.Error(w, "replay: from and to must be tick numbers, from ≤ to", http.StatusBadRequest)
		return
	}
	b := s.samples(uint32(from), uint32(min(to, from+MaxTicks)))
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(b)
}

func (s *server) samples(from, to uint32) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := append([]byte(samplesMagic), 0, 0, 0, 0)
	n := uint32(0)
	for tick, err := range s.file.Ticks(from) {
		if err != nil || tick.Snapshot.Tick >= to {
			break // the info reports damage
		}
		b = record.AppendPageFrame(b, tick.Snapshot, tick.World)
		n++
	}
	binary.LittleEndian.PutUint32(b[len(samplesMagic):], n)
	return b
}
