import { expect, test } from 'vitest';
import {
  binding,
  type FeedbackProvider,
  Filesystem,
  MemoryFilesystem,
  openToolRuntime,
  PolicyDecision,
  type Prompt,
  promptTemplate,
  section,
  type ToolPolicy,
} from 'weakincentives';
import { act } from '../../../../support/act.ts';
import { evaluationFailure } from '../../../../support/failure.ts';
import { type Gate, gate } from '../../../../support/gate.ts';
import { add, Count } from '../../../../support/nested-setup.ts';

const named = (callId: string, name: string) => ({ callId, name, arguments: '' });
const writes = act('writes', ({ filesystem }) => filesystem.write('a.txt', 'x').then(() => undefined));

function promptWith(policies: readonly ToolPolicy[] = []): Prompt<undefined> {
  return promptTemplate({
    ns: 'test',
    key: 'turns',
    policies,
    resources: [binding(Filesystem, { instance: new MemoryFilesystem() })],
    sections: [
      section({ title: 'Task', key: 'task', template: 'Do it.', tools: [writes, add], slices: [Count] }),
    ],
  }).bind();
}

/** Holds the calls of `add` after their commit, before they are delivered. */
const holdsAdd = (inside: Gate): FeedbackProvider => ({
  name: 'holds',
  triggers: { everyCalls: 1 },
  provide: async ({ calls }) => {
    if (calls.at(-1)?.toolName === 'add') await inside.pass();
    return undefined;
  },
});

test('a call takes its turn again after its approval: it is not committed before the one that has the turn is delivered', async () => {
  const [asked, delivery] = [gate(), gate()];
  const ends: string[] = [];
  const question: ToolPolicy = {
    name: 'look-at-files',
    checkChanges: (_call, changes) =>
      changes.length === 0 ? PolicyDecision.allow() : PolicyDecision.ask('Look at it.'),
  };
  await using runtime = await openToolRuntime(promptWith([question]), {
    feedback: [holdsAdd(delivery)],
    approve: async () => {
      await asked.pass();
      return true;
    },
    observers: [
      {
        onEvent: (event) => {
          if (event.type === 'tool-call-end') ends.push(event.invocation.callId);
        },
      },
    ],
  });
  const first = runtime.call(named('a', 'writes'));
  await asked.reached;
  const second = runtime.call(named('b', 'add'));
  await delivery.reached;
  asked.open();
  // A turn of the event loop, after which everything that the answer could set off has happened.
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
  expect(ends).toEqual([]);
  delivery.open();
  await Promise.all([first, second]);
  expect(ends).toEqual(['b', 'a']);
});

test('a call that waits for its turn ends when it is given up alone', async () => {
  const delivery = gate();
  const [own, order] = [new AbortController(), [] as string[]];
  await using runtime = await openToolRuntime(promptWith(), { feedback: [holdsAdd(delivery)] });
  const held = runtime.call(named('b', 'add')).then(() => order.push('b'));
  await delivery.reached;
  const waiting = evaluationFailure(runtime.call(named('a', 'writes'), { signal: own.signal })).then(
    ({ code }) => order.push(code),
  );
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
  own.abort(new Error('Enough.'));
  await waiting;
  delivery.open();
  await held;
  expect(order).toEqual(['evaluation-aborted', 'b']);
});
