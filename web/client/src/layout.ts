// The layout of the core's memory, as the core itself describes it: which values the page can read
// by name, where they are, and how their types lie in memory. Start at parseLayout.
import { structType, type Field } from "./accessors.js";
import { VersionError } from "./errors.js";
import { arrayType, boolType, enumType, numberType, pointerType, sliceType, stringType, type Type } from "./values.js";

/** The version of the layout that this package reads (Go: layout.Version). */
export const LAYOUT_VERSION = 8;

/** A value that the page reads by its name. */
export interface Root {
  name: string;
  /** Where it is in memory; it never moves. */
  at: number;
  type: Type;
  /** Whether the page may write it. */
  write: boolean;
}

/** An entry of the list of types, as in the JSON. */
interface Entry {
  kind: string;
  size: number;
  name?: string;
  element?: number;
  count?: number;
  fields?: { name: string; at: number; type: number }[];
  names?: string[];
}

interface Description {
  version: number;
  roots: { name: string; at: number; type: number; write?: boolean }[];
  types: Entry[];
}

const MICROSECONDS = 1e6; // in a second

/** Reads a layout. Throws a VersionError if it is of another version. */
export function parseLayout(json: string): Map<string, Root> {
  const { version, roots, types: entries } = JSON.parse(json) as Description;
  if (version !== LAYOUT_VERSION) throw new VersionError("core", `layout ${LAYOUT_VERSION}`, `layout ${version}`);
  const types: (Type | undefined)[] = [];
  const typeAt = (i: number): Type => {
    const entry = entries[i];
    if (entry === undefined) throw new Error(`layout: there is no type ${i}`);
    return (types[i] ??= makeType(entry, typeAt));
  };
  return new Map(roots.map(({ name, at, type, write }) => [name, { name, at, type: typeAt(type), write: write === true }]));
}

/** Types may refer to each other, so elements and fields are looked up at their first use. */
function makeType(entry: Entry, typeAt: (i: number) => Type): Type {
  const element = (): Type => typeAt(entry.element ?? -1);
  switch (entry.kind) {
    case "bool":
      return boolType();
    case "string":
      return stringType();
    case "enum":
      return enumType(entry.names ?? []);
    case "pointer":
      return pointerType(element);
    case "slice":
      return sliceType(element);
    case "array":
      return arrayType(entry.count ?? 0, entry.size, element);
    case "struct":
      return structType(entry.name ?? "struct", entry.size, once(() => fieldsOf(entry, typeAt)));
    default:
      return scalarType(entry.kind);
  }
}

function fieldsOf(entry: Entry, typeAt: (i: number) => Type): Field[] {
  return (entry.fields ?? []).map(({ name, at, type }) => ({ name, offset: at, type: typeAt(type) }));
}

function scalarType(kind: string): Type {
  const type = kind === "seconds" ? numberType("int64", MICROSECONDS) : numberType(kind);
  if (type === undefined) throw new Error(`layout: unknown kind ${kind}`);
  return type;
}

/** Returns a function that calls make at most once. */
function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
