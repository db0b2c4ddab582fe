import { resolve } from 'node:path';
import { JournalError, JournalFencedError, SessionBusyError } from '../../core/error/index.ts';
import { type RemoteError, RemoteThread, unpackError } from '../../host/remote/index.ts';
import type { JournalBackend } from '../journal/index.ts';
import { isDamage, type OpenedStore, type OpenStoreOptions } from './store/open-store.ts';
import type { JournalOperations } from './store/operations.ts';
import type { StoreThreadData } from './worker/program.ts';

/** What a thread is started with. */
export interface JournalThreadOptions extends OpenStoreOptions {
  readonly file: string;
  /** Called once, when the database is open. Must not throw. */
  readonly onOpened: (opened: OpenedStore) => void;
}

/**
 * A thread that has the database of a journal open. It answers in the order of the requests, and keeps the process alive only while
 * one is unanswered.
 */
export function journalThread({ file, onOpened, ...options }: JournalThreadOptions): JournalBackend {
  const workerData: StoreThreadData = { file: resolve(file), ...options };
  let onLoss = (_cause: unknown): void => undefined;
  const thread = new RemoteThread<JournalOperations>({
    program: programUrl(),
    name: 'weakincentives-sqlite-journal',
    // The module says that it is experimental.
    execArgv: ['--disable-warning=ExperimentalWarning'],
    workerData,
    serve: () => ({ opened: onOpened }),
    unpack,
    endError: (cause) =>
      new JournalError('journal-closed', 'The thread of the journal has ended. Create another journal.', {
        cause,
      }),
    onLoss: (cause) => onLoss(cause),
  });
  return {
    append: (...parameters) => thread.call('append', ...parameters),
    read: (...parameters) => thread.call('read', ...parameters),
    acquire: (...parameters) => thread.call('acquire', ...parameters),
    renew: (...parameters) => thread.call('renew', ...parameters),
    release: (...parameters) => thread.call('release', ...parameters),
    revoke: (...parameters) => thread.call('revoke', ...parameters),
    send: (...parameters) => thread.call('send', ...parameters),
    messages: (...parameters) => thread.call('messages', ...parameters),
    inboxes: (...parameters) => thread.call('inboxes', ...parameters),
    runs: (...parameters) => thread.call('runs', ...parameters),
    remove: (...parameters) => thread.call('remove', ...parameters),
    ledger: {
      once: (...parameters) => thread.call('once', ...parameters),
      onceKeys: (...parameters) => thread.call('onceKeys', ...parameters),
      settleOnce: (...parameters) => thread.call('settleOnce', ...parameters),
      pruneOnce: (...parameters) => thread.call('pruneOnce', ...parameters),
      reserve: (...parameters) => thread.call('reserve', ...parameters),
      spend: (...parameters) => thread.call('spend', ...parameters),
      budgets: (...parameters) => thread.call('budgets', ...parameters),
      pruneBudgets: (...parameters) => thread.call('pruneBudgets', ...parameters),
    },
    close: () => thread.close(),
    isDamage,
    // The thread has ended by itself.
    onLoss: (listener) => {
      onLoss = listener;
    },
  };
}

/** The error of the journal that a message is of, or of the driver. */
function unpack(error: RemoteError): Error {
  const { name, message, code, details = {} } = error;
  if (name === 'JournalFencedError') return new JournalFencedError(message, { details });
  if (name === 'SessionBusyError') return new SessionBusyError(message, { details });
  if (code === 'journal-version-unsupported') return new JournalError(code, message, { details });
  return unpackError(error);
}

/** The program of the thread: built, it is a module of its own, and this module is part of a file one folder below that of the build. */
function programUrl(): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL('./worker/program.ts', import.meta.url)
    : new URL('../durable/sqlite/worker/program.js', import.meta.url);
}
