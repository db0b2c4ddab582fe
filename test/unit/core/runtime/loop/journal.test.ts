import { describe, expect, test } from 'vitest';
import {
  binding,
  type CompletionChecker,
  CompletionVerdict,
  type ConversationItem,
  defineEvent,
  defineSlice,
  type FeedbackProvider,
  FeedbackState,
  Filesystem,
  MemoryFilesystem,
  PromptEvaluationError,
  promptTemplate,
  Session,
  type Slice,
  section,
  type TokenUsage,
  ToolCallLog,
  ToolResult,
  tool,
} from 'weakincentives';
import type { LanguageModel } from 'weakincentives/provider';
import { z } from 'zod';
import { ResourceContainer } from '../../../../../src/core/resource/index.ts';
import {
  EndedCalls,
  FeedbackRunner,
  type LoopResult,
  newLoopState,
  RunStop,
  runLoop,
  type StepFunction,
} from '../../../../../src/core/runtime/index.ts';
import { silentLogger } from '../../../../../src/core/tool/index.ts';
import { bareEnvironment } from '../../../../support/bare-environment.ts';
import { type JournalEntry, recording, replaying } from '../../../../support/journal.ts';
import { createManualClock } from '../../../../support/manual-clock.ts';

const Counted = defineEvent({ name: 'counted', schema: z.object({ count: z.number() }) });
const Count: Slice<{ count: number }> = defineSlice({
  name: 'count',
  schema: z.object({ count: z.number() }),
  reducers: (on) => [on(Counted, (items, payload) => items.replace([payload]))],
});
const Said = defineEvent({ name: 'said', schema: z.object({ text: z.string() }) });
const Sayings: Slice<{ text: string }> = defineSlice({
  name: 'sayings',
  schema: z.object({ text: z.string() }),
  policy: 'log',
  reducers: (on) => [on(Said, (items, payload) => items.append(payload))],
});

/** A model that makes two turns of calls, as a function of the conversation alone. */
const model: LanguageModel = {
  name: 'two turns',
  generate: ({ conversation }) => {
    const results = conversation.filter(({ type }) => type === 'tool-result').length;
    const calls =
      results === 0 ? ['count', 'count', 'fail', 'send'] : results === 4 ? ['count', 'nobody'] : [];
    return {
      content:
        calls.length === 0
          ? [{ type: 'text', text: `done after ${results}` }]
          : calls.map((name, index) => ({
              type: 'tool-call',
              callId: `${results}-${index}`,
              name,
              arguments: '',
            })),
      finishReason: calls.length === 0 ? 'stop' : 'tool-calls',
      usage: { inputTokens: 10 },
    };
  },
};

interface Run {
  readonly result: LoopResult<undefined>;
  readonly conversation: readonly ConversationItem[];
  readonly usage: TokenUsage;
  readonly session: Session;
  readonly filesystem: MemoryFilesystem;
  /** What was really done: model calls and handlers. */
  readonly acts: readonly string[];
}

