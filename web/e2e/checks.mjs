// Checks and waits with a timeout.

const POLL = 100;

/** Counts checks. */
export class Checks {
  passed = 0;
  failed = 0;
  /** What failed, in words, since the caller emptied it. */
  failures = [];

  /** Records one check. */
  ok(passed, what, detail = "") {
    if (passed) this.passed++;
    else {
      this.failed++;
      this.failures.push(what);
    }
    console.log(`  ${passed ? "ok  " : "FAIL"} ${what}${detail === "" ? "" : `: ${detail}`}`);
    return passed;
  }

  /** Polls until poll returns something truthy, for at most ms, and records a check.
   * Returns the last result of poll. */
  async until(what, ms, poll) {
    const end = Date.now() + ms;
    let last;
    for (;;) {
      last = await poll();
      if (last || Date.now() > end) break;
      await new Promise((resolve) => setTimeout(resolve, POLL));
    }
    this.ok(Boolean(last), what, last ? "" : `not within ${ms / 1000} s`);
    return last;
  }
}
