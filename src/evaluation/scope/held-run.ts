import { describeError } from '../../error/index.ts';
import { ResourceContainer } from '../../resource/index.ts';
import { markRejected, type Redactor, RunStop, type SessionRoot } from '../../runtime/index.ts';
import { freezeJson } from '../../schema/index.ts';
import { Session } from '../../session/index.ts';
import { type Logger, silentLogger } from '../../tool/index.ts';
import { checkEvaluateOptions, type EvaluateOptions } from '../options/evaluate-options.ts';
import { guardOptions, watchSubscribers } from '../options/guard-options.ts';
import { watchRun } from '../options/watch-run.ts';
import type { RunScope } from './evaluation-scope.ts';

/** A run that holds its session until it is ended. */
export interface HeldRun {
  /** The options as the run is to use them: guarded, and watched. */
  readonly options: EvaluateOptions;
  readonly ground: Omit<RunScope, 'evaluator'>;
  /** Follows the signal, the deadline and the watchdog of the options. */
  readonly stop: RunStop;
  /** Its silence does not count until the returned function is called. */
  holdWatch(): () => void;
  /** What the caller gets of an error that ended the run. */
  thrown(error: unknown): unknown;
  /** Lets go of the session, and disposes one that was made here. Never rejects. */
  end(): Promise<void>;
}

/**
 * Begins a run on a root session, its own when it is given none.
 *
 * @throws {SessionBusyError} when another run holds the session.
 * @throws {PromptValidationError} for an option out of its range.
 */
export function holdSession(given: EvaluateOptions): HeldRun {
  checkEvaluateOptions(given);
  const { options, redactor } = guardOptions(given);
  const session = options.session ?? newSession(options);
  const release = session.hold();
  const stop = new RunStop();
  const unfollow = stop.follow({ signal: options.signal, deadline: options.deadline });
  const watch = watchRun(options, stop, options.clock ?? session.clock);
  const unwatch = watchSubscribers(session, options.logger);
  // The session's own logger and whoever else listens on its dispatcher were there before this run.
  const unscreen =
    redactor === undefined
      ? undefined
      : session.dispatcher.screenFailures(session.id, (error) => redactor.thrown(error));
  const { logger = silentLogger } = options;
  return {
    options: watch.options,
    ground: groundOf(session, redactor),
    stop,
    holdWatch: () => watch.hold(),
    thrown: (error) => markRejected(redactor === undefined ? error : redactor.thrown(error)),
    end: async () => {
      unwatch();
      unscreen?.();
      watch.end();
      unfollow();
      // What does not heed its signal is left behind, as handlers are: a run that was stopped ends.
      if (stop.reason !== undefined) ResourceContainer.abandonBuilds(session, reportLate(logger));
      release();
      if (options.session === undefined) await disposeOwn(session, logger);
    },
  };
}

/** Logs a resource that could not be disposed when nobody waited for it any more. */
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

function groundOf(session: Session, redactor: Redactor | undefined): HeldRun['ground'] {
  return {
    host: session,
    redactor,
    session,
    sessionRoot: redactor === undefined ? session : redactingRoot(session, redactor),
    install: (slice) => session.install(slice),
  };
}

function newSession(options: EvaluateOptions): Session {
  return new Session({
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    ...(options.ids === undefined ? {} : { ids: options.ids }),
  });
}

/**
 * A root session whose subscribers are told of what calls did without what is to be redacted. Its slices get everything
 * as it is: what an agent works with is not what leaves the run.
 */
export function redactingRoot(session: Session, redactor: Redactor): SessionRoot {
  return {
    fork: (options) => session.fork(options),
    applyQuietly: (patch) =>
      session.applyQuietly(patch, (event) => ({
        ...event,
        payload: freezeJson(redactor.data(event.payload), `payload of event ${event.name}`),
      })),
    dispatch: (event, payload) => session.dispatch(event, payload),
  };
}
