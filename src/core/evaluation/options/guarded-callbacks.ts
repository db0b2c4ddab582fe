import { describeError } from '../../error/index.ts';
import { attempt } from '../../internal/index.ts';
import { guardObservers, type ObserverCalls, Redactor } from '../../runtime/index.ts';
import type { Session } from '../../session/index.ts';
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
