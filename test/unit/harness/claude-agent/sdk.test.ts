import { expect, test } from 'vitest';
import { MissingPeerError } from 'weakincentives';
import { loadClaudeAgentSdk } from '../../../../src/harness/claude-agent/sdk.ts';

test('a package that is not installed is named, with its version', async () => {
  const cause = new Error('Cannot find package');
  const error: unknown = await loadClaudeAgentSdk(() => Promise.reject(cause)).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(MissingPeerError);
  expect(error).toMatchObject({
    cause,
    details: { package: '@anthropic-ai/claude-agent-sdk', range: '^0.3' },
  });
});

test('another package of its name is refused', async () => {
  await expect(loadClaudeAgentSdk(async () => ({ ask: 1 }))).rejects.toThrow('has no function query');
});
