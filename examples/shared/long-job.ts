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

// A job that takes 2,000 turns: files are moved to a new interface one by one, and what has to be reported depends on every one of them and on a rule that
// is in the third. The model knows what it is sent and nothing else.

const files = 2_000;
const windowTokens = 32_000;
const rule = 'Callers of this file count seven times: multiply the sum by 7 before you report it.';

function callersIn(file: number): number {
  return (file * 7_919) % 101;
}

const Moved = z.object({ file: z.number(), callers: z.number(), rule: z.string().optional() });

const moveFile = tool({
  name: 'move_file',
  description: 'Moves a file to the new interface.',
  effects: 'state',
  inputSchema: z.object({ file: z.number() }),
  outputSchema: Moved,
  execute: ({ file }) =>
    ToolResult.ok(file === 3 ? { file, callers: callersIn(file), rule } : { file, callers: callersIn(file) }),
  render: ({ file, callers, rule: said }) =>
    `file ${file}: ${callers} callers.${said === undefined ? '' : ` RULE: ${said}`} ${'The diff of the file, which is long. '.repeat(12)}`,
});

// What the model must still know when older turns have left the conversation.
const Progress = defineSlice({
  name: 'progress',
  schema: z.object({ upTo: z.number(), sum: z.number(), rules: z.array(z.string()) }),
  initial: [{ upTo: 0, sum: 0, rules: [] }],
  reducers: (on) => [
    on(moveFile.succeeded, (items, { value }) => {
      const { sum = 0, rules = [] } = items.latest() ?? {};
      const next = value.rule === undefined ? rules : [...rules, value.rule];
      return items.replace([{ upTo: value.file, sum: sum + value.callers, rules: next }]);
    }),
  ],
  digest: (items) => `STATE ${JSON.stringify(items.at(-1))}`,
});

const template = promptTemplate({
  ns: 'examples',
  key: 'long-refactor',
  sections: [
    section({
      title: 'Task',
      key: 'task',
      template: 'Move every file, and report the sum of the callers by the rules that the files state.',
      tools: [moveFile],
      slices: [Progress],
    }),
  ],
});

/** A job whose answer is right only for a model that knows all that its tools have said. */
export const longJob: { readonly answer: string } = {
  answer: String(
    Array.from({ length: files }, (_, index) => callersIn(index + 1)).reduce(
      (left, right) => left + right,
      0,
    ) * 7,
  ),
};

/** What the requests of a job took. */
export interface LongJobFigures {
  readonly end: string;
  readonly text: string;
  readonly requests: number;
  readonly maxTokens: number;
  /** The part of all bytes that the request before had in the same place: what a provider can read from its cache. */
  readonly cacheable: number;
  /** The bytes that it cannot. */
  readonly uncachedBytes: number;
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
      if (turn <= files) {
        const call = { callId: `c${turn}`, name: 'move_file', arguments: JSON.stringify({ file: turn }) };
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
    const moved = /^file (\d+): (\d+) callers\.( RULE)?/m.exec(text);
    if (moved === null || Number(moved[1]) <= upTo) continue;
    sum += Number(moved[2]);
    if (moved[3] !== undefined) rules += 1;
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
      limits: { maxTurns: files + 1 },
    }));
    end = text === longJob.answer ? 'right' : 'wrong';
  } catch (error) {
    if (!PromptEvaluationError.isInstance(error)) throw error;
    end = error.code;
  }
  const bytes = asked.reduce((sum, each) => sum + each.bytes, 0);
  const shared = asked.reduce((sum, each) => sum + each.shared, 0);
  return {
    end,
    text,
    requests: asked.length,
    maxTokens: Math.max(...asked.map(({ tokens }) => tokens)),
    cacheable: shared / bytes,
    uncachedBytes: bytes - shared,
    rewrites: asked.filter(({ isGrown }) => !isGrown).length,
  };
}
