/**
 * Takes out of a text what must not leave the run, and returns the rest as it is. Gets every text on its own: messages,
 * names, paths, JSON text. Must be pure and fast. When it throws or returns no text, a fixed marker takes the place of the
 * whole text.
 */
export interface Redaction {
  (text: string): string;
  /**
   * How many characters at the end of a text that goes on may be the beginning of something to take out. With it a streamed answer
   * is told as it is written, but for that end; without it, only as a whole. When it throws, all of the text waits.
   */
  readonly pending?: (text: string) => number;
}

/** What stands for a text that could not be redacted. */
export const unredactable = '<redaction failed>';
