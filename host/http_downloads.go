package host

import (
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/backstep-net/backstep/transport"
)

// Bounds of downloads. A large answer is copied into the kernel as fast as it takes it, and the kernel takes
// megabytes of each connection however slowly its client reads: 300 at once were 700 MB of copying, and
// ticks waited for it. So the kernel's buffer is small, a bounded number of downloads runs at a time, and one
// that does not move ends. [THR-42]
const (
	// sendBuffer is the kernel's send buffer of a connection in bytes: what is on its way at 2.5 MB/s and
	// a round trip of 100 ms.
	sendBuffer = 256 << 10
	// largeAnswer is from how many bytes on an answer is a download; smaller ones fit in the buffer.
	largeAnswer = 64 << 10
	// maxDownloads run at a time, and maxAddressDownloads of one address. More wait.
	maxDownloads        = 64
	maxAddressDownloads = 16
	// downloadWait is how long one waits for its turn.
	downloadWait = 10 * time.Second
	// downloadChunk has to leave within downloadStall: 3.3 kB/s is the slowest client.
	downloadChunk = 32 << 10
	downloadStall = 10 * time.Second
	// Where all places are taken, the slowest download gives way to one of an address that has fewer, if
	// it began longer than slowAfter ago and is slower than slowRate in bytes per second.
	slowAfter = 3 * time.Second
	slowRate  = 32 << 10
)

// downloads are the large answers on their way and those that wait for a place.
type downloads struct {
	loopback bool          // Limits.Loopback
	wait     time.Duration // downloadWait
	stall    time.Duration // downloadStall

	mu      sync.Mutex
	running []*download
	waiting []*download // in the order in which they came
}

// download is one large answer; as a http.ResponseWriter it takes its place before the first byte leaves.
type download struct {
	http.ResponseWriter
	of      *downloads
	request *http.Request
	control *http.ResponseController
	block   netip.Prefix
	turn    chan struct{} // closed when it has a place

	began time.Time // zero while it has no place
	sent  int       // bytes; of.mu guards it
	cut   bool      // it gave way; of.mu guards it
	err   error     // why nothing more is sent
}

func newDownloads(loopback bool) *downloads {
	return &downloads{loopback: loopback, wait: downloadWait, stall: downloadStall}
}

// limit is the handler around those that send files.
func (d *downloads) limit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		one := &download{
			ResponseWriter: w, of: d, request: r, control: http.NewResponseController(w), block: transport.AddressBlock(r.RemoteAddr),
			turn: make(chan struct{}),
		}
		defer d.leave(one)
		next.ServeHTTP(one, r)
	})
}

// errNoPlace ends an answer that got no place in time, and errGaveWay one that was too slow.
var (
	errNoPlace = errors.New("host: too many downloads")
	errGaveWay = errors.New("host: a slow download gave way")
)

// WriteHeader implements http.ResponseWriter. A large answer waits here for its place.
func (d *download) WriteHeader(code int) {
	length, _ := strconv.Atoi(d.Header().Get("Content-Length"))
	if length >= largeAnswer && d.request.Method == http.MethodGet && code < 300 && !d.of.enter(d) {
		d.err = errNoPlace
		head := d.Header()
		for _, name := range []string{"Content-Length", "Content-Encoding", "Content-Range", "ETag"} {
			head.Del(name)
		}
		_ = d.control.SetWriteDeadline(time.Now().Add(smallTimeout)) // it has waited for longer
		head.Set("Cache-Control", "no-store")
		head.Set("Retry-After", "5")
		http.Error(d.ResponseWriter, "host: too many downloads at once: try again in a few seconds", http.StatusServiceUnavailable)
		return
	}
	d.ResponseWriter.WriteHeader(code)
}

