// Command wasm is the split view for a web worker: a whole match, without a network.
package main

func main() {}
