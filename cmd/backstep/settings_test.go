package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/internal/locked"
)

// sayWith runs a command line with an environment to its end.
func sayWith(t *testing.T, environ []string, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e locked.Buffer
	code = runWith(t.Context(), args, environ, output{&o, &e})
	return code, o.String(), e.String()
}

func writeSettings(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "server.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// --check-config prints a file of all settings; without any of them it is the page of the reference. [THR-56]
func TestTheDefaultSettings(t *testing.T) {
	code, got, errs := say(t.Context(), "serve", "--check-config")
	if code != exitFine || errs != "" {
		t.Fatalf("exit code %d, errors %q", code, errs)
	}
	path := filepath.Join("testdata", "settings.yaml")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("(-update rewrites it):\ngot\n%s\nwant\n%s", got, want)
	}
	if code, again, errs := say(t.Context(), "serve", "--check-config", "--config", path); code != exitFine || strings.Count(again, "settings.yaml:") == 0 {
		t.Errorf("the printed file as a configuration: exit code %d, errors %s\n%s", code, errs, again)
	}
}

// The table of flags in docs/server.md has every flag of the server. [THR-56]
func TestTheTableOfFlagsIsComplete(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "server.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "\n## Flags\n")
	table, _, _ = strings.Cut(table, "\n## ")
	_, printed, _ := say(t.Context(), "serve", "--check-config")
	for line := range strings.Lines(printed) {
		name, _, isKey := strings.Cut(line, ":")
		if isKey && !strings.Contains(table, "`--"+name+"`") && !strings.Contains(table, "`--"+name+" ") {
			t.Errorf("docs/server.md has no row of --%s", name)
		}
	}
}

// A flag comes before the environment, that before the file, that before the default. [THR-56]
func TestWhereSettingsComeFrom(t *testing.T) {
	file := writeSettings(t, "bots: 1\nplayers: 7\ntick: 20\nteams: true\nproxy: [10.0.0.0/8]\n")
	code, out, errs := sayWith(t, []string{"BACKSTEP_CONFIG=" + file, "BACKSTEP_TICK=30", "BACKSTEP_PLAYERS=8"}, "serve", "--check-config", "--players", "9")
	if code != exitFine {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	for _, want := range []string{"players: 9 # flag", "tick: 30 # BACKSTEP_TICK", "bots: 1 # " + file + ":1", "teams: true # " + file + ":4", "proxy: [10.0.0.0/8] # " + file + ":5", "matches: 1 # default"} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
}

// Mistakes say where they are: exit code 1 for those of the environment and the file, 2 for the command line. [THR-56]
func TestMistakesInSettings(t *testing.T) {
	secret := "correct horse battery staple"
	for _, c := range []struct {
		environ, file, args, want string
		code                      int
	}{
		{"BACKSTEP_TIK=30", "", "", `unknown environment variable BACKSTEP_TIK; did you mean "BACKSTEP_TICK"?`, exitFailure},
		{"", "playrs: 3\n", "", `server.yaml:1: unknown key "playrs"; did you mean "players"?`, exitFailure},
		{"", "config: x.yaml\n", "", `unknown key "config"`, exitFailure},
		{"BACKSTEP_PLAYERS=1900", "", "", "--players=1900: want 1 to 1000 (from BACKSTEP_PLAYERS)", exitFailure},
		{"", "bots: 1\nplayers: many\n", "", "server.yaml:2)", exitFailure},
		{"", "log: xml\n", "", "server.yaml:1)", exitFailure},
		{"", "", "--players=1900", "--players=1900: want 1 to 1000\n", exitUsage},
		{"", "", "--config=none.yaml", "none.yaml: no such file", exitFailure},
		{"", "web: nowhere\n", "", "no page there", exitFailure},
		{"", "admin-secret: " + secret + "\n", "", "names the file that holds the secret", exitFailure},
	} {
		args := append([]string{"serve", "--check-config"}, strings.Fields(c.args)...)
		if c.file != "" {
			args = append(args, "--config", writeSettings(t, c.file))
		}
		code, out, errs := sayWith(t, strings.Fields(c.environ), args...)
		if code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%q %q %q: exit code %d, want %d, and\n%s\nwith %q", c.environ, c.file, c.args, code, c.code, errs, c.want)
		}
		if strings.Contains(out+errs, "horse") {
			t.Errorf("a secret is printed:\n%s%s", out, errs)
		}
	}
}
