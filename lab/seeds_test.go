package lab_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena/labgame"
	"github.com/backstep-net/backstep/lab"
)

const seeded = "network: {rtt: 80ms, jitter: 20ms, loss: 0.1}\nexpect:\n  - ann.view.frames == 60\n  - ann.time_discrepancy.gain <= 0"

// Many seeds in parallel give what each gives alone, in one order; an expectation
// must hold with each.
func TestSeeds(t *testing.T) {
	s := parse(t, plain("1s", seeded, "{name: ann, script: [{at: 0s, forward: 1}]}", "{name: bob, at: [2, 0, 0]}"))
	text := func(parallel int) string {
		calls := 0
		d, err := lab.Seeds(context.Background(), s, labgame.New(), 9, lab.SeedOptions{Parallel: parallel, Progress: func(done, all int, played clock.Micros) {
			if calls++; done != calls || all != 9 || played != clock.Micros(done)*clock.Second {
				t.Errorf("call %d: %d of %d, %d µs", calls, done, all, played)
			}
		}})
		if err != nil || calls != 9 {
			t.Fatalf("%v after %d calls", err, calls)
		}
		var b strings.Builder
		if err := d.Write(&b); err != nil {
			t.Fatal(err)
		}
		if up := d.Figures["ann.up"]; !(up.Min < up.Median && up.Median < up.Max && up.P95 == up.Max) || len(d.Seeds) != 9 || d.Seeds[8] != 9 || d.Figures["ann.end.z"].Max > -4 {
			t.Errorf("%+v of seeds %v", up, d.Seeds)
		}
		if x := d.Expect; !x[0].Held || x[1].Held || len(x[1].Failed) == 9 || d.Held() {
			t.Errorf("%+v", x)
		}
		return b.String() + lab.Overview([]*lab.Distributions{d})
	}
	one := text(1)
	if four := text(4); four != one {
		t.Errorf("four at a time:\n%s\none at a time:\n%s", four, one)
	}
}

// Stopped seeds keep the runs that were done.
func TestSeedsAreStopped(t *testing.T) {
	s := parse(t, plain("1s", "", "{name: ann}"))
	ctx, stop := context.WithCancel(context.Background())
	d, err := lab.Seeds(ctx, s, labgame.New(), 1000, lab.SeedOptions{Parallel: 2, Progress: func(done, _ int, _ clock.Micros) {
		if done == 5 {
			stop()
		}
	}})
	if !errors.Is(err, lab.ErrStopped) || len(d.Seeds) < 5 || len(d.Seeds) > 8 || d.Figures["ticks"].Min != 60 {
		t.Errorf("%v with %d seeds", err, len(d.Seeds))
	}
	_, err = lab.Play(s, labgame.New(), lab.Options{Progress: func(done, all clock.Micros) bool { return done < all/2 }})
	if !errors.Is(err, lab.ErrStopped) {
		t.Errorf("got %v, want ErrStopped", err)
	}
}
