import { describeError } from '../../error/index.ts';
import { ResourceContainer } from '../../resource/index.ts';
import { type Approver, markRejected, RunStop } from '../../runtime/index.ts';
import type { Session } from '../../session/index.ts';
import type { Logger } from '../../tool/index.ts';
import type { Checked } from '../options/check-options.ts';
import type { EvaluateOptions } from '../options/evaluate-options.ts';
import { guardCallbacks, watchRun, watchSubscribers } from '../options/guarded-callbacks.ts';
import { type EvaluationSettings, toSettings } from '../options/settings.ts';
import { type HeldScope, type RunSurroundings, redactingRoot } from './evaluation-scope.ts';
import { newSession } from './new-session.ts';

/** A run that holds its session until it is ended. */
export interface HeldRun {
  readonly settings: EvaluationSettings;
  readonly scope: Omit<HeldScope, 'evaluator'>;
  /** Follows the signal, the deadline and the watchdog of the options. */
  readonly stop: RunStop;
  /** Its silence does not count until the returned function is called. */
  holdWatch(): () => void;
  /** What the caller gets of an error that ended the run. */
  toThrown(error: unknown): unknown;
  /** Releases the session, and disposes one that was made here. Never rejects. */
  dispose(): Promise<void>;
}

const ignore = (): void => undefined;

/**
 * Begins a run on a root session, its own when it is given none.
 *
 * @throws {SessionBusyError} when another run holds the session.
 */
export function holdSession(
  options: EvaluateOptions<Approver> & Checked,
  { journaling, ownsSession = false }: Pick<RunSurroundings, 'journaling' | 'ownsSession'> = {},
): HeldRun {
  const { logger, redactor, ...guarded } = guardCallbacks(options);
  const observers = journaling?.observe(guarded.observers) ?? guarded.observers;
  const session = options.session ?? newSession(options);
  const isGiven = options.session !== undefined && !ownsSession;
  const release = session.hold();
  const stop = new RunStop();
  const unfollow = stop.follow({ signal: options.signal, deadline: options.limits?.deadline });
  const watch = watchRun(options, observers, stop, options.clock ?? session.clock);
  const unwatch = watchSubscribers(session, logger);
  // The session's own logger and other listeners on its dispatcher were there before this run.
  const unscreen =
    redactor === undefined
      ? undefined
      : session.dispatcher.screenFailures(session.id, (error) => redactor.thrown(error));
  return {
    settings: toSettings(options, session, {
      logger,
      approve: watch.approve,
      askUser: watch.askUser,
      passOn: watch.listener ?? ignore,
      eventTypes: watch.eventTypes,
      observers,
    }),
    scope: {
      host: session,
      isSessionGiven: isGiven,
      redactor,
      session,
      sessionRoot: redactor === undefined ? session : redactingRoot(session, redactor),
      install: (slice) => session.install(slice),
    },
    stop,
    holdWatch: watch.hold,
    toThrown: (error) => markRejected(redactor === undefined ? error : redactor.thrown(error)),
    dispose: async () => {
      unwatch();
      unscreen?.();
      watch.dispose();
      unfollow();
      // Work that ignores its signal is no longer awaited, like handlers: a stopped run ends.
      if (stop.reason !== undefined) ResourceContainer.cancelBuilds(session, reportLate(logger));
      release();
      if (!isGiven) await disposeOwn(session, logger);
    },
  };
}

/** Logs a resource that could not be disposed when it was no longer awaited. */
export function reportLate(logger: Logger): (failure: unknown) => void {
  return (failure) =>
    logger.warn('A resource that was finished too late could not be disposed.', {
      error: describeError(failure),
    });
}

/** Disposes a session made here. What fails is logged: it takes neither the answer nor the error of the run away. */
async function disposeOwn(session: Session, logger: Logger): Promise<void> {
  try {
    await session[Symbol.asyncDispose]();
  } catch (error) {
    logger.error('The session of an evaluation could not be disposed.', { error: describeError(error) });
  }
}
