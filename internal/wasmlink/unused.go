package wasmlink

import (
	"encoding/binary"
	"strings"
)

// idle lists functions of the Go runtime whose work a page never sees. Each becomes a plain
// return, so none may have a result. What only they call goes with them.
var idle = map[string]bool{
	// Checks of what the linker wrote, and types of further modules, which wasm does not have.
	"runtime.check":             true,
	"runtime.moduledataverify":  true,
	"runtime.moduledataverify1": true,
	"runtime.typelinksinit":     true,

	// Options from the environment variable GODEBUG.
	"internal/cpu.processOptions":         true,
	"runtime.parsegodebug":                true,
	"runtime.checkFinalizersAndCleanups":  true,
	"runtime.dumpScanStats":               true,
	"runtime.gcDumpObject":                true,
	"runtime.postMallocgcDebug":           true,
	"runtime.printScavTrace":              true,
	"runtime.reparsedebugvars":            true,
	"runtime.runCheckmark":                true,
	"runtime.schedtrace":                  true,
	"runtime.(*godebugInc).IncNonDefault": true,

	// The frames of stack traces, whose names are gone, memory in hexadecimal, and values of a
	// panic that are numbers of a type of their own; ours are sentences and errors.
	"runtime.dumpgstatus":                    true,
	"runtime.goroutineheader":                true,
	"runtime.hexdumpWords":                   true,
	"runtime.printAncestorTraceback":         true,
	"runtime.printAncestorTracebackFuncInfo": true,
	"runtime.printanycustomtype":             true,
	"runtime.printcreatedby":                 true,
	"runtime.printcreatedby1":                true,
	"runtime.(*mspan).reportZombies":         true,
	"runtime.traceback":                      true,
	"runtime.traceback1":                     true,
	"runtime.tracebackHexdump":               true,
	"runtime.tracebackothers":                true,
	"runtime.tracebacksomeothers":            true,

	// Further threads, and processors that one of them gives up: WebAssembly has one thread.
	"runtime.handoffp":     true,
	"runtime.mexit":        true,
	"runtime.newm":         true,
	"runtime.startm":       true,
	"runtime.(*p).destroy": true,

	// The scavenger returns memory to the system, which WebAssembly cannot.
	"runtime.gcPaceScavenger":         true,
	"runtime.(*scavengerState).sleep": true,
	"runtime.(*scavengerState).wake":  true,

	// Profiles.
	"runtime.blockevent":                true,
	"runtime.mProf_Flush":               true,
	"runtime.mProf_FlushLocked":         true,
	"runtime.mProf_Free":                true,
	"runtime.mProf_Malloc":              true,
	"runtime.mProf_NextCycle":           true,
	"runtime.mProf_PostSweep":           true,
	"runtime.profilealloc":              true,
	"runtime.saveBlockEventStack":       true,
	"runtime.saveblockevent":            true,
	"runtime.tryRecordGoroutineProfile": true,

	// Tests in virtual time, and arenas.
	"runtime.(*mspan).setUserArenaChunkToFault": true,
	"runtime.(*synctestBubble).changegstatus":   true,
	"runtime.(*synctestBubble).decActive":       true,
	"runtime.(*synctestBubble).incActive":       true,

	// The execution tracer. Whatever holds a traceLocker has first found it switched on.
	"runtime.traceAdvance":                     true,
	"runtime.traceExitedSyscall":               true,
	"runtime.traceThreadDestroy":               true,
	"runtime.traceLocker.GCActive":             true,
	"runtime.traceLocker.GCDone":               true,
	"runtime.traceLocker.GCMarkAssistDone":     true,
	"runtime.traceLocker.GCMarkAssistStart":    true,
	"runtime.traceLocker.GCStart":              true,
	"runtime.traceLocker.GCSweepDone":          true,
	"runtime.traceLocker.GCSweepSpan":          true,
	"runtime.traceLocker.GCSweepStart":         true,
	"runtime.traceLocker.GoCreate":             true,
	"runtime.traceLocker.GoCreateSyscall":      true,
	"runtime.traceLocker.GoDestroySyscall":     true,
	"runtime.traceLocker.GoEnd":                true,
	"runtime.traceLocker.GoPark":               true,
	"runtime.traceLocker.GoPreempt":            true,
	"runtime.traceLocker.GoSched":              true,
	"runtime.traceLocker.GoStart":              true,
	"runtime.traceLocker.GoStop":               true,
	"runtime.traceLocker.GoSwitch":             true,
	"runtime.traceLocker.GoSysCall":            true,
	"runtime.traceLocker.GoSysExit":            true,
	"runtime.traceLocker.GoUnpark":             true,
	"runtime.traceLocker.Gomaxprocs":           true,
	"runtime.traceLocker.GoroutineStackAlloc":  true,
	"runtime.traceLocker.GoroutineStackExists": true,
	"runtime.traceLocker.GoroutineStackFree":   true,
	"runtime.traceLocker.HeapAlloc":            true,
	"runtime.traceLocker.HeapGoal":             true,
	"runtime.traceLocker.HeapObjectAlloc":      true,
	"runtime.traceLocker.HeapObjectExists":     true,
	"runtime.traceLocker.HeapObjectFree":       true,
	"runtime.traceLocker.ProcStart":            true,
	"runtime.traceLocker.ProcSteal":            true,
	"runtime.traceLocker.ProcStop":             true,
	"runtime.traceLocker.STWDone":              true,
	"runtime.traceLocker.STWStart":             true,
	"runtime.traceLocker.SpanAlloc":            true,
	"runtime.traceLocker.SpanExists":           true,
	"runtime.traceLocker.SpanFree":             true,
}

