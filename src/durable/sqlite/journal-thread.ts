import { resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { JournalError } from '../../core/error/index.ts';
import type { OpenedStore, OpenStoreOptions } from './store/open-store.ts';
import type { JournalBackend, JournalMethod, JournalOperations } from './store/operations.ts';
import type {
  StoreThreadData,
  StoreThreadReport,
  StoreThreadRequest,
  ThreadCall,
} from './worker/protocol.ts';
import { unpackError } from './worker/protocol.ts';

/** What a thread is started with. */
export interface JournalThreadOptions extends OpenStoreOptions {
  readonly file: string;
  /** Called once, when the database is open. Must not throw. */
  readonly onOpened: (opened: OpenedStore) => void;
  /** Called when the thread has ended by itself. Must not throw. */
  readonly onLoss: (cause: unknown) => void;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * A thread that has the database of a journal open. It answers in the order of the requests, and keeps the process alive only while
 * one is unanswered.
 */
export class JournalThread implements JournalBackend {
  readonly #worker: Worker;
  readonly #onOpened: (opened: OpenedStore) => void;
  readonly #onLoss: (cause: unknown) => void;
  readonly #waiting = new Map<number, Waiting>();
  readonly #exited: Promise<void>;
  #requests = 0;
  #isClosing = false;
  #end: JournalError | undefined;

  readonly append: JournalBackend['append'] = this.#method('append');
  readonly read: JournalBackend['read'] = this.#method('read');
  readonly acquire: JournalBackend['acquire'] = this.#method('acquire');
  readonly renew: JournalBackend['renew'] = this.#method('renew');
  readonly release: JournalBackend['release'] = this.#method('release');
  readonly revoke: JournalBackend['revoke'] = this.#method('revoke');
  readonly runs: JournalBackend['runs'] = this.#method('runs');
  readonly remove: JournalBackend['remove'] = this.#method('remove');

  constructor({ file, onOpened, onLoss, ...options }: JournalThreadOptions) {
    this.#onOpened = onOpened;
    this.#onLoss = onLoss;
    const data: StoreThreadData = { file: resolve(file), ...options };
    this.#worker = new Worker(programUrl(), {
      name: 'weakincentives-sqlite-journal',
      env: {},
      argv: [],
      // The module says that it is experimental.
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdin: false,
      workerData: data,
    });
    this.#worker.on('message', (report: StoreThreadReport) => this.#receive(report));
    this.#worker.on('error', (error) => this.#lose(error));
    this.#exited = new Promise((exited) => {
      this.#worker.on('exit', () => {
        this.#lose(undefined);
        exited();
      });
    });
    this.#worker.unref();
  }

  async close(): Promise<void> {
    if (this.#end !== undefined) return;
    this.#isClosing = true;
    this.#worker.ref();
    this.#post({ kind: 'close' });
    await this.#exited;
  }

  #method<Method extends JournalMethod>(method: Method): JournalBackend[Method] {
    const call = (...parameters: Parameters<JournalOperations[Method]>): Promise<unknown> =>
      // The parameters are those of the method, which the compiler does not follow through the union.
      this.#ask({ method, parameters } as ThreadCall);
    // The thread answers with what the operation returns.
    return call as JournalBackend[Method];
  }

  #ask(call: ThreadCall): Promise<unknown> {
    return new Promise((resolveAnswer, reject) => {
      if (this.#end !== undefined) {
        reject(this.#end);
        return;
      }
      this.#requests += 1;
      const id = this.#requests;
      this.#post({ id, call });
      this.#waiting.set(id, { resolve: resolveAnswer, reject });
      this.#worker.ref();
    });
  }

  #receive(report: StoreThreadReport): void {
    if (report.kind === 'opened') {
      this.#onOpened(report.opened);
      return;
    }
    const waiting = this.#waiting.get(report.id);
    this.#waiting.delete(report.id);
    if (this.#waiting.size === 0 && !this.#isClosing) this.#worker.unref();
    if (report.kind === 'answer') waiting?.resolve(report.value);
    else waiting?.reject(unpackError(report.error));
  }

  #lose(cause: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = new JournalError(
      'journal-closed',
      'The thread of the journal has ended. Create another journal.',
      { cause },
    );
    for (const { reject } of this.#waiting.values()) reject(this.#end);
    this.#waiting.clear();
    if (!this.#isClosing) this.#onLoss(this.#end);
  }

  #post(request: StoreThreadRequest): void {
    // oxlint-disable-next-line require-post-message-target-origin -- A thread, not a window.
    this.#worker.postMessage(request);
  }
}

/** The program of the thread: built, it is a module of its own, and this module is part of a file one folder below that of the build. */
function programUrl(): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL('./worker/program.ts', import.meta.url)
    : new URL('../durable/sqlite/worker/program.js', import.meta.url);
}
