import { expect, test } from 'vitest';
import { Child } from '../../../../src/host/process/child.ts';

const env = { PATH: process.env['PATH'] };

/** Whether a process runs; one that has ended and was not waited for does not. */
async function runs(pid: number): Promise<boolean> {
  const child = new Child(
    { command: 'ps', args: ['-o', 'stat=', '-p', String(pid)] },
    { env, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  return /^[^Z]/.test((await outputOf(child)).trim());
}

async function outputOf(child: Child): Promise<string> {
  let output = '';
  child.pipe(1).on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await child.ended;
  return output;
}

/** Whether a process still ran when the child had ended that started it in a session of its own. The script prints the id of the process. */
async function leftBy(script: string, group: 'ended' | 'traced'): Promise<boolean> {
  const program = `
    const started = require('node:child_process').spawn('sh', ['-c', process.argv[1]], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    started.stdout.once('data', (id) => process.stdout.write(id, () => process.exit()));`;
  const child = new Child(
    { command: process.execPath, args: ['-e', program, script] },
    { env, stdio: ['ignore', 'pipe', 'ignore'], group },
  );
  const pid = Number(await outputOf(child));
  expect(pid).toBeGreaterThan(0);
  const isLeft = await runs(pid);
  if (isLeft) process.kill(pid, 'SIGKILL');
  return isLeft;
}

const detached = 'echo $$; exec sleep 1000 > /dev/null 2>&1';
/** It has nothing of the environment, and a parent that has. */
const withoutVariables = 'env -i sleep 1000 > /dev/null 2>&1 & echo $!; wait';

test.runIf(process.platform === 'linux')('what has left the group of a traced child is killed', async () => {
  expect(await leftBy(detached, 'ended')).toBe(true);
  expect(await leftBy(detached, 'traced')).toBe(false);
});

test.runIf(process.platform === 'linux')(
  'what such a process has started is found without a trace',
  async () => {
    expect(await leftBy(withoutVariables, 'traced')).toBe(false);
  },
);

test.runIf(process.platform === 'linux')(
  'a trace names all that are traced, the outermost first',
  async () => {
    process.env['WEAKINCENTIVES_STARTED_BY'] = 'outer';
    try {
      const child = new Child(
        { command: 'sh', args: ['-c', 'echo "$WEAKINCENTIVES_STARTED_BY"'] },
        { env, stdio: ['ignore', 'pipe', 'ignore'], group: 'traced' },
      );
      expect(await outputOf(child)).toMatch(/^outer [0-9a-f-]{36}\n$/);
    } finally {
      delete process.env['WEAKINCENTIVES_STARTED_BY'];
    }
  },
);
