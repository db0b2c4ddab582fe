// What runs every night, from cron or a timer: it begins the run of today, continues it where it was interrupted, or says
// again how it ended. Call it as often as you like: nothing is sent twice.
import { runAgent, SessionBusyError, suspendApproval } from 'weakincentives';
import { sqliteJournal } from 'weakincentives/sqlite';
import { agent } from './agent.ts';

const file = 'nightly.db';
const runId = `reminders-${new Date().toISOString().slice(0, 10)}`;

// It needs node:sqlite, of Node 22.13 or later. On Node 20: `npm install better-sqlite3@12`, and
//   import Database from 'better-sqlite3';
//   sqliteJournal({ database: new Database(file) });
await using journal = sqliteJournal({ file });
try {
  const run = await runAgent(agent, { journal, runId, approve: suspendApproval() });
  if (run.finishReason === 'suspended') {
    console.log(`${runId} waits for an answer:`);
    for (const { digest, reason, params } of run.pending) {
      console.log(`  ${reason} ${JSON.stringify(params)}`);
      console.log(`  npx wink approvals answer ${runId} ${digest.slice(0, 8)} --yes --journal ${file}`);
    }
  } else {
    console.log(`${runId}: ${run.text}`);
  }
} catch (error) {
  if (!SessionBusyError.isInstance(error)) throw error;
  console.log(`${runId} runs in another process.`);
}
