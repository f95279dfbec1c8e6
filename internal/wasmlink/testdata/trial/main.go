// Command trial does what depends on the tables that package wasmlink rewrites: stacks that
// grow and are collected, panics, recover, goroutines, functions made by reflect. It prints
// what it finds. With an argument it ends in the way that this names.
package main

import (
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
)

func main() {
	if len(os.Args) > 1 {
		endings[os.Args[1]]()
	}
	fmt.Println("deep stack:", deep(20_000, make([]byte, 64)))
	fmt.Println("goroutines:", goroutines(50))
	fmt.Println("user goroutines:", runtime.NumGoroutine())
	fmt.Println("made by reflect:", made())
	for _, f := range []func(){direct, inlined, nested, deferredRecover, wrapped, again} {
		fmt.Println("recovered:", caught(f))
	}
	fmt.Println("messages:", strings.Join(messages(), "; "))
	fmt.Println("formatted:", fmt.Sprintf("%v %+v %T", map[string]int{"b": 2, "a": 1}, point{1, 2}, &point{}))
}

// deep grows the stack by a pointer a level, and collects on the way.
func deep(n int, b []byte) int {
	if n == 0 {
		runtime.GC()
		return len(b)
	}
	if n%4000 == 0 {
		runtime.GC()
	}
	own := [4]*int{&n, new(n), nil, &n}
	return deep(n-1, b) + *own[1] - *own[3]
}

// goroutines hands values through channels while the collector runs.
func goroutines(n int) int {
	values, sum := make(chan *int), 0
	for i := range n {
		go func() {
			v := new(deep(i, nil) + i)
			runtime.Gosched()
			values <- v
		}()
	}
	for range n {
		sum += *<-values
		if sum%7 == 0 {
			runtime.GC()
		}
	}
	return sum
}

// made calls a function that reflect made: its stack map exists at run time only.
func made() string {
	t := reflect.TypeFor[func(*string, []int) string]()
	f := reflect.MakeFunc(t, func(in []reflect.Value) []reflect.Value {
		deep(3000, nil)
		return []reflect.Value{reflect.ValueOf(*in[0].Interface().(*string) + fmt.Sprint(in[1].Len()))}
	}).Interface().(func(*string, []int) string)
	method := reflect.ValueOf(&point{3, 4}).MethodByName("Sum").Interface().(func() int)
	return f(new("value "), make([]int, 7)) + fmt.Sprint(" ", method())
}

type point struct{ x, y int }

func (p point) Sum() int { runtime.GC(); return p.x + p.y }

type summer interface{ Sum() int }

// caught runs a function that panics and may recover.
func caught(f func()) (got any) {
	defer func() {
		if r := recover(); r != nil {
			got = fmt.Sprint("outside: ", r)
		}
	}()
	f()
	return "inside"
}

func direct()          { defer func() { _ = recover() }(); panic("direct") }
func helper()          { _ = recover() }
func inlined()         { defer helper(); panic("inlined") }
func nested()          { defer func() { helper() }(); panic("nested") }
func deferredRecover() { defer recover(); panic("defer recover()") } //nolint:all // it must not recover

type guard struct{ int }

func (guard) close() { _ = recover() }

type closer interface{ close() }

func wrapped() { var c closer = &guard{}; defer c.close(); panic("wrapped") }
func again() {
	defer func() {
		defer func() { panic(fmt.Sprint("second after ", recover())) }()
		panic("first")
	}()
}

// messages returns what the runtime's own panics say.
func messages() []string {
	var none []int
	var s summer = (*point)(nil)
	var m map[string]int
	var a any = "text"
	i := len(os.Args) + 4
	var all []string
	for _, f := range []func(){
		func() { none[i] = 1 },
		func() { _ = make([]int, 3)[i:] },
		func() { s.Sum() },
		func() { m["x"] = 1 },
		func() { _ = a.(summer) },
		func() { i /= len(none) },
		func() { panic(fmt.Errorf("an error of its own: %d", i)) },
	} {
		all = append(all, fmt.Sprint(caught(f)))
	}
	return all
}

// endings end the program.
var endings = map[string]func(){
	"panic":    func() { panic("the end") },
	"error":    func() { panic(fmt.Errorf("code %d", 7)) },
	"nil":      func() { var s summer = (*point)(nil); fmt.Println(s.Sum()) },
	"deadlock": func() { <-make(chan int) },
	"exit":     func() { os.Exit(3) },
}
