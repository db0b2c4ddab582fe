import { expect, test } from 'vitest';
import {
  type AnyTool,
  Deadline,
  DeadlineExceededError,
  PromptRenderError,
  promptTemplate,
  ResourceError,
  RunLostError,
  SessionBusyError,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { clientMessageOf } from '../../../../../src/harness/mcp/server/client-error.ts';
import { gate } from '../../../../support/gate.ts';
import { connectionName, connections, connectServer } from '../../../../support/mcp/clients.ts';
import { servedClock } from '../../../../support/mcp/served-clock.ts';
import { promptWith } from '../../../../support/nested-setup.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';

const acting = (name: string, execute: () => Promise<never>): AnyTool =>
  tool({ name, description: 'Acts.', effects: 'state', execute });

const hidden = 'hidden-from-clients';

/** An error that knows more than its message says. */
function talkative(): Error {
  const cause = Object.assign(new Error(`${hidden}: the cause`), { path: `/home/user/${hidden}` });
  return Object.assign(new Error('The disk is full.', { cause }), {
    code: hidden,
    data: { hidden },
    details: { path: `/home/user/${hidden}` },
    stack: `Error: ${hidden}\n    at /home/user/${hidden}.ts:1:1`,
  });
}

for (const connection of connections) {
  const named = connectionName(connection);

  test(`${named}: of what a handler throws the client reads the message, as a model does, and nothing else`, async () => {
    const prompt = promptWith('errors', [acting('throws', () => Promise.reject(talkative()))]);
    await using served = await connectServer(prompt, connection, { structured: true });
    const { content, isError, ...rest } = await served.call('throws');
    expect(isError).toBe(true);
    expect(content).toEqual([{ type: 'text', text: 'The tool "throws" failed: The disk is full.' }]);
    expect(JSON.stringify(rest)).not.toContain(hidden);
    expect(rest).not.toHaveProperty('structuredContent');
  });

  test(`${named}: when the deadline passes, running calls and later ones are errors that say so`, async () => {
    const clock = servedClock();
    const waiting = gate();
    const waits = tool({
      name: 'waits',
      description: 'Waits.',
      effects: 'state',
      execute: async () => {
        await waiting.pass();
        return ToolResult.ok(null);
      },
    });
    const limits = { deadline: Deadline.after(1_000, clock) };
    await using served = await connectServer(promptWith('deadline', [waits]), connection, { clock, limits });
    const passed = {
      code: -32_603,
      message: expect.stringContaining('The deadline of the session has passed. It takes no more calls.'),
    };
    const running = expect(served.call('waits')).rejects.toMatchObject(passed);
    await waiting.reached;
    clock.advance(1_000);
    await running;
    waiting.open();
    await expect(served.call('waits')).rejects.toMatchObject(passed);
    // What is there can still be listed.
    expect((await served.client.listTools()).tools).toHaveLength(1);
  });

  test(`${named}: when the budget is used up, so do they`, async () => {
    const inner = promptWith('inner', []);
    const asks = tool({
      name: 'asks',
      description: 'Asks a model.',
      effects: 'read',
      execute: async (_params, { adapter }) => {
        await adapter.evaluate(inner);
        return ToolResult.ok(null, 'Answered.');
      },
    });
    const adapter = scriptedAdapter(() => ({ text: 'Yes.', usage: { inputTokens: 60, outputTokens: 1 } }));
    const limits = { budget: { maxTotalTokens: 100 } };
    await using served = await connectServer(promptWith('budget', [asks]), connection, { adapter, limits });
    expect(await served.call('asks')).toMatchObject({ content: [{ text: 'Answered.' }] });
    const usedUp = {
      code: -32_603,
      message: expect.stringContaining('The budget of the session is used up. It takes no more calls.'),
    };
    await expect(served.call('asks')).rejects.toMatchObject(usedUp);
    await expect(served.call('asks')).rejects.toMatchObject(usedUp);
  });

  test(`${named}: an error by which a handler ends the run is not quoted`, async () => {
    const error = new DeadlineExceededError(`${hidden}: out of time`);
    const prompt = promptWith('interrupts', [acting('interrupts', () => Promise.reject(error))]);
    const logger = recordingLogger();
    await using served = await connectServer(prompt, connection, { logger });
    const failed = await served.call('interrupts').catch((thrown: unknown) => thrown);
    expect(failed).toMatchObject({ code: -32_603, message: expect.stringContaining('The deadline') });
    expect(JSON.stringify([failed, String(failed), (failed as { data?: unknown }).data])).not.toContain(
      hidden,
    );
    // The operator reads more.
    expect(JSON.stringify(logger.lines)).toContain(hidden);
  });
}

test('a prompt that cannot be rendered says so to its client, and why to the log', async () => {
  const failing = promptTemplate({
    ns: 'test',
    key: 'failing',
    sections: [
      section({
        title: 'Fails',
        key: 'fails',
        template: 'Never.',
        enabled: () => {
          throw new Error(hidden);
        },
      }),
    ],
  }).bind();
  const logger = recordingLogger();
  const http = { transport: 'http', era: 'legacy' } as const;
  const refused = await connectServer(failing, http, { logger }).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: -32_000,
    message:
      'The session could not be opened: its prompt cannot be rendered. The log of the server says why.',
  });
  expect(JSON.stringify(logger.lines)).toContain(hidden);
});

test('errors that quote others are not shown, errors of the library are', () => {
  const unknown = 'The request failed inside of the server. Its log says why.';
  expect(clientMessageOf(new SessionBusyError('It is held.'))).toBe('It is held.');
  for (const error of [
    new Error(hidden),
    new TypeError(hidden),
    new RunLostError(`The journal failed: ${hidden}`),
    new PromptRenderError(`It failed: ${hidden}`),
    new ResourceError('resource-factory-failed', `It failed: ${hidden}`),
    hidden,
    undefined,
    null,
  ])
    expect(clientMessageOf(error)).toBe(unknown);
});
