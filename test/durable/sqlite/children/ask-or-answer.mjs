// Makes a call that asks, or answers the question of one, and is killed at a point. Arguments: a folder with the journal, the name of its run or of the question, `call` or
// `answer`, and the point: the number of an operation on the journal, each counted when it begins and when it has ended. Prints what the call said, and how many points there were.
import { join } from 'node:path';
import { answerApprovals, pendingApprovals } from 'weakincentives';
import { sqliteJournal } from 'weakincentives/sqlite';
import { openAsking } from './asking-runtime.mjs';

/**
 * @import { RunJournal } from 'weakincentives'
 */

const [folder = '', runId = '', mode = '', killAt = ''] = process.argv.slice(2);
const journal = sqliteJournal({ file: join(folder, 'journal.db'), leaseTimeoutMs: 600_000 });

let points = 0;
let isCounting = false;

const pass = () => {
  if (!isCounting) return;
  points += 1;
  if (String(points) === killAt) process.kill(process.pid, 'SIGKILL');
};

/**
 * @template T
 * @param {Promise<T>} operation
 * @returns {Promise<T>}
 */
const passed = async (operation) => {
  const result = await operation;
  pass();
  return result;
};

/** @type {RunJournal} */
const watched = {
  append: (batch, lease) => {
    pass();
    return passed(journal.append(batch, lease));
  },
  read: (...parameters) => journal.read(...parameters),
  acquire: async (...parameters) => {
    pass();
    const lease = await passed(journal.acquire(...parameters));
    const release = () => {
      pass();
      return passed(lease.release());
    };
    return { ...lease, release };
  },
  revoke: (sessionId) => journal.revoke(sessionId),
  runs: (filter) => journal.runs(filter),
  send: (...parameters) => journal.send(...parameters),
  messages: (...parameters) => journal.messages(...parameters),
  remove: (...parameters) => journal.remove(...parameters),
};

let said = '';
if (mode === 'answer') {
  const [question] = await pendingApprovals({ journal, runId });
  if (question === undefined) throw new Error('There is no question.');
  const { id, digest } = question;
  isCounting = true;
  await answerApprovals({ journal: watched, runId, answers: [{ id, digest, approved: true }] });
} else {
  const runtime = await openAsking(folder, watched, runId);
  isCounting = true;
  said = (await runtime.call({ callId: 'c', name: 'publish', arguments: '' })).text;
}
isCounting = false;
process.stdout.write(`${JSON.stringify({ said, points })}\n`);
process.exit(0);
