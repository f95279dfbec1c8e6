package main

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// The example of a file of settings is one, but for the page, which a test does not build. [THR-56, THR-60]
func TestTheSettingsOfTheUnit(t *testing.T) {
	text, err := os.ReadFile("../../deploy/systemd/server.yaml")
	if err != nil {
		t.Fatal(err)
	}
	page := t.TempDir()
	if err := os.WriteFile(filepath.Join(page, "index.html"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	// What is commented out is checked too, but for the files that it names.
	all := regexp.MustCompile(`(?m)^# ([a-z-]+: )`).ReplaceAllString(string(text), "$1")
	code, _, errs := sayWith(t, nil, "serve", "--check-config", "--config", writeSettings(t, strings.ReplaceAll(string(text), "/usr/local/share/backstep", page)))
	if code != exitFine {
		t.Errorf("exit code %d: %s", code, errs)
	}
	code, out, errs := sayWith(t, nil, "serve", "--check-config", "--config", writeSettings(t, strings.ReplaceAll(all, "/usr/local/share/backstep", page)))
	if code != exitFailure || !strings.Contains(errs, "token.pub") || !strings.Contains(out, "drain: 10m0s") {
		t.Errorf("with what is commented out: exit code %d, want the missing key alone: %s\n%s", code, errs, out)
	}
}

// The unit is what systemd takes for one, has the watchdog, and its server's flags are flags. [THR-60]
func TestTheUnit(t *testing.T) {
	unit, err := os.ReadFile("../../deploy/systemd/backstep.service")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nType=notify\n", "\nWatchdogSec=", "\nNotifyAccess=main\n", "AF_UNIX"} {
		if !strings.Contains(string(unit), want) {
			t.Errorf("%q is missing", want)
		}
	}
	start := regexp.MustCompile(`(?m)^ExecStart=(\S+) (.*)$`).FindStringSubmatch(string(unit))
	if start == nil {
		t.Fatal("no ExecStart")
	}
	args := strings.Fields(strings.ReplaceAll(start[2], "/etc/backstep/server.yaml", writeSettings(t, "bots: 0\n")))
	if code, _, errs := sayWith(t, nil, append(args, "--check-config")...); code != exitFine {
		t.Errorf("%v: exit code %d: %s", args, code, errs)
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Log("no systemd-analyze here: the unit's grammar is not checked")
		return
	}
	file := filepath.Join(t.TempDir(), "backstep.service")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(unit), start[1], "/bin/true")), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), analyze, "verify", "--man=no", "--recursive-errors=no", file).CombinedOutput(); err != nil {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}

// There is no Docker in the tests, so what the stages of the Dockerfile do is done without it: its build line makes one
// static program, which takes the image's environment and command; what is copied is there or is what make web builds;
// the image's user is not root. [THR-62]
func TestSlowTheDockerfile(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the image is of Linux")
	}
	text, err := os.ReadFile("../../deploy/docker/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	words := map[string][]string{} // what follows each instruction, of both stages
	for line := range strings.Lines(string(text)) {
		if name, rest, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name != "#" {
			words[name] = append(words[name], rest)
		}
	}
	built := filepath.Join(t.TempDir(), "backstep")
	build := strings.ReplaceAll(words["RUN"][len(words["RUN"])-1], "/out/backstep", built)
	if !strings.Contains(build, "CGO_ENABLED=0 go build ") {
		t.Fatalf("the last RUN builds no static program: %s", build)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", build)
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", build, err, out)
	}
	program, err := elf.Open(built)
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	for _, p := range program.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("the program wants a dynamic linker, which the image does not have")
		}
	}
	page := t.TempDir()
	if err := os.WriteFile(filepath.Join(page, "index.html"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	environ := strings.Fields(strings.ReplaceAll(strings.Join(words["ENV"], " "), "=/page", "="+page))
	serve := exec.CommandContext(t.Context(), built, append(strings.Fields(strings.NewReplacer(`"`, " ", "[", "", "]", "", ",", " ").Replace(words["CMD"][0])), "--check-config")...)
	serve.Env = environ
	if out, err := serve.CombinedOutput(); err != nil || !strings.Contains(string(out), "# BACKSTEP_DRAIN") {
		t.Errorf("the command of the image with its environment %q: %v\n%s", environ, err, out)
	}
	for _, c := range words["COPY"] {
		if from := strings.Fields(c)[0]; !strings.HasPrefix(from, "--from=") && from != "web/dist" {
			if _, err := os.Stat(filepath.Join("../..", from)); err != nil {
				t.Errorf("COPY %s: %v", c, err)
			}
		}
	}
	if user := words["USER"]; len(user) != 1 || strings.HasPrefix(user[0], "0") || user[0] == "root" {
		t.Errorf("the image's user is %q", user)
	}
	for name, want := range map[string]string{"STOPSIGNAL": "SIGTERM", "ENTRYPOINT": `["/backstep"]`, "EXPOSE": "8080/tcp 4433/udp 9090/tcp"} {
		if len(words[name]) != 1 || words[name][0] != want {
			t.Errorf("%s is %q, want %s", name, words[name], want)
		}
	}
}
