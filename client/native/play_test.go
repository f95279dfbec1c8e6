package native

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/backstep-net/backstep/client/layout"
	"github.com/backstep-net/backstep/examples/hockey"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/locked"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
)

// hockeyServer runs a server of hockey with a bot until the test's end, and returns its address.
func hockeyServer(t *testing.T) string {
	ctx, stop := context.WithCancel(context.Background())
	var log locked.Buffer
	ended := make(chan error, 1)
	config := hockey.Config()
	config.Bots, config.Think = 1, hockey.Think
	go func() {
		ended <- serve.Run(ctx, hockey.Rules(), config, []string{"-addr", "127.0.0.1:0", "-quic", "127.0.0.1:0"}, &log)
	}()
	t.Cleanup(func() { stop(); <-ended })
	for range waits {
		if found := regexp.MustCompile(`http=(\S+)`).FindStringSubmatch(log.String()); found != nil {
			return "http://" + found[1]
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("the server does not start:\n%s", log.String())
	return ""
}

// A program in another language plays on a real server: it skates and sees it in its own struct, sees a bot, the puck and the
// door, reads fields, shoots and gets the verdict. By its key it comes back to its seat, from where the first connection is
// thrown out with the reason. [ENT-13]
func TestAProgramPlays(t *testing.T) {
	address := hockeyServer(t)
	var table layout.Table
	var input hockey.Input
	var self hockey.Skater
	layout.Add(&table, "input", &input, true)
	layout.Add(&table, "self", &self, false)
	in, out := spansOf(table.Layout(), "input"), spansOf(table.Layout(), "self")
	joined := 0
	config := Config[hockey.Skater, hockey.Input]{Bodies: &hockey.Pucks, Join: func(*session.Client[hockey.Skater, hockey.Input]) { joined++ }}
	open := func(key string) player {
		p := connect(hockey.Rules(), &config, connectConfig{address: address, name: "Ada", key: key}, in, out)
		t.Cleanup(p.close)
		return p
	}
	kinds := map[eventKind]int{}
	until := func(what string, p player, is func(phase) bool) {
		t.Helper()
		for range waits {
			now := p.frame(unsafe.Pointer(&input), unsafe.Pointer(&self))
			for e, ok := p.event(); ok; e, ok = p.event() {
				kinds[e.kind]++
			}
			if is(now) {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
		t.Fatalf("in vain: %s; %s", what, p.failure())
	}
	ada := open("")
	until("it plays, beside a bot and the puck", ada, func(now phase) bool {
		return now == playing && ada.view().placed && len(ada.remotes()) == 1 && len(ada.entities()) == 1
	})
	if kinds[welcomed] != 1 || joined != 1 {
		t.Errorf("got %d events of a welcome and %d calls of Join, want one each", kinds[welcomed], joined)
	}
	start := self.Position
	input.Forward, input.Claim.Fire = 1, true
	until("it skates and shoots", ada, func(phase) bool {
		return self.Position.Dist(start) > 0.5 && kinds[fired] > 0 && kinds[verdict] > 0
	})
	v := ada.view()
	if v.position.Dist(self.Position) > 1 || v.eye.Y <= v.position.Y || v.now <= 0 {
		t.Errorf("it is drawn at %v with the eye at %v, and is at %v", v.position, v.eye, self.Position)
	}
	if puck := ada.entities()[0]; puck.Kind != 1 || puck.Position.Dist(geom.V(0, 0.1, 6)) > 12 {
		t.Errorf("the puck is %+v", puck)
	}
	if door := ada.movers(); len(door) != 1 || door[0].Translation.Dist(geom.V(0, 1, 0)) > 3 {
		t.Errorf("the movers are %+v, want the door", door)
	}
	name, score := ada.field("name"), ada.field("score")
	if got := ada.text(v.id, name); got != "Ada" || score < 0 || ada.field("none") != -1 {
		t.Errorf("got the name %q, and the fields %d and %d", got, score, ada.field("none"))
	}
	it := ada.field("it")
	until("one of the two is it", ada, func(phase) bool { return ada.number(v.id, it)+ada.number(ada.remotes()[0].ID, it) == 1 })
	for _, wrong := range []int{-1, score, 4} {
		if got := ada.text(v.id, wrong); got != "" {
			t.Errorf("the text of field %d is %q, want none", wrong, got)
		}
	}
	for _, wrong := range []int{-1, name, 4} {
		if got := ada.number(v.id, wrong); got != 0 {
			t.Errorf("the number of field %d is %d, want 0", wrong, got)
		}
	}
	if reach := ada.sweep(v.eye, geom.V(0, -10, 0), 0.1); reach <= 0 || reach >= 1 || ada.stats().RTT <= 0 || !ada.send([]byte("hi")) || ada.send(make([]byte, maxMessage+1)) {
		t.Errorf("%v of the way down is free, the round trip is %v", reach, ada.stats().RTT)
	}
	again := open(ada.key())
	until("it is back", again, func(now phase) bool { return now == playing && again.view().placed })
	if again.view().id != v.id || again.key() != ada.key() || len(again.key()) != 32 {
		t.Errorf("back as player %d with the key %s, want %d with %s", again.view().id, again.key(), v.id, ada.key())
	}
	until("the first one ends", ada, func(now phase) bool { return now == ended })
	if got := ada.failure(); !strings.Contains(got, "joined from elsewhere") || ada.send([]byte("hi")) {
		t.Errorf("it ended with %q, want why", got)
	}
}
