// A small agent that books entries in a database, with a journal on the same database (`serial`), or in a file of its own (`parallel`, where calls have
// connections of their own). Prints each point around rows, and around commits of the resource, when it is passed; kills itself at one of them. At the
// end it prints what the model has read. Arguments: the folder, the protocol, `begin` or `resume`, the point to be killed at.
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { binding, promptTemplate, resourceToken, resumeRun, Session, section, ToolResult, tool } from 'weakincentives';
import { sqliteJournal, sqliteResource } from 'weakincentives/sqlite';
import { createManualClock, scriptedAdapter } from 'weakincentives/testing';

/**
 * @import { AnyTool, AnyResourceBinding, Prompt, RunJournal, ToolEffects } from 'weakincentives'
 * @import { SqliteDatabase, SqliteResource } from 'weakincentives/sqlite'
 */

const [folder = '', protocol = '', mode = '', killAt = ''] = process.argv.slice(2);
const isSerial = protocol === 'serial';
// The types of Node 20 do not have the module.
const sqlite = /** @type {any} */ (process.getBuiltinModule('node:sqlite'));

/** @param {string} name */
const open = (name) => {
  const opened = new sqlite.DatabaseSync(join(folder, name));
  opened.exec('pragma busy_timeout = 600000; pragma journal_mode = wal');
  return /** @type {SqliteDatabase} */ (opened);
};

const database = open('entries.db');
database.exec('create table if not exists entries (call text)');

/** @type {Map<string, number>} */
const passed = new Map();

/** @param {string} name */
const pass = (name) => {
  const count = (passed.get(name) ?? 0) + 1;
  passed.set(name, count);
  writeSync(1, `${name}:${count}\n`);
  if (killAt === `${name}:${count}`) process.kill(process.pid, 'SIGKILL');
};

/** Something that others wait for. A run that continues waits for nothing: it may have happened before. */
const gate = () => {
  const { promise, resolve } = Promise.withResolvers();
  return { passed: isSerial && mode === 'begin' ? promise : Promise.resolve(), open: () => resolve(undefined) };
};

// The row of a note is written while a booking, which another agent makes, is committed and has no row.
const [isAsked, isNoted, isBooked] = [gate(), gate(), gate()];

const journal = sqliteJournal({ database: isSerial ? database : open('journal.db'), leaseTimeoutMs: 600_000 });

/** @type {RunJournal} */
const watched = {
  ...(isSerial ? { '~database': database } : {}),
  append: async (batch, lease) => {
    pass('append before');
    if (batch.rows.some(({ type, line }) => type === 'commit' && line.includes('"noting"'))) {
      isNoted.open();
      await isBooked.passed;
    }
    const inbox = await journal.append(batch, lease);
    pass('append after');
    return inbox;
  },
  read: (runId, from) => journal.read(runId, from),
  acquire: (sessionId, ended) => journal.acquire(sessionId, ended),
  revoke: (sessionId) => journal.revoke(sessionId),
  runs: (filter) => journal.runs(filter),
  send: (...parameters) => journal.send(...parameters),
  messages: (...parameters) => journal.messages(...parameters),
  remove: (runId, lease) => journal.remove(runId, lease),
};

/**
 * The resource, with points around its commits.
 * @param {() => void} [onCommitted] called when a call is committed, and its row is missing
 * @returns {SqliteResource}
 */
function watchedResource(onCommitted) {
  const { instance, transactional } = sqliteResource(
    isSerial ? { database } : { database, open: () => open('entries.db') },
  );
  /** @type {any} */
  const begin = async (/** @type {any} */ resource, /** @type {any} */ options) => {
    const transaction = await transactional.begin(resource, options);
    const commitWith = transaction['~commitWith'];
    return {
      ...transaction,
      commit: async () => {
        pass('commit before');
        await transaction.commit();
        pass('commit after');
      },
      ...(commitWith === undefined
        ? {}
        : {
            '~commitWith': (/** @type {any} */ row) => {
              pass('commit before');
              commitWith(row);
              pass('commit after');
              onCommitted?.();
            },
          }),
    };
  };
  return { instance, transactional: { ...transactional, begin } };
}

/** @type {ReturnType<typeof resourceToken<SqliteDatabase>>} */
const Entries = resourceToken('entries');

/**
 * What becomes of a call in doubt, where the journal has a database of its own.
 * @param {string} entry
 */
