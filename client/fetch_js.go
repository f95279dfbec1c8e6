package client

import (
	"context"
	"errors"
	"fmt"
	"syscall/js"
)

// defaultTransports are those of a Config that names none: Go's JavaScript target has no UDP.
var defaultTransports = []Transport{WebSocket}

// fetch is Config.Fetch by default: the function fetch of the JavaScript environment. The
// package net/http would do under a browser, but it is large, and under Node it has no network.
func fetch(ctx context.Context, url string) ([]byte, error) {
	abort := js.Global().Get("AbortController").New()
	stop := context.AfterFunc(ctx, func() { abort.Call("abort") })
	defer stop()
	res, err := await(ctx, js.Global().Call("fetch", url, map[string]any{"signal": abort.Get("signal")}))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", url, err)
	}
	body, err := await(ctx, res.Call("arrayBuffer"))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", url, err)
	}
	from := js.Global().Get("Uint8Array").New(body)
	if from.Length() > maxAnswer {
		return nil, fmt.Errorf("%s: %d bytes are too many", url, from.Length())
	}
	b := make([]byte, from.Length())
	js.CopyBytesToGo(b, from)
	if !res.Get("ok").Bool() {
		return nil, &statusError{url, res.Get("status").Int(), res.Get("statusText").String() + ": " + string(b[:min(len(b), 200)])}
	}
	return b, nil
}

// await waits for a promise. One whose context has ended is rejected by its signal.
func await(ctx context.Context, promise js.Value) (js.Value, error) {
	type settled struct {
		value js.Value
		err   error
	}
	done := make(chan settled, 1)
	resolve := js.FuncOf(func(_ js.Value, args []js.Value) any { done <- settled{args[0], nil}; return nil })
	defer resolve.Release()
	reject := js.FuncOf(func(_ js.Value, args []js.Value) any {
		done <- settled{err: errors.New(args[0].Call("toString").String())}
		return nil
	})
	defer reject.Release()
	promise.Call("then", resolve, reject)
	s := <-done
	if s.err != nil && ctx.Err() != nil {
		s.err = context.Cause(ctx)
	}
	return s.value, s.err
}
