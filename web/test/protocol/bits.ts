/**
 * The primitive codes of docs/protocol.md, section 1, in both directions: a second
 * implementation that shares no code with the Go packages. A message is described once,
 * by functions that take a Bits and an object of fields: reading fills the object in,
 * writing packs it. Every field is noted with its place, its name and what it says.
 */

/** The fields of a message. One that is left out is 0, false, empty or not there. */
export type Fields = Record<string, any>;

/** A field as it lies in a message. */
export interface Note { from: number; bits: number; name: string; value: string }

/** Thrown by a reader that refuses a message. */
export class Refused extends Error {}

export function demand(ok: boolean, why: string): void {
  if (!ok) throw new Refused(why);
}

export const mod = (a: number, m: number): number => ((a % m) + m) % m;
export const unhex = (text: string): Uint8Array => Uint8Array.from(text.match(/../g) ?? [], (digits) => parseInt(digits, 16));
export const hex = (bytes: Uint8Array): string => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");

/** The widths of ranged and grid: enough bits for n different numbers. */
function widthFor(n: number): number {
  let width = 0;
  while (2 ** width < n) width++;
  return width;
}

export class Bits {
  at = 0; // bits read or written
  readonly notes: Note[] = [];
  readonly writing: boolean;
  private readonly bytes: number[];

  /** Reads the bytes; without any it writes. */
  constructor(bytes?: Uint8Array) {
    this.writing = bytes === undefined;
    this.bytes = Array.from(bytes ?? []);
  }

  /** What was written, filled with zeros to a byte. */
  get written(): Uint8Array {
    return Uint8Array.from(this.bytes);
  }

  // Codes without a name: they take the value to write and return it, or what they read.

