import {
  type AnyTool,
  binding,
  defineEvent,
  defineSlice,
  type EvaluateOptions,
  Filesystem,
  filesExistCompletion,
  hostedTool,
  MemoryFilesystem,
  PolicyDecision,
  type Prompt,
  promptTemplate,
  reducers,
  type Slice,
  section,
  sequentialDependencyPolicy,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { type ModelTurn, providerAdapter } from 'weakincentives/provider';
import { agentTool, planningToolsSection } from 'weakincentives/tools';
import { z } from 'zod';

// The run that is stored in test/fixtures/stored by each version whose rows differ, and gone on with by every later one. So what it
// asks for and what its tools return stays; what is new is added at its end.

interface Stock {
  readonly key: string;
  readonly amount: number;
}
const Stock: z.ZodType<Stock> = z.object({ key: z.string(), amount: z.number() });
const StockPut = defineEvent({ name: 'stock-put', schema: Stock });
const StockRemoved = defineEvent({ name: 'stock-removed', schema: z.object({ key: z.string() }) });
const Counted = defineEvent({ name: 'counted', schema: z.object({ by: z.number() }) });
const Cleared = defineEvent({ name: 'cleared', schema: z.object({}) });
const Said = defineEvent({ name: 'said', schema: z.object({ text: z.string() }) });

export const StockTable: Slice<Stock> = defineSlice({
  name: 'stock',
  schema: Stock,
  key: ({ key }) => key,
  version: 2,
  reducers: (on) => [
    on(StockPut, (items, stock) => items.append(stock, { moveToEnd: stock.amount > 9 })),
    on(StockRemoved, (items, { key }) => items.remove(key)),
  ],
});
export const Numbers: Slice<number> = defineSlice({
  name: 'numbers',
  schema: z.number(),
  initial: [7],
  reducers: (on) => [
    on(Counted, (items, { by }) => items.append((items.latest() ?? 0) + by)),
    on(Cleared, (items) => items.clear()),
  ],
});
export const Sayings: Slice<{ text: string }> = defineSlice({
  name: 'sayings',
  policy: 'log',
  retain: 5,
  schema: z.object({ text: z.string() }),
  reducers: (on) => [on(Said, reducers.append())],
});
export const ownSlices: readonly Slice<never>[] = [
  StockTable,
  Numbers,
  Sayings,
] as unknown as readonly Slice<never>[];

const longText = `${'A text that is longer than a row keeps in its place. '.repeat(12)}\n`;
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
export const startBytes: Uint8Array = Uint8Array.from({ length: 64 }, (_, index) => (index * 37) % 256);

/** The files that it begins with. */
export const startFiles = (): MemoryFilesystem =>
  new MemoryFilesystem({
    files: { 'notes.md': 'first\n', 'docs/long.md': longText, 'docs/old.bin': startBytes, 'gone.md': 'x\n' },
  });

interface StoredPromptOptions {
  readonly filesystem: MemoryFilesystem;
  /** The tools whose handlers ran, in order. */
  readonly ran?: string[];
}

const asks: ToolPolicy = {
  name: 'asks',
  check: ({ tool: { name } }) => {
    if (name === 'charge') return PolicyDecision.ask('Really charge?');
    return name === 'refund' ? PolicyDecision.deny('Refunds are closed.') : PolicyDecision.allow();
  },
};
const reviews: ToolPolicy = {
  name: 'reviews',
  checkChanges: ({ tool: { name } }) =>
    name === 'publish' ? PolicyDecision.ask('Is this right?') : PolicyDecision.allow(),
};

const key = z.object({ key: z.string() });

/** What the tools do beside being called. */
function toolsOf(ran: string[]): { readonly shop: readonly AnyTool[]; readonly extras: readonly AnyTool[] } {
  const put = tool({
    name: 'put',
    description: 'Puts stock.',
    effects: 'state',
    inputSchema: Stock,
    execute: (stock, { session }) => {
      ran.push(`put ${stock.key}`);
      session.dispatch(StockPut, stock);
      return ToolResult.ok({ amount: stock.amount }, `Put ${stock.key}.`);
    },
  });
  const drop = tool({
    name: 'drop',
    description: 'Drops stock.',
    effects: 'state',
    inputSchema: key,
    execute: (given, { session }) => {
      ran.push(`drop ${given.key}`);
      const known = session.slice(StockTable).get(given.key);
      session.dispatch(StockRemoved, given);
      session.dispatch(Cleared, {});
      return ToolResult.ok(known ?? null, 'Dropped.', { excludeValueFromContext: true });
    },
  });
  const count = tool({
    name: 'count',
    description: 'Counts.',
    effects: 'state',
    execute: async (_params, { session, progress }) => {
      ran.push('count');
      const before = session.slice(Numbers).latest() ?? 0;
      progress({ before });
      // Others that were asked for at the same time read the same number.
      await Promise.resolve();
      session.dispatch(Counted, { by: 1 });
      session.dispatch(Said, { text: `after ${before}` });
      return ToolResult.ok(null, `Counted ${before + 1}.`);
    },
  });
  const write = tool({
    name: 'write',
    description: 'Writes.',
    effects: 'state',
    inputSchema: z.object({ text: z.string() }),
    execute: async ({ text }, { filesystem }) => {
      ran.push('write');
      const { text: before } = await filesystem.read('notes.md');
      await filesystem.write('notes.md', `${before}${text}\n`);
      await filesystem.write('docs/new.bin', startBytes.slice().reverse());
      await filesystem.write('docs/deep/copy.md', longText);
      return ToolResult.ok({ text: longText }, 'Wrote.');
    },
  });
  const tidy = tool({
    name: 'tidy',
    description: 'Tidies.',
    effects: 'state',
    execute: async (_params, { filesystem }) => {
      ran.push('tidy');
      await filesystem.list('docs');
      await filesystem.glob('**/*.md');
      await filesystem.move('docs/old.bin', 'kept/old.bin');
      await filesystem.remove('gone.md');
      await filesystem.mkdir('empty');
      const attachments = [
        { type: 'image', mediaType: 'image/png', data: pixel },
        { type: 'file', mediaType: 'text/plain', data: 'SGVsbG8u', name: 'hello.txt' },
      ] as const;
      return ToolResult.ok(null, 'Tidied.', { attachments });
    },
  });
  const fail = tool({
    name: 'fail',
    description: 'Fails.',
    effects: 'state',
    inputSchema: z.object({ how: z.string() }),
    execute: async ({ how }, { session, filesystem }) => {
      ran.push(`fail ${how}`);
      session.dispatch(Counted, { by: 100 });
      session.dispatch(Said, { text: `failed by ${how}` });
      await filesystem.write('never.md', 'x\n');
      if (how === 'throw') throw new RangeError('It is out of range.');
      return ToolResult.error('It cannot be done.', { how });
    },
  });
  const charge = tool({
    name: 'charge',
    description: 'Charges.',
    effects: 'external',
    execute: (_params, { session, idempotencyKey }) => {
      ran.push('charge');
      session.dispatch(Said, { text: `charged ${idempotencyKey.length > 0}` });
      return ToolResult.ok(null, 'Charged.');
    },
  });
  const mail = tool({
    name: 'mail',
    description: 'Mails.',
    effects: 'external',
    execute: () => {
      ran.push('mail');
      return ToolResult.ok(null, 'Mailed.');
    },
  });
  const refund = tool({
    name: 'refund',
    description: 'Refunds.',
    effects: 'external',
    execute: () => ToolResult.ok(null),
  });
  const publish = tool({
    name: 'publish',
    description: 'Publishes.',
    effects: 'state',
    execute: async (_params, { filesystem, session }) => {
      ran.push('publish');
      const { text } = await filesystem.read('notes.md');
      await filesystem.write('published.md', text.toUpperCase());
      session.dispatch(StockPut, { key: 'published', amount: 12 });
      return ToolResult.ok({ lines: text.split('\n').length }, 'Published.');
    },
  });
  const look = tool({
    name: 'look',
    description: 'Looks.',
    effects: 'read',
    inputSchema: key,
    execute: (given, { session }) => {
      ran.push(`look ${given.key}`);
      return ToolResult.ok(session.slice(StockTable).get(given.key) ?? null, 'Looked.');
    },
  });
  const research = promptTemplate({
    ns: 'stored',
    key: 'research',
    sections: [
      section({
        title: 'Research',
        key: 'research',
        params: key,
        template: (given) => `Look up ${given.key}.`,
        tools: [look, put, fail],
      }),
    ],
    output: z.object({ isSure: z.boolean() }),
  });
  const investigate = agentTool({
    name: 'investigate',
    description: 'Investigates.',
    inputSchema: key,
    template: research,
    effects: 'state',
  });
  return {
    shop: [put, drop, count, write, fail, charge, mail, refund, publish, investigate],
    extras: [tidy],
  };
}

/** The prompt of the run. */
export function storedPrompt({
  filesystem,
  ran = [],
}: StoredPromptOptions): Prompt<{ readonly done: number }> {
  const { shop, extras } = toolsOf(ran);
  return promptTemplate({
    ns: 'stored',
    key: 'shop',
    policies: [asks, reviews, sequentialDependencyPolicy({ dependencies: { publish: ['write'] } })],
    resources: [binding(Filesystem, { instance: filesystem })],
    sections: [
      section({
        title: 'Task',
        key: 'task',
        template: 'Keep the shop.',
        tools: shop,
        slices: [...ownSlices],
      }),
      section({
        title: 'Extras',
        key: 'extras',
        summary: 'How to tidy.',
        template: 'Tidy at the end.',
        visibility: 'summary',
        tools: extras,
      }),
      section({
        title: 'Weather',
        key: 'weather',
        template: 'Ask for the weather.',
        hostedTools: [
          hostedTool({
            kind: 'weather',
            name: 'weather',
            description: 'Looks up the weather.',
            config: { units: 'metric' },
          }),
        ],
      }),
      planningToolsSection(),
    ],
    output: z.object({ done: z.number() }),
  }).bind();
}

type Call = readonly [name: string, params?: object];

const calls = (turn: number, ...asked: readonly Call[]): ModelTurn => ({
  content: [
    { type: 'reasoning', text: `Thoughts of turn ${turn}.` },
    { type: 'text', text: `Turn ${turn}.` },
    ...asked.map(([name, params = {}], index) => ({
      type: 'tool-call' as const,
      callId: `c${turn}-${index + 1}`,
      name,
      arguments: JSON.stringify(params),
    })),
  ],
  finishReason: 'tool-calls',
  usage: { inputTokens: 100 * turn, outputTokens: 10, cachedInputTokens: 5, reasoningTokens: 3 },
  raw: { provider: 'stored', items: [{ type: 'message', turn, signature: `s${turn}` }] },
  responseId: `response-${turn}`,
  responseModel: 'stored-model-1',
});

const says = (text: string): ModelTurn => ({
  content: [{ type: 'text', text }],
  finishReason: 'stop',
  usage: { inputTokens: 900, outputTokens: 9 },
});

const turns: readonly ModelTurn[] = [
  calls(
    1,
    ['open_sections', { section_keys: ['extras'], reason: 'It is to be tidy.' }],
    ['planning_setup_plan', { objective: 'Keep the shop', initial_steps: ['Count', 'Publish'] }],
  ),
  calls(
    2,
    ['put', { key: 'a', amount: 3 }],
    ['put', { key: 'b', amount: 10 }],
    ['count'],
    ['count'],
    ['write', { text: 'second' }],
  ),
  calls(
    3,
    ['fail', { how: 'result' }],
    ['fail', { how: 'throw' }],
    ['unknown'],
    ['put', { key: 7 }],
    ['refund'],
    ['mail'],
  ),
  calls(4, ['planning_update_step', { step_id: 1, status: 'done' }], ['charge'], ['publish']),
  {
    ...calls(5, ['investigate', { key: 'a' }]),
    hosted: [
      {
        toolName: 'weather',
        invocations: [{ invocationId: 'w1', status: 'completed' }],
        citations: [{ type: 'url', url: 'https://weather.example/', title: 'Weather', span: [0, 4] }],
      },
    ],
  },
  {
    ...says(''),
    content: [
      {
        type: 'approval-request',
        approvalId: 'h1',
        toolName: 'weather',
        name: 'station',
        arguments: '{"at":"sea"}',
      },
    ],
    finishReason: 'tool-calls',
  },
  calls(7, ['tidy'], ['drop', { key: 'a' }], ['put', { key: 'a', amount: 20 }]),
  says('It is done.'),
  says('{"done":1}'),
];

const researchTurns: readonly ModelTurn[] = [
  calls(1, ['look', { key: 'a' }], ['put', { key: 'found', amount: 1 }]),
  calls(2, ['fail', { how: 'result' }]),
  says('{"isSure":true}'),
];

/** The model of the run. It answers by the number of the turn, whatever it reads. */
export const storedModel: ReturnType<typeof providerAdapter> = providerAdapter({
  model: {
    name: 'stored adapter',
    model: 'stored-model',
    provider: 'stored',
    settings: { temperature: 0.5 },
    prices: { inputPerMillion: 1, outputPerMillion: 2 },
    generate: ({ instructions, turn }) => {
      const script = instructions.includes('Look up ') ? researchTurns : turns;
      const answer = script[turn - 1];
      if (answer === undefined) throw new RangeError(`The script has no turn ${turn}.`);
      return answer;
    },
  },
});

/** What the run is evaluated with beside its prompt, but for `approve`. */
export const storedOptions: Pick<
  EvaluateOptions,
  'feedback' | 'completion' | 'limits' | 'settings' | 'agentName'
> = {
  agentName: 'shopkeeper',
  feedback: [
    {
      name: 'counts',
      triggers: { everyCalls: 3 },
      provide: ({ calls: made }) => ({ message: `${made.length} calls.`, suggestions: ['Go on.'] }),
    },
  ],
  completion: filesExistCompletion({ paths: ['published.md'] }),
  limits: { maxTurns: 20, maxRepeatedFailures: 50 },
  settings: { maxOutputTokens: 500 },
};
