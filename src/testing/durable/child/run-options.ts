import type { EvaluateOptions } from '../../../core/evaluation/index.ts';
import { Deadline, type FeedbackProvider } from '../../../core/runtime/index.ts';
import { type Clock, type Session } from '../../../core/session/index.ts';
import { type CompletionChecker, CompletionVerdict } from '../../../core/tool/index.ts';
import type { Effects } from './effects.ts';
import type { Points } from './points.ts';
import { lastCount } from './state.ts';

const deadlineMs = 3_600_000;

/** What the options of a life are made of. */
export interface RunOptionsParts {
  readonly points: Points;
  readonly effects: Effects;
  readonly session: Session;
  readonly clock: Clock;
  /** Gets what `run-resumed` names. */
  readonly onChanged: (changed: readonly string[]) => void;
}

/** The options of a run, the same when it is resumed. */
export function runOptions(parts: RunOptionsParts): EvaluateOptions {
  const { points, effects, session, clock, onChanged } = parts;
  return {
    session,
    clock,
    signal: points.signal,
    limits: { budget: { maxTotalTokens: 100_000 }, deadline: Deadline.after(deadlineMs, clock) },
    context: { overflow: 'drop-tool-results' },
    approve: ({ callId }) => {
      points.pass('asked before');
      effects.add('asked', callId);
      points.pass('asked after');
      return { approved: true };
    },
    feedback: [counting(points)],
    completion: sentBackOnce(points),
    observers: [{ onEvent: (event) => void (event.type === 'run-resumed' && onChanged(event.changed)) }],
  };
}

function counting(points: Points): FeedbackProvider {
  return {
    name: 'counting',
    triggers: { everyCalls: 2 },
    provide: ({ calls }) => {
      points.pass('feedback in');
      return { message: `That makes ${calls.length} calls.` };
    },
  };
}

function sentBackOnce(points: Points): CompletionChecker {
  return {
    name: 'sent-back-once',
    check: ({ check, session }) => {
      points.pass('completion in');
      return check === 1
        ? CompletionVerdict.incomplete(`Look again at ${lastCount(session)}.`)
        : CompletionVerdict.complete();
    },
  };
}
