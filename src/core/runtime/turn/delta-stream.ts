import { wellFormedText, wholeStart } from '../../internal/index.ts';
import type { EvaluationEnvironment } from '../call/environment/environment.ts';
import type { BareEvent } from '../events/run-event.ts';
import type { ModelCallOptions, ModelDelta } from '../model/model.ts';

const kinds: readonly ModelDelta['type'][] = ['text-delta', 'reasoning-delta'];

/** Characters of an answer that were emitted, by kind. */
export type VoidCharacters = NonNullable<
  Extract<BareEvent, { readonly type: 'model-call-retry' }>['voidCharacters']
>;

/** One answer that is emitted piece by piece. */
export interface StreamedAnswer {
  readonly onDelta: NonNullable<ModelCallOptions['onDelta']>;
  /** The answer is there: what was held back of it is emitted. */
  complete(): void;
  /** Emits nothing more of it, whatever its provider still sends. */
  end(): void;
  /** How many characters of it were emitted, as those who listen got them; undefined when none were. */
  emitted(): VoidCharacters | undefined;
}

/**
 * Emits the deltas of answers as they arrive, with back-pressure from the listeners. Where text is redacted, a
 * secret may lie across two pieces: what may be the beginning of one waits for what comes after it.
 */
export class DeltaStream {
  readonly #environment: Pick<EvaluationEnvironment, 'emit' | 'ready' | 'redactor' | 'stop'>;
  /** The answer that is being made; what an earlier one still sends is dropped. */
  #current: symbol | undefined;

  constructor(environment: Pick<EvaluationEnvironment, 'emit' | 'ready' | 'redactor' | 'stop'>) {
    this.#environment = environment;
  }

  /** An answer begins: the first to a request, or another after one that failed. */
  begin(turn: number): StreamedAnswer {
    const { emit, ready, redactor, stop } = this.#environment;
    const answer = Symbol('answer');
    this.#current = answer;
    /** By kind: the two may come in turns, and each is a text of its own. */
    const held = new Map<ModelDelta['type'], string>();
    const characters = { 'text-delta': 0, 'reasoning-delta': 0 };
    const emitPiece = (type: ModelDelta['type'], piece: string): void => {
      const text = wellFormedText(piece);
      // Each piece is redacted on its own on its way.
      characters[type] += (redactor?.text(text) ?? text).length;
      emit({ type, turn, text });
    };
    /** Emits so many characters of what is held. */
    const release = (type: ModelDelta['type'], all: string, length: number): void => {
      const text = wholeStart(all, length);
      held.set(type, all.slice(text.length));
      if (text !== '') emitPiece(type, text);
    };
    return {
      onDelta: ({ type, text }) => {
        if (this.#current !== answer || stop.reason !== undefined) return undefined;
        // Providers are code of others.
        if (!kinds.includes(type) || typeof text !== 'string' || text === '') return undefined;
        const all = `${held.get(type) ?? ''}${text}`;
        release(type, all, redactor === undefined ? all.length : redactor.settled(all));
        const wait = ready?.();
        return wait === undefined ? undefined : stop.race(wait).catch(() => undefined);
      },
      complete: () => {
        if (this.#current !== answer || stop.reason !== undefined) return;
        for (const [type, rest] of held) {
          release(type, rest, rest.length);
          // The other half of a pair did not come.
          const half = held.get(type) ?? '';
          if (half !== '') emitPiece(type, half);
        }
      },
      end: () => {
        if (this.#current === answer) this.#current = undefined;
      },
      emitted: () => {
        const { 'text-delta': text, 'reasoning-delta': reasoning } = characters;
        return text + reasoning === 0 ? undefined : { text, reasoning };
      },
    };
  }
}
