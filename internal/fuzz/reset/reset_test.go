package reset_test

import (
	"fmt"
	"testing"

	"github.com/backstep-net/backstep/internal/fuzz/reset"
)

type leaf struct{ n int }

type tree struct {
	name   string
	list   []leaf
	inner  [2]struct{ left *leaf }
	byName map[string]*leaf
	any    fmt.Stringer
	up     *tree
	within *leaf // an element of list
	call   func()
	fixed  *fixed
}

type fixed struct{ n int }

func (l *leaf) String() string { return fmt.Sprint(l.n) }

// text is all that a tree reaches.
func (t *tree) text() string {
	return fmt.Sprint(t.name, t.list, t.list[:cap(t.list)], *t.inner[0].left, t.inner[1].left, len(t.byName), t.byName["a"], t.any, t.up == t, t.within == &t.list[0], t.call == nil)
}

// A value is changed in every way, in place and by putting others in place: after the reset it is what it was, also
// the second time, and nothing else is touched.
func TestAValueIsTakenBack(t *testing.T) {
	v := &tree{name: "before", list: make([]leaf, 2, 4), byName: map[string]*leaf{"a": {1}}, any: &leaf{2}, fixed: new(fixed)}
	v.inner[0].left = &leaf{3}
	v.up, v.within = v, &v.list[0]
	was := v.text()
	p := reset.Of(v, (*fixed)(nil))
	for range 2 {
		v.fixed.n++
		v.name, v.within.n, v.byName["a"].n, v.inner[0].left.n = "after", 7, 7, 7
		v.any.(*leaf).n = 7
		v.byName["b"] = &leaf{7}
		delete(v.byName, "a")
		v.list = append(v.list, leaf{7})
		v.list = append(v.list, leaf{7}, leaf{7})
		v.byName = map[string]*leaf{"a": nil, "c": nil}
		v.inner[0].left, v.inner[1].left, v.up, v.within = nil, &leaf{7}, nil, nil
		v.call = func() {}
		p.Reset()
		if got := v.text(); got != was {
			t.Errorf("got %s, want %s", got, was)
		}
	}
	if v.fixed.n != 2 {
		t.Errorf("what is behind a fixed type was changed: got %d, want 2", v.fixed.n)
	}
}

// A value that holds a channel cannot be taken back: the panic says so.
func TestAChannelIsRefused(t *testing.T) {
	defer func() {
		if got, want := fmt.Sprint(recover()), "reset: a chan int cannot be taken back"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}()
	reset.Of(&struct{ c chan int }{make(chan int)})
}
