/**
 * Takes out of a text what must not leave the run, and returns the rest as it is. Gets every text on its own: messages,
 * names, paths, JSON text. Must be pure and fast. When it throws or returns no text, a fixed marker takes the place of the
 * whole text.
 */
export type Redact = (text: string) => string;

/** What stands for a text that could not be redacted. */
export const unredactable = '<redaction failed>';
