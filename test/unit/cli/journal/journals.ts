import type { JournalBatch, RunJournal, RunLease } from 'weakincentives';
import { memoryJournal } from 'weakincentives/testing';
import type { JournalPaths } from '../../../../src/cli/journal/journal-name.ts';
import { fromJournal, type KeptRequest } from '../../../../src/cli/journal/kept-request.ts';
import type { Journals } from '../../../../src/cli/journal/open-journal.ts';
import type { OpenedJournal } from '../../../../src/cli/journal/opened-journal.ts';
import type { JournalNames } from '../../../../src/cli/options/journal-names.ts';
import { journalOperations } from '../../../../src/core/runtime/index.ts';

/** Journals in memory by the name of their file; undefined is a name, too. */
export class MemoryJournals implements Journals {
  readonly #journals = new Map<string | undefined, RunJournal>();
  /** How many of them are open. */
  opened = 0;
  /** The leases of owners whose process has ended, by their sessions: the journals that are opened give them to the next one. */
  readonly ended: Map<string, RunLease> = new Map();

  /** The journal under a name, which is made when there is none. */
  journal(file?: string): RunJournal {
    const known = this.#journals.get(file);
    if (known !== undefined) return known;
    const made = memoryJournal();
    this.#journals.set(file, made);
    return made;
  }

  open = async (names: JournalNames | undefined): Promise<OpenedJournal> => {
    this.opened += 1;
    const journal = this.journal(names?.journal);
    const leases: RunLease[] = [];
    return {
      ...journalOperations(journal),
      acquire: async (sessionId, ended) => {
        const lease = await journal.acquire(sessionId, ended ?? this.ended.get(sessionId));
        leases.push(lease);
        return lease;
      },
      runs: async (filter) =>
        (await journal.runs(filter)).map((run) =>
          run.status === 'running' && this.ended.has(run.sessionId) ? { ...run, status: 'interrupted' } : run,
        ),
      [Symbol.asyncDispose]: async () => {
        this.opened -= 1;
        for (const lease of leases) await lease.release();
      },
    };
  };

  pathsOf = (): JournalPaths => ({ journal: undefined, blobs: undefined });

  openExisting = async (names: JournalNames | undefined): Promise<OpenedJournal | undefined> =>
    this.#journals.has(names?.journal) ? this.open(names) : undefined;
}

/** Adds a run without rows. Its session has the name of the run with `s-` before it. */
export async function addRun(
  journal: RunJournal,
  runId: string,
  summary: Partial<JournalBatch['summary']> = {},
): Promise<void> {
  await (await addHeldRun(journal, runId, summary)).release();
}

/** Adds a run as {@link addRun} does, and holds its session. */
export async function addHeldRun(
  journal: RunJournal,
  runId: string,
  summary: Partial<JournalBatch['summary']>,
): Promise<RunLease> {
  const lease = await journal.acquire(`s-${runId}`);
  const known = { status: 'running', promptName: 'demo', startedAtMs: 0, updatedAtMs: 0 } as const;
  await journal.append(
    { runId, rows: [], summary: { ...known, turns: 2, commits: 1, pending: 0, ...summary } },
    lease,
  );
  return lease;
}

/** What the journal keeps of a command that was called with these words. */
export function keptRequest(...words: readonly string[]): KeptRequest {
  const kept = fromJournal({ call: words })?.request;
  if (kept === undefined || kept === 'unreadable') throw new Error(words.join(' '));
  return kept;
}

/** Journals that have a run journal without what tools have done once and without budgets. */
export function journalsWithoutLedger(journal: RunJournal): Journals {
  const { ledger: _ledger, ...without } = journalOperations(journal);
  return {
    pathsOf: () => ({ journal: undefined, blobs: undefined }),
    open: () => Promise.reject(new Error('It is not opened.')),
    openExisting: async () => ({ ...without, [Symbol.asyncDispose]: async () => undefined }),
  };
}
