import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { eventsOf } from './agents.ts';
import { run } from './wink.ts';

let folder = '';

beforeAll(() => {
  expect(inject('buildProblem')).toBe('');
  folder = mkdtempSync(join(tmpdir(), 'wink-stray-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const put = (path: string, text: string): string => {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};

interface Parts {
  /** Statements of the handler of `act`. */
  readonly act?: string;
  /** Statements of the module. */
  readonly module?: string;
  /** Further options of the section. */
  readonly section?: string;
  /** Further options of the agent. */
  readonly agent?: string;
  /** Further options of the template. */
  readonly template?: string;
}

/** An agent whose model writes a file, calls `act`, and ends. */
const agentModule = ({ act = '', module = '', section = '', agent = '', template = '' }: Parts): string => `
import * as w from 'weakincentives';
import { vfsToolsSection } from 'weakincentives/tools';
import { scriptedAdapter } from 'weakincentives/testing';
import { EventEmitter } from 'node:events';
const never = () => new Promise((resolve) => setTimeout(resolve, 600_000));
${module}
const act = w.tool({
  name: 'act', description: 'Acts.', effects: 'state',
  inputSchema: w.jsonSchema({ type: 'object', properties: {}, additionalProperties: false }),
  execute: async (_params, context) => { ${act}; return w.ToolResult.ok({}, 'Acted.'); },
});
const task = w.section({ title: 'Task', key: 'task', template: () => 'Act.', tools: [act], ${section} });
export default w.defineAgent({
  template: w.promptTemplate({ ns: 'tests', key: 'stray', sections: [task, vfsToolsSection()], ${template} }),
  adapter: scriptedAdapter([
    { toolCalls: [{ name: 'write_file', arguments: { file_path: 'out.md', content: 'x' } }] },
    { toolCalls: [{ name: 'act', arguments: {} }] },
    { text: 'Done.' },
  ]),
  ${agent}
});
`;

let count = 0;
/** Runs such an agent with `--json --apply` on an empty folder. */
async function strayed(parts: Parts, ...words: readonly string[]) {
  const name = `case-${(count += 1)}`;
  const file = put(`${name}/agent.mjs`, agentModule(parts));
  const work = join(folder, name, 'work');
  mkdirSync(work);
  const args = ['run', file, '--workspace', work, ...(words.length === 0 ? ['--json', '--apply'] : words)];
  const ended = await run(args);
  return { ...ended, files: readdirSync(work) };
}

describe('an error that nothing catches', () => {
  it.each<[string, Parts, string, string]>([
    [
      'a rejection in a handler that continues',
      { act: `void Promise.reject(new Error('boom \\u001b[31m')); await never()` },
      'unhandled rejection of a promise that is not awaited: boom <U+001B>[31m',
      'Running then: call 2 (act).',
    ],
    [
      'a rejection in a handler that ends at once',
      { act: `void Promise.reject(new Error('boom'))` },
      'unhandled rejection of a promise that is not awaited: boom',
      'call 2 (act).',
    ],
    [
      'a rejection with what is not an error',
      { act: 'void Promise.reject(undefined); await never()' },
      'unhandled rejection of a promise that is not awaited: a thrown undefined: undefined',
      'Running then: call 2 (act).',
    ],
    [
      'an exception in a timer',
      { act: `setTimeout(() => { throw new TypeError('late') }); await never()` },
      'uncaught exception: late',
      'Running then: call 2 (act).',
    ],
    [
      'an exception of an emitter without a listener of errors',
      {
        act: `const e = new EventEmitter(); setImmediate(() => e.emit('error', new Error('emitted'))); await never()`,
      },
      'uncaught exception: emitted',
      'Running then: call 2 (act).',
    ],
    ['an exit', { act: 'process.exit(0)' }, 'the code of the agent called process.exit(0)', 'call 2 (act).'],
    [
      'an exit in a timer',
      { module: `import { exit } from 'node:process';`, act: 'setImmediate(() => exit()); await never()' },
      'the code of the agent called process.exit()',
      'Running then: call 2 (act).',
    ],
    [
      'a wait for what nothing can bring',
      { act: 'await new Promise(() => undefined)' },
      'the event loop is empty, and the run waits for a promise that never settles',
      'Running then: call 2 (act).',
    ],
    [
      'a rejection in a policy',
      {
        section: `policies: [{ name: 'p', check: () => { void Promise.reject(new Error('policy')); return { outcome: 'allow' }; } }]`,
      },
      'unhandled rejection of a promise that is not awaited: policy',
      'call 2 (act).',
    ],
    [
      'a rejection in a reducer',
      {
        act: `context.session.dispatch(Noted, {})`,
        module: `const Noted = w.defineEvent({ name: 'Noted', schema: w.jsonSchema({ type: 'object' }) });
          const Notes = w.defineSlice({ name: 'Notes', schema: w.jsonSchema({ type: 'object' }), reducers: (on) => [on(Noted, (items) => { void Promise.reject(new Error('reducer')); return items.keep(); })] });`,
        section: `slices: [Notes]`,
      },
      'unhandled rejection of a promise that is not awaited: reducer',
      'call 2 (act).',
    ],
    [
      'a rejection while a resource is disposed',
      {
        module: `const Thing = w.resourceToken('thing');`,
        act: 'await context.resources.get(Thing)',
        section: `resources: [w.binding(Thing, { create: () => ({ close: () => { void Promise.reject(new Error('disposed')); } }), scope: 'tool-call' })]`,
      },
      'unhandled rejection of a promise that is not awaited: disposed',
      'call 2 (act).',
    ],
    [
      'a rejection while someone is asked',
      {
        section: `policies: [{ name: 'p', check: () => ({ outcome: 'ask', reason: 'sure?' }) }]`,
        agent: `approve: () => { void Promise.reject(new Error('asked')); return { approved: true }; }`,
      },
      'unhandled rejection of a promise that is not awaited: asked',
      'call 2 (act).',
    ],
  ])('%s ends the run with its records, a report and 1', async (_name, parts, what, where) => {
    const { code, stdout, stderr, files } = await strayed(parts);
    const events = eventsOf(stdout);
    expect(stderr).toContain(`wink: the run of stray failed: ${what}.`);
    expect(stderr).toContain(where);
    expect(stderr).not.toContain('    at ');
    expect(code).toBe(1);
    expect(files).toEqual([]);
    expect(events.map(({ type }) => type)).toContain('run-end');
    expect(events.at(-1)).toMatchObject({
      type: 'command-result',
      exitCode: 1,
      outcome: 'failed',
      application: { kind: 'skipped' },
      failure: expect.stringContaining(what),
    });
  });

  it('is in the report for people, and what it ended is undone', async () => {
    const parts = { act: `void Promise.reject(new Error('boom')); await never()` };
    const { code, stdout, stderr } = await strayed(parts, '--apply=each');
    expect(code).toBe(1);
    expect(stdout).toMatch(/\n2 +2 +.* act +rolled back: the run was stopped\n/);
    expect(stdout, stderr).toMatch(/^FAILED {2}/);
    expect(stdout).toContain('Changes: 1 file, written to the folder (--full shows the diff).\n');
  });

  it('shows the stack of the error itself with --verbose, and counts further ones', async () => {
    const act = `for (const n of [1, 2, 3, 4, 5, 6]) void Promise.reject(new RangeError('boom ' + n)); await never()`;
    const { code, stdout, stderr } = await strayed({ act }, '--verbose');
    const report = stdout.replaceAll(/\s+/g, ' ');
    expect(code).toBe(1);
    expect(report).toContain('nhandled rejection of a promise that is not awaited: boom 1.');
    expect(report).toContain('also: unhandled rejection of a promise that is not awaited: boom 4.');
    expect(report).toContain('also: 2 more errors that were not caught.');
    expect(stderr).toMatch(/RangeError: boom 1\n {4}at /);
  });

  it.each([
    ['a rejection', `void Promise.reject(new Error('early'))`, 'a promise that is not awaited: early'],
    [
      'an exception',
      `setImmediate(() => { throw new Error('early') }); await never()`,
      'uncaught exception: early',
    ],
    ['an exit', 'process.exit(7)', 'the code of the agent called process.exit(7)'],
    ['a wait for nothing', 'await new Promise(() => undefined)', 'waits for a promise that never settles'],
  ])('%s while the module is loaded is one line and 1', async (_name, module, what) => {
    const loaded = await strayed({ module });
    expect(loaded.stderr).toContain(what);
    expect(loaded.stderr).not.toContain('    at ');
    expect(loaded.stderr).not.toContain('turn');
    expect([loaded.code, loaded.files]).toEqual([1, []]);
    const file = put(`load-${(count += 1)}/agent.mjs`, agentModule({ module }));
    const shown = await run(['prompt', 'show', file, '--overrides', folder]);
    expect(shown.stderr).toContain(what);
    expect(shown.code).toBe(1);
  });
});

/** Prints by every way there is, as \`at WHERE\`. */
const printing = (where: string): string => `
console.log('log ${where}'); console.info('info ${where}'); console.debug('debug ${where}');
console.table([{ column: 'table ${where}' }]); console.dir({ dir: '${where}' });
process.stdout.write('write ${where}\\n'); named.write('named ${where}\\n');
execSync('echo sync ${where}', { stdio: 'inherit' });
spawnSync('echo', ['spawned ${where}'], { stdio: ['ignore', 1, 2] });
execFileSync('echo', ['file ${where}'], { stdio: ['ignore', 'inherit', 'inherit'] });
await once(spawn('echo', ['child ${where}'], { stdio: ['pipe', process.stdout, 'pipe'] }), 'close');
await once(spawn('echo', ['inherits ${where}'], { stdio: 'inherit' }), 'close');
await once(new Worker("console.log('worker ${where}')", { eval: true }), 'exit');
`;
const imports = `
import { execFileSync, execSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { stdout as named } from 'node:process';
import { Worker } from 'node:worker_threads';
`;
const ways = 'log info debug table dir write named sync spawned file child inherits worker'.split(' ');

describe('what the code of an agent prints', () => {
  it('goes to the error output, so that the standard output holds events alone', async () => {
    const { code, stdout, stderr } = await strayed({
      module: `${imports}${printing('atLoad')}`,
      act: printing('inCall'),
    });
    expect(code, stderr).toBe(0);
    expect(eventsOf(stdout).at(-1)).toMatchObject({ type: 'command-result', outcome: 'done' });
    expect(stdout).not.toMatch(/atLoad|inCall/);
    for (const way of ways)
      for (const where of ['atLoad', 'inCall']) {
        expect(stderr).toMatch(new RegExp(`${way}.*${where}`));
      }
  });

  it('is not in what the commands print', async () => {
    const file = put('printing/agent.mjs', agentModule({ module: `${imports}${printing('atLoad')}` }));
    const shown = await run(['prompt', 'show', file, '--overrides', folder]);
    expect(shown.code, shown.stderr).toBe(0);
    expect(shown.stdout.startsWith('## 1. Task (task)\n')).toBe(true);
    expect(shown.stdout).not.toContain('atLoad');
  });

  it('leaves what a child writes to a pipe where it is', async () => {
    const act = `const said = execSync('echo piped').toString() + spawnSync('echo', ['again']).stdout;
      return w.ToolResult.ok({}, said)`;
    const { stdout } = await strayed({ module: imports, act });
    expect(stdout).toContain('piped\\nagain');
  });
});
