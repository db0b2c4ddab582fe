import type { ServerContext } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { createManualClock } from 'weakincentives/testing';
import { type CallProgress, progressNotifier } from '../../../../../src/harness/mcp/server/call-events.ts';

const call = { turn: 1, callId: 'c1', toolName: 'works' };
const beat: CallProgress = { type: 'tool-call-heartbeat', ...call };
const update = (
  value: Extract<CallProgress, { readonly type: 'tool-call-progress' }>['update'],
): CallProgress => ({
  type: 'tool-call-progress',
  ...call,
  update: value,
});

function notifierOf(progressToken: string | number | undefined) {
  const sent: unknown[] = [];
  const clock = createManualClock();
  const mcpReq = {
    _meta: progressToken === undefined ? undefined : { progressToken },
    notify: (notification: { readonly params: unknown }) => {
      sent.push(notification.params);
      return Promise.reject(new Error('The connection is closed.'));
    },
  };
  // Nothing else of the context is read.
  const notify = progressNotifier({ mcpReq } as unknown as ServerContext, clock);
  return { sent, clock, notify };
}

test('signs of life are passed on about once a second, what a handler says always', () => {
  const { sent, clock, notify } = notifierOf('token');
  notify?.(beat);
  notify?.(beat);
  notify?.(update('half'));
  clock.advance(999);
  notify?.(beat);
  clock.advance(1);
  notify?.(beat);
  notify?.(update('done'));
  const progressToken = 'token';
  expect(sent).toEqual([
    { progressToken, progress: 1 },
    { progressToken, progress: 2, message: 'half' },
    { progressToken, progress: 3 },
    { progressToken, progress: 4, message: 'done' },
  ]);
});

test('what is not text is written as JSON, and so is a message that is none', () => {
  const { sent, notify } = notifierOf(0);
  for (const value of [{ message: 'a', step: 1 }, { message: 1 }, [1], 2, null]) notify?.(update(value));
  expect(sent).toMatchObject([
    { progressToken: 0, message: 'a' },
    { message: '{"message":1}' },
    { message: '[1]' },
    { message: '2' },
    { message: 'null' },
  ]);
});

test('a client that did not ask for progress gets none', () => {
  expect(notifierOf(undefined).notify).toBeUndefined();
});
