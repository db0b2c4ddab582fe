import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { deadlockMs } from '../../support/deadlock.ts';
import { noPostgres, type PostgresServer, postgresSuite, startPostgres } from '../support/postgres.ts';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isOld = major < 22 || (major === 22 && minor < 12);
const execute = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));

let server: PostgresServer;

beforeAll(async () => {
  expect(inject('buildProblem')).toBe('');
  if (noPostgres === undefined && !isOld) server = await startPostgres();
});
afterAll(() => server?.[Symbol.asyncDispose]());

const title = isOld
  ? 'examples/fleet (skipped: pg-boss 12 needs Node 22.12)'
  : postgresSuite('examples/fleet');

describe.skipIf(noPostgres !== undefined || isOld)(title, () => {
  it('ends all runs, and no line or mail is there twice', async () => {
    const { stdout, stderr } = await execute(process.execPath, ['.build/examples/fleet/main.js'], {
      cwd: root,
      env: { PATH: process.env['PATH'], NO_COLOR: '1', WINK_JOURNAL: server.url },
      timeout: deadlockMs,
    });
    const values = new Map(
      [...stdout.matchAll(/^│ ([a-z ]+?) +│ (\d+) +│$/gm)].map(([, name = '', value]) => [
        name,
        Number(value),
      ]),
    );
    expect(Object.fromEntries(values), `${stdout}\n${stderr}`).toMatchObject({
      'runs that have ended': 200,
      'lines booked': 600,
      'lines booked twice': 0,
      'mails sent twice': 0,
    });
    // A call in doubt may have sent its mail, or not.
    expect(values.get('mails sent')).toBeGreaterThanOrEqual(200 - (values.get('calls in doubt') ?? 0));
    expect(stdout).toContain('A worker was killed after');
    expect(stderr).toBe('');
  });
});
