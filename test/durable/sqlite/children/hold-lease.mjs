// Holds the lease of a session and does what it is asked for on its standard input, a word a line: `append` a row, `hang` until the named
// file is there, `abort` waits for the end of the lease. Prints how each went. Arguments: the form, the file, the session, the time-out.
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { openJournal, summary } from './open-journal.mjs';

const [form = '', file = '', session = '', timeoutMs = ''] = process.argv.slice(2);
const journal = openJournal(form, file, Number(timeoutMs));
const lease = await journal.acquire(session);
let seq = (await journal.read(`run-${session}`)).length;
console.log('held');

for await (const line of createInterface({ input: process.stdin })) {
  const [what, flag = ''] = line.split(' ');
  if (what === 'append') {
    const row = { seq, type: 'note', line: JSON.stringify({ seq, owner: lease.owner }) };
    try {
      await journal.append({ runId: `run-${session}`, rows: [row], summary }, lease);
      seq += 1;
      console.log('appended');
    } catch (error) {
      console.log(/** @type {{ code: string }} */ (error).code);
    }
  } else if (what === 'hang') {
    console.log('hanging');
    while (!existsSync(flag));
    console.log('woken');
  } else if (what === 'abort') {
    if (!lease.signal.aborted) await new Promise((resolve) => lease.signal.addEventListener('abort', resolve));
    console.log(lease.signal.reason.code);
  } else process.exit(1);
}
