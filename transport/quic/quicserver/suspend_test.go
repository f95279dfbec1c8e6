package quicserver

import (
	"crypto/x509"
	"testing"
	"time"
	"unsafe"

	"github.com/backstep-net/backstep/transport/internal/quicwire"
)

// suspended returns the time after a suspend, as time.Now does on Linux: the wall clock has gone on, the monotonic one,
// by which times are subtracted, has stood still. The first word of a Time with both has the seconds from bit 30 on.
func suspended(t time.Time, d time.Duration) time.Time {
	*(*uint64)(unsafe.Pointer(&t)) += uint64(d/time.Second) << 30
	return t
}

// A listen server is a laptop that sleeps for days, or a virtual machine that was suspended: its self-signed certificates
// rotate by the days that have passed, and what it shows is valid. So it is where a machine starts with a clock that is
// ahead, which is then set.
func TestCertificatesAfterASuspend(t *testing.T) {
	for _, days := range []int{5, 11, -2} {
		begun := time.Now()
		now := begun
		certs, err := NewCertificates(func() time.Time { return now })
		if err != nil {
			t.Fatal(err)
		}
		first, _ := certs.Hashes()
		slept := time.Duration(days) * 24 * time.Hour
		now = suspended(begun, slept)
		if stood, passed := now.Sub(begun), now.Round(0).Sub(begun.Round(0)); stood != 0 || passed != slept {
			t.Fatalf("the clocks have gone on by %v and %v, want 0 and %v: time.Time is laid out otherwise", stood, passed, slept)
		}
		cert, err := certs.Current()
		if err != nil {
			t.Fatal(err)
		}
		leaf, err := x509.ParseCertificate(cert.Certificate[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := quicwire.CheckValidity(leaf, now); err != nil {
			t.Errorf("after %d days: %v", days, err)
		}
		if after, _ := certs.Hashes(); after[0] == first[0] {
			t.Errorf("after %d days it is in use still, for at most four", days)
		}
	}
}