  big(n: number, v: bigint): bigint {
    if (this.writing) {
      if (v < 0n || v >> BigInt(n) !== 0n) throw new Error(`${v} does not fit into ${n} bits`);
      for (let i = 0n; i < n; i++, this.at++) this.bytes[this.at >> 3] = (this.bytes[this.at >> 3] ?? 0) | (Number((v >> i) & 1n) << (this.at & 7));
      return v;
    }
    demand(this.at + n <= this.bytes.length * 8, "cut short");
    v = 0n;
    for (let i = 0n; i < n; i++, this.at++) v |= BigInt((this.bytes[this.at >> 3]! >> (this.at & 7)) & 1) << i;
    return v;
  }
  number(n: number, v: number): number {
    return Number(this.big(n, this.writing ? BigInt(v) : 0n));
  }
  bit(v: boolean): boolean {
    return this.number(1, v ? 1 : 0) === 1;
  }
  small(v: bigint): bigint {
    let read = 0n;
    for (let shift = 0n; shift < 64n; shift += 4n) {
      const more = this.bit(v >> (shift + 4n) !== 0n);
      const four = this.big(4, (v >> shift) & 15n);
      read |= four << shift;
      if (more) continue;
      demand(four !== 0n || shift === 0n, "a longer form");
      return read;
    }
    throw new Refused("more than 16 groups");
  }
  signed(v: bigint): bigint {
    const u = this.small(v >= 0n ? 2n * v : -2n * v - 1n);
    return u & 1n ? -(u + 1n) / 2n : u / 2n;
  }
  within(lo: number, hi: number, v: number): number {
    v = this.number(widthFor(hi - lo + 1), v - lo) + lo;
    demand(v <= hi, "out of range");
    return v;
  }
  count(k: number, v: number): number {
    let n = 0;
    if (this.writing) {
      while (n < 12 && v + 2 ** k >= 2 ** (k + n + 1)) n++;
      for (let i = 0; i < n; i++) this.bit(true);
      if (n < 12) this.bit(false);
    } else {
      while (n < 12 && this.bit(false)) n++;
    }
    if (n < 12) return this.number(k + n, v + 2 ** k - 2 ** (k + n)) + 2 ** (k + n) - 2 ** k;
    v = this.number(40, v);
    demand(v + 2 ** k >= 2 ** (k + 12), "a longer form");
    return v;
  }
  residual(k: number, v: number): number {
    const u = this.count(k, v >= 0 ? 2 * v : -2 * v - 1);
    return u % 2 === 0 ? u / 2 : -(u + 1) / 2;
  }
  double(v: number): number {
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, v + 0);
    view.setBigUint64(0, this.big(64, view.getBigUint64(0)));
    v = view.getFloat64(0);
    demand(Number.isFinite(v), "not finite");
    demand(!Object.is(v, -0), "a longer form");
    return v;
  }
  single(v: number): number {
    const view = new DataView(new ArrayBuffer(4));
    view.setFloat32(0, v + 0);
    view.setUint32(0, this.number(32, view.getUint32(0)));
    v = view.getFloat32(0);
    demand(Number.isFinite(v) && !Object.is(v, -0), "a number");
    return v;
  }
  /** A vector in units of its grid. */
  gridded(v: number[]): number[] {
    const size = (w: number[]): number => {
      let bits = 1;
      while (bits < 30 && w.some((x) => Math.abs(x) >= 2 ** bits)) bits++;
      return bits - 1;
    };
    const wide = this.number(5, size(v));
    demand(wide <= 29, "a wider vector");
    v = [0, 1, 2].map((i) => this.number(wide + 2, (v[i] ?? 0) + 2 ** (wide + 1)) - 2 ** (wide + 1));
    demand(wide <= size(v), "a longer form");
    return v;
  }
  octets(n: number, v: string): string {
    const bytes = unhex(v);
    return hex(Uint8Array.from({ length: n }, (_, i) => this.number(8, bytes[i] ?? 0)));
  }
  blob(max: number, v: string): string {
    const length = this.within(0, max, v.length / 2);
    this.align();
    demand(this.writing || this.at + 8 * length <= this.bytes.length * 8, "cut short");
    return this.octets(length, v);
  }
  align(): void {
    demand(this.number((8 - (this.at % 8)) % 8, 0) === 0, "filling is not zero");
  }
  end(): void {
    demand(this.writing || this.bytes.length * 8 - this.at < 8, "bytes left over");
    this.align();
  }

  // Fields by name: v[name] is packed, or filled in, and noted.

  /** Notes what a code says; shown is what the note prints, the value where left out. */
  note<T>(name: string, code: () => T, shown?: (v: T) => unknown): T {
    const from = this.at;
    const v = code();
    this.notes.push({ from, bits: this.at - from, name, value: String(shown === undefined ? v : shown(v)) });
    return v;
  }
  /** One bit that is derived from other fields. */
  flag(name: string, v: boolean): boolean {
    return this.note(name, () => this.bit(v), Number);
  }
  /** One bit: whether the object is there. Reading makes an empty one. */
  some(v: Fields, name: string): boolean {
    const is = this.flag(name, v[name] !== undefined);
    if (is) v[name] ??= {};
    return is;
  }
  bool(v: Fields, name: string): boolean {
    return (v[name] = this.flag(name, v[name] ?? false));
  }
  uint(v: Fields, name: string, n: number): number {
    return (v[name] = this.note(name, () => this.number(n, v[name] ?? 0)));
  }
  /** 64 bits, in decimal digits: JSON has no such numbers. */
  mask(v: Fields, name: string, n: number): bigint {
    const mask = this.note(name, () => this.big(n, BigInt(v[name] ?? 0)));
    v[name] = String(mask);
    return mask;
  }
  uvarint(v: Fields, name: string, most = 2 ** 53): number {
    v[name] = this.note(name, () => Number(this.small(BigInt(v[name] ?? 0))));
    demand(v[name] <= most, "out of range");
    return v[name];
  }
  varint(v: Fields, name: string, least = -(2 ** 53), most = 2 ** 53): number {
    v[name] = this.note(name, () => Number(this.signed(BigInt(v[name] ?? 0))));
    demand(v[name] >= least && v[name] <= most, "out of range");
    return v[name];
  }
  ranged(v: Fields, name: string, lo: number, hi: number): number {
    return (v[name] = this.note(name, () => this.within(lo, hi, v[name] ?? 0)));
  }
  /** An id of lo … 2,047: 10 bits, and 10 or 11 more from lo + 1,023 on. */
  id(v: Fields, name: string, lo: number): void {
    v[name] = this.note(name, () => {
      const above = (v[name] ?? 0) - lo;
      const low = this.within(0, 1023, Math.min(above, 1023));
      return lo + low + (low < 1023 ? 0 : this.within(0, 1024 - lo, above - 1023));
    });
  }
  /** The id of a player, 1 … 1,000. */
  player(v: Fields, name: string): void {
    v[name] = this.note(name, () => this.count(6, (v[name] ?? 0) - 1) + 1);
    demand(v[name] <= 1000, "out of range");
  }
  angle16(v: Fields, name: string): number {
    return (v[name] = this.note(name, () => (this.number(16, mod(v[name] ?? 0, 65536)) << 16) >> 16));
  }
  float64(v: Fields, name: string): number {
    return (v[name] = this.note(name, () => this.double(v[name] ?? 0)));
  }
  vec64(v: Fields, name: string, n = 3): number[] {
    return (v[name] = this.note(name, () => Array.from({ length: n }, (_, i) => this.double((v[name] ?? [])[i] ?? 0))));
  }
  /** 0, or 1 and a vector that is not zero. */
  rareVec64(v: Fields, name: string): void {
    if (!this.flag(`some ${name}`, isSet(v[name]))) return;
    this.vec64(v, name);
    demand(isSet(v[name]), "a longer form");
  }
  vec(v: Fields, name: string): number[] {
    return (v[name] = this.note(name, () => this.gridded(v[name] ?? [])));
  }
  text(v: Fields, name: string, max: number): void {
    this.note(name, () => {
      const bytes = unhex(this.blob(max, hex(new TextEncoder().encode(v[name] ?? ""))));
      try {
        v[name] = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
      } catch {
        throw new Refused("text that is not UTF-8");
      }
      return JSON.stringify(v[name]);
    });
  }
  bytesOf(v: Fields, name: string, max: number): void {
    v[name] = this.note(name, () => this.blob(max, v[name] ?? ""), (b) => `${b.length / 2} bytes ${b}`.trim());
  }
  key(v: Fields, name: string): void {
    v[name] = this.note(name, () => this.octets(16, v[name] ?? ""));
  }
  /** As many as the list has, lo … hi; reading makes a list of empty objects. */
  list(v: Fields, name: string, lo: number, hi: number): Fields[] {
    const length = this.note(name, () => this.within(lo, hi, (v[name] ?? []).length));
    return (v[name] ??= Array.from({ length }, () => ({})));
  }
}

