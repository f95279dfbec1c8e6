// The loop of a page that draws a match. Start at animate.

/** Calls draw once per frame of the screen, as a loop of requestAnimationFrame does, with its time in
 * milliseconds. Returns a function that ends the loop.
 *
 * A browser whose graphics card is busy may draw several frames before it hands over a message that waits, and the
 * match would be drawn without the snapshots of the last second. So a frame is put off until the page has what came
 * before it. */
export function animate(draw: (now: number) => void): () => void {
  // What the page sends to itself comes after all that waited when it was sent.
  const { port1, port2 } = new MessageChannel();
  let underway = 0;
  let putOff = false;
  let request = 0;
  const check = (): void => {
    underway++;
    port2.postMessage(undefined);
  };
  const ask = (): void => {
    request = requestAnimationFrame(frame);
  };
  const frame = (now: number): void => {
    check();
    putOff = underway > 1; // the one of the frame before waits, and so may others
    if (putOff) return;
    ask();
    draw(now);
  };
  port1.onmessage = () => {
    underway--;
    if (putOff && underway === 0) {
      putOff = false;
      ask();
    }
  };
  ask();
  return () => {
    cancelAnimationFrame(request);
    port1.close();
    putOff = false;
  };
}
