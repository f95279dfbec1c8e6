package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"net"
	"os"
	"path"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/transport/origin"
)

// doctorCommand checks whether this machine can run the server that the same settings would start.
type doctorCommand struct{ serveCommand }

// Validate reports invalid flags. The settings may be those of a game's own server, where ticks have a wider range and
// the arena's bots mean nothing. Kong calls it.
func (c *doctorCommand) Validate() error {
	own := c.serveCommand
	own.Bots = min(own.Bots, own.Players)
	if own.Tick >= 1 && own.Tick <= 1000 {
		own.Tick = 60
	}
	return own.Validate()
}

// The verdicts of a finding.
const (
	fine    = "ok"
	warning = "warning" // the server runs, but worse than it could, or less safely
	fault   = "fault"   // the server does not start, or players cannot join
)

// finding is one line of the report.
type finding struct {
	verdict, what, text string
	cure                string // "" where there is nothing to cure
}

// wantedBuffer is the size that QUIC asks for the buffers of its socket, in bytes. With less, a burst is lost while
// the process does something else for some milliseconds.
const wantedBuffer = 7 << 20

// Run prints a line for each finding. It fails if one is a fault.
func (c *doctorCommand) Run(ctx context.Context, out output, call *kong.Context, from given) error {
	if c.CheckConfig {
		return c.serveCommand.Run(ctx, out, call, from)
	}
	began := time.Now()
	findings := append([]finding{c.configuration()}, c.ports()...)
	findings = append(findings, c.access(), c.certificate(time.Now()))
	findings = append(findings, buffers()...)
	limit := cgroupLimits(os.DirFS("/"))
	findings = append(findings, datagrams(1000), cores(c.Matches, limit), memory(limit), openFiles(descriptorLimit()), resolution(), clockStep(began, time.Now()))
	faults := 0
	for _, f := range findings {
		fmt.Fprintf(out, "%-8s %s: %s\n", f.verdict, f.what, f.text)
		if f.verdict != fine {
			fmt.Fprintf(out, "         cure: %s\n", f.cure)
		}
		if f.verdict == fault {
			faults++
		}
	}
	if faults > 0 {
		return fmt.Errorf("doctor: faults: %d of %d findings", faults, len(findings))
	}
	return nil
}

// configuration reads the files that the settings name.
func (c *doctorCommand) configuration() finding {
	if _, err := c.prepare(slog.New(slog.DiscardHandler)); err != nil {
		return finding{fault, "configuration", err.Error(), "change that setting; --check-config shows where each comes from"}
	}
	return finding{fine, "configuration", "every file that it names can be read", ""}
}

// ports opens each port of the server and closes it again.
func (c *doctorCommand) ports() (list []finding) {
	try := func(what, field, address string, open func() error) {
		f := finding{fine, what, address + " is free", ""}
		if err := open(); err != nil {
			f = finding{fault, what, withAdvice(&host.AddressError{Field: field, Value: address, Err: err}).Error(), "stop what has the port (it may be this server), or take another one"}
		}
		list = append(list, f)
	}
	tcp := func(address string) func() error {
		return func() error {
			l, err := net.Listen("tcp", address)
			if err == nil {
				l.Close()
			}
			return err
		}
	}
	try("HTTP port", "Addr", c.Addr, tcp(c.Addr))
	try("QUIC port", "QUIC", c.QUIC, func() error {
		p, err := net.ListenPacket("udp", c.QUIC)
		if err == nil {
			p.Close()
		}
		return err
	})
	if c.Admin != "" {
		try("admin port", "Admin", c.Admin, tcp(c.Admin))
		if c.Secret == "" && !origin.Loopback(origin.HostOf(c.Admin)) {
			list = append(list, finding{fault, "admin port", c.Admin + " is open to other machines without a secret", "--admin-secret=FILE, or --admin=127.0.0.1:9090"})
		}
	}
	return list
}

// access reports a server that everybody may join.
func (c *doctorCommand) access() finding {
	switch {
	case len(c.TokenKey) > 0:
		return finding{fine, "joining", "with a connect token only", ""}
	case c.onlyLocal():
		return finding{fine, "joining", "open to everybody on this machine", ""}
	}
	return finding{warning, "joining", "anyone that reaches this server may join under any name", "--token-key=FILE (backstep token key), for a public server"}
}

// onlyLocal reports whether other machines cannot reach the server.
func (c *doctorCommand) onlyLocal() bool {
	return origin.Loopback(origin.HostOf(c.Addr)) && origin.Loopback(origin.HostOf(c.QUIC)) && len(c.Proxy) == 0
}

