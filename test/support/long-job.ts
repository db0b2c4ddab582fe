import {
  defineSlice,
  type EvaluateOptions,
  PromptEvaluationError,
  promptTemplate,
  Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import {
  type LanguageModel,
  ModelResponseError,
  type ModelTurn,
  providerAdapter,
} from 'weakincentives/provider';
import { z } from 'zod';

const pages = 2_000;
const windowTokens = 32_000;
const rule = 'Multiply the sum by 7 before you report it.';

function valueOf(page: number): number {
  return (page * 7_919) % 101;
}

const Page = z.object({ page: z.number(), value: z.number(), rule: z.string().optional() });

const checkPage = tool({
  name: 'check_page',
  description: 'Checks a page.',
  effects: 'state',
  inputSchema: z.object({ page: z.number() }),
  outputSchema: Page,
  execute: ({ page }) =>
    ToolResult.ok(page === 3 ? { page, value: valueOf(page), rule } : { page, value: valueOf(page) }),
  render: ({ page, value, rule: said }) =>
    `page ${page}: value ${value}.${said === undefined ? '' : ` RULE: ${said}`} ${'The text of the page, which is long. '.repeat(12)}`,
});

const Total = defineSlice({
  name: 'total',
  schema: z.object({ upTo: z.number(), sum: z.number(), rules: z.array(z.string()) }),
  initial: [{ upTo: 0, sum: 0, rules: [] }],
  reducers: (on) => [
    on(checkPage.succeeded, (items, { value }) => {
      const { sum = 0, rules = [] } = items.latest() ?? {};
      const next = value.rule === undefined ? rules : [...rules, value.rule];
      return items.replace([{ upTo: value.page, sum: sum + value.value, rules: next }]);
    }),
  ],
  digest: (items) => `STATE ${JSON.stringify(items.at(-1))}`,
});

const template = promptTemplate({
  ns: 'long',
  key: 'run',
  sections: [
    section({
      title: 'Task',
      key: 'task',
      template: 'Check every page and report the sum of the values by the rules that the pages state.',
      tools: [checkPage],
      slices: [Total],
    }),
  ],
});

/** A job whose answer is right only for a model that knows all that its tools have said. */
export const longJob: { readonly answer: string } = {
  answer: String(
    Array.from({ length: pages }, (_, index) => valueOf(index + 1)).reduce((left, right) => left + right, 0) *
      7,
  ),
};

/** What the requests of a job took. */
export interface LongJobFigures {
  readonly end: string;
  readonly text: string;
  readonly requests: number;
  readonly maxTokens: number;
  /** The part of all bytes that the request before had in the same place. */
  readonly cacheable: number;
  /** Requests that do not begin with all of the one before. */
  readonly rewrites: number;
}

interface Asked {
  readonly tokens: number;
  readonly bytes: number;
  readonly shared: number;
  readonly isGrown: boolean;
}

/** Knows what it is sent and nothing else. */
function honestModel(asked: Asked[]): LanguageModel {
  const sizes = new WeakMap<object, number>();
  const sizeOf = (item: object): number => {
    const known = sizes.get(item) ?? JSON.stringify(item).length;
    sizes.set(item, known);
    return known;
  };
  let last: readonly object[] = [];
  return {
    name: 'honest',
    generate: ({ instructions, tools, conversation, turn }): ModelTurn => {
      const head = instructions.length + JSON.stringify(tools).length;
      const bytes = conversation.reduce((sum, item) => sum + sizeOf(item), head);
      const tokens = Math.ceil(bytes / 4);
      if (tokens > windowTokens)
        throw new ModelResponseError(
          'model-context-exceeded',
          `${tokens} tokens are more than ${windowTokens}.`,
        );
      let same = 0;
      let shared = head;
      for (; same < last.length && last[same] === conversation[same]; same += 1)
        shared += sizeOf(last[same] ?? {});
      asked.push({ tokens, bytes, shared: turn === 1 ? 0 : shared, isGrown: same === last.length });
      last = [...conversation];
      const usage = { inputTokens: tokens, outputTokens: 20 };
      if (turn <= pages) {
        const call = { callId: `c${turn}`, name: 'check_page', arguments: JSON.stringify({ page: turn }) };
        return { content: [{ type: 'tool-call', ...call }], finishReason: 'tool-calls', usage };
      }
      const text = String(answerFrom(conversation.map(textOf)));
      return { content: [{ type: 'text', text }], finishReason: 'stop', usage };
    },
  };
}

function textOf(item: Parameters<LanguageModel['generate']>[0]['conversation'][number]): string {
  if (item.type === 'tool-result') return item.text;
  const [part] = item.type === 'user' ? item.content : [];
  return part?.type === 'text' ? part.text : '';
}

function answerFrom(texts: readonly string[]): number {
  let [upTo, sum, rules] = [0, 0, 0];
  for (const text of texts) {
    const state = /^STATE (.*)$/m.exec(text)?.[1];
    if (state !== undefined) {
      const held = z
        .object({ upTo: z.number(), sum: z.number(), rules: z.array(z.string()) })
        .parse(JSON.parse(state));
      ({ upTo, sum } = held);
      rules = held.rules.length;
    }
    const page = /^page (\d+): value (\d+)\.( RULE)?/m.exec(text);
    if (page === null || Number(page[1]) <= upTo) continue;
    sum += Number(page[2]);
    if (page[3] !== undefined) rules += 1;
  }
  return rules > 0 ? sum * 7 : sum;
}

/** Runs the job with these options. */
export async function runLongJob(options: Pick<EvaluateOptions, 'context'>): Promise<LongJobFigures> {
  const asked: Asked[] = [];
  await using session = new Session();
  const adapter = providerAdapter({ model: honestModel(asked) });
  let text = '';
  let end: string;
  try {
    ({ text } = await adapter.evaluate(template.bind(), {
      ...options,
      session,
      input: 'Begin.',
      limits: { maxTurns: pages + 1 },
    }));
    end = text === longJob.answer ? 'right' : 'wrong';
  } catch (error) {
    if (!PromptEvaluationError.isInstance(error)) throw error;
    end = error.code;
  }
  const bytes = asked.reduce((sum, each) => sum + each.bytes, 0);
  return {
    end,
    text,
    requests: asked.length,
    maxTokens: Math.max(...asked.map(({ tokens }) => tokens)),
    cacheable: asked.reduce((sum, { shared }) => sum + shared, 0) / bytes,
    rewrites: asked.filter(({ isGrown }) => !isGrown).length,
  };
}
