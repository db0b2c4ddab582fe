import { FeedbackState } from '../../core/runtime/index.ts';
import type { Session } from '../../core/session/index.ts';
import { sessionPatch } from '../../record/index.ts';
import type { RecordedStateChange } from '../rows/run-rows.ts';

type Steps = Pick<RecordedStateChange, 'writes' | 'log'>;

/** Makes STATE what it was at the start; slices that the session does not know are left out. */
export function resetState(session: Session, start: Steps | undefined): void {
  const held = session.observe(0);
  const written = new Set(held.writes.map(({ slice }) => slice));
  for (const slice of written) {
    session.applyQuietly({
      operations: [{ op: 'clear', slice }],
      log: [],
      events: [],
    });
  }
  if (start === undefined) return;
  const logged = new Set(held.log.map(({ slice }) => slice));
  const log = start.log.filter(({ slice }) => !logged.has(slice));
  applyKnown(session, { writes: start.writes, log });
}

/** Applies what others changed during a run, but for what a resumed run counts itself. */
export function applyChange(session: Session, { writes, log }: Steps): void {
  applyKnown(session, { writes: writes.filter(({ slice }) => slice !== FeedbackState.name), log });
}

/** Applies what rows have of the slices that are installed. */
function applyKnown(session: Session, { writes, log }: Steps): void {
  const isKnown = ({ slice }: { readonly slice: string }): boolean => session.knows(slice);
  session.applyQuietly(sessionPatch({ writes: writes.filter(isKnown), log: log.filter(isKnown) }));
}
