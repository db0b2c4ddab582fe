// Appends a row without awaiting it, holds a lease, and has nothing else to do. Argument: the file.
import { openJournal, summary } from './open-journal.mjs';

const [file = ''] = process.argv.slice(2);
const journal = openJournal('file', file);
const lease = await journal.acquire('s');
void journal.append({ runId: 'run-s', rows: [{ seq: 0, type: 'note', line: '{}' }], summary }, lease);
console.log('at the end');
