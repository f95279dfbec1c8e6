// What is heard, and when: a browser may let the page play only later.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { OWN, Sound } from "../src/page/sound";

let context: { state: string; resume: () => void };
let started = 0;

beforeEach(() => {
  started = 0;
  const parameter = { value: 0, setValueAtTime: () => undefined, exponentialRampToValueAtTime: () => undefined };
  const node = (): object => ({ gain: parameter, pan: parameter, frequency: parameter, connect: (to: object) => to, start: () => started++, stop: () => undefined });
  vi.stubGlobal("window", new EventTarget());
  vi.stubGlobal("AudioContext", class {
    state = "suspended";
    currentTime = 0;
    sampleRate = 8;
    resume = vi.fn();
    createGain = node;
    createBufferSource = node;
    createBiquadFilter = node;
    createOscillator = node;
    createStereoPanner = node;
    createBuffer = () => ({ getChannelData: () => new Float32Array(4) });
    constructor() {
      context = this;
    }
  });
});
afterEach(() => vi.unstubAllGlobals());

test("what happens before the browser lets the page play is not heard at once when it does", () => {
  const sound = new Sound();
  sound.start();
  for (let i = 0; i < 100; i++) sound.shot("rifle", OWN);
  expect(started).toBe(0);
  context.state = "running";
  sound.shot("rifle", OWN);
  expect(started).toBe(2); // a hiss and a tone
});

test("a key or a touch lets a context play that waits, also one that a call has interrupted on a phone", () => {
  new Sound().start();
  for (const state of ["suspended", "interrupted", "running"]) {
    context.state = state;
    window.dispatchEvent(new Event("touchend"));
  }
  expect(context.resume).toHaveBeenCalledTimes(2);
});
