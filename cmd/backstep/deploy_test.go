package main

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
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

// There is no Docker in the tests, so what the stages of the Dockerfiles do is done without it: the build line makes one
// static program, which takes the image's environment and command; what is copied is there or is built before; the
// image's user is not root. The second is that of a new game. [THR-62]
func TestSlowTheDockerfiles(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the image is of Linux")
	}
	for _, i := range []image{
		{file: "deploy/docker/Dockerfile", folder: ".", program: "backstep", command: []string{"serve"}, later: []string{"web/dist"}},
		{file: "internal/newgame/templates/third/Dockerfile", folder: "internal/newgame/templates/third", program: "server", later: []string{"web/dist", "go.mod"}},
	} {
		t.Run(i.program, i.test)
	}
}

// image is what a Dockerfile makes.
type image struct {
	file, folder string   // the folder is where it is built
	program      string   // in /
	command      []string // its arguments
	later        []string // what is copied and is not in the repository
}

func (i image) test(t *testing.T) {
	words := i.read(t)
	built := i.build(t, words["RUN"][len(words["RUN"])-1])
	page := t.TempDir()
	if err := os.WriteFile(filepath.Join(page, "index.html"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	environ := strings.Fields(strings.ReplaceAll(strings.Join(words["ENV"], " "), "=/page", "="+page))
	serve := exec.CommandContext(t.Context(), built, append(slices.Clone(i.command), "--check-config")...)
	serve.Env = environ
	if out, err := serve.CombinedOutput(); err != nil || !strings.Contains(string(out), "# BACKSTEP_DRAIN") {
		t.Errorf("the command of the image with its environment %q: %v\n%s", environ, err, out)
	}
	for _, c := range words["COPY"] {
		if from := strings.Fields(c)[0]; !strings.HasPrefix(from, "--from=") && !slices.Contains(i.later, from) {
			if _, err := os.Stat(filepath.Join("../..", i.folder, from)); err != nil {
				t.Errorf("COPY %s: %v", c, err)
			}
		}
	}
	if user := words["USER"]; len(user) != 1 || strings.HasPrefix(user[0], "0") || user[0] == "root" {
		t.Errorf("the image's user is %q", user)
	}
	want := map[string]string{"STOPSIGNAL": "SIGTERM", "ENTRYPOINT": `["/` + i.program + `"]`, "EXPOSE": "8080/tcp 4433/udp 9090/tcp"}
	if len(i.command) > 0 {
		want["CMD"] = fmt.Sprintf("[%q]", i.command[0])
	}
	for name, want := range want {
		if len(words[name]) != 1 || words[name][0] != want {
			t.Errorf("%s is %q, want %s", name, words[name], want)
		}
	}
}

// read returns what follows each instruction, of both stages.
func (i image) read(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", i.file))
	if err != nil {
		t.Fatal(err)
	}
	words := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		if name, rest, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name != "#" {
			words[name] = append(words[name], rest)
		}
	}
	return words
}

// build runs the line that builds, and returns the program, which is static.
func (i image) build(t *testing.T, line string) string {
	t.Helper()
	built := filepath.Join(t.TempDir(), i.program)
	line = strings.ReplaceAll(line, "/out/"+i.program, built)
	if !strings.Contains(line, "CGO_ENABLED=0 go build ") {
		t.Fatalf("the last RUN builds no static program: %s", line)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
	cmd.Dir = filepath.Join("../..", i.folder)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
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
	return built
}