// certificate reports what browsers get.
func (c *doctorCommand) certificate(now time.Time) finding {
	const what = "certificate"
	switch {
	case len(c.ACME) > 0:
		return finding{fine, what, fmt.Sprintf("of Let's Encrypt for %s, on the first visit", strings.Join(c.ACME, ", ")), ""}
	case c.TLSCert == "" && (c.onlyLocal() || len(c.Proxy) > 0):
		return finding{fine, what, "QUIC makes its own; the page is plain HTTP on this machine", ""}
	case c.TLSCert == "":
		return finding{warning, what, "the page and WebSockets are plain HTTP: keys and moves travel in the clear, and browsers of other machines get no WebTransport", "--tls-cert and --tls-key, --acme, or a proxy with TLS and --proxy"}
	}
	pair, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey)
	if err != nil {
		return finding{fault, what, err.Error(), "--tls-cert is a PEM certificate with its chain, --tls-key its private key"}
	}
	return certificateFinding(pair.Leaf, origin.HostOf(c.Public), now)
}

// certificateFinding judges a certificate for a host; "" is any.
func certificateFinding(leaf *x509.Certificate, name string, now time.Time) finding {
	days := int(math.Floor(leaf.NotAfter.Sub(now).Hours() / 24))
	text := fmt.Sprintf("for %s, %d days left", strings.Join(leaf.DNSNames, ", "), days)
	renew := "renew it; the server reads the file again by itself"
	switch {
	case now.After(leaf.NotAfter):
		return finding{fault, "certificate", "ended on " + leaf.NotAfter.Format(time.DateOnly), renew}
	case now.Before(leaf.NotBefore):
		return finding{fault, "certificate", "begins on " + leaf.NotBefore.Format(time.DateOnly), "set the clock, or get another one"}
	case name != "" && leaf.VerifyHostname(name) != nil:
		return finding{fault, "certificate", text + ", and not for " + name + " (--public)", "get one for that name"}
	case days < 14:
		return finding{warning, "certificate", text, renew}
	}
	return finding{fine, "certificate", text, ""}
}

// buffers compares the buffers that the kernel grants a UDP socket with what QUIC asks for.
func buffers() []finding {
	conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return []finding{{fault, "UDP buffers", err.Error(), "let this process open UDP sockets"}}
	}
	defer conn.Close()
	receive, send := bufferSizes(conn, wantedBuffer)
	return []finding{bufferFinding("receive", "rmem_max", receive), bufferFinding("send", "wmem_max", send)}
}

// bufferFinding judges a buffer of so many bytes; below zero is an unknown size.
func bufferFinding(kind, key string, granted int) finding {
	what := "UDP " + kind + " buffer"
	switch {
	case granted < 0:
		return finding{fine, what, "this system does not say its size", ""}
	case granted >= wantedBuffer:
		return finding{fine, what, fmt.Sprintf("%d kB, as asked for", granted>>10), ""}
	}
	cure := fmt.Sprintf("sysctl -w net.core.%s=%d, and that line in /etc/sysctl.d to keep it", key, wantedBuffer)
	if runtime.GOOS != "linux" {
		cure = fmt.Sprintf("raise the limit of socket buffers to %d bytes (kern.ipc.maxsockbuf on BSD and macOS)", wantedBuffer+wantedBuffer/8)
	}
	return finding{warning, what, fmt.Sprintf("the kernel grants %d kB of %d kB: a burst of datagrams may be lost", granted>>10, wantedBuffer>>10), cure}
}

// datagrams sends so many datagrams to itself, one after another.
func datagrams(n int) finding {
	what := fmt.Sprintf("%d datagrams on loopback", n)
	lost := func(err error) finding {
		return finding{fault, what, err.Error(), "let UDP through on the loopback interface (firewall, container)"}
	}
	in, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return lost(err)
	}
	defer in.Close()
	out, err := net.DialUDP("udp", nil, in.LocalAddr().(*net.UDPAddr))
	if err != nil {
		return lost(err)
	}
	defer out.Close()
	b := make([]byte, 1200)
	began := time.Now()
	_ = in.SetReadDeadline(began.Add(5 * time.Second))
	for range n {
		if _, err = out.Write(b); err == nil {
			_, err = in.Read(b)
		}
		if err != nil {
			return lost(err)
		}
	}
	took := time.Since(began)
	text := fmt.Sprintf("%v, %.1f µs each", took.Round(100*time.Microsecond), float64(took.Microseconds())/float64(n))
	if took > time.Duration(n)*100*time.Microsecond {
		return finding{warning, what, text, "this machine is busy or slow: give the server cores of its own"}
	}
	return finding{fine, what, text, ""}
}

