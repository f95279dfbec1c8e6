// What a visitor typed, or its address says, in the form that joining needs.
import type { TransportName } from "@backstep/client";

/** Returns the transport that an address asks for. */
export function parseTransport(text: string | null): "auto" | TransportName {
  return text === "websocket" || text === "webtransport" ? text : "auto";
}

/** Returns a valid name: up to 20 printable characters, or a generated one. */
export function cleanName(typed: string): string {
  const clean = [...typed.normalize("NFC").replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "").trim()].slice(0, 20).join("");
  return clean === "" ? `Guest ${100 + Math.floor(Math.random() * 900)}` : clean;
}