// The bodies that take the place of others.
var (
	// returns is return in Go's calling convention: the stack pointer, global 0, moves up
	// over the return address; 0 says that no goroutine switch is under way.
	returns = []byte{0, 0x23, 0, 0x41, 8, 0x6a, 0x24, 0, 0x41, 0, 0x0b}
	// traps is the instruction unreachable.
	traps = []byte{0, 0x00, 0x0b}
)

// dropUnused replaces the bodies of idle functions, and of those that nothing reaches
// then. It returns which records are of such functions. A function is reachable if it is
// exported, if memory holds its number, or if a reachable body has bytes that may call it
// or make its number.
func (t *tables) dropUnused(m image, c code) (map[int]bool, error) {
	stubs, err := t.idleBodies()
	if err != nil {
		return nil, err
	}
	reached := make([]bool, len(c.bodies))
	var todo []int
	reach := func(i uint64) {
		if i < uint64(len(reached)) && !reached[i] {
			reached[i] = true
			todo = append(todo, int(i))
		}
	}
	for _, i := range c.exports {
		reach(i)
	}
	t.inMemory(m, reach)
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !stubs[i] {
			c.mentions(c.bodies[i], reach)
		}
	}
	for i := range c.bodies {
		switch {
		case !reached[i]:
			c.bodies[i], stubs[i] = traps, true
		case stubs[i]:
			c.bodies[i] = returns
		}
	}
	return stubs, nil
}

// idleBodies returns the bodies of the idle functions and of closures that they make.
func (t *tables) idleBodies() (map[int]bool, error) {
	all, err := t.records()
	if err != nil {
		return nil, err
	}
	bodies := map[int]bool{}
	for _, r := range all {
		name, err := t.name(get(r, fieldName))
		if err != nil {
			return nil, err
		}
		if outer, _, _ := strings.Cut(name, ".func"); idle[outer] {
			bodies[r.body()] = true
		}
	}
	return bodies, nil
}

// inMemory calls reach with the bodies whose numbers are in memory: as a PC in function
// values and method tables of interfaces, 8 bytes, or as numbers in those of types, two of
// 4 bytes for each method.
func (t *tables) inMemory(m image, reach func(uint64)) {
	end := uint64(firstEntry + t.count)
	for at := -int(m.base) & 3; at+8 <= len(m.bytes); at += 4 {
		address, word := uint64(m.base)+uint64(at), binary.LittleEndian.Uint64(m.bytes[at:])
		if address%8 == 0 {
			reach(word>>16 - firstEntry)
		}
		first, second := word&(1<<32-1), word>>32
		outside := address < t.from || address >= t.to
		if outside && min(first, second) >= firstEntry && max(first, second) < end {
			reach(first - firstEntry)
			reach(second - firstEntry)
		}
	}
}

// mentions calls reach with every body that this one may call, or whose number or PC it may
// make. It looks at every byte as if an instruction began there, so it also finds too many.
func (c code) mentions(body []byte, reach func(uint64)) {
	for at, op := range body {
		switch r := (reader{rest: body[at+1:]}); op {
		case 0x10: // call
			reach(r.unsigned() - uint64(c.imports))
		case 0x41, 0x42: // i32.const, i64.const
			v := uint64(r.signed())
			reach(v - firstEntry)
			reach(v>>16 - firstEntry)
		}
	}
}
