package host

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// slowSocket is a ResponseWriter that takes a time for each piece and fails at its deadline.
type slowSocket struct {
	*httptest.ResponseRecorder
	takes    time.Duration
	mu       sync.Mutex
	deadline time.Time
}

func (s *slowSocket) SetWriteDeadline(t time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deadline = t
	return nil
}

func (s *slowSocket) late() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.deadline.IsZero() && !time.Now().Before(s.deadline)
}

func (s *slowSocket) Write(b []byte) (int, error) {
	for end := time.Now().Add(s.takes); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if s.late() {
			return 0, os.ErrDeadlineExceeded
		}
	}
	return s.ResponseRecorder.Write(b)
}

// send writes an answer of that length through d, from an address.
func send(d *downloads, s *slowSocket, from string, length int) (err error) {
	r := httptest.NewRequest("GET", "/levels/x", nil)
	r.RemoteAddr = from
	d.limit(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(length))
		w.WriteHeader(200)
		_, err = w.Write(make([]byte, length))
	})).ServeHTTP(s, r)
	return err
}

// The time of a download moves with its progress: one that is slow arrives, however long it takes, and one that stands
// still ends. [THR-42]
func TestADownloadThatMovesArrives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const length = 100 * downloadChunk
		d := newDownloads(false)
		began := time.Now()
		slow := &slowSocket{ResponseRecorder: httptest.NewRecorder(), takes: 9 * time.Second}
		if err := send(d, slow, "203.0.113.7:1", length); err != nil || slow.Body.Len() != length {
			t.Errorf("a slow one: %d bytes and %v after %v, want %d", slow.Body.Len(), err, time.Since(began), length)
		}
		began = time.Now()
		still := &slowSocket{ResponseRecorder: httptest.NewRecorder(), takes: time.Hour}
		if err := send(d, still, "203.0.113.7:1", length); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) > 11*time.Second {
			t.Errorf("one that stands still: %v after %v, want the end after 10 s", err, time.Since(began))
		}
		if len(d.running)+len(d.waiting) != 0 {
			t.Errorf("%d run and %d wait, want none", len(d.running), len(d.waiting))
		}
	})
}

// Where all places are taken by slow clients, one of an address that has none takes the place of the slowest, before
// all that wait for an address that has many; and one that waits in vain is told to come again. [THR-42]
func TestLongDownloadsGiveWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDownloads(false)
		const length = 1 << 20
		results := make(chan error, 200)
		for i := range 96 { // 16 of each of 6 addresses; 4 of them fit
			s := &slowSocket{ResponseRecorder: httptest.NewRecorder(), takes: 8 * time.Second}
			from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{203, 0, 113, byte(i / 16)}), 1)
			go func() {
				err := send(d, s, from.String(), length)
				if head := s.Header(); errors.Is(err, errNoPlace) && (s.Code != http.StatusServiceUnavailable || head.Get("Retry-After") == "" || head.Get("Content-Length") != "") {
					t.Errorf("one without a place: %d with %v; want 503, and when to come again", s.Code, head)
				}
				results <- err
			}()
			synctest.Wait()
		}
		if len(d.running) != maxDownloads || len(d.waiting) != 32 {
			t.Fatalf("%d run and %d wait, want %d and 32", len(d.running), len(d.waiting), maxDownloads)
		}
		began := time.Now()
		quick := &slowSocket{ResponseRecorder: httptest.NewRecorder()}
		if err := send(d, quick, "198.51.100.1:1", length); err != nil || quick.Body.Len() != length || time.Since(began) > 2*slowAfter {
			t.Errorf("a player: %d bytes, %v after %v; want %d soon after %v", quick.Body.Len(), err, time.Since(began), length, slowAfter)
		}
		ended := map[string]int{}
		for range 96 {
			ended[errorOf(<-results)]++
		}
		t.Logf("%v", ended)
		cut := ended[errGaveWay.Error()] + ended[os.ErrDeadlineExceeded.Error()]
		if ended["<nil>"] != maxDownloads || cut == 0 || ended[errNoPlace.Error()] == 0 {
			t.Errorf("got %v, want 64 that arrived, some that gave way, and some without a place", ended)
		}
	})
}

func errorOf(err error) string {
	if err == nil {
		return "<nil>"
	}
	return err.Error()
}

// What is small, or only asked about, needs no place.
func TestSmallAnswersDoNotWait(t *testing.T) {
	d := newDownloads(true)
	d.running = make([]*download, maxDownloads)
	s := &slowSocket{ResponseRecorder: httptest.NewRecorder()}
	if err := send(&downloads{running: d.running}, s, "203.0.113.7:1", largeAnswer-1); err != nil || s.Code != 200 {
		t.Errorf("a small answer: %d, %v; want 200", s.Code, err)
	}
}
