import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { packError, type RemoteCall, type RemoteMessage } from '../../../host/remote/index.ts';
import type { SqliteDatabase } from '../store/database.ts';
import { type OpenStoreOptions, openStore } from '../store/open-store.ts';
import { JournalServer, type NumberedCall } from './serve.ts';

/** What the thread is started with. */
export interface StoreThreadData extends OpenStoreOptions {
  readonly file: string;
}

/** The part of `node:sqlite` that is used. */
interface SqliteModule {
  readonly DatabaseSync: new (
    path: string,
    options: { readonly readOnly: boolean },
  ) => SqliteDatabase & { close(): void };
}

const port = parentPort;
if (port === null) throw new Error('This module is the program of a thread.');

const report = (message: RemoteMessage): void => {
  // oxlint-disable-next-line require-post-message-target-origin -- A thread, not a window.
  port.postMessage(message);
};

// The thread was started with these data.
const { file, isReadOnly = false, ...options } = workerData as StoreThreadData;
let serve: (requests: readonly NumberedCall[]) => void;
let close = (): void => undefined;
try {
  const database = open();
  close = () => database.close();
  const opened = openStore(database, { ...options, isReadOnly });
  report({ name: 'opened', parameters: [opened] });
  const server = new JournalServer(database, opened, report);
  serve = (requests) => server.serve(requests);
} catch (error) {
  // Every use of the journal rejects with the reason.
  serve = (requests) => {
    for (const { id } of requests) report({ id, error: packError(error) });
  };
}

port.on('message', (first: RemoteCall) => {
  const requests: NumberedCall[] = [];
  let next: { readonly message: RemoteCall } | undefined = { message: first };
  // What has arrived while the disk was waited for is served together. One without a number is that to close.
  while (next !== undefined && isNumbered(next.message)) {
    requests.push(next.message);
    next = receiveMessageOnPort(port);
  }
  serve(requests);
  if (next === undefined) return;
  close();
  port.close();
});

function isNumbered(call: RemoteCall): call is NumberedCall {
  return call.id !== undefined;
}

function open(): SqliteDatabase & { close(): void } {
  if (!isReadOnly) makeFile();
  // The types of Node 20 do not have the module, which is loaded only where it is there.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite') as unknown as SqliteModule;
  return new DatabaseSync(file, { readOnly: isReadOnly });
}

function makeFile(): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // SQLite gives its other files the mode of this one. An existing file is not opened here: closing it would end the locks of
    // other connections of this process.
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST' && existsSync(file)) return;
    // The message of the system has the path.
    throw Object.assign(new Error(`the file or its folder cannot be made (${String(code)})`), { code });
  }
}
