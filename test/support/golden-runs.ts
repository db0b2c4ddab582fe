import {
  binding,
  type CompletionChecker,
  CompletionVerdict,
  defineEvent,
  defineSlice,
  type EvaluateOptions,
  type FeedbackProvider,
  Filesystem,
  MemoryFilesystem,
  PolicyDecision,
  type Prompt,
  type ProviderAdapter,
  promptTemplate,
  reducers,
  Session,
  section,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import {
  type ModelRequest,
  ModelResponseError,
  type ModelTurn,
  providerAdapter,
  ThrottleError,
} from 'weakincentives/provider';
import { createManualClock, type ManualClock } from 'weakincentives/testing';
import { webSearchTool } from 'weakincentives/tools';
import { z } from 'zod';

// Runs in which as much happens as a row can say, with a clock and ids that are the same every time: what they leave is
// compared member by member.

const noted = z.object({ key: z.string(), text: z.string() });
const Noted = defineEvent({ name: 'noted', schema: noted });
const Dropped = defineEvent({ name: 'dropped', schema: z.object({ key: z.string() }) });
const Pinged = defineEvent({ name: 'pinged', schema: z.object({ at: z.string() }) });
const Notes = defineSlice({
  name: 'notes',
  version: 2,
  migrate: (items) => items,
  schema: noted,
  key: ({ key }) => key,
  initial: [{ key: 'first', text: 'There from the start.' }],
  reducers: (on) => [on(Noted, reducers.append()), on(Dropped, (items, { key }) => items.remove(key))],
});
const Texts = defineSlice({
  name: 'texts',
  schema: z.object({ text: z.string() }),
  reducers: (on) => [on(Noted, (items, { text }) => items.append({ text }))],
});
const Trail = defineSlice({
  name: 'trail',
  policy: 'log',
  retain: 20,
  schema: z.object({ tool: z.string() }),
});

/** What a golden run is made on. */
export interface GoldenStage<Output = { done: boolean }> {
  readonly prompt: Prompt<Output>;
  readonly adapter: ProviderAdapter;
  readonly options: EvaluateOptions &
    Required<Pick<EvaluateOptions, 'session' | 'clock' | 'ids' | 'agentName'>>;
}

/** A stage with the files and the state that every golden run begins with. */
export function goldenStage({ fails = false }: { readonly fails?: boolean } = {}): GoldenStage {
  const clock = createManualClock();
  let made = 0;
  const ids = (): string => `id-${(made += 1)}`;
  const session = new Session({ id: 'session', clock, ids });
  return {
    prompt: goldenPrompt(clock),
    adapter: goldenAdapter(clock, fails),
    options: {
      session,
      clock,
      ids,
      agentName: 'golden',
      input: 'Begin.',
      feedback: [reminder],
      completion: second,
      retry: { baseDelayMs: 100 },
      streaming: true,
      // Nothing but the wait before a retry needs time to pass.
      observers: [
        { onEvent: ({ type }) => type === 'model-call-retry' && queueMicrotask(() => clock.advance(60_000)) },
      ],
    },
  };
}

const reminder: FeedbackProvider = {
  name: 'reminder',
  triggers: { everyCalls: 3 },
  provide: ({ calls }) => ({
    message: `${calls.length} calls.`,
    suggestions: ['Go on.'],
    severity: 'caution',
  }),
};
const second: CompletionChecker = {
  name: 'second',
  check: ({ check }) =>
    check === 1 ? CompletionVerdict.incomplete('Say it again.') : CompletionVerdict.complete(),
};

const asks: ToolPolicy = {
  name: 'asks',
  check: ({ tool: { name } }) => {
    if (name === 'forbidden') return PolicyDecision.deny('It is forbidden.');
    return name === 'publish' ? PolicyDecision.ask('It is public.') : PolicyDecision.allow();
  },
};
const reviews: ToolPolicy = {
  name: 'reviews',
  checkChanges: ({ tool: { name } }) =>
    name === 'draft' ? PolicyDecision.ask('Is the draft right?') : PolicyDecision.allow(),
};

const attachments = [{ type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' }] as const;

function goldenPrompt(clock: ManualClock): Prompt<{ done: boolean }> {
  const note = tool({
    name: 'note',
    description: 'Notes.',
    effects: 'state',
    inputSchema: noted,
    execute: async (payload, { session, filesystem }) => {
      clock.advance(1);
      const before = session.slice(Notes).get(payload.key)?.text ?? '';
      session.dispatch(Noted, payload);
      session.dispatch(Pinged, { at: payload.key });
      session.slice(Trail).append({ tool: 'note' });
      const { text } = await filesystem.read('a.md');
      await filesystem.write(`notes/${payload.key}.md`, `${text}${before}${payload.text}\n`);
      return ToolResult.ok({ key: payload.key }, 'Noted.', { attachments });
    },
  });
  const shift = tool({
    name: 'shift',
    description: 'Moves and removes.',
    effects: 'state',
    execute: async (_params, { session, filesystem }) => {
      await filesystem.list('.');
      await filesystem.stat('none.md');
      await filesystem.grep('beta');
      await filesystem.move('old/b.md', 'new/c.md');
      await filesystem.remove('old', { recursive: true });
      await filesystem.mkdir('empty');
      session.slice(Texts).clear();
      session.dispatch(Dropped, { key: 'first' });
      session.slice(Notes).append({ key: 'last', text: 'It is last.' });
      return ToolResult.ok(null, 'Shifted.', { excludeValueFromContext: true });
    },
  });
  const fail = tool({
    name: 'fail',
    description: 'Fails.',
    effects: 'state',
    execute: async (_params, { session, filesystem }) => {
      session.slice(Trail).append({ tool: 'fail' });
      await filesystem.write('lost.md', 'lost');
      throw new RangeError('It is out of range.');
    },
  });
  const write = (name: string, effects: 'read' | 'state' | 'external') =>
    tool({
      name,
      description: `Does ${name}.`,
      effects,
      idempotent: effects === 'external',
      inputSchema: z.object({ text: z.string() }),
      execute: async ({ text }, { session, filesystem }) => {
        session.slice(Trail).append({ tool: name });
        await filesystem.readBytes('bytes.bin');
        await filesystem.write(`${name}.bin`, new Uint8Array([0, 254]));
        return ToolResult.ok({ text }, `Did ${name}.`, { excludeValueFromContext: true, attachments });
      },
    });
  const draft = write('draft', 'state');
  const inner = promptTemplate({
    ns: 'golden',
    key: 'inner',
    policies: [reviews],
    sections: [
      section({
        title: 'Inner',
        key: 'inner',
        template: 'This is inner.',
        tools: [note, draft],
        slices: [Notes],
      }),
    ],
  });
  const delegate = tool({
    name: 'delegate',
    description: 'Delegates.',
    effects: 'state',
    execute: async (_params, { adapter }) => {
      const { text } = await adapter.evaluate(inner.bind(), { input: 'Note it.' });
      return ToolResult.ok({ text }, 'Delegated.');
    },
  });
  const filesystem = new MemoryFilesystem({
    files: { 'a.md': 'alpha\n', 'old/b.md': 'beta\n', 'bytes.bin': new Uint8Array([0, 255, 1]) },
  });
  return promptTemplate({
    ns: 'golden',
    key: 'outer',
    policies: [asks, reviews],
    output: z.object({ done: z.boolean() }),
    resources: [binding(Filesystem, { instance: filesystem })],
    sections: [
      section({
        title: 'Task',
        key: 'task',
        template: 'Note what is said.',
        slices: [Notes, Texts, Trail],
        tools: [note, shift, fail, delegate, write('publish', 'external'), draft, write('forbidden', 'read')],
        hostedTools: [webSearchTool()],
      }),
    ],
  }).bind();
}

type Call = readonly [name: string, params?: object];

const turnOf = (turn: number, calls: readonly Call[], more: Partial<ModelTurn> = {}): ModelTurn => ({
  finishReason: 'tool-calls',
  usage: { inputTokens: 10 * turn, outputTokens: 2, cachedInputTokens: 1, reasoningTokens: 1 },
  ...more,
  content: [
    ...(more.content ?? []),
    ...calls.map(([name, params = {}], index) => ({
      type: 'tool-call' as const,
      callId: `call-${turn}-${index + 1}`,
      name,
      arguments: JSON.stringify(params),
    })),
  ],
});

const found: Partial<ModelTurn> = {
  content: [
    { type: 'reasoning', text: 'It thinks.' },
    { type: 'text', text: 'It begins. '.repeat(60) },
  ],
  raw: { provider: 'golden.provider', items: [{ type: 'message', id: 'm1' }] },
  responseId: 'response-1',
  responseModel: 'golden-model-1',
  hasFiles: true,
  isCompacted: true,
  hosted: [
    {
      toolName: 'web_search',
      invocations: [{ status: 'completed', invocationId: 'search-1' }],
      citations: [],
    },
  ],
};

/** What the model says in each turn of the outer prompt. */
const script: readonly ((attempt: number) => ModelTurn)[] = [
  () =>
    turnOf(
      1,
      [
        ['note', { key: 'k', text: 'one' }],
        ['note', { key: 'k', text: 'two' }],
      ],
      found,
    ),
  () => turnOf(2, [['shift'], ['fail'], ['forbidden', { text: 'x' }], ['publish', { text: 'now' }]]),
  (attempt) => {
    if (attempt === 1) throw new ThrottleError('It is busy.', { kind: 'rate-limit' });
    return turnOf(3, [['delegate'], ['draft', { text: 'a draft' }]]);
  },
  () => turnOf(4, [['note', { key: 1 }], ['unknown']]),
  () => turnOf(5, [], { content: [{ type: 'text', text: 'It is done.' }], finishReason: 'stop' }),
];
const innerScript: readonly ModelTurn[] = [
  turnOf(1, [['note', { key: 'inner', text: 'three' }]]),
  turnOf(2, [['draft', { text: 'an inner draft' }]]),
];
const answer = (turn: number, text: string): ModelTurn =>
  turnOf(turn, [], { content: [{ type: 'text', text }], finishReason: 'stop' });

function goldenAdapter(clock: ManualClock, fails: boolean): ProviderAdapter {
  const asked = new Map<string, number>();
  return providerAdapter({
    model: {
      name: 'golden adapter',
      model: 'golden-model',
      provider: 'golden.provider',
      settings: { temperature: 0.5 },
      prices: { inputPerMillion: 1, outputPerMillion: 2 },
      generate: async ({ instructions, turn }: ModelRequest, { onDelta }) => {
        clock.advance(10);
        await onDelta?.({ type: 'text-delta', text: 'It' });
        if (fails && turn === 2) throw new ModelResponseError('model-response-invalid', 'It answered alpha.');
        if (instructions.includes('This is inner.'))
          return innerScript[turn - 1] ?? answer(turn, 'Inner done.');
        const attempt = (asked.get(`${turn}`) ?? 0) + 1;
        asked.set(`${turn}`, attempt);
        return script[turn - 1]?.(attempt) ?? answer(turn, '{"done":true}');
      },
    },
  });
}

/** Ids in the order in which they occur, so that it does not matter how many were drawn. */
export function withNumberedIds(text: string): string {
  const numbers = new Map<string, number>();
  return text.replaceAll(/\bid-\d+\b/g, (id) => {
    const number = numbers.get(id) ?? numbers.size + 1;
    numbers.set(id, number);
    return `id-${number}`;
  });
}
