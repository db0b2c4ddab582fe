import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openMcpServer } from 'weakincentives/mcp';
import { conformancePrompt } from '../../support/mcp/conformance-prompt.ts';
import { differences, nodeFor, readBaseline, runSuite, type SuiteCheck } from './suite.ts';

const baselineOf = (revision: string) =>
  readBaseline(readFileSync(new URL(`./conformance-${revision}.yml`, import.meta.url), 'utf8'));

describe.each([
  ['conformance-2025', '2025-11-25', ['--suite', 'all', '--spec-version', '2025-11-25'], 15],
  ['conformance-2026', '2025-11-25', ['--requirements', '2025-11-25'], 30],
  ['conformance-2026', '2026-07-28', ['--requirements', '2026-07-28'], 90],
] as const)('the official suite (%s) for %s', (suite, revision, options, least) => {
  const node = nodeFor(suite);
  const reason = typeof node === 'string' ? ` (skipped: ${node})` : '';
  it.skipIf(typeof node === 'string')(`finds nothing but what the baseline explains${reason}`, async () => {
    await using server = await openMcpServer(conformancePrompt(), {
      name: 'conformance',
      version: '1.0.0',
      approve: 'elicit',
      transport: { kind: 'http' },
    });
    // The suite sends no headers of ours.
    const checks = await runSuite(suite, `${server.url}/${server.tokens[0]}`, options);
    expect(differences(checks, baselineOf(revision))).toEqual([]);
    expect(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThanOrEqual(least);
  });
});

describe('the comparison with a baseline', () => {
  const check = (scenario: string, id: string, status: SuiteCheck['status']): SuiteCheck => ({
    scenario,
    id,
    status,
    errorMessage: 'It is not there.',
  });
  const baseline = readBaseline(
    '# A note.\n\nprompts-list:\n  prompts-list: No prompts.\ntasks:\n  "*": No tasks.\n',
  );

  it('finds what failed without a reason, and reasons that nothing failed for', () => {
    const failing = [check('prompts-list', 'prompts-list', 'FAILURE'), check('tasks', 'any', 'WARNING')];
    expect(differences([...failing, check('ping', 'ping', 'SUCCESS')], baseline)).toEqual([]);
    expect(differences([...failing, check('ping', 'ping', 'FAILURE')], baseline)).toEqual([
      'FAILURE ping ping: It is not there.',
    ]);
    expect(differences([...failing, check('prompts-list', 'other', 'WARNING')], baseline)).toEqual([
      'WARNING prompts-list other: It is not there.',
    ]);
    expect(differences([check('tasks', 'any', 'FAILURE')], baseline)).toEqual([
      'STALE prompts-list prompts-list',
    ]);
    expect(differences([check('prompts-list', 'prompts-list', 'FAILURE')], baseline)).toEqual([
      'STALE tasks *',
    ]);
  });

  it('wants a reason for each entry', () => {
    expect(() => readBaseline('prompts-list:\n  prompts-list:\n')).toThrow('a line that is not understood');
    expect(() => readBaseline('  prompts-list: No scenario.\n')).toThrow('a line that is not understood');
    expect(() => readBaseline('ping:\nping:\n')).toThrow('a line that is not understood');
  });
});
