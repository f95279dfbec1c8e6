import { expect, test } from "vitest";
import { Deframer, frame, MAX_MESSAGE } from "../src/framing.js";

const bytes = (...values: number[]): Uint8Array => new Uint8Array(values);
const filled = (length: number): Uint8Array => new Uint8Array(length).map((_, i) => i & 255);

test("a length below 128 is one byte, above it is two", () => {
  expect([...frame(bytes(7, 8))]).toEqual([2, 7, 8]);
  expect([...frame(filled(300)).subarray(0, 3)]).toEqual([0xac, 0x02, 0]);
  expect(frame(filled(0))).toEqual(bytes(0));
});

test.each([0, 1, 127, 128, 16383, 16384, MAX_MESSAGE])("a message of %i bytes is reassembled", (length) => {
  expect(new Deframer().push(frame(filled(length)))).toEqual([filled(length)]);
});

test("messages are reassembled from pieces of any size", () => {
  const stream = new Uint8Array([...frame(filled(5)), ...frame(filled(0)), ...frame(filled(200))]);
  for (let size = 1; size < 30; size++) {
    const deframer = new Deframer();
    const got: Uint8Array[] = [];
    for (let at = 0; at < stream.length; at += size) got.push(...deframer.push(stream.subarray(at, at + size)));
    expect(got, `pieces of ${size}`).toEqual([filled(5), filled(0), filled(200)]);
  }
});

test("a length above the maximum is an error before anything is buffered", () => {
  expect(() => new Deframer().push(bytes(0x81, 0x80, 0x04))).toThrow(/65537 bytes/);
  expect(() => new Deframer().push(bytes(0x80, 0x80, 0x80, 0x80, 0x80))).toThrow(/five bytes/);
});
