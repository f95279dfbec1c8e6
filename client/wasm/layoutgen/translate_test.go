package main

import (
	"os"
	"testing"
)

func TestPageHasTheLayoutOfTheCore(t *testing.T) {
	var sources []Source
	for _, name := range []string{"layout.go", "layout_more.go"} {
		text, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, Source{name, text})
	}
	want, err := Translate(sources...)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../../web/src/client/layout.ts")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("web/src/client/layout.ts is not what client/wasm/layout.go says: run go generate ./client/wasm")
	}
}

func TestNamesBecomeUpperSnakeCase(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"StateServerX", "STATE_SERVER_X"},
		{"ABIVersion", "ABI_VERSION"},
		{"RemoteID", "REMOTE_ID"},
		{"RemoteVX", "REMOTE_VX"},
		{"PhaseIdle", "PHASE_IDLE"},
	} {
		if got := upperSnake(c.name); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestAFileThatDoesNotParseIsAnErrorThatNamesIt(t *testing.T) {
	if _, err := Translate(Source{"broken.go", []byte("package x\nconst A =")}); err == nil {
		t.Error("got no error, want one that names broken.go")
	}
}
