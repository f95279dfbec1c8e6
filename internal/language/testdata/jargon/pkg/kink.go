package pkg

import "errors"

// MaxKinks and the field Told are faults; retold, Toldest and the local told are none.
const MaxKinks = 2

type T struct {
	Told    int
	Toldest int
	retold  int
}

var ErrWho = errors.New("pkg: a player whom nobody named")

func f() (told int) { return T{}.retold }

func f2() { panic("pkg: told to go") }
