import { RedactionWalk } from './redaction-walk.ts';

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
const unredactable = '<redaction failed>';

/**
 * Copies what is about to leave a run, with every string passed through the caller's function. Never throws and
 * never changes what it is given.
 */
export class Redactor {
  /** One text: a redaction itself. */
  readonly text: Redaction;
  readonly #redact: Redaction;
  readonly #onFailure: () => void;
  readonly #kept = new WeakSet<object>();
  #hasFailed = false;
  #alterations = 0;

  /** @param onFailure called the first time that `redact` throws or does not return a string. Must not throw. */
  constructor(redact: Redaction, onFailure: () => void) {
    this.#redact = redact;
    this.#onFailure = onFailure;
    this.text = Object.assign((text: string) => this.#textOf(text), {
      pending: (text: string) => this.#pending(text),
    });
  }

  /** Grows with every text that was not passed on as it is. */
  get alterations(): number {
    return this.#alterations;
  }

  #textOf(text: string): string {
    if (text === '') return text;
    const redacted = this.#redacted(text);
    if (redacted !== text) this.#alterations += 1;
    return redacted;
  }

  #redacted(text: string): string {
    try {
      const redacted: unknown = this.#redact(text);
      if (typeof redacted === 'string') return redacted;
    } catch {
      // What it threw may hold the text.
    }
    if (!this.#hasFailed) {
      this.#hasFailed = true;
      this.#onFailure();
    }
    return unredactable;
  }

  /** How many characters of an unfinished text can be emitted now, redacted on their own. */
  settled(text: string): number {
    const length = text.length - this.#pending(text);
    if (length <= 0) return 0;
    // What is to be taken out may lie across the end of what is settled.
    const parts = this.text(text.slice(0, length)) + this.text(text.slice(length));
    return parts === this.text(text) ? length : 0;
  }

  #pending(text: string): number {
    try {
      const pending: unknown = this.#redact.pending?.(text);
      return typeof pending === 'number' && pending >= 0 ? Math.ceil(pending) : text.length;
    } catch {
      return text.length;
    }
  }

  /** A value from outside: every string in it, keys too. Anything but plain JSON becomes what JSON.stringify would write. */
  data(value: unknown): unknown {
    return this.#walk().data(value);
  }

  /** {@link data} for the fields of a line that is logged. */
  fields(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    // The copy of an object is an object, though with keys that may be others.
    return this.data(fields) as Readonly<Record<string, unknown>>;
  }

  /**
   * An event or a payload of the library: its own keys and vocabulary stay, everything else is treated as by {@link data}. The
   * result is passed on as it is by later calls: it must not be changed.
   */
  record<T extends object>(record: T): T {
    const redacted = this.#walk().record(record);
    this.#kept.add(redacted);
    return redacted;
  }

  /** What was thrown. An error in which nothing had to be taken out is passed on as it is; of any other one a copy of the same class. */
  thrown(thrown: unknown): unknown {
    return this.#walk().thrown(thrown);
  }

  #walk(): RedactionWalk {
    return new RedactionWalk(this.text, (value) => this.#kept.has(value));
  }
}
