import type { Redactor, SessionRoot } from '../runtime/index.ts';
import { freezeJson } from '../schema/index.ts';
import type { Session } from '../session/index.ts';

/**
 * A root session whose subscribers are told of what calls did without what is to be redacted. Its slices get everything
 * as it is: what an agent works with is not what leaves the run.
 */
export function redactingRoot(session: Session, redactor: Redactor): SessionRoot {
  return {
    fork: (options) => session.fork(options),
    apply: (patch) =>
      session.apply(patch, (event) => ({
        ...event,
        payload: freezeJson(redactor.data(event.payload), `payload of event ${event.name}`),
      })),
    dispatch: (event, payload) => session.dispatch(event, payload),
  };
}
