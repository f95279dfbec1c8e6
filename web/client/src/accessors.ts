// Accessors: structs of Go as objects of the page. Start at structType and copy.
import type { Memory } from "./memory.js";
import type { Cell, Type } from "./values.js";

/** A field of a struct. */
export interface Field {
  /** Name of the property. */
  name: string;
  /** Bytes from the start of the struct. */
  offset: number;
  type: Type;
}

/** Where an accessor reads, and the cells of its fields, which are made at their first reading. */
class Place {
  memory!: Memory;
  at = 0;
  readonly cells: (Cell | undefined)[] = [];
}

/** The key of an accessor's place; everything else of an accessor is a field of the struct. */
const PLACE = Symbol("place");
/** The key of a prototype's fields. */
const FIELDS = Symbol("fields");

interface Accessor {
  readonly [PLACE]: Place;
  readonly [FIELDS]: readonly Field[];
  readonly [name: string]: unknown;
}

/** Returns a struct, read as an object with a property for each field. fields is called at the first
 * use, since types may refer to each other. */
export function structType(name: string, size: number, fields: () => readonly Field[]): Type {
  let prototype: object | undefined;
  const cell = (): Cell => {
    const place = new Place();
    const accessor: unknown = Object.create((prototype ??= makePrototype(name, fields())), { [PLACE]: { value: place } });
    const read = (memory: Memory, at: number): unknown => {
      place.memory = memory;
      place.at = at;
      return accessor;
    };
    return { read };
  };
  const write: Type["write"] = (memory, at, value, path) => writeFields(fields(), memory, at, value, path);
  return { size, cell, write, live: true };
}

function makePrototype(name: string, fields: readonly Field[]): object {
  const prototype = Object.create(Object.prototype, {
    [FIELDS]: { value: fields },
    [Symbol.toStringTag]: { value: name },
    toJSON: { value: toJSON },
  }) as object;
  fields.forEach((field, i) => Object.defineProperty(prototype, field.name, { ...property(field, i, name), enumerable: true }));
  return prototype;
}

/** Returns the getter of a field, and the setter of one that can be written. */
function property(field: Field, i: number, owner: string): PropertyDescriptor {
  const { name, offset, type: { write } } = field;
  return {
    get: getter(field, i),
    set(this: Accessor, value: unknown): void {
      const { memory, at } = this[PLACE];
      if (write === undefined) throw new TypeError(`${owner}.${name} cannot be written`);
      write(memory, at + offset, value, `${owner}.${name}`);
    },
  };
}

/** Returns the getter of a field. That of a float64, of which poses are made, is a function of its own:
 * an engine inlines it, and reading is four times as fast. */
function getter({ offset, type }: Field, i: number): (this: Accessor) => unknown {
  if (type.array === Float64Array) {
    return function () {
      const { memory, at } = this[PLACE];
      return memory.view.getFloat64(at + offset, true);
    };
  }
  return function () {
    const { memory, at, cells } = this[PLACE];
    return (cells[i] ??= type.cell()).read(memory, at + offset);
  };
}

/** Writes the fields that value has; others stay as they are. What it only inherits may be more, as of a vector of three.js. */
function writeFields(fields: readonly Field[], memory: Memory, at: number, value: unknown, path: string): void {
  if (typeof value !== "object" || value === null) throw new TypeError(`${path}: ${String(value)} is not an object`);
  for (const key in value) {
    const field = fields.find((f) => f.name === key);
    if (field === undefined && !Object.hasOwn(value, key)) continue;
    if (field === undefined) throw new TypeError(`${path} has no field ${key}; it has ${fields.map((f) => f.name).join(", ")}`);
    if (field.type.write === undefined) throw new TypeError(`${path}.${key} cannot be written`);
    field.type.write(memory, at + field.offset, (value as Record<string, unknown>)[key], `${path}.${key}`);
  }
}

function toJSON(this: Accessor): unknown {
  return copied(this, (numbers) => Array.from(numbers)); // JSON.stringify writes a typed array as an object
}

/** Returns a copy of what an accessor, or an array of accessors, reads now: plain objects and arrays,
 * which stay as they are while the match goes on. A typed array, such as the bytes of a message, keeps its type. */
export function copy<T>(value: T): T {
  return copied(value, (numbers) => numbers.slice()) as T;
}

function copied(value: unknown, numbersOf: (view: Uint8Array) => unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((element) => copied(element, numbersOf));
  if (ArrayBuffer.isView(value)) return numbersOf(value as Uint8Array);
  const fields = (value as Accessor)[FIELDS] as readonly Field[] | undefined;
  if (fields === undefined) return value;
  return Object.fromEntries(fields.map(({ name }) => [name, copied((value as Accessor)[name], numbersOf)]));
}
