// The linear memory of a WebAssembly instance. Start at Memory.

/** Views on a linear memory, renewed when it grows. */
export class Memory {
  /** All of the memory. Another object after the memory has grown, so do not keep it. */
  view: DataView<ArrayBuffer>;
  /** The same bytes. */
  bytes: Uint8Array<ArrayBuffer>;

  constructor(private readonly source: { readonly buffer: ArrayBufferLike }) {
    const buffer = source.buffer as ArrayBuffer;
    this.view = new DataView(buffer);
    this.bytes = new Uint8Array(buffer);
  }

  /** Renews the views if the memory has grown. Must be called after every call into the instance. */
  refresh(): void {
    const buffer = this.source.buffer as ArrayBuffer;
    if (this.view.buffer === buffer) return;
    this.view = new DataView(buffer);
    this.bytes = new Uint8Array(buffer);
  }

  /** Returns a signed 64-bit integer. Beyond ±2⁵³ the lowest bits are rounded. */
  int64(at: number): number {
    return this.view.getInt32(at + 4, true) * 2 ** 32 + this.view.getUint32(at, true);
  }

  /** Returns an unsigned 64-bit integer. Beyond 2⁵³ the lowest bits are rounded. */
  uint64(at: number): number {
    return this.view.getUint32(at + 4, true) * 2 ** 32 + this.view.getUint32(at, true);
  }

  /** Writes a 64-bit integer, rounded to a whole number; a negative one in two's complement. */
  setInt64(at: number, value: number): void {
    const whole = Math.round(value);
    const high = Math.floor(whole / 2 ** 32);
    this.view.setUint32(at, whole - high * 2 ** 32, true);
    this.view.setInt32(at + 4, high, true);
  }

  /** Returns UTF-8 text. */
  text(at: number, length: number): string {
    return length === 0 ? "" : utf8.decode(this.bytes.subarray(at, at + length));
  }
}

const utf8 = new TextDecoder();
