import { once } from 'node:events';
import { expect, test } from 'vitest';
import { createManualClock } from 'weakincentives/testing';
import { systemClock } from '../../../../src/core/session/clock.ts';
import { ClaudeProcesses } from '../../../../src/harness/claude-agent/spawn.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

const node = (program: string) => ({ command: process.execPath, args: ['-e', program], env: {} });

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  const [chunk] = await once(stream, 'data');
  return String(chunk).trim();
}

test('a process talks over its standard streams, and its errors are logged', async () => {
  const logger = recordingLogger();
  const processes = new ClaudeProcesses(systemClock, logger);
  const child = processes.spawn(node('console.error("odd\\u0007"); process.stdin.pipe(process.stdout)'));
  child.stdin.write('hello\n');
  expect(await firstLine(child.stdout)).toBe('hello');
  const exited = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
  child.stdin.end();
  expect(await exited).toBe(0);
  expect(child.exitCode).toBe(0);
  await processes.end();
  await expect.poll(() => logger.lines.map(({ fields }) => fields['text'])).toEqual(['odd\\u0007']);
});

test('a process ends with all that it has started, also one that does not listen', async () => {
  const clock = createManualClock();
  const processes = new ClaudeProcesses(clock, recordingLogger());
  // What it starts has the same standard output, which is open as long as one of the two is there.
  const program = `
    process.on('SIGTERM', () => console.log('no'));
    require('node:child_process').spawn(
      process.execPath, ['-e', 'console.log("here"); setInterval(() => 0, 1000)'], { stdio: 'inherit' },
    );
    setInterval(() => 0, 1000);
  `;
  const child = processes.spawn(node(program));
  expect(await firstLine(child.stdout)).toBe('here');
  const closed = once(child.stdout, 'end');
  const ending = processes.end();
  expect(await firstLine(child.stdout)).toBe('no');
  clock.advance(2_000);
  await ending;
  expect(child.signalCode).toBe('SIGKILL');
  await closed;
});

test('what is started once all was killed is killed, too', async () => {
  const processes = new ClaudeProcesses(systemClock, recordingLogger());
  processes.kill();
  const child = processes.spawn(node('setInterval(() => 0, 1000)'));
  await new Promise((resolve) => child.once('exit', resolve));
  expect(child.signalCode).toBe('SIGKILL');
});

test('a program that cannot be started says so', async () => {
  const processes = new ClaudeProcesses(systemClock, recordingLogger());
  const child = processes.spawn({ command: '/no/such/program', args: [], env: {} });
  const failed = new Promise((resolve) => child.once('error', resolve));
  expect(await failed).toMatchObject({ code: 'ENOENT' });
  await processes.end();
});
