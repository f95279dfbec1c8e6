import { describe, expect, it } from "vitest";
import { copy } from "../src/accessors.js";
import { VersionError } from "../src/errors.js";
import { LAYOUT_VERSION, parseLayout } from "../src/layout.js";
import { Memory } from "../src/memory.js";

// A memory as Go would fill it, and a layout of it:
//
//	type Vec struct { X, Y float64 }
//	type Hero struct { Position Vec; Health uint8; Dead bool; Fuel clock.Micros; Mode Mode; Name string
//		Ammo [3]uint16; Friends []Vec; Best *Vec; Big int64; Names []string; Next *Hero }

const HERO_AT = 256;
const TYPES = [
  { kind: "float64", size: 8 }, // 0
  { kind: "struct", size: 16, name: "Vec", fields: [{ name: "x", at: 0, type: 0 }, { name: "y", at: 8, type: 0 }] },
  { kind: "uint8", size: 1 },
  { kind: "bool", size: 1 }, // 3
  { kind: "seconds", size: 8 },
  { kind: "enum", size: 1, name: "Mode", names: ["", "walking", "server force"] },
  { kind: "string", size: 16 }, // 6
  { kind: "uint16", size: 2 },
  { kind: "array", size: 6, element: 7, count: 3 },
  { kind: "slice", size: 24, element: 1 }, // 9
  { kind: "pointer", size: 8, element: 1 },
  { kind: "int64", size: 8 },
  { kind: "slice", size: 24, element: 6 }, // 12
  {
    kind: "struct", size: 152, name: "Hero", fields: [
      { name: "position", at: 0, type: 1 }, { name: "health", at: 16, type: 2 }, { name: "dead", at: 17, type: 3 },
      { name: "mode", at: 18, type: 5 }, { name: "fuel", at: 24, type: 4 }, { name: "name", at: 32, type: 6 },
      { name: "ammo", at: 48, type: 8 }, { name: "friends", at: 56, type: 9 }, { name: "best", at: 80, type: 10 },
      { name: "big", at: 88, type: 11 }, { name: "names", at: 96, type: 12 }, { name: "next", at: 120, type: 14 },
    ],
  },
  { kind: "pointer", size: 8, element: 13 },
];

interface Vec { x: number; y: number }
interface Hero {
  position: Vec;
  health: number;
  dead: boolean;
  mode: string;
  fuel: number;
  name: string;
  ammo: Uint16Array;
  friends: readonly Vec[];
  best: Vec | null;
  big: number;
  names: readonly string[];
  next: Hero | null;
}

function layout(version = LAYOUT_VERSION): string {
  return JSON.stringify({ version, roots: [{ name: "hero", at: HERO_AT, type: 13, write: true }], types: TYPES });
}

/** Returns an accessor of the hero, and the memory. */
function setUp(): { hero: Hero; memory: Memory; source: WebAssembly.Memory; set: DataView } {
  const source = new WebAssembly.Memory({ initial: 1 });
  const memory = new Memory(source);
  const root = parseLayout(layout()).get("hero");
  if (root === undefined) throw new Error("no root");
  return { hero: root.type.cell().read(memory, root.at) as Hero, memory, source, set: memory.view };
}

function putText(memory: Memory, at: number, to: number, text: string): void {
  const bytes = new TextEncoder().encode(text);
  memory.bytes.set(bytes, to);
  memory.view.setUint32(at, to, true);
  memory.view.setUint32(at + 8, bytes.length, true);
}

