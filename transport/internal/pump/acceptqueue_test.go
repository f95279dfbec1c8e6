package pump

import (
	"fmt"
	"testing"
)

// THR-04: one address cannot hold every place.
func TestOneAddressCannotTakeEveryHandshake(t *testing.T) {
	d := NewAcceptQueue()
	knock := func(format string, n int) (took int, last func()) {
		for i := range n {
			if leave, ok := d.Reserve(fmt.Sprintf(format, i+1)); ok {
				took, last = took+1, leave
			}
		}
		return took, last
	}
	got, leave := knock("203.0.113.7:%d", 200)
	if got != maxHandshakesPerAddress {
		t.Errorf("one IPv4 address took %d places, want %d", got, maxHandshakesPerAddress)
	}
	leave()
	leave()
	if again, _ := knock("203.0.113.7:%d", 200); again != 1 {
		t.Errorf("after one left, %d came in, want 1", again)
	}
	if got, _ := knock("[2001:db8::%x]:443", 200); got != maxHandshakesPerAddress {
		t.Errorf("one /64 took %d places, want %d", got, maxHandshakesPerAddress)
	}
	if got, _ := knock("198.51.100.%d:443", 20); got != 20 {
		t.Errorf("of 20 other addresses %d came in", got)
	}
	rest := maxHandshakes - 2*maxHandshakesPerAddress - 20
	if got, _ := knock("127.0.0.1:%d", 5000); got != rest {
		t.Errorf("this machine took %d places, want the %d that were left", got, rest)
	}
	d.Close("")
	if _, ok := d.Reserve("192.0.2.1:1"); ok {
		t.Error("a closed door let somebody in")
	}
}
