// Message framing on a WebTransport stream: each message is preceded by its length as an unsigned
// varint, seven bits a byte, lowest first. Start at Deframer.

/** Longest message on a stream, in bytes. A longer one ends the connection, since no valid
 * message is that long. */
export const MAX_MESSAGE = 1 << 16;

const MAX_VARINT = 5;

/** Returns message preceded by its length. */
export function frame(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const head: number[] = [];
  let rest = message.length;
  while (rest >= 0x80) {
    head.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  head.push(rest);
  const out = new Uint8Array(head.length + message.length);
  out.set(head);
  out.set(message, head.length);
  return out;
}

/** Splits a byte stream, which arrives in pieces of any size, into messages. */
export class Deframer {
  private pending = new Uint8Array(0);

  /** Appends the next piece and returns the messages that are now complete, in order. Throws if a
   * length is malformed or above MAX_MESSAGE. */
  push(piece: Uint8Array): Uint8Array<ArrayBuffer>[] {
    const bytes = join(this.pending, piece);
    const messages: Uint8Array<ArrayBuffer>[] = [];
    let at = 0;
    for (;;) {
      const head = readLength(bytes, at);
      if (head === undefined || head.next + head.length > bytes.length) break;
      messages.push(bytes.slice(head.next, head.next + head.length));
      at = head.next + head.length;
    }
    this.pending = bytes.slice(at);
    return messages;
  }
}

function join(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}

function readLength(bytes: Uint8Array, at: number): { length: number; next: number } | undefined {
  let length = 0;
  for (let i = 0; i < MAX_VARINT; i++) {
    const byte = bytes[at + i];
    if (byte === undefined) return undefined;
    length += (byte & 0x7f) * 2 ** (7 * i);
    if (length > MAX_MESSAGE) throw new Error(`framing: message of ${length} bytes, the maximum is ${MAX_MESSAGE}`);
    if (byte < 0x80) return { length, next: at + i + 1 };
  }
  throw new Error("framing: length of more than five bytes");
}
