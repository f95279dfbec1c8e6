package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/backstep-net/backstep/host"
)

// An address that cannot be opened is an error with the flag, what is wrong, and an address that can
// be typed instead.
func TestAdviceOnAddresses(t *testing.T) {
	taken, denied := &net.OpError{Op: "listen", Err: syscall.EADDRINUSE}, &net.OpError{Op: "listen", Err: syscall.EACCES}
	open := errors.New("other machines reach it")
	for _, c := range []struct {
		field, value string
		err          error
		want         string
	}{
		{"Addr", ":8080", taken, "--addr=:8080: that TCP port is in use; take another with --addr=:8081, or --addr=:0 for any"},
		{"QUIC", ":4433", taken, "--quic=:4433: that UDP port is in use; take another with --quic=:4434, or --quic=:0 for any"},
		{"Admin", "127.0.0.1:9000", taken, "--admin=127.0.0.1:9000: that TCP port is in use; take another with --admin=127.0.0.1:9090, or --admin=127.0.0.1:0 for any"},
		{"Addr", ":80", denied, "--addr=:80: no right to open that port; take one above 1023 with --addr=:8081"},
		{"QUIC", "here", open, "--quic=here: want an address such as :4434 or 192.0.2.1:4434: other machines reach it"},
		{"Admin", ":9000", open, "--admin=:9000: want an address such as 127.0.0.1:9090, or --admin-secret: other machines reach it"},
		{"Bans", "b.json", fs.ErrPermission, "--bans=b.json: permission denied"},
		{"Web", "dist", fs.ErrNotExist, "--web=dist: file does not exist"},
	} {
		got := withAdvice(fmt.Errorf("host: %w", &host.AddressError{Field: c.field, Value: c.value, Err: c.err})).Error()
		if got != c.want {
			t.Errorf("%s of %v:\n got %s\nwant %s", c.field, c.err, got, c.want)
		}
		for _, address := range regexp.MustCompile(`[0-9.]*:[0-9]+`).FindAllString(strings.TrimPrefix(got, "--"), -1) {
			if name, _, err := net.SplitHostPort(address); err != nil || name != "" && net.ParseIP(name) == nil {
				t.Errorf("%s of %v: %q is no address (%v)", c.field, c.err, address, err)
			}
		}
	}
	if plain := errors.New("no match"); withAdvice(plain) != plain {
		t.Error("an error that is not of an address changes")
	}
}
