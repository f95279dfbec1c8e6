// Checks that are counted and waits that end.

const POLL = 100;

/** Counts what held and what did not. */
export class Checks {
  passed = 0;
  failed = 0;

  /** Notes one check. */
  ok(held, what, detail = "") {
    if (held) this.passed++;
    else this.failed++;
    console.log(`  ${held ? "ok  " : "FAIL"} ${what}${detail === "" ? "" : `: ${detail}`}`);
    return held;
  }

  /** Asks again and again until ask returns something true, for ms at most;
   * notes whether it did. Returns what ask returned last. */
  async until(what, ms, ask) {
    const end = Date.now() + ms;
    let last;
    for (;;) {
      last = await ask();
      if (last || Date.now() > end) break;
      await new Promise((resolve) => setTimeout(resolve, POLL));
    }
    this.ok(Boolean(last), what, last ? "" : `not within ${ms / 1000} s`);
    return last;
  }
}
