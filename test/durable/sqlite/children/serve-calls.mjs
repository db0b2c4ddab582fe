// Serves calls on a folder through a tool runtime with a journal. Arguments: a folder with `work`, `state` and the journal, the name of the run, what to do, and the
// point to be killed at. `once`: two calls, the second of which changes several files while another one reads; prints the points that it passes, each operation on the
// disk and each end of an append. `stream`: calls without end, each of which writes the next number into three files; prints each number that was answered.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { binding, Filesystem, openToolRuntime, promptTemplate, Session, section, ToolResult, tool } from 'weakincentives';
import { openHostFilesystem } from 'weakincentives/node';
import { sqliteJournal } from 'weakincentives/sqlite';

/**
 * @import { RunJournal } from 'weakincentives'
 */

const [folder = '', runId = '', mode = '', killAt = ''] = process.argv.slice(2);

// Before it is counted.
const { writeSync } = fs;
/** @param {string} line */
const print = (line) => void writeSync(1, `${line}\n`);

/** @type {string[]} */
const passed = [];
let isCounting = false;

/** @param {string} point */
const pass = (point) => {
  if (!isCounting) return;
  passed.push(point);
  if (String(passed.length) === killAt) process.kill(process.pid, 'SIGKILL');
};

// Named imports of the library follow.
for (const name of [
  ...['renameSync', 'linkSync', 'unlinkSync', 'rmSync', 'rmdirSync', 'mkdirSync', 'symlinkSync'],
  ...['writeSync', 'writeFileSync', 'fsyncSync', 'fdatasyncSync', 'chmodSync', 'fchmodSync'],
]) {
  const functions = /** @type {Record<string, (...args: unknown[]) => unknown>} */ (/** @type {unknown} */ (fs));
  const original = functions[name];
  if (original === undefined) continue;
  functions[name] = (...args) => {
    pass(name);
    return original(...args);
  };
}
syncBuiltinESMExports();

const journal = sqliteJournal({ file: join(folder, 'journal.db') });

/** @type {RunJournal} */
const watched = {
  append: async (batch, lease) => {
    pass('append');
    const inbox = await journal.append(batch, lease);
    pass('appended');
    return inbox;
  },
  read: (...parameters) => journal.read(...parameters),
  acquire: (...parameters) => journal.acquire(...parameters),
  revoke: (sessionId) => journal.revoke(sessionId),
  runs: (filter) => journal.runs(filter),
  send: (...parameters) => journal.send(...parameters),
  messages: (...parameters) => journal.messages(...parameters),
  remove: (...parameters) => journal.remove(...parameters),
};

const filesystem = await openHostFilesystem({
  root: join(folder, 'work'),
  stateDirectory: join(folder, 'state'),
  journal,
});

const read = tool({
  name: 'read',
  description: 'Reads a file.',
  effects: 'read',
  execute: async (_params, context) => ToolResult.ok(null, (await context.filesystem.read('a.md')).text),
});
const change = tool({
  name: 'change',
  description: 'Changes several files.',
  effects: 'state',
  execute: async (_params, context) => {
    const files = context.filesystem;
    await files.write('a.md', 'changed\n');
    await files.write('new/deep/c.md', 'made\n');
    await files.move('keep/b.md', 'moved.md');
    await files.remove('run.sh');
    return ToolResult.ok(null, 'Changed.');
  },
});
const count = tool({
  name: 'count',
  description: 'Counts on.',
  effects: 'state',
  execute: async (_params, context) => {
    const files = context.filesystem;
    const next = Number((await files.read('one.txt')).text) + 1;
    for (const name of ['one.txt', 'two.txt', 'deep/three.txt']) await files.write(name, String(next));
    return ToolResult.ok(null, String(next));
  },
});

const prompt = promptTemplate({
  ns: 'tests',
  key: 'served',
  sections: [section({ title: 'Task', key: 'task', template: 'Serve.', tools: [read, change, count] })],
}).bind({}, { resources: [binding(Filesystem, { instance: filesystem })] });

const runtime = await openToolRuntime(prompt, { journal: watched, runId, session: new Session({ id: `s-${runId}` }) });

/** @param {string} name */
const call = (name) => runtime.call({ callId: name, name, arguments: '' });

if (mode === 'stream') {
  for (;;) {
    const [answer] = await Promise.all([call('count'), call('read')]);
    if (answer.isError) throw new Error(answer.text);
    print(answer.text);
  }
}

await call('read');
isCounting = true;
const [changed, seen] = await Promise.all([call('change'), call('read')]);
isCounting = false;
print(`answered ${changed.text} ${seen.isError}`);
print(passed.join(' '));
process.kill(process.pid, 'SIGKILL');
