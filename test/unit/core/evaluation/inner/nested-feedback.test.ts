import { expect, test } from 'vitest';
import { type FeedbackProvider, Session, ToolResult } from 'weakincentives';
import { act } from '../../../../support/act.ts';
import { add, Count, calling, delegate, modelFor, promptWith } from '../../../../support/nested-setup.ts';
import { only, runCalls } from '../../../../support/run-calls.ts';

const total: FeedbackProvider = {
  name: 'total',
  triggers: { everyCalls: 1 },
  provide: ({ session, prompt }) =>
    prompt.key === 'inner' ? { message: `Total ${session.slice(Count).latest()?.total ?? 0}.` } : undefined,
};

test('what a provider reads inside a call is read by that call: it runs again when another call changes it', async () => {
  const idle = act('idle', () => undefined);
  const heard: string[] = [];
  const outer = promptWith('outer', [
    add,
    delegate('state', async ({ adapter }) => {
      const { conversation } = await adapter.evaluate(promptWith('inner', [idle]));
      heard.push(only(conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []))));
      return ToolResult.ok(null, heard.at(-1));
    }),
  ]);
  const adapter = modelFor({ outer: [calling('add', 'delegate')], inner: [calling('idle')] });
  const attempts: number[] = [];
  await using session = new Session();
  await adapter.evaluate(outer, {
    session,
    feedback: [total],
    observers: [
      {
        onEvent: (event) => {
          if (event.type === 'tool-call-end' && event.path.length === 0)
            attempts.push(event.invocation.attempts);
        },
      },
    ],
  });
  expect(attempts).toEqual([1, 2]);
  expect(heard.map((text) => text.match(/Total \d/)?.[0])).toEqual(['Total 0', 'Total 1']);
});

test('feedback counts also where everything that is recorded is redacted, and its text reaches the model', async () => {
  const { texts, invocations } = await runCalls({
    tools: [act('ok', () => undefined)],
    calls: [{ name: 'ok' }, { name: 'ok' }],
    redact: () => '<gone>',
    feedback: [{ name: 'hints', triggers: { everyCalls: 2 }, provide: () => ({ message: 'Secret 7.' }) }],
  });
  expect(texts).toEqual([
    'ok done',
    'ok done\n\n<wink-feedback provider="hints" severity="info">\nSecret 7.\n</wink-feedback>',
  ]);
  expect(JSON.stringify(invocations)).not.toContain('Secret');
});
