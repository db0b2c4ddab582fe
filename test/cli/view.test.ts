import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ending, root, run, start } from './wink.ts';

const folder = mkdtempSync(join(tmpdir(), 'wink-view-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const record = join(root, 'test/fixtures/runs/fix-issue.jsonl');

describe('wink view', () => {
  it('makes a page of a record that wink run wrote', async () => {
    const file = join(folder, 'review.jsonl');
    const review = join(root, 'examples/review');
    const made = await run(['run', join(review, 'agent.ts'), join(review, 'fixture'), '--record', file]);
    expect([made.code, made.stdout]).toEqual([0, expect.stringContaining(`wink view ${file}`)]);
    const out = join(folder, 'review.html');
    const { code, stdout, stderr } = await run(['view', file, '--out', out]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${out}\n`, stderr: '' });
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const page = readFileSync(out, 'utf8');
    expect(page).toContain('<meta name="wink-file" content="review.jsonl">');
    const data = /id="record">([^]*?)<\/script>/.exec(page)?.[1];
    expect(data?.replaceAll('\\u003c', '<')).toBe(readFileSync(file, 'utf8').replaceAll('\\u003c', '<'));
  });

  it('prints where the page is, and opens nothing with --no-open', async () => {
    const { code, stdout, stderr } = await run(['view', record, '--no-open'], { variables: { PATH: '' } });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/fix-issue\.html\n$/);
    rmSync(dirname(stdout.trim()), { recursive: true });
  });

  it('says that there is nothing to open a page with', async () => {
    const { code, stdout, stderr } = await run(['view', record], { variables: { PATH: '' } });
    expect([code, stderr]).toEqual([0, 'wink: the page was not opened: there is no program xdg-open.\n']);
    rmSync(dirname(stdout.trim()), { recursive: true });
  });

  it('refuses what is not a record', async () => {
    const { code, stdout, stderr } = await run(['view', join(root, 'package.json')]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^wink: ".*" is not a record: write one with wink run --record FILE\.\n$/);
  });

  it('serves until it is interrupted, and then ends in order', async () => {
    const child = start(['view', record, '--follow', '--no-open']);
    const ended = ending(child);
    const address = await new Promise<string>((resolve) => {
      child.stdout.once('data', (data: Buffer) => resolve(data.toString().trim()));
    });
    const { origin, hash } = new URL(address);
    const page = await fetch(origin);
    expect(await page.text()).toContain("connect-src 'self'");
    const rows = await fetch(`${origin}/rows`, { headers: { 'x-wink-token': hash.slice('#token='.length) } });
    const reader = rows.body?.getReader();
    const first = await reader?.read();
    expect(Buffer.from(first?.value ?? []).toString()).toMatch(/^\{"type":"header"/);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 0, stdout: `${address}\n` });
    await reader?.cancel().catch(() => undefined);
  });
});
