import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CliInterruption } from '../../../src/cli/process/environment.ts';
import { runCli } from '../../../src/cli/run-cli.ts';
import { fakeEnvironment } from './support.ts';

const review = fileURLToPath(new URL('../../../examples/review/agent.ts', import.meta.url));

describe('runCli', () => {
  it('prints help and version', async () => {
    const environment = fakeEnvironment();
    expect(await runCli(['--help'], environment)).toBe(0);
    expect(await runCli(['--version'], environment)).toBe(0);
    expect(environment.stdout.text()).toContain('Usage: wink COMMAND [options]');
    expect(environment.stdout.text()).toContain('1.2.3\n');
    expect(environment.stderr.text()).toBe('');
  });

  it('answers bad usage with one line and 2', async () => {
    const environment = fakeEnvironment();
    expect(await runCli(['run', '--bog\u001bus'], environment)).toBe(2);
    expect(environment.stderr.text()).toBe('wink: unknown option "--bog<U+001B>us". See wink run --help.\n');
    expect(environment.stdout.text()).toBe('');
  });

  it('answers a folder that is not there with one line and 2', async () => {
    const environment = fakeEnvironment();
    expect(await runCli(['run', review, 'no/such/folder'], environment)).toBe(2);
    expect(environment.stderr.text()).toBe('wink: there is no folder "no/such/folder".\n');
  });

  it('keeps the exit code of a command whose reader has left', async () => {
    const left = AbortSignal.abort(new CliInterruption('output-closed', 0));
    expect(await runCli(['replay', 'no-such-file'], fakeEnvironment({ signal: left }))).toBe(2);
    const stopped = AbortSignal.abort(new CliInterruption('terminated', 143));
    expect(await runCli(['replay', 'no-such-file'], fakeEnvironment({ signal: stopped }))).toBe(143);
  });

  it('shows the stack of bad input only when asked to', async () => {
    const environment = fakeEnvironment();
    expect(await runCli(['run', review, 'no/such/folder', '--verbose'], environment)).toBe(2);
    expect(environment.stderr.text()).toMatch(/^wink: there is no folder .*\nUsageError: [\s\S]*\n {4}at /);
  });
});

describe('an unexpected error', () => {
  const broken = async (): Promise<never> => {
    throw new TypeError('x is no\nfunction');
  };

  it('is one line and 1', async () => {
    const environment = fakeEnvironment();
    expect(await runCli(['run', 'a.ts'], environment, broken)).toBe(1);
    expect(environment.stderr.text()).toBe('wink: unexpected error: x is no<U+000A>function\n');
  });

  it.each([
    [['run', 'a.ts'], { WINK_DEBUG: '1' }],
    [['run', 'a.ts', '--verbose'], {}],
  ])('shows its stack when asked to: %j %j', async (argv, variables) => {
    const environment = fakeEnvironment({ variables });
    await runCli(argv, environment, broken);
    expect(environment.stderr.text()).toContain('TypeError: x is no\nfunction\n    at ');
  });
});
