import { describeError } from '../../error/index.ts';

/**
 * Where the error comes from:
 *
 * - `rejection`: a promise that nothing awaits was rejected.
 * - `exception`: thrown where nothing catches it, as in a timer or a listener.
 * - `exit`: the code of the agent called `process.exit()`.
 * - `stalled`: nothing is left that could happen, but the command waits.
 */
export type StrayKind = 'rejection' | 'exception' | 'exit' | 'stalled';

const origins: Readonly<Record<Exclude<StrayKind, 'exit' | 'stalled'>, string>> = {
  rejection: 'unhandled rejection, of a promise that nothing awaits',
  exception: 'uncaught exception, thrown where nothing catches it',
};

/** An error of the agent's code that nothing catches. Node would end the process for it. `message` may be of several lines. */
export class StrayError extends Error {
  readonly kind: StrayKind;

  /** @param thrown what was thrown, the argument of `process.exit()`, or undefined. */
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
      return 'nothing is left that could happen: something waits for a promise that nothing settles';
    default:
      return `${origins[kind]}: ${describeError(thrown).trim().replace(/\.$/, '')}`;
  }
}
