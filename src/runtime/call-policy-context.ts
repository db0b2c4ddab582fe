import type { FileChange, Filesystem } from '../filesystem/index.ts';
import type { PolicyResultContext } from '../policy/index.ts';
import type { ResourceResolver } from '../resource/index.ts';
import type { SessionView } from '../session/index.ts';
import type { JudgedAttempt } from './judged-attempt.ts';

/** What policies may use of an attempt. Views are made when they are looked at: few policies need them all. */
export class CallPolicyContext implements PolicyResultContext {
  readonly readPaths: readonly string[];
  readonly changes: readonly FileChange[];
  readonly #attempt: Pick<JudgedAttempt, 'signal' | 'transaction'>;

  constructor(
    attempt: Pick<JudgedAttempt, 'signal' | 'transaction'>,
    readPaths: readonly string[],
    changes: readonly FileChange[],
  ) {
    this.#attempt = attempt;
    this.readPaths = readPaths;
    this.changes = changes;
  }

  get session(): SessionView {
    return this.#attempt.transaction.privilegedSession;
  }

  get filesystem(): Filesystem | undefined {
    return this.#attempt.transaction.privilegedFilesystem;
  }

  get resources(): ResourceResolver {
    return this.#attempt.transaction.policyResources.resolver;
  }

  get signal(): AbortSignal {
    return this.#attempt.signal;
  }
}
