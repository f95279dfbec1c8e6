// The loop of a page that draws a match. Start at animate.

/** For how long a frame is put off at most, ms: a message may be lost, as where the browser's back button shows a page
 * again. */
const PATIENCE = 2000;

/** Calls draw once per frame of the screen, as a loop of requestAnimationFrame does, with its time in
 * milliseconds. Returns a function that ends the loop.
 *
 * A browser whose graphics card is busy may draw several frames before it hands over a message that waits, and the
 * match would be drawn without the snapshots of the last second. So a frame is put off until the page has what came
 * before it. Meanwhile none is requested, or the browser would go on to put them first. */
export function animate(draw: (now: number) => void): () => void {
  // What the page sends to itself is handed over after all that waited when it was sent.
  const { port1, port2 } = new MessageChannel();
  let [sent, received] = [0, 0];
  let request = 0;
  let putOff: ReturnType<typeof setTimeout> | undefined;

  const ask = (): void => {
    request = requestAnimationFrame(frame);
  };
  const goOn = (): void => {
    clearTimeout(putOff);
    putOff = undefined;
    received = sent;
    ask();
  };
  const frame = (now: number): void => {
    const waits = received < sent; // the message of the frame before, and so may others
    port2.postMessage(++sent);
    if (waits) {
      putOff = setTimeout(goOn, PATIENCE);
      return;
    }
    ask();
    draw(now);
  };
  port1.onmessage = ({ data }: MessageEvent<number>) => {
    received = Math.max(received, data);
    if (putOff !== undefined && received === sent) goOn();
  };
  ask();
  return () => {
    cancelAnimationFrame(request);
    clearTimeout(putOff);
    port1.close();
  };
}
