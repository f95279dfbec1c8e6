// Errors of the package.

/** Returns the message of an error, or the text of anything else that was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The page and the core or the server are of different versions. Reloading the page gets the
 * current ones; a page that is still refused afterwards is built from another release. */
export class VersionError extends Error {
  readonly code = "version";

  constructor(
    /** What differs from the page. */
    readonly of: "core" | "server",
    /** The version of the page, such as "protocol 6". */
    readonly page: string,
    /** The version of the core or the server, such as "protocol 7". */
    readonly other: string,
  ) {
    super(`this page has ${page} and the ${of} has ${other}: reload the page`);
    this.name = "VersionError";
  }
}
