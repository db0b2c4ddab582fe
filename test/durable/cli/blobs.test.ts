import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { ending } from '../../cli/wink.ts';
import { DurableCli, untilPaused } from './durable-cli.ts';

let cli: DurableCli;
/** The options that name the journal and its blobs. */
let places: readonly string[];

beforeEach(() => {
  expect(inject('buildProblem')).toBe('');
  cli = new DurableCli();
  // The row of the prompt is longer than what a journal keeps itself.
  cli.changeTask(`Write three files.${' Please.'.repeat(10_000)}`);
  places = ['--journal', cli.beside('j.db'), '--blobs', cli.beside('blobs')];
});
afterEach(() => cli[Symbol.dispose]());

async function succeeds(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await cli.run(...args);
  expect(code, stdout + stderr).toBe(0);
  return stdout;
}

/** Each command that reads the rows of a run. */
const readers = (record: string): readonly (readonly string[])[] => [
  ['view', 'first', '--out', `${record}.html`],
  ['query', 'first', 'select count(*) from calls'],
  ['replay', 'first', cli.agent],
  ['runs', 'export', 'first', '--out', `${record}.jsonl`],
  ['rewind', 'first', '--to', '1'],
];

describe.runIf(isBuiltin('node:sqlite'))('the command on a journal whose long rows are elsewhere', () => {
  it('keeps a run that is killed, and each command reads it', async () => {
    cli.openGate();
    cli.killAt('b.md');
    const begin = ['run', cli.agent, cli.folder, ...places, '--apply=each', '--run-id', 'first'] as const;
    const killed = await cli.run(...begin);
    expect(killed.code).toBe(null);
    expect(killed.stderr).toContain(`wink resume first ${places.join(' ')}`);
    expect(readdirSync(cli.beside('blobs'))).toHaveLength(1);
    cli.killAt(undefined);
    expect(await succeeds('runs', ...places)).toMatch(/^first +interrupted /m);
    await succeeds('resume', 'first', ...places);
    expect(readdirSync(cli.folder).sort()).toEqual(['a.md', 'b.md', 'c.md']);
    for (const args of readers(cli.beside('r'))) await succeeds(...args, ...places);
    expect(existsSync(cli.beside('r.html'))).toBe(true);
    expect((await cli.run('approvals', 'show', 'first', ...places)).stderr).toContain('has no questions');
    await succeeds('rewind', 'first', '--to', '1', '--apply', ...places);
    await succeeds('fork', 'first', '--at', '1', '--run-id', 'second', ...places);
    expect(readdirSync(cli.folder).sort()).toEqual(['a.md', 'b.md', 'c.md']);
    await succeeds('runs', 'prune', 'first', 'second', ...places);
    expect(readdirSync(cli.beside('blobs'))).toEqual([]);
  });

  it('says without the option what is missing', async () => {
    cli.openGate();
    await succeeds('run', cli.agent, cli.folder, ...places, '--apply=each', '--run-id', 'first');
    const journal = places.slice(0, 2);
    const resume = ['resume', 'first', '--input', 'Continue.'];
    const fork = ['fork', 'first', '--at', '1'];
    for (const args of [...readers(cli.beside('r')), resume, fork]) {
      const { code, stdout, stderr } = await cli.run(...args, ...journal);
      expect(code, stdout + stderr).not.toBe(0);
      expect(`${stdout}${stderr}`.replaceAll(/\s+/g, ' ')).toMatch(
        /The content of row \d+ of the run "first" is in a blob store\. .*--blobs PLACE, or the variable WINK_BLOBS/,
      );
      expect(stderr).not.toMatch(/unexpected|operating system/);
    }
    expect(existsSync(cli.beside('r.jsonl'))).toBe(false);
    cli.further = { WINK_JOURNAL: cli.beside('j.db'), WINK_BLOBS: cli.beside('blobs') };
    expect(await succeeds('query', 'first', 'select count(*) from calls')).toContain('4');
  });

  it('uses the store of a module, and names it in what it prints', async () => {
    const store = cli.beside('store.ts');
    writeFileSync(
      store,
      `import { directoryBlobs } from 'weakincentives/node';\nexport default directoryBlobs({ folder: ${JSON.stringify(cli.beside('elsewhere'))} });\n`,
    );
    places = ['--journal', cli.beside('j.db'), '--blobs', store];
    const { code, stderr } = await cli.interrupted('SIGINT', ...places, '--apply=each');
    expect(code, stderr).toBe(130);
    expect(stderr).toContain(`wink resume first --journal ${cli.beside('j.db')} --blobs ${store}`);
    expect(readdirSync(cli.beside('elsewhere'))).toHaveLength(1);
    const beside = await cli.run('run', cli.agent, cli.folder, ...places, '--run-id=first');
    expect(beside.stderr).toContain(`has a run "first" already: wink resume first ${places.join(' ')}`);
    cli.openGate();
    await succeeds('resume', 'first', ...places);
    expect(await succeeds('query', 'first', 'select count(*) from calls', ...places)).toContain('4');
  });

  it('is read while it runs', async () => {
    const child = cli.start('run', cli.agent, cli.folder, '--run-id', 'first', '--json', ...places);
    const closed = new Promise((resolve) => child.once('close', resolve));
    await untilPaused(child);
    // That a call has begun which may be made again is written soon, and nothing waits for it.
    await expect
      .poll(() => succeeds('query', 'first', 'select count(*) from calls', ...places))
      .toContain('3');
    child.kill('SIGINT');
    await closed;
  });

  it('keeps the calls of a server', async () => {
    const child = cli.start('serve', '--workspace', cli.folder, ...places);
    const served = ending(child);
    child.stdin.end();
    expect((await served).code).toBe(0);
    expect(existsSync(cli.beside('blobs'))).toBe(true);
  });

  it('refuses what is no place for blobs', async () => {
    cli.openGate();
    const [, journal = ''] = places;
    const refused = async (blobs: string, ...args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await cli.run(...args, '--journal', journal, '--blobs', blobs);
      expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
      return stderr;
    };
    const begin = ['run', cli.agent, cli.folder, '--run-id', 'first'];
    expect(await refused('', 'runs')).toContain('--blobs is empty');
    expect(await refused('s3://bucket', ...begin)).toContain('not in one of "s3"');
    expect(await refused(join(cli.folder, 'blobs'), ...begin)).toContain(
      'inside the folder that the agent works on',
    );
    writeFileSync(cli.beside('throws.mjs'), 'throw new Error("no bucket");\n');
    expect(await refused(cli.beside('throws.mjs'), ...begin)).toContain('cannot be loaded: no bucket');
    writeFileSync(cli.beside('none.mjs'), 'export default { put() {} };\n');
    expect(await refused(cli.beside('none.mjs'), ...begin)).toContain('has no get(), remove()');
    expect(existsSync(journal)).toBe(false);
    await succeeds(...begin, ...places);
    rmSync(cli.beside('blobs'), { recursive: true });
    expect(await refused(cli.beside('blobs'), 'view', 'first')).toContain('blobs" does not exist');
    mkdirSync(cli.beside('blobs'));
    expect(await refused(cli.beside('blobs'), 'view', 'first')).toContain(
      'The blob store does not have that of row',
    );
    const alone = await cli.run('run', cli.agent, '--blobs', cli.beside('blobs'));
    expect(alone.stderr).toContain('--blobs requires --durable or --journal.');
  });
});
