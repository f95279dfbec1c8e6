package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/backstep-net/backstep/internal/locked"
)

// terminal opens a pseudo-terminal: what is written to its far end comes out of
// the near one.
func terminal(t *testing.T) (near, far *os.File) {
	t.Helper()
	near, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	const setLock, number = 0x40045431, 0x80045430 // TIOCSPTLCK, TIOCGPTN
	var lock, n int32
	for request, arg := range map[uintptr]*int32{setLock: &lock, number: &n} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, near.Fd(), request, uintptr(unsafe.Pointer(arg))); errno != 0 {
			t.Skipf("no terminals here: %v", errno)
		}
	}
	size := [4]uint16{24, 100} // rows, columns
	const setSize = 0x5414     // TIOCSWINSZ
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, near.Fd(), setSize, uintptr(unsafe.Pointer(&size))); errno != 0 {
		t.Skipf("no terminals here: %v", errno)
	}
	far, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	return near, far
}

// On a terminal there is a bar with rate and time left while runs last, which is
// gone when they are over; and no lines.
func TestABarOnATerminal(t *testing.T) {
	t.Setenv("TERM", "xterm")
	near, far := terminal(t)
	defer near.Close()
	var seen locked.Buffer
	done := make(chan struct{})
	go func() {
		io.Copy(&seen, near) // until the far end is closed, which is an error here
		close(done)
	}()
	p := newProgress(far, 2, 20)
	shown := regexp.MustCompile(`1/2 runs .*\[=*>?-*\] +\d+ s/s, \d+.*s left`)
	p.advance(10)
	p.finish("a walk")
	for end := time.Now().Add(patience); !shown.MatchString(seen.String()) && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	p.close()
	far.Close()
	<-done
	got := seen.String()
	if !shown.MatchString(got) {
		t.Errorf("no bar with rate and time left in %.400q", got)
	}
	if strings.Contains(got, "a walk") {
		t.Errorf("a line besides the bar in %q", got)
	}
	last := got[strings.LastIndex(got, "\n")+1:]
	if strings.Contains(last, "runs") {
		t.Errorf("the bar is left behind: %q", last)
	}
}
