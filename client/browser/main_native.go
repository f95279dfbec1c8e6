//go:build !wasip1

package browser

import (
	"os"
	"unsafe"
)

// Main is the whole of a core's main function. In WebAssembly it does nothing: a reactor's main
// never runs. Natively it writes the page's types on the standard output.
func Main() {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		panic("browser: this machine has other layouts than WebAssembly: run this on a 64-bit one")
	}
	os.Stdout.WriteString(TypeScript())
}
