/**
 * Takes out of a text what must not leave the run, and returns the rest as it is. Gets every text on its own: messages,
 * names, paths, JSON text. Must be pure and fast. When it throws or returns no text, a fixed marker takes the place of the
 * whole text.
 */
export interface Redaction {
  (text: string): string;
  /**
   * How many characters at the end of an unfinished text may be the start of something to redact. With it a streamed answer
   * is emitted as it is written, except for that end; without it, only as a whole. When it throws, all of the text waits.
   */
  readonly pending?: (text: string) => number;
}

/** The replacement for a text that could not be redacted. */
export const unredactable = '<redaction failed>';
