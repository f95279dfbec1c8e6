// Go values in the core's memory, read in place. A struct becomes an accessor, an object whose
// properties read the memory each time; a slice or an array becomes an array of accessors. They are
// made once for each place and used again, so reading allocates nothing but strings. Start at Type.
import type { Memory } from "./memory.js";

/** A type of Go and how its values lie in memory. */
export interface Type {
  /** Size of a value, bytes. */
  readonly size: number;
  /** Returns a reader for one place, such as a field of one accessor. */
  cell(): Cell;
  /** Writes a value; absent where the page cannot write. path names the value in errors. */
  write?(memory: Memory, at: number, value: unknown, path: string): void;
  /** Whether what a cell returns reads the memory itself, later and each time. */
  readonly live?: boolean;
  /** The typed array with elements that lie in memory as those of Go do. */
  readonly array?: TypedArray;
}

/** Reads the values of one place. What it returns may be the same object each time. */
export interface Cell {
  read(memory: Memory, at: number): unknown;
}

/** Bytes of an address or a length. Addresses are below 2³², so the lower half is all there is. */
const WORD = 8;

type TypedArray = new (buffer: ArrayBuffer, at: number, length: number) => { readonly length: number };

/** Reads and writes one kind of number. */
interface Scalar {
  size: number;
  get(memory: Memory, at: number): number;
  set(memory: Memory, at: number, value: number): void;
  array?: TypedArray;
}

const SCALARS: Readonly<Record<string, Scalar>> = {
  int8: { size: 1, get: (m, at) => m.view.getInt8(at), set: (m, at, v) => m.view.setInt8(at, v), array: Int8Array },
  uint8: { size: 1, get: (m, at) => m.view.getUint8(at), set: (m, at, v) => m.view.setUint8(at, v), array: Uint8Array },
  int16: { size: 2, get: (m, at) => m.view.getInt16(at, true), set: (m, at, v) => m.view.setInt16(at, v, true), array: Int16Array },
  uint16: { size: 2, get: (m, at) => m.view.getUint16(at, true), set: (m, at, v) => m.view.setUint16(at, v, true), array: Uint16Array },
  int32: { size: 4, get: (m, at) => m.view.getInt32(at, true), set: (m, at, v) => m.view.setInt32(at, v, true), array: Int32Array },
  uint32: { size: 4, get: (m, at) => m.view.getUint32(at, true), set: (m, at, v) => m.view.setUint32(at, v, true), array: Uint32Array },
  int64: { size: 8, get: (m, at) => m.int64(at), set: (m, at, v) => m.setInt64(at, v) },
  uint64: { size: 8, get: (m, at) => m.uint64(at), set: (m, at, v) => m.setInt64(at, v) },
  float32: { size: 4, get: (m, at) => m.view.getFloat32(at, true), set: (m, at, v) => m.view.setFloat32(at, v, true), array: Float32Array },
  float64: { size: 8, get: (m, at) => m.view.getFloat64(at, true), set: (m, at, v) => m.view.setFloat64(at, v, true), array: Float64Array },
};

/** Returns the type of a number by its Go name; undefined if there is none. What is stored is `per`
 * times what the page sees: 1e6 turns microseconds into seconds. */
export function numberType(name: string, per = 1): Type | undefined {
  const scalar = SCALARS[name];
  if (scalar === undefined) return undefined;
  const { size, get, set, array } = scalar;
  const cell: Cell = per === 1 ? { read: get } : { read: (memory, at) => get(memory, at) / per };
  const write: Type["write"] = (memory, at, value, path) => {
    if (typeof value !== "number" || Number.isNaN(value)) throw new TypeError(`${path}: ${String(value)} is not a number`);
    set(memory, at, value * per);
  };
  return { size, cell: () => cell, write, ...(array !== undefined && per === 1 && { array }) };
}