/** Whether a field says more than one that is left out. */
export function isSet(v: unknown): boolean {
  if (Array.isArray(v)) return v.some(isSet);
  if (typeof v === "object" && v !== null) return Object.values(v).some(isSet);
  return v !== undefined && v !== null && v !== 0 && v !== false;
}

/** Fields without those that may be left out. */
export function lean(v: any): any {
  if (Array.isArray(v)) return v.map(lean);
  if (typeof v !== "object" || v === null) return v;
  const kept = Object.entries(v).filter(([, of]) => of !== undefined && of !== 0 && of !== false && !(Array.isArray(of) && !of.some((x) => isSet(x) || typeof x === "object")));
  return Object.fromEntries(kept.map(([name, of]) => [name, lean(of)]));
}

/** A message field by field, as the document shows it: first bit, bits, name, value. */
export function trace(notes: Note[]): string {
  const lines: Note[] = [];
  for (const n of notes) {
    const last = lines.at(-1);
    if (last !== undefined && last.name === n.name) {
      last.bits += n.bits;
      last.value += `, ${n.value}`;
    } else {
      lines.push({ ...n });
    }
  }
  return lines.map((n) => `${String(n.from).padStart(5)} ${String(n.bits).padStart(4)}  ${n.name.padEnd(18)} ${n.value}`.trimEnd() + "\n").join("");
}
