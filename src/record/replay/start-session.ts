import { describeError } from '../../core/error/index.ts';
import { evaluationSlices } from '../../core/evaluation/index.ts';
import type { Prompt } from '../../core/prompt/index.ts';
import { type Clock, type IdSource, Session } from '../../core/session/index.ts';
import type { RunRecord } from '../fold/run-record.ts';

/** A session in the state that a run began with, and what of that state it could not take. */
export interface StartSession {
  readonly session: Session;
  readonly notes: readonly string[];
}

/** Opens a session with the state that a run began with. The caller disposes it. */
export function startSession(
  record: RunRecord,
  prompt: Prompt,
  parts: { readonly clock: Clock; readonly ids: IdSource },
): StartSession {
  const session = new Session({ id: record.sessionId, ...parts });
  const slices = [...evaluationSlices, ...prompt.slices()];
  for (const slice of slices) session.install(slice);
  const notes: string[] = [];
  const known = new Set(slices.map(({ name }) => name));
  for (const { name, policy, items } of record.stateAt(0)) {
    if (items.length === 0) continue;
    if (!known.has(name)) {
      notes.push(`The state of the slice "${name}" is left out: no section of the prompt has such a slice.`);
      continue;
    }
    const values = items.map(({ value }) => value);
    const isLog = policy === 'log';
    try {
      session.applyQuietly({
        operations: isLog ? [] : [{ op: 'write', slice: name, operation: { op: 'replace', items: values } }],
        log: isLog ? [{ slice: name, items: values }] : [],
        events: [],
      });
    } catch (error) {
      notes.push(`The state of the slice "${name}" is left out: ${describeError(error)}`);
    }
  }
  return { session, notes };
}
