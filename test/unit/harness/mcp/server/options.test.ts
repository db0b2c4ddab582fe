import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { PromptValidationError } from 'weakincentives';
import { mcpServerFactory, openMcpServer } from 'weakincentives/mcp';
import { connectServer } from '../../../../support/mcp/clients.ts';
import { servedPrompt } from '../../../../support/mcp/served-prompt.ts';

const named = { name: 'served', version: '1.0.0' };

test.each([
  [{ name: undefined }, 'name'],
  [{ name: 7 }, 'name'],
  [{ version: undefined }, 'version'],
  [{ instructions: 7 }, 'instructions'],
  [{ approve: 'always' }, 'approve must be a function, suspendApproval() or "elicit"'],
  [{ approve: true }, 'approve must be a function, suspendApproval() or "elicit"'],
  [{ structured: 'on' }, 'structured must be true, false or a function'],
  [{ openSession: {} }, 'openSession'],
])('%j is refused by both', async (wrong, text) => {
  const { prompt } = servedPrompt();
  const options = { ...named, ...wrong } as typeof named;
  expect(() => mcpServerFactory(prompt, options)).toThrow(PromptValidationError);
  expect(() => mcpServerFactory(prompt, options)).toThrow(text);
  await expect(openMcpServer(prompt, { ...options, transport: { kind: 'http' } })).rejects.toThrow(text);
});

test.each([
  [{ transport: undefined }, 'transport'],
  [{ transport: 'stdio' }, 'transport'],
  [{ transport: { kind: 'sse' } }, 'transport.kind must be "stdio" or "http"'],
  [{ maxSessions: 0 }, 'maxSessions must be a whole number of at least 1 or Infinity'],
  [{ maxSessions: 'many' }, 'maxSessions'],
])('%j is refused by openMcpServer()', async (wrong, text) => {
  const transport = { kind: 'stdio', input: new PassThrough(), output: new PassThrough() };
  const options = { ...named, transport, ...wrong } as Parameters<typeof openMcpServer>[1];
  const opened = openMcpServer(servedPrompt().prompt, options);
  await expect(opened).rejects.toThrow(PromptValidationError);
  await expect(opened).rejects.toThrow(text);
});

test('instructions of the program take the place of the prompt', async () => {
  const { prompt } = servedPrompt();
  const http = { transport: 'http', era: 'legacy' } as const;
  await using served = await connectServer(prompt, http, { instructions: 'Only this.' });
  expect(served.client.getInstructions()).toBe('Only this.');
  await using silent = await connectServer(servedPrompt().prompt, http, { instructions: '' });
  expect(silent.client.getInstructions()).toBeUndefined();
});