/** Returns the type bool. */
export function boolType(): Type {
  const cell: Cell = { read: (memory, at) => memory.view.getUint8(at) !== 0 };
  return { size: 1, cell: () => cell, write: (memory, at, value) => memory.view.setUint8(at, value ? 1 : 0) };
}

/** Returns the type string, whose header is a pointer and a length of eight bytes each. */
export function stringType(): Type {
  const cell: Cell = { read: (memory, at) => memory.text(memory.view.getUint32(at, true), memory.view.getUint32(at + WORD, true)) };
  return { size: 2 * WORD, cell: () => cell };
}

/** Returns a byte whose values have names, by value. Of a value beyond them the page sees the decimal
 * digits. */
export function enumType(names: readonly string[]): Type {
  const texts = Array.from({ length: 256 }, (_, i) => names[i] ?? String(i));
  const cell: Cell = { read: (memory, at) => texts[memory.view.getUint8(at)] };
  const write: Type["write"] = (memory, at, value, path) => {
    const number = texts.indexOf(String(value));
    if (number < 0) throw new TypeError(`${path}: ${JSON.stringify(value)} is none of ${names.map((name) => JSON.stringify(name)).join(", ")}`);
    memory.view.setUint8(at, number);
  };
  return { size: 1, cell: () => cell, write };
}

/** Returns a pointer, read as what it points to; null for nil. */
export function pointerType(target: () => Type): Type {
  const cell = (): Cell => {
    let inner: Cell | undefined;
    return {
      read: (memory, at) => {
        const to = memory.view.getUint32(at, true);
        return to === 0 ? null : (inner ??= target().cell()).read(memory, to);
      },
    };
  };
  return { size: WORD, cell };
}

/** Returns a slice: a pointer, a length and a capacity of eight bytes each. */
export function sliceType(element: () => Type): Type {
  const cell = (): Cell => {
    const list = new List(element());
    return { read: (memory, at) => list.place(memory, memory.view.getUint32(at, true), memory.view.getUint32(at + WORD, true)) };
  };
  return { size: 3 * WORD, cell };
}

/** Returns an array of a fixed length. */
export function arrayType(length: number, size: number, element: () => Type): Type {
  const cell = (): Cell => {
    const list = new List(element());
    return { read: (memory, at) => list.place(memory, at, length) };
  };
  const write: Type["write"] = (memory, at, value, path) => {
    const type = element();
    if (type.write === undefined) throw new TypeError(`${path} cannot be written`);
    const values = value as ArrayLike<unknown>;
    if (values.length !== length) throw new TypeError(`${path}: ${values.length} values, want ${length}`);
    for (let i = 0; i < length; i++) type.write(memory, at + i * type.size, values[i], `${path}[${i}]`);
  };
  return { size, cell, write };
}

/** The elements of one slice or array, and the array that the page sees. */
class List {
  private shown: unknown;
  private readonly cells: Cell[] = [];
  private at = -1;
  private length = -1;
  private buffer: ArrayBuffer | undefined;

  constructor(private readonly type: Type) {}

  /** Returns the elements at an address. Nothing is done if they are where they were and read the
   * memory themselves. */
  place(memory: Memory, at: number, length: number): unknown {
    const { type } = this;
    const { buffer } = memory.view;
    const same = this.at === at && this.length === length && this.buffer === buffer;
    if (same && (type.live === true || type.array !== undefined)) return this.shown;
    if (at + length * type.size > buffer.byteLength) throw new RangeError(`layout: ${length} elements at ${at} end outside of the memory`);
    [this.at, this.length, this.buffer] = [at, length, buffer];
    if (type.array === undefined) this.fill(memory);
    else this.shown = new type.array(buffer, at, length);
    return this.shown;
  }

  private fill(memory: Memory): void {
    const shown = (this.shown ??= []) as unknown[];
    for (let i = 0; i < this.length; i++) {
      const cell = (this.cells[i] ??= this.type.cell());
      shown[i] = cell.read(memory, this.at + i * this.type.size);
    }
    shown.length = this.length; // the cells beyond wait for a longer list
  }
}
