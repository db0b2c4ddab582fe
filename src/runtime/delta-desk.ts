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
 * secret may lie across two pieces, so the pieces of one kind are told as one.
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
    const held: { type: ModelDelta['type']; text: string }[] = [];
    return {
      onDelta: ({ type, text }) => {
        if (this.#current !== answer || stop.reason !== undefined || text === '') return undefined;
        if (redactor !== undefined) {
          const last = held.at(-1);
          if (last?.type === type) last.text += text;
          else held.push({ type, text });
          return undefined;
        }
        emit({ type, turn, text });
        const wait = ready?.();
        return wait === undefined ? undefined : stop.race(wait).catch(() => undefined);
      },
      complete: () => {
        if (this.#current !== answer || stop.reason !== undefined) return;
        for (const { type, text } of held) emit({ type, turn, text });
      },
      end: () => {
        if (this.#current === answer) this.#current = undefined;
      },
    };
  }
}
