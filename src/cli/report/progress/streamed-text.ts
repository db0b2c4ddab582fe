import { endOf } from '../../../core/internal/index.ts';
import { printableProse, wrapColumns } from '../../process/plain-text.ts';
import type { LocatedEvent } from '../calls/call-log.ts';

/** Maximum characters of a text that are kept; only its end is shown. */
const maxCharacters = 2_000;

/** The text that the model of a run is writing, or what people said to it before, as far as a few lines of a terminal show it. */
export class StreamedText {
  #text = '';
  #kind = '';

  /** To be called with every event. Models of inner evaluations may write at the same time, and are left out. */
  observe({ event, outerCalls }: LocatedEvent): void {
    switch (event.type) {
      case 'text-delta':
      case 'reasoning-delta':
        if (outerCalls.length === 0) this.#add(event.text, event.type);
        return;
      case 'input-taken':
        this.#text = '';
        this.#add(`${event.by ?? 'someone'} said: ${event.text}`, event.type);
        return;
      case 'model-call-start':
        // What was said is shown until the model answers it.
        if (this.#kind !== 'input-taken') this.#text = '';
        return;
      case 'model-call-retry':
      case 'model-changed':
      case 'answer-restarted':
      case 'tool-call-start':
        this.#text = '';
        return;
      default:
    }
  }

  /** A delta of another kind starts a new text. */
  #add(piece: string, kind: string): void {
    const text = (kind === this.#kind ? this.#text : '') + piece;
    this.#kind = kind;
    // Trimmed rarely, because the start of the text decides where its lines break.
    this.#text = text.length > maxCharacters ? endOf(text, maxCharacters / 2) : text;
  }

  /** The last lines, at most `count`, without empty ones. Safe to print. */
  lastLines(count: number, columns: number): readonly string[] {
    if (count <= 0) return [];
    return this.#text
      .split('\n')
      .map((line) => line.replace(/\s+/g, ' ').trim())
      .filter((line) => line !== '')
      .slice(-count)
      .flatMap((line) => wrapColumns(printableProse(line), columns))
      .slice(-count);
  }
}