const bookOnce = (entry) => {
  const found = database.prepare('select 1 from entries where call = ?').get(entry);
  if (found === undefined) database.prepare('insert into entries values (?)').run(entry);
};

/**
 * @param {string} name
 * @param {ToolEffects} effects
 * @param {Parameters<typeof tool>[0]['execute']} execute
 * @returns {AnyTool}
 */
const made = (name, effects, execute) => tool({ name, description: `Does ${name}.`, effects, execute });

const book = tool({
  name: 'book',
  description: 'Books an entry.',
  effects: 'state',
  execute: async (_params, { resources, callId }) => {
    (await resources.get(Entries)).prepare('insert into entries values (?)').run(callId);
    return ToolResult.ok(null, 'Booked.');
  },
  reconcile: (_params, { callId }) => {
    bookOnce(callId);
    return ToolResult.ok(null, 'Booked.');
  },
});

const look = made('look', 'read', async (_params, { resources }) =>
  ToolResult.ok((await resources.get(Entries)).prepare('select call from entries order by call').all()),
);

const fail = made('fail', 'state', async (_params, { resources }) => {
  (await resources.get(Entries)).prepare("insert into entries values ('never')").run();
  throw new Error('This cannot be done.');
});

const note = made('note', 'state', async () => {
  await isAsked.passed;
  return ToolResult.ok(null, 'Noted.');
});

/**
 * @param {string} key
 * @param {readonly AnyTool[]} tools
 * @param {readonly AnyResourceBinding[]} resources
 * @returns {Prompt}
 */
const promptOf = (key, tools, resources) =>
  promptTemplate({
    ns: 'test',
    key,
    resources,
    sections: [section({ title: 'Task', key: 'task', template: `Be the ${key}.`, tools })],
  }).bind();

const entries = binding(Entries, watchedResource());

// An evaluation in the transaction of its call: with connections for each call, it may only read.
const inner = promptOf('inner', isSerial ? [book, look] : [look], [entries]);
const nested = tool({
  name: 'nested',
  description: 'Books an entry, and has another one booked.',
  effects: 'state',
  execute: async (_params, { resources, adapter }) => {
    const view = await resources.get(Entries);
    view.prepare("insert into entries values ('nested')").run();
    const { text } = await adapter.evaluate(inner);
    return ToolResult.ok(null, text);
  },
  reconcile: () => {
    bookOnce('nested');
    return ToolResult.ok(null, 'Turn 2.');
  },
});

// Two agents at a time, one of which has the database for itself.
const booker = promptOf('booker', [book], [binding(Entries, watchedResource(isBooked.open))]);
const noter = promptOf('noter', [note], []);
const delegate = tool({
  name: 'delegate',
  description: 'Has it done.',
  effects: 'external',
  reenters: true,
  execute: async (_params, { adapter }) => {
    const [first, second] = await Promise.all([adapter.evaluate(booker), adapter.evaluate(noter)]);
    return ToolResult.ok([first.text, second.text]);
  },
});

/** @type {Record<string, readonly string[]>} */
const scripts = {
  root: ['book book fail look', 'nested book', 'delegate', 'book look', ''],
  inner: [isSerial ? 'book look' : 'look', ''],
  booker: ['book', ''],
  noter: ['note', ''],
};

const adapter = scriptedAdapter(async (_conversation, { instructions, turn }) => {
  const who = Object.keys(scripts).find((name) => instructions.includes(`Be the ${name}.`)) ?? '';
  const names = (scripts[who]?.[turn - 1] ?? '').split(' ').filter(Boolean);
  if (who === 'booker' && turn === 1) {
    isAsked.open();
    await isNoted.passed;
  }
  return {
    text: `Turn ${turn}.`,
    toolCalls: names.map((name, index) => ({
      name,
      callId: name === 'note' ? 'noting' : `${who}-${turn}-${index}`,
    })),
  };
});

const prompt = promptOf('root', [book, look, fail, nested, delegate], [entries]);
// No timer flushes rows before something needs them: each life of this program passes the same points, however busy the machine is.
const clock = createManualClock();
const session = new Session({ id: 's', clock });
const options = { journal: watched, runId: 'run', session, clock };
// The owner before was killed.
if (mode === 'resume') await journal.revoke('s');
const isBegun = (await journal.read('run')).length > 0;
const { text, conversation } = isBegun
  ? await resumeRun({ ...options, adapter, prompt })
  : await adapter.evaluate(prompt, options);
writeSync(1, `end ${JSON.stringify({ text, conversation })}\n`);
