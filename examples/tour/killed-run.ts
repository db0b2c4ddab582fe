// The process of chapter 6: it is killed when the money has gone and the answer of the bank has not come.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { binding, runAgent } from 'weakincentives';
import { openWorkspace } from 'weakincentives/node';
import { sqliteJournal } from 'weakincentives/sqlite';
import { agent, Bank } from './agent.ts';
import { bankIn } from './bank.ts';
import { charging } from './script.ts';

const program = fileURLToPath(import.meta.url);

/** Starts the process and waits for its end. Gives the signal that ended it. */
export async function startKilledRun(...words: readonly string[]): Promise<string | null> {
  const [, signal] = await once(fork(program, words), 'exit');
  return signal;
}

if (process.argv[1] === program) {
  const [, , folder = '', file = '', ledger = ''] = process.argv;
  const journal = sqliteJournal({ file });
  await runAgent(agent, {
    adapter: charging,
    journal,
    runId: 'tour-6',
    workspace: await openWorkspace({ agent, folder, journal }),
    resources: [binding(Bank, { instance: bankIn(ledger, () => process.kill(process.pid, 'SIGKILL')) })],
  });
}
