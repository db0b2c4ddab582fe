import { describe, expect, it } from 'vitest';
import { readArguments } from '../../../src/cli/commands/read-arguments.ts';
import { fromJournal, type KeptRequest, toJournal } from '../../../src/cli/journal/kept-request.ts';
import type { CliEnvironment } from '../../../src/cli/process/environment.ts';
import { hostRedact } from '../../../src/cli/process/redact.ts';
import { runCli } from '../../../src/cli/run-cli.ts';
import { fakeEnvironment } from './support.ts';

const variables = { CUSTOMER: 'acme-of-somewhere', SHORT: 'abc', CITY: 'Oslo' };

/** Runs `wink run` with these options. @returns the environment of the run, the exit code and the error output. */
async function run(
  ...options: readonly string[]
): Promise<{ readonly given: CliEnvironment | undefined; readonly code: number; readonly stderr: string }> {
  const environment = fakeEnvironment({ variables });
  let given: CliEnvironment | undefined;
  const code = await runCli(['run', 'agent.ts', ...options], environment, async (_request, own) => {
    given = own;
    return 0;
  });
  return { given, code, stderr: environment.stderr.text() };
}

describe('--redact', () => {
  it('hides the values of the variables that it names, and short ones, too', async () => {
    const { given, code } = await run('--redact', 'CUSTOMER', '--redact=CITY');
    expect(code).toBe(0);
    const redact = hostRedact({}, given ?? { variables: {} });
    const encoded = Buffer.from('acme-of-somewhere').toString('base64');
    expect(redact(`acme-of-somewhere of Oslo ${encoded}`)).toBe('<CUSTOMER> of <CITY> <CUSTOMER>');
    expect(hostRedact({}, { variables })('acme-of-somewhere of Oslo')).toBe('acme-of-somewhere of Oslo');
  });

  it.each([
    ['NOT_SET', '"NOT_SET", which is not the name of an environment variable that is set'],
    ['SHORT', '"SHORT", whose value has fewer than 4 characters'],
    ['', '"", which is not the name'],
  ])('refuses %j, and shows no value', async (name, reason) => {
    const { given, code, stderr } = await run('--redact', name);
    expect([given, code]).toEqual([undefined, 2]);
    expect(stderr).toContain(reason);
    expect(stderr).not.toContain('abc');
  });

  it.each([
    ['run', 'agent.ts'],
    ['resume', 'one'],
    ['fork', 'one', '--at', '1'],
    ['serve'],
    ['replay', 'one'],
    ['view', 'one'],
    ['query', 'one'],
    ['runs', 'export', 'one', '--out', 'file'],
  ])('is an option of wink %s', (...argv) => {
    expect(readArguments([...argv, '--redact', 'A', '--redact', 'B'])).toMatchObject({ redact: ['A', 'B'] });
  });

  it.each([
    ['approvals', 'list'],
    ['rewind', 'one', '--to', '1'],
    ['prompt', 'show', 'agent.ts'],
    ['runs', 'list'],
    ['runs', 'stop', 'one'],
  ])('is refused by wink %s, which shows what is there', (...argv) => {
    expect(readArguments([...argv, '--redact', 'A'])).toMatchObject({ kind: 'usage-error' });
  });

  it('stays with a run in its journal', () => {
    const request = readArguments(['run', 'agent.ts', '--durable', '--redact', 'A']);
    if (request.kind !== 'run' || request.durable === undefined) throw new Error('no run');
    const kept: KeptRequest = { kind: 'run', ...request.durable.task };
    expect(fromJournal({ request: toJournal(kept) })?.request).toMatchObject({ redact: ['A'] });
  });
});