/** Runs the loop on a fresh session and fresh files, on this journal; watched: with a feedback provider and a completion checker. */
async function run(
  step: StepFunction,
  { isWatched = false }: { readonly isWatched?: boolean } = {},
): Promise<Run> {
  const acts: string[] = [];
  const filesystem = new MemoryFilesystem();
  const clock = createManualClock();
  const session = new Session({ clock, id: 'session' });
  const prompt = promptTemplate({
    ns: 'test',
    key: 'journal',
    resources: [binding(Filesystem, { instance: filesystem })],
    sections: [
      section({
        title: 'Task',
        key: 'task',
        template: 'Do it.',
        slices: [Count, Sayings],
        tools: [
          tool({
            name: 'count',
            description: 'Counts.',
            effects: 'state',
            execute: async (_params, context) => {
              acts.push(`count ${context.callId}`);
              const count = (context.session.slice(Count).latest()?.count ?? 0) + 1;
              context.session.dispatch(Counted, { count });
              await context.filesystem.write('count.txt', String(count));
              return ToolResult.ok({ count }, 'Counted.', {
                attachments: [{ type: 'image', mediaType: 'image/png', data: `AAA${count}` }],
              });
            },
          }),
          tool({
            name: 'fail',
            description: 'Logs and fails.',
            effects: 'state',
            execute: (_params, context) => {
              acts.push('fail');
              context.session.dispatch(Said, { text: 'trying' });
              throw new Error('cannot');
            },
          }),
          tool({
            name: 'send',
            description: 'Sends.',
            execute: (_params, context) => {
              acts.push('send');
              context.session.dispatch(Said, { text: 'sent' });
              return ToolResult.ok(null);
            },
          }),
        ],
      }),
    ],
  }).bind();
  for (const slice of [ToolCallLog, ...prompt.slices()]) session.install(slice);
  session.install(FeedbackState);
  const roots = { session, filesystem, container: ResourceContainer.for(session, prompt.resources()) };
  const stop = new RunStop();
  const watcher: FeedbackProvider = {
    name: 'watcher',
    triggers: { everyCalls: 2, fileCreated: 'count.txt' },
    provide: ({ calls }) => {
      acts.push(`feedback after ${calls.length}`);
      return { message: `${calls.length} calls so far.` };
    },
  };
  const checker: CompletionChecker = {
    name: 'twice',
    check: ({ check }) => {
      acts.push(`check ${check}`);
      return check === 1 ? CompletionVerdict.incomplete('Look again.') : CompletionVerdict.complete();
    },
  };
  const state = newLoopState();
  const environment = await bareEnvironment(prompt, { session, roots, clock, model, stop, state });
  const endedCalls = new EndedCalls();
  const surroundings = { ...environment, endedCalls, deadline: undefined, budgetTracker: undefined };
  const result = await runLoop(
    {
      ...environment,
      endedCalls,
      feedback: isWatched
        ? new FeedbackRunner([watcher], { ...surroundings, roots, logger: silentLogger, stop, session })
        : undefined,
    },
    {
      model: {
        ...model,
        generate: (request, options) => {
          acts.push(`model ${request.turn}`);
          return model.generate(request, options);
        },
      },
      outputSchema: undefined,
      maxTurns: 10,
      maxRepeatedFailures: 10,
      toolChoice: 'auto',
      settings: {},
      throttle: undefined,
      answer: { model: 'scripted', read: async () => ({ output: undefined }), maxRepairs: 0 },
      completion: isWatched ? { checker, maxChecks: 3 } : undefined,
      step,
    },
    state,
  );
  return { result, conversation: state.conversation, usage: state.usage, session, filesystem, acts };
}

const outcomeOf = async ({ result, conversation, usage, session, filesystem }: Run): Promise<unknown> => ({
  result,
  conversation,
  usage,
  count: session.slice(Count).all(),
  sayings: session.slice(Sayings).all(),
  invocations: session
    .slice(ToolCallLog)
    .all()
    .map(({ callId, outcome, reason, modelText, attempts }) => ({
      callId,
      outcome,
      reason,
      modelText,
      attempts,
    })),
  text: (await filesystem.read('count.txt')).text,
});

