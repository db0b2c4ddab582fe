import { present } from '../../internal/index.ts';
import { Session } from '../../session/index.ts';
import type { EvaluateOptions } from '../options/evaluate-options.ts';

/** The session of a run that is given none. */
export function newSession(options: Pick<EvaluateOptions, 'clock' | 'ids'>, id?: string): Session {
  return new Session({
    ...present({ id, clock: options.clock, ids: options.ids }),
  });
}