describe("a struct of the core", () => {
  it("has its fields as properties, which read the memory each time", () => {
    const { hero, set } = setUp();
    set.setFloat64(HERO_AT, 1.5, true);
    set.setFloat64(HERO_AT + 8, -2, true);
    set.setUint8(HERO_AT + 16, 87);
    set.setUint8(HERO_AT + 17, 1);
    expect([hero.position.x, hero.position.y, hero.health, hero.dead]).toEqual([1.5, -2, 87, true]);
    set.setUint8(HERO_AT + 16, 12);
    expect(hero.health).toBe(12);
  });

  it("shows microseconds as seconds, and an enum as its name", () => {
    const { hero, memory, set } = setUp();
    memory.setInt64(HERO_AT + 24, 2_500_000);
    set.setUint8(HERO_AT + 18, 2);
    expect([hero.fuel, hero.mode]).toEqual([2.5, "server force"]);
    memory.setInt64(HERO_AT + 24, -250_000);
    set.setUint8(HERO_AT + 18, 9); // beyond the names
    expect([hero.fuel, hero.mode]).toEqual([-0.25, "9"]);
    set.setUint8(HERO_AT + 18, 0);
    expect(hero.mode).toBe("");
  });

  it("reads integers of 64 bits exactly below 2⁵³", () => {
    const { hero, memory } = setUp();
    for (const value of [0, 1, -1, 2 ** 31, -(2 ** 32), 2 ** 53 - 1, -(2 ** 53) + 1]) {
      memory.setInt64(HERO_AT + 88, value);
      expect(hero.big).toBe(value);
      expect(memory.view.getBigInt64(HERO_AT + 88, true)).toBe(BigInt(value));
    }
  });

  it("has text as strings, empty ones too", () => {
    const { hero, memory } = setUp();
    expect(hero.name).toBe("");
    putText(memory, HERO_AT + 32, 2000, "Zoë 🙂");
    expect(hero.name).toBe("Zoë 🙂");
  });

  it("has null for a nil pointer, and otherwise what it points to, itself included", () => {
    const { hero, set } = setUp();
    expect(hero.best).toBeNull();
    set.setUint32(HERO_AT + 80, 1024, true);
    set.setFloat64(1032, 7, true);
    expect(hero.best?.y).toBe(7);
    set.setUint32(HERO_AT + 120, HERO_AT, true);
    set.setUint8(HERO_AT + 16, 5);
    expect(hero.next?.next?.health).toBe(5);
  });
});

describe("lists", () => {
  it("are arrays of accessors, the same ones each time", () => {
    const { hero, set } = setUp();
    expect(hero.friends).toHaveLength(0);
    set.setUint32(HERO_AT + 56, 1024, true);
    set.setUint32(HERO_AT + 64, 3, true);
    for (let i = 0; i < 3; i++) set.setFloat64(1024 + 16 * i, i + 0.5, true);
    const before = [...hero.friends];
    expect(hero.friends.map((v) => v.x)).toEqual([0.5, 1.5, 2.5]);
    set.setFloat64(1024 + 16, 9, true);
    expect(hero.friends[1]?.x).toBe(9);
    expect([...hero.friends]).toEqual(before);
    expect(hero.friends[1]).toBe(before[1]);
  });

  it("follow a slice that moves, shrinks and grows again", () => {
    const { hero, set } = setUp();
    const place = (at: number, length: number): void => {
      set.setUint32(HERO_AT + 56, at, true);
      set.setUint32(HERO_AT + 64, length, true);
    };
    for (let i = 0; i < 8; i++) set.setFloat64(1024 + 16 * i, i, true);
    place(1024, 4);
    const first = hero.friends[0];
    expect(hero.friends.map((v) => v.x)).toEqual([0, 1, 2, 3]);
    place(1024 + 32, 2);
    expect(hero.friends.map((v) => v.x)).toEqual([2, 3]);
    place(1024 + 16, 5);
    expect(hero.friends.map((v) => v.x)).toEqual([1, 2, 3, 4, 5]);
    expect(hero.friends[0]).toBe(first);
  });

  it("of numbers are typed arrays on the memory, also after it has grown", () => {
    const { hero, memory, source, set } = setUp();
    set.setUint16(HERO_AT + 50, 30, true);
    expect([...hero.ammo]).toEqual([0, 30, 0]);
    expect(hero.ammo).toBe(hero.ammo);
    const { health } = hero;
    source.grow(1);
    memory.refresh();
    memory.view.setUint16(HERO_AT + 52, 8, true);
    expect([...hero.ammo]).toEqual([0, 30, 8]);
    expect(hero.health).toBe(health);
  });

  it("of strings are read again each time", () => {
    const { hero, memory, set } = setUp();
    set.setUint32(HERO_AT + 96, 1200, true);
    set.setUint32(HERO_AT + 104, 2, true);
    putText(memory, 1200, 2000, "red");
    putText(memory, 1216, 2010, "blue");
    expect(hero.names).toEqual(["red", "blue"]);
    putText(memory, 1216, 2020, "green");
    expect(hero.names).toEqual(["red", "green"]);
  });

  it("that end outside of the memory are refused", () => {
    const { hero, set } = setUp();
    set.setUint32(HERO_AT + 64, 1 << 24, true);
    expect(() => hero.friends).toThrow("outside of the memory");
  });
});

