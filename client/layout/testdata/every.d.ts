/** What the page may write: the type without readonly. */
export type Writable<T> = { -readonly [K in keyof T]: Writable<T[K]> };

/** The values that the page shares with the core, by their names. */
export interface Roots {
  readonly it: Every;
  readonly command: Writable<Anonymous>;
}

export interface Every {
  readonly bool: boolean;
  readonly i64: number;
  readonly i8: number;
  readonly i32: number;
  readonly i16: number;
  readonly int: number;
  readonly u8: number;
  readonly u64: number;
  readonly u16: number;
  readonly uint: number;
  readonly u32: number;
  readonly f32: number;
  readonly f64: number;
  readonly after: number;
  readonly colour: Colour;
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly points: readonly Point[];
  readonly grid: readonly (readonly Point[])[];
  readonly next: Every | null;
  readonly hidden: string;
  readonly rtt: number;
  readonly depth: number;
  readonly point: Point;
}

export type Colour = "" | "red" | "blue" | `${number}`;

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Anonymous {
  readonly place: Point;
}