// cores compares the processors with the matches and with the limit of the control group.
func cores(matches int, limit cgroup) finding {
	n := runtime.GOMAXPROCS(0)
	text := fmt.Sprintf("%d processors, GOMAXPROCS %d", runtime.NumCPU(), n)
	if limit.cores > 0 {
		text += fmt.Sprintf(", the control group grants %g", limit.cores)
	}
	switch {
	case limit.cores > 0 && float64(n) > math.Ceil(limit.cores):
		return finding{warning, "cores", text + ": ticks wait while the group is throttled", fmt.Sprintf("GOMAXPROCS=%d in the environment, or a larger limit", int(math.Ceil(limit.cores)))}
	case limit.cores > 0 && limit.cores < 1:
		return finding{warning, "cores", text + ": less than one, so ticks wait while the group is throttled", "a limit of one core at least"}
	case n < 2:
		return finding{warning, "cores", text + ": ticks, the network and the collector share one", "two cores, so that ticks are in time"}
	case matches > n:
		return finding{warning, "cores", fmt.Sprintf("%s for %d matches", text, matches), "fewer --matches, or watch backstep_tick_seconds"}
	}
	return finding{fine, "cores", text, ""}
}

// memory reports the limit of the control group.
func memory(limit cgroup) finding {
	switch {
	case limit.bytes <= 0:
		return finding{fine, "memory", "no limit of a control group", ""}
	case limit.bytes < 128<<20:
		return finding{warning, "memory", fmt.Sprintf("the control group grants %d MB", limit.bytes>>20), "128 MB at least: the kernel ends a process that needs more"}
	}
	return finding{fine, "memory", fmt.Sprintf("the control group grants %d MB", limit.bytes>>20), ""}
}

// openFiles judges the limit of open files; below 1 is an unknown one.
func openFiles(limit int) finding {
	switch {
	case limit < 1:
		return finding{fine, "open files", "this system does not say how many", ""}
	case limit < 4096:
		return finding{warning, "open files", fmt.Sprintf("at most %d, one for each HTTP connection and WebSocket", limit), "ulimit -n 65536, or LimitNOFILE=65536 in the unit"}
	}
	return finding{fine, "open files", "at most " + strconv.Itoa(limit), ""}
}

// resolution measures the smallest step of the monotonic clock, and asks the kernel whether the wall clock is set.
func resolution() finding {
	least := time.Duration(math.MaxInt64)
	for range 2000 {
		a := time.Now()
		d := time.Since(a)
		for i := 0; d == 0 && i < 1e6; i++ {
			d = time.Since(a)
		}
		if d > 0 {
			least = min(least, d)
		}
	}
	text := fmt.Sprintf("monotonic, in steps of %v", least)
	switch {
	case least > time.Millisecond:
		return finding{warning, "clock", text + ": moves are timed that coarsely", "another clock source of the virtual machine"}
	case clockUnset():
		return finding{warning, "clock", text + "; the kernel reports an unsynchronised wall clock: tokens and certificates depend on it", "an NTP service, such as systemd-timesyncd or chrony"}
	}
	return finding{fine, "clock", text, ""}
}

// clockStep compares the wall clock with the monotonic clock over a time.
func clockStep(began, now time.Time) finding {
	passed := now.Sub(began)
	step := now.Round(0).Sub(began.Round(0)) - passed
	text := fmt.Sprintf("the wall clock agreed with the monotonic clock for %v", passed.Round(time.Millisecond))
	if step.Abs() > 10*time.Millisecond {
		return finding{warning, "clock step", fmt.Sprintf("the wall clock was set by %v meanwhile", step.Round(time.Millisecond)), "let the NTP service slew it; matches do not notice, tokens and certificates may"}
	}
	return finding{fine, "clock step", text, ""}
}

// cgroup holds the limits of a control group; zero means no limit.
type cgroup struct {
	cores float64
	bytes int64
}

// cgroupLimits returns the narrowest limits of the process's control group and those around it (version 2, of Linux).
func cgroupLimits(root fs.FS) (limit cgroup) {
	b, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return cgroup{}
	}
	for line := range strings.Lines(string(b)) {
		group, ok := strings.CutPrefix(strings.TrimSpace(line), "0::/")
		for ; ok; group = path.Dir(group) {
			folder := path.Join("sys/fs/cgroup", group)
			limit.narrow(fs.ReadFile(root, path.Join(folder, "cpu.max")))
			limit.narrow(fs.ReadFile(root, path.Join(folder, "memory.max")))
			if group == "." || group == "" {
				break
			}
		}
	}
	return limit
}

// narrow applies the limit in a file: "200000 100000" is two cores, "536870912" bytes, "max" no limit.
func (c *cgroup) narrow(file []byte, err error) {
	words := strings.Fields(string(file))
	if err != nil || len(words) == 0 {
		return
	}
	amount, bad := strconv.ParseInt(words[0], 10, 64)
	switch {
	case bad != nil: // "max"
	case len(words) == 2:
		period, err := strconv.ParseInt(words[1], 10, 64)
		if n := float64(amount) / float64(period); err == nil && period > 0 && (c.cores == 0 || n < c.cores) {
			c.cores = n
		}
	case c.bytes == 0 || amount < c.bytes:
		c.bytes = amount
	}
}