describe("writing", () => {
  it("sets fields, and of a struct those that are given", () => {
    const { hero } = setUp();
    hero.health = 55;
    hero.dead = true;
    hero.fuel = 1.25;
    hero.mode = "walking";
    hero.position = Object.assign(Object.create({ isVector2: true }) as Vec, { x: 3, y: 4 }); // as three.js has its vectors
    (hero as { position: Partial<Vec> }).position = { y: 6 };
    hero.ammo = Uint16Array.of(1, 2, 3);
    expect(copy(hero)).toMatchObject({ health: 55, dead: true, fuel: 1.25, mode: "walking", position: { x: 3, y: 6 }, ammo: Uint16Array.of(1, 2, 3) });
  });

  it("refuses what the field cannot hold, and names it", () => {
    const { hero } = setUp();
    expect(() => (hero.health = NaN)).toThrow("Hero.health: NaN is not a number");
    expect(() => (hero.mode = "flying")).toThrow('Hero.mode: "flying" is none of "", "walking", "server force"');
    expect(() => (hero.name = "Ann")).toThrow("Hero.name cannot be written");
    expect(() => (hero.position = { x: 1, z: 2 } as unknown as Vec)).toThrow("Hero.position has no field z; it has x, y");
    expect(() => (hero.ammo = Uint16Array.of(1))).toThrow("Hero.ammo: 1 values, want 3");
  });
});

describe("copy", () => {
  it("keeps what the next frame overwrites", () => {
    const { hero, set } = setUp();
    set.setUint32(HERO_AT + 56, 1024, true);
    set.setUint32(HERO_AT + 64, 1, true);
    set.setFloat64(1024, 1, true);
    const kept = copy(hero.friends);
    set.setFloat64(1024, 2, true);
    expect(kept).toEqual([{ x: 1, y: 0 }]);
    expect(JSON.parse(JSON.stringify(hero.friends))).toEqual([{ x: 2, y: 0 }]);
  });

  it("keeps the type of bytes and numbers, and JSON has a list of them", () => {
    const { hero } = setUp();
    hero.ammo = Uint16Array.of(1, 2, 3);
    const kept = copy(hero).ammo;
    hero.ammo = Uint16Array.of(4, 5, 6);
    expect(kept).toEqual(Uint16Array.of(1, 2, 3));
    expect(JSON.parse(JSON.stringify(hero))).toMatchObject({ ammo: [4, 5, 6] });
  });
});

describe("a layout", () => {
  it("of another version says to reload, with both versions", () => {
    const error = caught(() => parseLayout(layout(LAYOUT_VERSION + 1)));
    expect(error).toBeInstanceOf(VersionError);
    expect(error).toMatchObject({ code: "version", of: "core", page: `layout ${LAYOUT_VERSION}`, other: `layout ${LAYOUT_VERSION + 1}` });
    expect(String(error)).toContain("reload the page");
  });

  it("with a kind that is not known is refused", () => {
    const json = JSON.stringify({ version: LAYOUT_VERSION, roots: [{ name: "a", at: 8, type: 0 }], types: [{ kind: "complex128", size: 16 }] });
    expect(() => parseLayout(json)).toThrow("unknown kind complex128");
  });
});

function caught(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}
