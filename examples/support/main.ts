// A support desk: refunds that are there exactly once, a person for large ones, workers that may be killed at any time.
//
//   npm run example -- support                      # all of it once, in a folder of its own
//   npm run example -- support desk.db open ada@example.com "My order broke, 20 euros please."
//   npm run example -- support desk.db work         # again and again, by cron or a timer; or several at a time
//   npm run example -- support desk.db refunds
//   npx wink approvals answer ticket-2 --yes --journal desk.db
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answerApprovals, pendingApprovals } from 'weakincentives';
import { sqliteJournal } from 'weakincentives/sqlite';
import { openDesk, openTicket, openTickets, refundsOf } from './desk.ts';
import { sentMails } from './mail.ts';
import { workOnTickets } from './work.ts';

const [, , file, command, ...rest] = process.argv;
const outbox = process.env['OUTBOX'] ?? 'outbox';

if (!isBuiltin('node:sqlite')) console.log('needs Node 22.13 (node:sqlite)');
else if (file === undefined) await showAll();
else if (command === 'open' && rest.length === 2) {
  const [customer = '', text = ''] = rest;
  const database = openDesk(file);
  console.log(`ticket-${openTicket(database, customer, text)}`);
  database.close();
} else if (command === 'work' && rest.length === 0) {
  let lines = 0;
  await workOnTickets({ file, outbox }, (line) => {
    console.log(line);
    lines += 1;
    // For the demonstration and for tests: the process is killed after so many lines.
    if (lines === Number(process.env['KILL_AFTER'])) process.kill(process.pid, 'SIGKILL');
  });
} else if (command === 'refunds' && rest.length === 0) {
  const database = openDesk(file);
  for (const { ticket, cents } of refundsOf(database)) console.log(`ticket-${ticket}: ${cents} cents`);
  database.close();
} else {
  console.error('Usage: main FILE open CUSTOMER TEXT | main FILE work | main FILE refunds');
  process.exitCode = 2;
}

async function showAll(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'support-'));
  const place = { file: join(folder, 'desk.db'), outbox: join(folder, 'outbox') };
  try {
    const database = openDesk(place.file);
    openTicket(database, 'ada@example.com', 'My order broke, 20 euros please.');
    openTicket(database, 'ben@example.com', 'All of it broke, 80 euros please.');
    openTicket(database, 'cleo@example.com', 'How do I log in?');

    // A worker is killed after the refund of the first ticket; the next one continues the run.
    const worker = fork(fileURLToPath(import.meta.url), [place.file, 'work'], {
      env: { OUTBOX: place.outbox, KILL_AFTER: '2' },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    assert.deepEqual(await once(worker, 'exit'), [null, 'SIGKILL']);
    assert.deepEqual(refundsOf(database), [{ ticket: 1, cents: 2_000 }]);
    await workOnTickets(place, () => undefined);
    assert.deepEqual(
      openTickets(database).map(({ customer }) => customer),
      ['ben@example.com'],
    );

    // A person agrees, from any process.
    await using journal = sqliteJournal({ database });
    const questions = await pendingApprovals({ journal, runId: 'ticket-2' });
    const answers = questions.map(({ id, digest }) => ({ id, digest, approved: true, by: 'grace' }));
    await answerApprovals({ journal, runId: 'ticket-2', answers });
    await workOnTickets(place, () => undefined);

    assert.deepEqual(refundsOf(database), [
      { ticket: 1, cents: 2_000 },
      { ticket: 2, cents: 8_000 },
    ]);
    const mails = await sentMails(place.outbox);
    assert.deepEqual(mails.map(({ to }) => to).sort(), [
      'ada@example.com',
      'ben@example.com',
      'cleo@example.com',
    ]);
    assert.deepEqual(openTickets(database), []);
    database.close();
  } finally {
    await rm(folder, { recursive: true });
  }
  console.log(
    'ok: a worker was killed, a person agreed to 80 euros, and each customer has one refund and one mail',
  );
}