describe('a run that was recorded', () => {
  test('has one step for each model call and each tool call, described as plain data under a key of its own', async () => {
    const entries: JournalEntry[] = [];
    const { conversation } = await run(recording(entries));
    expect(entries.map(({ key }) => key)).toEqual([
      'turn-1/model',
      'turn-1/call-0/0-0',
      'turn-1/call-1/0-1',
      'turn-1/call-2/0-2',
      'turn-1/call-3/0-3',
      'turn-2/model',
      'turn-2/call-0/4-0',
      'turn-2/call-1/4-1',
      'turn-3/model',
    ]);
    expect(JSON.parse(entries[1]?.description ?? '')).toEqual({
      kind: 'tool-call',
      key: 'turn-1/call-0/0-0',
      input: { callId: '0-0', toolName: 'count', arguments: '', turn: 1, index: 0 },
    });
    expect(JSON.parse(entries[5]?.description ?? '')).toMatchObject({
      kind: 'model-call',
      input: { turn: 2, conversation: conversation.slice(0, 5) },
    });
  });

  test('is replayed from its record: no model call, no handler, the same state, files and conversation', async () => {
    const entries: JournalEntry[] = [];
    const first = await run(recording(entries));
    const asked: string[] = [];
    const again = await run(replaying(entries, asked));
    expect(again.acts).toEqual([]);
    expect(await outcomeOf(again)).toEqual(await outcomeOf(first));
    const images = again.conversation.flatMap((item) =>
      item.type === 'tool-result' ? (item.attachments ?? []).map(({ data }) => data) : [],
    );
    expect(images).toEqual(['AAA1', 'AAA2', 'AAA3']);
    expect(asked.toSorted()).toEqual(entries.map(({ description }) => description).toSorted());
    expect(again.session.slice(ToolCallLog).all()).toEqual(first.session.slice(ToolCallLog).all());
  });

  test('continues live from wherever its record ends, also in the middle of a turn', async () => {
    const entries: JournalEntry[] = [];
    const first = await run(recording(entries));
    const expected = await outcomeOf(first);
    expect(first.acts).toContain('count 0-1');
    for (let length = 0; length <= entries.length; length += 1) {
      const kept = entries.slice(0, length);
      const again = await run(replaying(kept));
      // A call that had to be run again because of one before it need not be when that one comes from the record.
      expect(stripAttempts(await outcomeOf(again)), `record of ${length} steps`).toEqual(
        stripAttempts(expected),
      );
      const done = new Set(kept.flatMap(({ key }) => key.match(/call-\d+\/(.*)/)?.[1] ?? []));
      for (const act of again.acts) expect(done.has(act.replace('count ', ''))).toBe(false);
      expect(again.acts.filter((act) => act === 'send')).toHaveLength(
        kept.some(({ key }) => key.endsWith('0-3')) ? 0 : 1,
      );
    }
  });

  test('has its feedback in the steps of the calls and its completion checks as steps: nobody is asked again', async () => {
    const entries: JournalEntry[] = [];
    const first = await run(recording(entries), { isWatched: true });
    expect(first.acts.filter((act) => /feedback|check/.test(act))).toEqual([
      'feedback after 1', // The file.
      'feedback after 3',
      'feedback after 5',
      'check 1',
      'check 2',
    ]);
    expect(entries.at(-1)).toMatchObject({ key: 'turn-4/completion', result: '{"outcome":"complete"}' });
    const progress = first.session.slice(FeedbackState).all();
    expect(progress).toMatchObject([{ calls: 6, providers: [{ name: 'watcher', calls: 5 }] }]);
    const expected = stripAttempts(await outcomeOf(first));
    for (let length = 0; length <= entries.length; length += 1) {
      const kept = entries.slice(0, length);
      const again = await run(replaying(kept), { isWatched: true });
      expect(stripAttempts(await outcomeOf(again)), `record of ${length} steps`).toEqual(expected);
      expect(again.session.slice(FeedbackState).all()).toEqual(progress);
      const checks = kept.filter(({ key }) => key.endsWith('/completion')).length;
      expect(again.acts.filter((act) => act.startsWith('check'))).toHaveLength(2 - checks);
      const answered = new Set(
        kept.filter(({ key }) => key.includes('/call-')).map((_entry, index) => index + 1),
      );
      const repeated = again.acts.filter((act) =>
        answered.has(Number(act.match(/^feedback after (\d)/)?.[1])),
      );
      expect(repeated, `record of ${length} steps`).toEqual([]);
    }
  });

  test('whose journal fails ends with an error that carries the conversation, every call answered', async () => {
    const failing: StepFunction = (step, live) =>
      step.key === 'turn-1/call-1/0-1' ? Promise.reject(new Error('journal is full')) : live();
    const error: unknown = await run(failing).catch((thrown: unknown) => thrown);
    if (!PromptEvaluationError.isInstance(error))
      throw new Error(`No PromptEvaluationError: ${String(error)}`);
    expect(error).toMatchObject({
      code: 'evaluation-tools-failed',
      phase: 'tool',
      cause: { message: 'journal is full' },
      usage: { inputTokens: 10 },
    });
    expect(error.conversation.map(({ type }) => type)).toEqual([
      'assistant',
      'tool-result',
      'tool-result',
      'tool-result',
      'tool-result',
    ]);
  });
});

function stripAttempts(outcome: unknown): unknown {
  return JSON.parse(
    JSON.stringify(outcome, (key, value: unknown) => (key === 'attempts' ? undefined : value)),
  );
}
