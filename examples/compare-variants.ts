// Two texts and two models over a data set, with what each passes and costs.
import assert from 'node:assert/strict';
import {
  defineSlice,
  type OverridesStore,
  type ProviderAdapter,
  promptTemplate,
  section,
  ToolResult,
  tokenCost,
  tool,
} from 'weakincentives';
import { type RunRecord, readRunRecord, runRecorder } from 'weakincentives/record';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

// The agent: it files a message under a label.
const Filed = defineSlice({ name: 'filed', schema: z.object({ label: z.string() }) });
const file = tool({
  name: 'file',
  description: 'File the message under a label.',
  inputSchema: z.object({ label: z.enum(['bug', 'question', 'spam']) }),
  effects: 'state',
  pure: true,
  execute: ({ label }, { session }) => {
    session.slice(Filed).append({ label });
    return ToolResult.ok(null, 'Filed.');
  },
});
const template = promptTemplate({
  ns: 'examples',
  key: 'triage',
  sections: [
    section({ title: 'Task', key: 'task', template: 'File the message.', tools: [file], slices: [Filed] }),
  ],
});

// The data set: JSON lines, one case each.
const Case = z.object({ name: z.string(), input: z.string(), label: z.string() });
const cases = `
{"name":"crash","input":"It crashes when I save.","label":"bug"}
{"name":"how","input":"How do I save?","label":"question"}
{"name":"offer","input":"Cheap watches!","label":"spam"}
{"name":"slow","input":"Why is it so slow since the update?","label":"bug"}
`
  .trim()
  .split('\n')
  .map((line) => Case.parse(JSON.parse(line)));

// Another text for the same prompt, as "wink prompt seed" would keep it in a file.
const texts: Pick<OverridesStore, 'load'> = {
  load: async (_prompt, tag) => {
    if (tag !== 'careful') return undefined;
    const seed = template.bind().seedOverrides(tag);
    const body = seed.sections['task']?.body;
    assert.ok(body !== undefined);
    const text = 'File the message. A complaint about what worked before is a bug.';
    return { ...seed, sections: { task: { body: { ...body, text } } }, tools: {} };
  },
};

// Rules in the place of models: one reads the instructions, the other one does not.
function modelOf(name: string, reads: boolean, tokens: number): ProviderAdapter {
  return scriptedAdapter(
    (conversation, { instructions, turn }) => {
      const usage = { inputTokens: tokens, outputTokens: 20 };
      if (turn > 1) return { text: 'Done.', usage };
      const said = JSON.stringify(conversation);
      const isComplaint = reads && instructions.includes('complaint') && said.includes('since the update');
      const label = said.includes('crash') || isComplaint ? 'bug' : said.includes('?') ? 'question' : 'spam';
      return { toolCalls: [{ name: 'file', arguments: { label } }], usage };
    },
    { name, prices: { inputPerMillion: 1, outputPerMillion: 5 } },
  );
}

interface Variant {
  readonly name: string;
  readonly adapter: ProviderAdapter;
  readonly tag: string;
}

const variants: readonly Variant[] = [
  { name: 'small, latest', adapter: modelOf('small', false, 400), tag: 'latest' },
  { name: 'small, careful', adapter: modelOf('small', false, 450), tag: 'careful' },
  { name: 'large, careful', adapter: modelOf('large', true, 900), tag: 'careful' },
];

/** Each run has a record, so that a failed case can be viewed and replayed. */
async function run({ adapter, tag }: Variant, input: string): Promise<RunRecord> {
  const lines: string[] = [];
  const recorder = runRecorder({ write: (line) => void lines.push(line) });
  await adapter.evaluate(template.bind(), { input, overrides: { store: texts, tag }, observers: [recorder] });
  await recorder.flush();
  return readRunRecord(lines);
}

const rows: { variant: string; passed: string; failed: string; tokens: number; cost: string }[] = [];
for (const variant of variants) {
  const results = await Promise.all(
    cases.map(async ({ name, input, label }) => {
      const { root, calls } = await run(variant, input);
      const isPassed = calls.some(
        ({ toolName, params, isFinal }) =>
          toolName === 'file' && isFinal && JSON.stringify(params) === JSON.stringify({ label }),
      );
      return { name, isPassed, usage: root.usage ?? {}, prices: root.prices };
    }),
  );
  const tokens = results.reduce(
    (sum, { usage }) => sum + (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0),
    0,
  );
  const cost = results.reduce(
    (sum, { usage, prices }) => sum + (prices === undefined ? 0 : tokenCost(usage, prices)),
    0,
  );
  rows.push({
    variant: variant.name,
    passed: `${results.filter(({ isPassed }) => isPassed).length}/${results.length}`,
    failed: results.flatMap(({ name, isPassed }) => (isPassed ? [] : [name])).join(', '),
    tokens,
    cost: cost.toFixed(4),
  });
}

console.table(rows);
assert.deepEqual(
  rows.map(({ variant, passed, failed }) => [variant, passed, failed]),
  [
    ['small, latest', '3/4', 'slow'],
    ['small, careful', '3/4', 'slow'],
    ['large, careful', '4/4', ''],
  ],
);
