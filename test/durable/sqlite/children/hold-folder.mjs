// Opens a folder under a lease and does what it is asked for on its standard input, a word a line: `write` a file, `close` the folder. Prints how each
// went. Arguments: the form and the file of the journal, the time-out, the folder, the folder for its state.
import { createInterface } from 'node:readline';
import { openHostFilesystem } from 'weakincentives/node';
import { openJournal } from './open-journal.mjs';

const [form = '', file = '', timeoutMs = '', root = '', stateDirectory = ''] = process.argv.slice(2);
const filesystem = await openHostFilesystem({
  root,
  stateDirectory,
  journal: openJournal(form, file, Number(timeoutMs)),
});
console.log('held');

for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'write') {
    try {
      await filesystem.write('a.md', 'late');
      console.log('written');
    } catch (error) {
      console.log(/** @type {{ code: string }} */ (error).code);
    }
  } else if (line === 'close') {
    await filesystem[Symbol.asyncDispose]();
    console.log('closed');
  } else process.exit(1);
}
