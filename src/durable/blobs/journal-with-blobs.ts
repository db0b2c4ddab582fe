import { integer, number, type OptionsOf, withDefaults } from '../../core/error/index.ts';
import { present, untilAborted } from '../../core/internal/index.ts';
import {
  type BlobStore,
  journalOperations,
  type RunInbox,
  type RunJournal,
} from '../../core/runtime/index.ts';
import type { Clock } from '../../core/session/index.ts';
import { StoredLines } from './stored-lines.ts';
import { assertNotStored, keyOf } from './stored-row.ts';

/** Where a journal keeps rows that are too long for its database. */
export interface JournalBlobs {
  readonly store: BlobStore;
  /** A row whose line is longer is kept in the store, in UTF-16 code units; 0 or more. Default: 65,536. */
  readonly maxRowCharacters?: number;
  /** How long the store may take for one content, in milliseconds; then it counts as failed. More than 0. Default: 10,000. */
  readonly timeoutMs?: number;
}

/** What the options of {@link JournalBlobs} must be. */
export const blobsChecks: OptionsOf<JournalBlobs, 'maxRowCharacters' | 'timeoutMs'> = {
  store: 'object!',
  maxRowCharacters: integer({ min: 0, default: 65_536 }),
  timeoutMs: number({ above: 0, default: 10_000 }),
};

interface JournalWithBlobsParts {
  /** For the time that the store may take. */
  readonly clock: Pick<Clock, 'schedule'>;
  /** Whether the journal refuses to write: then nothing is put into the store either. Default: false. */
  readonly isReadOnly?: boolean;
}

type DisposableJournal = RunJournal & AsyncDisposable;

/**
 * A journal whose long rows are in a blob store. The content of a row is in the store, and was read there again, before the row is appended that refers to it; it is removed after the
 * rows of its run. A process that is killed in between leaves a content that no row refers to, never a row without its content.
 *
 * @param journal that of the rows as the database has them.
 * @see docs/spec/durable-runs.md §14
 */
export function journalWithBlobs(
  journal: DisposableJournal,
  blobs: JournalBlobs,
  { clock, isReadOnly = false }: JournalWithBlobsParts,
): DisposableJournal {
  const lines = new StoredLines({ ...withDefaults(blobsChecks, blobs), store: blobs.store, clock });
  /** The last append of an owner to a run that waits for the store: what it appends after that waits for it. */
  const waiting = new Map<string, Promise<RunInbox>>();
  return {
    ...journalOperations(journal),
    ...present({ '~database': journal['~database'], '~sha256': journal['~sha256'] }),
    append: async (batch, lease) => {
      const { runId, rows } = batch;
      assertNotStored(runId, rows);
      const { owner, signal } = lease;
      const place = `${owner} ${runId}`;
      const before = waiting.get(place);
      if (isReadOnly || (before === undefined && !rows.some((row) => lines.isStored(row))))
        return journal.append(batch, lease);
      signal.throwIfAborted();
      const put = untilAborted(lines.put(batch, owner), signal);
      const appended = Promise.allSettled([put, before]).then(async () => journal.append(await put, lease));
      waiting.set(place, appended);
      try {
        return await appended;
      } finally {
        if (waiting.get(place) === appended) waiting.delete(place);
      }
    },
    read: async (runId, from) => lines.get(runId, await journal.read(runId, from)),
    remove: async (runId, lease) => {
      // Listed before the run is known to be there: what a later run of this name puts is not among it.
      const listed = await lines.listed(runId);
      const rows = await journal.read(runId);
      await journal.remove(runId, lease);
      if (rows.length > 0)
        await lines.remove(runId, [...new Set([...listed, ...rows.flatMap((row) => keyOf(row) ?? [])])]);
    },
    [Symbol.asyncDispose]: () => journal[Symbol.asyncDispose](),
  };
}
