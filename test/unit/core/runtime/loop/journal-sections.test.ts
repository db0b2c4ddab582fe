import { expect, test } from 'vitest';
import {
  type ConversationItem,
  promptTemplate,
  Session,
  section,
  ToolCallLog,
  VisibilityExpansionRequired,
  VisibilityOverrides,
} from 'weakincentives';
import type { LanguageModel } from 'weakincentives/provider';
import { ResourceContainer } from '../../../../../src/core/resource/index.ts';
import { newLoopState, RunStop, runLoop, type StepFunction } from '../../../../../src/core/runtime/index.ts';
import { act } from '../../../../support/act.ts';
import { bareEnvironment } from '../../../../support/bare-environment.ts';
import { type JournalEntry, recording, replaying } from '../../../../support/journal.ts';
import { createManualClock } from '../../../../support/manual-clock.ts';
import { opening, reading } from '../../../../support/sections.ts';

const script = [
  [opening('guide'), { name: 'careful' }, opening('guide')],
  [{ name: 'follow' }, reading('guide.why'), { name: 'careful' }],
  [opening('rules'), { name: 'obey' }],
  [{ name: 'obey' }],
];

/** Runs the script on a fresh session, on this journal. */
async function run(step: StepFunction) {
  const acts: string[] = [];
  const requests: string[] = [];
  const session = new Session({ clock: createManualClock(), id: 'session' });
  const tool = (name: string, work: Parameters<typeof act>[1] = () => undefined) =>
    act(name, (context) => {
      acts.push(`${name} ${context.callId}`);
      return work(context);
    });
  const careful = tool('careful', ({ session: view }) => {
    const isOpen = view
      .slice(VisibilityOverrides)
      .all()
      .some(({ section: path }) => path === 'guide.more');
    if (!isOpen) throw new VisibilityExpansionRequired(['guide.more'], 'It has the details.');
  });
  const summarised = { summary: 'S.', visibility: 'summary' } as const;
  const prompt = promptTemplate({
    ns: 'test',
    key: 'journal',
    sections: [
      section({ title: 'T', key: 't', tools: [careful] }),
      section({ title: 'R', key: 'rules', tools: [tool('obey')], ...summarised }),
      section({
        title: 'G',
        key: 'guide',
        tools: [tool('follow')],
        ...summarised,
        children: [
          section({ title: 'W', key: 'why', ...summarised }),
          section({ title: 'M', key: 'more', tools: [tool('detail')], ...summarised }),
        ],
      }),
    ],
  }).bind();
  const model: LanguageModel = {
    name: 'script',
    generate: ({ turn }) => ({
      content: script[turn - 1]?.map(({ name, ...call }, index) => ({
        type: 'tool-call' as const,
        callId: `${turn}-${index}`,
        name,
        arguments: 'arguments' in call ? JSON.stringify(call.arguments) : '',
      })) ?? [{ type: 'text', text: 'done' }],
      finishReason: 'stop',
    }),
  };
  for (const slice of [ToolCallLog, ...prompt.slices()]) session.install(slice);
  const roots = {
    session,
    filesystem: undefined,
    container: ResourceContainer.for(session, prompt.resources()),
  };
  const state = newLoopState();
  const stop = new RunStop();
  await runLoop(
    await bareEnvironment(prompt, { session, roots, clock: createManualClock(), model, stop, state }),
    {
      model,
      outputSchema: undefined,
      maxTurns: 10,
      maxRepeatedFailures: 10,
      toolChoice: 'auto',
      settings: {},
      answer: { model: 'scripted', read: async () => ({ output: undefined }), maxRepairs: 0 },
      step: (described, live) => {
        if (described.kind === 'model-call') requests.push(JSON.stringify(described.input));
        return step(described, live);
      },
    },
    state,
  );
  return { acts, requests, state, overrides: session.slice(VisibilityOverrides).all() };
}

const toolsOf = (request: string | undefined): readonly string[] =>
  (JSON.parse(request ?? '') as { readonly tools: readonly { readonly name: string }[] }).tools.map(
    ({ name }) => name,
  );

const outcomesOf = (conversation: readonly ConversationItem[]) =>
  conversation.flatMap((item) => (item.type === 'tool-result' ? [item.isError] : []));

test('openings are replayed from the steps of their calls, wherever the record ends: the same requests, the same state', async () => {
  const entries: JournalEntry[] = [];
  const first = await run(recording(entries));
  // Twice opened, a handler that has one opened and then succeeds, and a tool that is not there yet.
  expect(outcomesOf(first.state.conversation)).toEqual([
    false,
    true,
    true,
    false,
    false,
    false,
    false,
    true,
    false,
  ]);
  expect(first.requests.map(toolsOf)).toEqual([
    ['careful', 'open_sections'],
    ['careful', 'open_sections', 'follow', 'read_section', 'detail'],
    ['careful', 'open_sections', 'follow', 'read_section', 'detail'],
    ['careful', 'open_sections', 'follow', 'read_section', 'detail', 'obey'],
    ['careful', 'open_sections', 'follow', 'read_section', 'detail', 'obey'],
  ]);
  const again = await run(replaying(entries));
  expect(again).toEqual({ ...first, acts: [] });
  for (let length = 0; length < entries.length; length += 1) {
    const partly = await run(replaying(entries.slice(0, length)));
    expect({ ...partly, acts: [] }, `record of ${length} steps`).toEqual({ ...first, acts: [] });
  }
});
