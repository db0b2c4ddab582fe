import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { deadlockMs } from '../../support/deadlock.ts';

const program = fileURLToPath(new URL('../../../.build/examples/support/main.js', import.meta.url));
const command = fileURLToPath(new URL('../../../dist/entries/wink.js', import.meta.url));
const isThere = isBuiltin('node:sqlite');

beforeAll(() => {
  expect(inject('buildProblem')).toBe('');
});

describe(`the support desk${isThere ? '' : ' (skipped: this Node has no node:sqlite)'}`, () => {
  it.runIf(isThere).each([1, 2, 3, 4, 5, 6, 7, 8, 9])(
    'whose workers are killed after %d lines, and after one more, gives each refund and sends each mail once',
    (lines) => {
      const desk = openDesk();
      desk.run('open', 'ada@example.com', 'My order broke, 20 euros please.');
      desk.run('open', 'ben@example.com', 'All of it broke, 80 euros please.');
      desk.run('open', 'cleo@example.com', 'How do I log in?');
      desk.workThreeTimes(lines);
      expect(desk.mailsTo()).toEqual(['ada@example.com', 'cleo@example.com']);
      const answered = desk.wink('approvals', 'answer', 'ticket-2', '--yes');
      expect(answered.status, answered.stderr).toBe(0);
      desk.workThreeTimes(lines);
      expect(desk.mailsTo()).toEqual(['ada@example.com', 'ben@example.com', 'cleo@example.com']);
      expect(desk.run('refunds').stdout).toBe('ticket-1: 2000 cents\nticket-2: 8000 cents\n');
    },
  );

  it.runIf(isThere)('says how it is used', () => {
    const desk = openDesk();
    expect(desk.run('close')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Usage: main FILE'),
    });
  });
});

it('is deployed with files that are there, and with this version of the package', () => {
  const folder = fileURLToPath(new URL('../../../examples/', import.meta.url));
  const containerfile = readFileSync(join(folder, 'support/Containerfile'), 'utf8');
  const copied = [...containerfile.matchAll(/^COPY (\S+) /gm)].map(([, path = '']) => path);
  expect(copied.filter((path) => !existsSync(join(folder, path)))).toEqual([]);
  // Docker gives a volume to the user that the folder in the image has, and the container does not run as root.
  expect(containerfile).toMatch(/^RUN mkdir (\S+) && chown (\S+) \1\nVOLUME \1\n[^]*^USER \2$/m);
  const json = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
  const { version } = json('package.json') as { readonly version: string };
  expect(json(join(folder, 'support/package.json'))).toMatchObject({
    dependencies: { weakincentives: version },
  });
});

function openDesk() {
  const folder = mkdtempSync(join(tmpdir(), 'support-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'desk.db');
  const outbox = join(folder, 'outbox');
  const start = (line: readonly string[], env: Readonly<Record<string, string>>) =>
    spawnSync(process.execPath, [...line], {
      encoding: 'utf8',
      timeout: deadlockMs,
      env: { PATH: process.env['PATH'], HOME: folder, NO_COLOR: '1', OUTBOX: outbox, ...env },
    });
  const run = (...given: readonly string[]) => start([program, file, ...given], {});
  return {
    run,
    wink: (...given: readonly string[]) => start([command, ...given, '--journal', file], {}),
    /** Twice it may be killed in the middle, the third time it ends. */
    workThreeTimes: (lines: number): void => {
      for (const killAfter of [lines, lines + 1, 0]) {
        const { status, signal, stderr } = start([program, file, 'work'], { KILL_AFTER: String(killAfter) });
        const isKilled = signal === 'SIGKILL' && killAfter > 0;
        expect(isKilled || status === 0, stderr).toBe(true);
      }
    },
    mailsTo: (): readonly string[] =>
      readdirSync(outbox)
        .map((name) => (JSON.parse(readFileSync(join(outbox, name), 'utf8')) as { readonly to: string }).to)
        .sort(),
  };
}
