// A limit of 30 days fires after a millisecond, because timers hold 31 bits.
// Thread: https://github.com/openclaw/openclaw/issues/9083
// Group: Limits
// Steps: A run has a deadline in 30 days and as long an idle time, more milliseconds than a timer takes. Its handler works a moment. A tool gets 30 days, too.
// Asserted: The run ends well, and Node does not warn of an overflow. The timeout of a tool, which has a smaller range, is refused before anything runs.
// Compared: issues/openclaw-9083
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Deadline,
  defineAgent,
  promptTemplate,
  runAgent,
  Session,
  section,
  ToolCallLog,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';

const thirtyDaysMs = 30 * 24 * 3_600_000;
assert.ok(thirtyDaysMs > 2 ** 31);
const warnings: string[] = [];
process.on('warning', ({ name }) => warnings.push(name));
const options = {
  name: 'spawn_session',
  description: 'Starts a session and waits for it.',
  effects: 'state',
  execute: async () => {
    await sleep(20); // Longer than the millisecond of the thread.
    return ToolResult.ok(null, 'It has ended.');
  },
} as const;
const spawn = tool(options);
const agent = defineAgent({
  template: promptTemplate({
    ns: 'issues',
    key: 'openclaw-9083',
    sections: [section({ title: 'Task', key: 'task', template: 'Start a session.', tools: [spawn] })],
  }),
  adapter: scriptedAdapter([{ toolCalls: [{ name: 'spawn_session' }] }, { text: 'Done.' }]),
});
await using session = new Session();
const limits = { deadline: Deadline.after(thirtyDaysMs), idleTimeoutMs: thirtyDaysMs };
await assert.doesNotReject(runAgent(agent, { session, limits }));

const call = session.slice(ToolCallLog).latest();
assert.deepEqual([call?.outcome, call?.modelText], ['committed', 'It has ended.']);
assert.deepEqual(warnings, []);

assert.throws(() => tool({ ...options, timeoutMs: thirtyDaysMs }), /at most 2147483647; received 2592000000/);

console.log(
  'holds: a deadline and an idle time of 30 days do not fire, and a timeout of 30 days is refused with its range',
);
