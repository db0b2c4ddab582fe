import { mkdtempSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunJournal } from 'weakincentives';
import { type SqliteDatabase, type SqliteRunJournal, sqliteJournal } from 'weakincentives/sqlite';
import { memoryJournal } from 'weakincentives/testing';

/** Where a journal keeps its rows: in memory, in a file that a thread has open, or in a database that the caller has open. */
export type JournalKind = 'memory' | 'file' | 'file-normal' | 'database';

/** A journal, and what disposing of it removes. */
export interface OpenedJournal extends AsyncDisposable {
  readonly journal: RunJournal;
}

/** Why a program with such a journal cannot run; undefined where it can. */
export function whyUnavailable(kind: string): string | undefined {
  const needsSqlite = kind === 'file' || kind === 'file-normal' || kind === 'database';
  return needsSqlite && !isBuiltin('node:sqlite') ? 'this Node has no node:sqlite' : undefined;
}

export function openJournal(kind: JournalKind): OpenedJournal {
  if (kind === 'memory') return { journal: memoryJournal(), [Symbol.asyncDispose]: async () => undefined };
  const folder = mkdtempSync(join(tmpdir(), 'weakincentives-bench-'));
  const file = join(folder, 'journal.sqlite');
  const { journal, close } = kind === 'database' ? openDatabase(file) : openFile(file, kind);
  return {
    journal,
    [Symbol.asyncDispose]: async () => {
      await journal[Symbol.asyncDispose]();
      close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Opened {
  readonly journal: SqliteRunJournal;
  readonly close: () => void;
}

function openFile(file: string, kind: 'file' | 'file-normal'): Opened {
  const synchronous = kind === 'file' ? 'full' : 'normal';
  return { journal: sqliteJournal({ file, synchronous }), close: () => undefined };
}

function openDatabase(file: string): Opened {
  // The types of Node 20 do not have the module.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite') as unknown as {
    readonly DatabaseSync: new (path: string) => SqliteDatabase & { close(): void };
  };
  const database = new DatabaseSync(file);
  return { journal: sqliteJournal({ database }), close: () => database.close() };
}
