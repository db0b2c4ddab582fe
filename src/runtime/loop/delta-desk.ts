import type { EvaluationEnvironment } from '../call/environment.ts';
import type { GenerateOptions, ModelDelta } from '../model/model.ts';

const kinds: readonly ModelDelta['type'][] = ['text-delta', 'reasoning-delta'];

/** One answer that is told piece by piece. */
export interface StreamedAnswer {
  readonly onDelta: NonNullable<GenerateOptions['onDelta']>;
  /** The answer is there: what was held back of it is told. */
  complete(): void;
  /** Nothing more of it is told, whatever its provider still says. */
  end(): void;
}

/**
 * Tells the pieces of answers as they come, and lets the model wait for those who listen. Where texts are redacted, a
 * secret may lie across two pieces: what may be the beginning of one waits for what comes behind it.
 */
export class DeltaDesk {
  readonly #environment: Pick<EvaluationEnvironment, 'emit' | 'ready' | 'redactor' | 'stop'>;
  /** The answer that is being made; what an earlier one still says is not told. */
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
    /** Tells so many characters of what is held. */
    const tell = (type: ModelDelta['type'], all: string, length: number): void => {
      held.set(type, all.slice(length));
      if (length > 0 && all !== '') emit({ type, turn, text: all.slice(0, length) });
    };
    return {
      onDelta: ({ type, text }) => {
        if (this.#current !== answer || stop.reason !== undefined) return undefined;
        // Providers are code of others.
        if (!kinds.includes(type) || typeof text !== 'string' || text === '') return undefined;
        const all = `${held.get(type) ?? ''}${text}`;
        tell(type, all, redactor === undefined ? all.length : redactor.settled(all));
        const wait = ready?.();
        return wait === undefined ? undefined : stop.race(wait).catch(() => undefined);
      },
      complete: () => {
        if (this.#current !== answer || stop.reason !== undefined) return;
        for (const [type, rest] of held) tell(type, rest, rest.length);
      },
      end: () => {
        if (this.#current === answer) this.#current = undefined;
      },
    };
  }
}
