import { SessionBusyError } from '../../../core/error/index.ts';
import type { Clock } from '../../../core/session/index.ts';
import type { ServedSession } from './served-session.ts';

/** What {@link SessionPool} works with. */
export interface SessionPoolOptions {
  readonly clock: Clock;
  readonly idleTimeoutMs: number;
  readonly maxSessions: number;
  open(): Promise<ServedSession>;
}

/** A session of a pool, with what depends on it. */
interface PooledSession {
  readonly opened: Promise<ServedSession>;
  /** Requests and connections that are open. */
  active: number;
  cancelTimeout: (() => void) | undefined;
  onClose: ((disposed: Promise<void>) => void) | undefined;
}

/** The sessions of a server, by their keys. One that is idle for too long is closed. */
export class SessionPool {
  readonly #options: SessionPoolOptions;
  readonly #sessions = new Map<string, PooledSession>();
  readonly #closing = new Map<string, Promise<void>>();
  #isDisposed = false;

  constructor(options: SessionPoolOptions) {
    this.#options = options;
  }

  /**
   * The session of a key; it is opened when there is none.
   *
   * @throws {SessionBusyError} when there are too many sessions, or when the one session of the server is held by another client.
   * @throws what opening a session throws.
   */
  async get(key: string): Promise<ServedSession> {
    const known = this.#sessions.get(key);
    if (known !== undefined) return known.opened;
    if (this.#isDisposed) throw new SessionBusyError('The server is closed.');
    const { maxSessions, open } = this.#options;
    if (this.#sessions.size >= maxSessions) {
      throw new SessionBusyError(
        `The server has as many sessions as it may have: ${maxSessions}. Close one, or raise maxSessions.`,
        { details: { limit: maxSessions } },
      );
    }
    const pooled: PooledSession = {
      // What the last session of the key holds is released first.
      opened: (this.#closing.get(key) ?? Promise.resolve()).then(open),
      active: 0,
      cancelTimeout: undefined,
      onClose: undefined,
    };
    this.#sessions.set(key, pooled);
    try {
      return await pooled.opened;
    } catch (error) {
      if (this.#sessions.get(key) === pooled) this.#sessions.delete(key);
      throw error;
    }
  }

  /** Keeps a session from being idle until the returned function is called. Does nothing for an unknown key. */
  use(key: string): () => void {
    const session = this.#sessions.get(key);
    if (session === undefined) return () => undefined;
    session.cancelTimeout?.();
    session.active += 1;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      session.active -= 1;
      if (session.active > 0 || this.#sessions.get(key) !== session) return;
      const { clock, idleTimeoutMs } = this.#options;
      session.cancelTimeout = clock.schedule(idleTimeoutMs, () => void this.close(key));
    };
  }

  /** Calls `listener` when the session of the key begins to close; with when it has, and its calls have ended. Does nothing for an unknown key. */
  onClose(key: string, listener: (disposed: Promise<void>) => void): void {
    const session = this.#sessions.get(key);
    if (session !== undefined) session.onClose = listener;
  }

  /** Closes a session, if there is one. Never rejects. */
  close(key: string): Promise<void> {
    const session = this.#sessions.get(key);
    if (session === undefined) return Promise.resolve();
    this.#sessions.delete(key);
    session.cancelTimeout?.();
    const disposed = session.opened.then(
      (served) => served[Symbol.asyncDispose](),
      () => undefined,
    );
    session.onClose?.(disposed);
    const closed: Promise<void> = disposed.finally(() => {
      if (this.#closing.get(key) === closed) this.#closing.delete(key);
    });
    this.#closing.set(key, closed);
    return closed;
  }

  /** Closes all sessions. Never rejects. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    for (const key of [...this.#sessions.keys()]) void this.close(key);
    await Promise.all(this.#closing.values());
  }
}
