import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runChild } from '../../bench/harness/run-child.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wink-bench-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function run(
  source: string,
  {
    killAfterMs = 60_000,
    signal = new AbortController().signal,
    node = process.execPath,
  }: { killAfterMs?: number; signal?: AbortSignal; node?: string } = {},
) {
  const file = join(folder, 'program.mjs');
  await writeFile(file, source);
  return runChild({
    node,
    file,
    settings: { steps: 3 },
    plan: { effort: 'tiny', samples: 1, warmUps: 0, limitMs: 5 },
    killAfterMs,
    signal,
  });
}

const hangs = 'setInterval(() => {}, 1_000_000);';

describe('runChild', () => {
  it('hands settings and plan to the program and reads its report, behind whatever else was written', async () => {
    const outcome = await run(`
      const { plan, settings } = JSON.parse(process.argv[2]);
      gc();
      console.log('a library says hello');
      console.log(JSON.stringify({ samples: { cpu: [settings.steps, plan.limitMs] }, notes: [plan.effort] }));
    `);
    expect(outcome).toEqual({ ok: true, report: { samples: { cpu: [3, 5] }, notes: ['tiny'] } });
  });

  it('tells the program nothing of the environment but where programs and temporary files are', async () => {
    process.env['WINK_BENCH_KEY'] = 'secret';
    try {
      const names = `Object.keys(process.env).filter((name) => !['PATH', 'TMPDIR'].includes(name))`;
      expect(await run(`console.log(JSON.stringify({ samples: {}, notes: ${names} }))`)).toEqual({
        ok: true,
        report: { samples: {}, notes: ['NODE_ENV'] },
      });
    } finally {
      delete process.env['WINK_BENCH_KEY'];
    }
  });

  it('runs the program with another Node', async () => {
    const node = join(folder, 'other-node');
    await writeFile(node, `#!/bin/sh\nMARK=other exec "${process.execPath}" "$@"\n`);
    await chmod(node, 0o755);
    const source = 'console.log(JSON.stringify({ samples: {}, notes: [String(process.env.MARK)] }))';
    expect(await run(source, { node })).toEqual({ ok: true, report: { samples: {}, notes: ['other'] } });
    expect(await run(source)).toEqual({ ok: true, report: { samples: {}, notes: ['undefined'] } });
    const missing = await run(source, { node: join(folder, 'no-node') });
    expect(missing).toMatchObject({ ok: false, reason: expect.stringContaining('did not start') });
  });

  it('says with what a program ended that failed, even when it wrote a report', async () => {
    const outcome = await run(`
      console.log('{"samples":{}}');
      throw new TypeError('The tool ran 3 times for 4 calls.');
    `);
    expect(outcome).toEqual({
      ok: false,
      reason: 'ended with 1: TypeError: The tool ran 3 times for 4 calls.',
    });
  });

  it('says that a program ended by a signal', async () => {
    const outcome = await run(`process.kill(process.pid, 'SIGTERM'); ${hangs}`);
    expect(outcome).toEqual({ ok: false, reason: 'ended with SIGTERM: no error was written' });
  });

  it('kills a program that hangs', async () => {
    expect(await run(hangs, { killAfterMs: 1 })).toEqual({ ok: false, reason: 'killed after 0.001 s' });
  });

  it('kills the program when the run is stopped, and starts none afterwards', async () => {
    const stop = new AbortController();
    const running = run(hangs, { signal: stop.signal });
    stop.abort();
    expect(await running).toEqual({ ok: false, reason: 'stopped' });
    expect(await run(hangs, { signal: stop.signal })).toEqual({ ok: false, reason: 'stopped' });
  });

  it.each([
    ['nothing', '', 'wrote no report but ""'],
    ['rubbish', 'console.log("rubbish")', 'wrote no report but "rubbish"'],
    ['other JSON', 'console.log("[]")', 'wrote JSON that is no report'],
    ['what is no sample', `console.log('{"samples":{"cpu":[1,null]}}')`, 'wrote JSON that is no report'],
    [
      'a reason of another kind',
      `console.log('{"samples":{},"unavailable":true}')`,
      'wrote JSON that is no report',
    ],
    ['notes of another kind', `console.log('{"samples":{},"notes":[1]}')`, 'wrote JSON that is no report'],
  ])('names a program that writes %s', async (_what, source, reason) => {
    expect(await run(source)).toEqual({ ok: false, reason });
  });
});
