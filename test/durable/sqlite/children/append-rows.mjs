// Appends rows to a journal, several at a time, until it is killed, and prints the number of each row that is durable.
// Arguments: the form, the file, the session.
import { isLockedOut, openJournal, print, summary } from './open-journal.mjs';

const [form = '', file = '', session = ''] = process.argv.slice(2);
const journal = openJournal(form, file);

async function acquire() {
  for (;;) {
    try {
      return await journal.acquire(session);
    } catch (error) {
      if (!isLockedOut(error)) throw error;
    }
  }
}

const lease = await acquire();
const runId = `run-${session}`;
let next = (await journal.read(runId)).length;
for (;;) {
  const batches = Array.from({ length: 5 }, () => {
    const rows = [0, 1].map((offset) => ({
      seq: next + offset,
      type: 'note',
      line: JSON.stringify({ seq: next + offset, text: 'x'.repeat(2_000) }),
    }));
    next += rows.length;
    return { runId, rows, summary };
  });
  const ends = await Promise.allSettled(
    batches.map(async (batch) => {
      await journal.append(batch, lease);
      await print(batch.rows.at(-1)?.seq);
    }),
  );
  const failed = ends.find(({ status }) => status === 'rejected');
  if (failed?.status !== 'rejected') continue;
  if (!isLockedOut(failed.reason)) throw failed.reason;
  // Those after it did not follow the last row.
  next = (await journal.read(runId)).length;
}
