import type { EvaluationEnvironment } from './environment.ts';
import type { GenerateOptions, ModelDelta } from './model.ts';

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
    const held: { type: ModelDelta['type']; text: string } = { type: 'text-delta', text: '' };
    /** Tells so many characters of what is held. */
    const tell = (length: number): void => {
      const text = held.text.slice(0, length);
      held.text = held.text.slice(length);
      if (text !== '') emit({ type: held.type, turn, text });
    };
    return {
      onDelta: ({ type, text }) => {
        if (this.#current !== answer || stop.reason !== undefined || text === '') return undefined;
        if (type !== held.type) tell(held.text.length);
        held.type = type;
        held.text += text;
        tell(redactor === undefined ? held.text.length : redactor.settled(held.text));
        const wait = ready?.();
        return wait === undefined ? undefined : stop.race(wait).catch(() => undefined);
      },
      complete: () => {
        if (this.#current === answer && stop.reason === undefined) tell(held.text.length);
      },
      end: () => {
        if (this.#current === answer) this.#current = undefined;
      },
    };
  }
}
