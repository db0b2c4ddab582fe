import { describeError } from '../../error/index.ts';
import { attempt } from '../../internal/index.ts';
import {
  type ApprovalHandler,
  type Approver,
  type EventType,
  everyEventType,
  guardObservers,
  isSuspension,
  type ObserverCalls,
  Redactor,
  type RunEventListener,
  type RunStop,
  type UserAsker,
  Watchdog,
} from '../../runtime/index.ts';
import type { Clock, Session } from '../../session/index.ts';
import { type Logger, silentLogger } from '../../tool/index.ts';
import type { EvaluateOptions } from './evaluate-options.ts';

/** The caller's logger and observers with guards around them. */
interface Guards {
  readonly logger: Logger;
  readonly observers: ObserverCalls;
  readonly redactor: Redactor | undefined;
}

/**
 * Puts guards around the caller's logger and observers, so that nothing they do changes how the evaluation comes out, and so
 * that they get nothing that is to be redacted.
 */
export function guardCallbacks({
  logger = silentLogger,
  observers = [],
  redact,
}: Pick<EvaluateOptions, 'logger' | 'observers' | 'redact'>): Guards {
  const warnOfFailure = (): void =>
    guardLogger(logger, undefined).warn(
      'The function redact threw or did not return a string; its input is replaced by "<redaction failed>".',
    );
  const redactor = redact === undefined ? undefined : new Redactor(redact, warnOfFailure);
  const guarded = guardLogger(logger, redactor);
  return {
    logger: guarded,
    observers: guardObservers(observers, redactor, guarded),
    redactor,
  };
}

/** Logs what subscribers of the session throw until the returned function is called. */
export function watchSubscribers(session: Session, logger: Logger): () => void {
  return session.dispatcher.onFailure(({ sessionId, eventName, error }) => {
    // Others may share the dispatcher.
    if (sessionId !== session.id) return;
    logger.warn('A subscriber of the session failed.', { event: eventName, error: describeError(error) });
  });
}

type Write = Logger['info'];

function guardLogger(logger: Logger, redactor: Redactor | undefined): Logger {
  if (logger === silentLogger) return logger;
  const guard =
    (level: keyof Logger): Write =>
    (message, fields) => {
      attempt(() =>
        redactor === undefined
          ? logger[level](message, fields)
          : logger[level](redactor.text(message), fields && redactor.fields(fields)),
      );
    };
  return Object.freeze({
    debug: guard('debug'),
    info: guard('info'),
    warn: guard('warn'),
    error: guard('error'),
  });
}

/** A run that is watched. */
interface WatchedRun {
  /** The caller's observer, approver and asker, wrapped so that the watchdog sees their activity. */
  readonly listener: RunEventListener | undefined;
  readonly eventTypes: ReadonlySet<EventType>;
  readonly approve: ApprovalHandler | undefined;
  readonly askUser: UserAsker | undefined;
  /** Silence does not count until the returned function is called. */
  hold(): () => void;
  /** Ends the watch. */
  dispose(): void;
}

const ignore = (): void => undefined;

/** What asks outside of the calls of the run itself, such as a call inside another one, cannot wait for an answer. */
const denyInner: ApprovalHandler = () => ({
  approved: false,
  reason: 'the run suspends approvals, and only calls of the run itself can wait for an answer.',
});

/**
 * Stops a run without activity for longer than `limits.idleTimeoutMs`; evaluations inside its calls are part of it.
 *
 * @param observers the caller's, guarded.
 */
export function watchRun(
  { limits: { idleTimeoutMs } = {}, approve: given, askUser }: EvaluateOptions<Approver>,
  { onEvent, eventTypes }: Pick<ObserverCalls, 'onEvent' | 'eventTypes'>,
  stop: RunStop,
  clock: Clock,
): WatchedRun {
  const approve = isSuspension(given) ? denyInner : given;
  if (idleTimeoutMs === undefined)
    return { listener: onEvent, eventTypes, approve, askUser, hold: () => ignore, dispose: ignore };
  const watchdog = new Watchdog({
    clock,
    limitMs: idleTimeoutMs,
    onSilence: (message) => stop.stop({ kind: 'idle', cause: new DOMException(message, 'TimeoutError') }),
  });
  return {
    listener: (event) => {
      watchdog.onEvent(event);
      onEvent?.(event);
    },
    eventTypes: everyEventType,
    approve: approve && holding(watchdog, approve),
    askUser: askUser && holding(watchdog, askUser),
    hold: () => watchdog.hold(),
    dispose: () => watchdog.dispose(),
  };
}

/** A person may think for as long as they like; only until the question is taken back, for one that is never answered. */
function holding<Question, Asking extends { readonly signal: AbortSignal }, Answer>(
  watchdog: Watchdog,
  ask: (question: Question, asking: Asking) => Answer | Promise<Answer>,
): (question: Question, asking: Asking) => Promise<Answer> {
  return async (question, asking) => {
    const release = watchdog.hold();
    asking.signal.addEventListener('abort', release, { once: true });
    try {
      return await ask(question, asking);
    } finally {
      asking.signal.removeEventListener('abort', release);
      release();
    }
  };
}
