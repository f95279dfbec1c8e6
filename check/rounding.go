package check

import (
	"os"
	"os/exec"
	"testing"

	"github.com/backstep-net/backstep/internal/fma"
)

// Rounding compiles packages for processors that have fused multiply-adds, and reports each sum
// that the compiler would fuse: a*b + c is rounded once there and twice elsewhere, so a server on
// one and a client on the other part ways. The pattern is the go command's, relative to the test's
// folder. Code that does not run on both ends may fuse: keep it in packages of its own. It needs
// the go command, and is skipped without.
func Rounding(t testing.TB, pattern string) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("check: no go command")
	}
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	found, err := fma.Sums(folder, pattern)
	if err != nil {
		t.Fatal("check: ", err)
	}
	for _, f := range found {
		t.Error("check: " + f + ": write float64(a*b) + c")
	}
}
