// Package conformance tests this implementation against docs/protocol.md and testdata/conformance. It is
// tests only. They record two sessions and play them again by each end alone, hand bad
// packets to the ends, and generate the primitives, samples and moves of the suite.
//
// The messages of the suite and the examples of the document are generated and checked by
// a second implementation, in web/test/protocol, which shares no code with ours: it reads
// every recorded packet into fields and writes it again.
//
//	go test ./internal/conformance -update && (cd web && npx vitest run test/protocol.test.ts -u)
//
// rewrites the suite. That is right only where a format or a step changes on purpose:
// together with session.Version, or with a golden hash of movement.
package conformance
