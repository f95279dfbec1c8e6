package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/minimal"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
)

// signed writes a certificate of its own for hosts, valid until then, and its key.
func signed(t *testing.T, until time.Time, hosts ...string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: hosts, NotBefore: until.Add(-90 * 24 * time.Hour), NotAfter: until}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: raw}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// On a machine that can run the server no line is a fault, and each one that is not ok has its cure. [THR-58]
func TestDoctorOfAGoodServer(t *testing.T) {
	cert, key := signed(t, time.Now().Add(60*24*time.Hour), "game.example")
	code, out, errs := say(t.Context(), "doctor", "--addr", "127.0.0.1:0", "--quic", "127.0.0.1:0", "--public", "game.example", "--tls-cert", cert, "--tls-key", key)
	if code != exitFine || errs != "" {
		t.Fatalf("exit code %d, errors %q\n%s", code, errs, out)
	}
	for _, want := range []string{"configuration: ", "HTTP port: ", "QUIC port: ", "admin port: ", "joining: open to everybody on this machine", "certificate: for game.example, 59 days left",
		"UDP receive buffer: ", "UDP send buffer: ", "1000 datagrams on loopback: ", "cores: ", "memory: ", "open files: ", "clock: monotonic, in steps of ", "clock step: "} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	if lines, cures := strings.Count(out, "warning  "), strings.Count(out, "cure: "); lines != cures {
		t.Errorf("%d warnings and %d cures:\n%s", lines, cures, out)
	}
}

// What keeps the server from starting, or players from joining, is a fault, and the exit code says so. The settings
// come from a file as those of the server do. [THR-58]
func TestDoctorFindsFaults(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	old, key := signed(t, time.Now().Add(-time.Hour), "game.example")
	base := "addr: 127.0.0.1:0\nquic: 127.0.0.1:0\n"
	for text, want := range map[string]string{
		"addr: " + taken.Addr().String() + "\nquic: 127.0.0.1:0\n":                       "fault    HTTP port: --addr=" + taken.Addr().String(),
		base + "admin: " + taken.Addr().String():                                         "fault    admin port: --admin=",
		base + "admin: 0.0.0.0:0":                                                        "fault    admin port: 0.0.0.0:0 is open to other machines",
		base + "tls-cert: " + old + "\ntls-key: " + key:                                  "fault    certificate: ended on ",
		base + "level: nowhere.glb":                                                      "fault    configuration: ",
		base + "tls-cert: " + old + "\ntls-key: " + key + "\npublic: other.example:4433": "fault    certificate: ",
	} {
		code, out, errs := sayWith(t, nil, "doctor", "--config", writeSettings(t, text))
		if code != exitFailure || !strings.Contains(out, want) || !strings.Contains(errs, "faults") {
			t.Errorf("%s: exit code %d, errors %q, want %q in\n%s", text, code, errs, want, out)
		}
	}
	if code, out, _ := say(t.Context(), "doctor", "--addr", ":0", "--quic", ":0"); code != exitFine || !strings.Contains(out, "warning  joining: anyone") || !strings.Contains(out, "warning  certificate: ") {
		t.Errorf("an open server without TLS: exit code %d\n%s", code, out)
	}
}

// The settings of a game's own server, as its -check-config prints them and with each key set, are settings of backstep
// serve and of the doctor too. [THR-56, THR-58]
func TestTheSettingsOfAGameAreThoseOfTheArena(t *testing.T) {
	var printed strings.Builder
	config := serve.Config[movement.State, movement.Command]{
		Session: session.ServerConfig{World: collide.Floor(9)},
		OnJoin:  func(*serve.Match[movement.State, movement.Command], session.Event) {},
	}
	args := []string{"-check-config", "-addr=127.0.0.1:0", "-quic=127.0.0.1:0", "-no-udp", "-bans=bans.json", "-per-address=24", "-players=2", "-tick=5"}
	if err := serve.Run(t.Context(), minimal.Rules(), config, args, &printed); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"no-udp: true", "bans: bans.json", "per-address: 24"} {
		if !strings.Contains(printed.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &printed)
		}
	}
	if code, out, errs := say(t.Context(), "doctor", "--config", writeSettings(t, printed.String())); code != exitFine {
		t.Errorf("doctor: exit code %d: %s\n%s\nof the settings\n%s", code, errs, out, &printed)
	}
	arena := strings.NewReplacer("tick: 5 ", "tick: 30 ").Replace(printed.String()) + "\n"
	if code, _, errs := say(t.Context(), "serve", "--check-config", "--config", writeSettings(t, arena)); code != exitFine {
		t.Errorf("serve: exit code %d: %s\nof the settings\n%s", code, errs, arena)
	}
	if code, _, errs := say(t.Context(), "doctor", "--config", writeSettings(t, "tick: 1001\n")); code == exitFine || !strings.Contains(errs, "--tick=1001") {
		t.Errorf("1001 ticks a second: exit code %d, %s", code, errs)
	}
}

// The verdicts on what cannot be brought about here. [THR-58]
func TestVerdictsOfTheDoctor(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	leaf := &x509.Certificate{DNSNames: []string{"game.example"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(10*24*time.Hour + time.Hour)}
	group := func(files map[string]string) cgroup {
		root := fstest.MapFS{}
		for name, text := range files {
			root[name] = &fstest.MapFile{Data: []byte(text)}
		}
		return cgroupLimits(root)
	}
	half := group(map[string]string{
		"proc/self/cgroup": "0::/pods/game\n", "sys/fs/cgroup/pods/game/cpu.max": "max 100000\n", "sys/fs/cgroup/pods/cpu.max": "50000 100000\n",
		"sys/fs/cgroup/pods/game/memory.max": "67108864\n", "sys/fs/cgroup/pods/memory.max": "max\n",
	})
	if half != (cgroup{0.5, 64 << 20}) {
		t.Errorf("the limits of the group: got %+v, want half a core and 64 MB", half)
	}
	if got := group(nil); got != (cgroup{}) {
		t.Errorf("without groups: got %+v", got)
	}
	for _, c := range []struct {
		got           finding
		verdict, want string
	}{
		{certificateFinding(leaf, "game.example", now), warning, "10 days left"},
		{certificateFinding(leaf, "other.example", now), fault, "not for other.example"},
		{certificateFinding(leaf, "", now.Add(-30*24*time.Hour)), fault, "begins on 2026-03-01"},
		{bufferFinding("receive", "rmem_max", 208<<10), warning, "208 kB of 7168 kB"},
		{bufferFinding("receive", "rmem_max", -1), fine, "does not say"},
		{openFiles(256), warning, "at most 256"},
		{openFiles(65536), fine, "65536"},
		{cores(1, half), warning, "the control group grants 0.5"},
		{memory(half), warning, "grants 64 MB"},
		{memory(cgroup{}), fine, "no limit"},
		{clockStep(now, now.Add(time.Second)), fine, "agreed"},
	} {
		if c.got.verdict != c.verdict || !strings.Contains(c.got.text, c.want) || (c.got.cure == "") != (c.verdict == fine) {
			t.Errorf("got %+v, want %s with %q, and a cure unless it is ok", c.got, c.verdict, c.want)
		}
	}
}
