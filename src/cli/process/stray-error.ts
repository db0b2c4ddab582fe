import { describeError } from '../../core/error/index.ts';

/**
 * Origin of the error:
 *
 * - `rejection`: an unhandled rejection.
 * - `exception`: an uncaught exception, as in a timer or a listener.
 * - `exit`: the code of the agent called `process.exit()`.
 * - `stalled`: the event loop is empty while the command waits.
 */
export type StrayKind = 'rejection' | 'exception' | 'exit' | 'stalled';

const origins: Readonly<Record<Exclude<StrayKind, 'exit' | 'stalled'>, string>> = {
  rejection: 'unhandled rejection of a promise that is not awaited',
  exception: 'uncaught exception',
};

/** An uncaught error of the agent's code, for which Node would end the process. `message` may have several lines. */
export class StrayError extends Error {
  readonly kind: StrayKind;

  /** @param thrown the thrown value, the argument of `process.exit()`, or undefined. */
  constructor(kind: StrayKind, thrown?: unknown) {
    super(messageOf(kind, thrown), { cause: thrown });
    this.name = 'StrayError';
    this.kind = kind;
  }
}

function messageOf(kind: StrayKind, thrown: unknown): string {
  switch (kind) {
    case 'exit':
      return `the code of the agent called process.exit(${typeof thrown === 'number' || typeof thrown === 'string' ? thrown : ''})`;
    case 'stalled':
      return 'the event loop is empty, and the run waits for a promise that never settles';
    default:
      return `${origins[kind]}: ${describeError(thrown).trim().replace(/\.$/, '')}`;
  }
}