// Write implements http.ResponseWriter: in pieces, of which each has its own time.
func (d *download) Write(b []byte) (n int, err error) {
	if d.began.IsZero() || d.err != nil {
		if d.err != nil {
			return 0, d.err
		}
		return d.ResponseWriter.Write(b)
	}
	for len(b) > 0 {
		if !d.of.advance(d) {
			return n, errGaveWay
		}
		k, err := d.ResponseWriter.Write(b[:min(len(b), downloadChunk)])
		n += k
		d.of.count(d, k)
		if err != nil {
			return n, err
		}
		b = b[k:]
	}
	return n, nil
}

// enter waits for a place; false if none came free in time.
func (d *downloads) enter(one *download) bool {
	d.mu.Lock()
	d.waiting = append(d.waiting, one)
	d.grant()
	d.mu.Unlock()
	late, again := time.NewTimer(d.wait), time.NewTicker(time.Second)
	defer late.Stop()
	defer again.Stop()
	for {
		select {
		case <-one.turn:
			return true
		case <-again.C: // one that runs may have become slow
			d.mu.Lock()
			d.grant()
			d.mu.Unlock()
		case <-one.request.Context().Done():
			return d.abandon(one)
		case <-late.C:
			return d.abandon(one)
		}
	}
}

// abandon takes one off the list of those that wait; true if it has got its place meanwhile.
func (d *downloads) abandon(one *download) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting = slices.DeleteFunc(d.waiting, func(o *download) bool { return o == one })
	return !one.began.IsZero()
}

// grant gives the free places away, each to the address that has the fewest, and there to the one that came
// first. Where none is free a slow download of an address that has more gives way.
func (d *downloads) grant() {
	now := time.Now()
	has := map[netip.Prefix]int{}
	for _, o := range d.running {
		has[o.block]++
	}
	for {
		i := d.next(has)
		if i < 0 {
			return
		}
		one := d.waiting[i]
		if len(d.running) >= maxDownloads {
			d.cutSlowest(now, has, has[one.block])
			return
		}
		d.waiting = slices.Delete(d.waiting, i, i+1)
		one.began = now
		d.running = append(d.running, one)
		has[one.block]++
		close(one.turn)
	}
}

// next returns the index of the one that is to run next, -1 if none may. has is how many each address has.
func (d *downloads) next(has map[netip.Prefix]int) int {
	best := -1
	for i, o := range d.waiting {
		bounded := d.loopback || !o.block.Addr().IsLoopback()
		if (!bounded || has[o.block] < maxAddressDownloads) && (best < 0 || has[o.block] < has[d.waiting[best].block]) {
			best = i
		}
	}
	return best
}

// cutSlowest makes the slowest download of an address that has more than so many give way, if it is slow.
func (d *downloads) cutSlowest(now time.Time, has map[netip.Prefix]int, more int) {
	var slowest *download
	for _, o := range d.running {
		if o.cut {
			return // a place comes free already
		}
		if has[o.block] > more && now.Sub(o.began) > slowAfter && (slowest == nil || o.rate(now) < slowest.rate(now)) {
			slowest = o
		}
	}
	if slowest != nil && slowest.rate(now) < slowRate {
		slowest.cut = true
		_ = slowest.control.SetWriteDeadline(now)
	}
}

// rate returns how fast a download was so far, in bytes per second. What the kernel keeps has not been received:
// Linux takes twice the buffer that it was given.
func (d *download) rate(now time.Time) float64 {
	return float64(d.sent-2*sendBuffer) / now.Sub(d.began).Seconds()
}

// advance gives the next piece its time; false if the download has to give way.
func (d *downloads) advance(one *download) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !one.cut {
		_ = one.control.SetWriteDeadline(time.Now().Add(d.stall))
	}
	return !one.cut
}

// count adds bytes that the kernel has taken.
func (d *downloads) count(one *download, n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	one.sent += n
}

// leave gives the place back.
func (d *downloads) leave(one *download) {
	if one.began.IsZero() {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running = slices.DeleteFunc(d.running, func(o *download) bool { return o == one })
	d.grant()
}
