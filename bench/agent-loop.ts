/**
 * What one step of an agent costs with everything switched on: a tool call with strict arguments, two policies, a session
 * event, a memory file system and a checked result, against a loop written by hand that does none of it. Only the ratio
 * of one run counts; CPU time, since machines are shared. `npm run bench -- agent-loop [STEPS]`, default 1,000.
 */
import {
  append,
  bind,
  defineEvent,
  defineSlice,
  Filesystem,
  MemoryFilesystem,
  on,
  promptTemplate,
  readBeforeWritePolicy,
  section,
  sequentialDependencyPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedModel } from 'weakincentives/testing';
import { z } from 'zod';

const steps = Number(process.argv[2] ?? 1_000);
const rounds = 5;

const input = z.object({ id: z.string(), count: z.number(), flag: z.boolean() });
const output = z.object({ id: z.string(), total: z.number() });
const work = ({ id, count }: { readonly id: string; readonly count: number }) => ({ id, total: count + 1 });
const argumentText = JSON.stringify({ id: 'item-1', count: 3, flag: true });

const Counted = defineEvent('counted', output);
const Counts = defineSlice('counts', output, {
  reducers: [on(Counted, (_items, payload) => append(payload))],
});
const count = tool({
  name: 'count',
  description: 'Counts one up.',
  effects: 'state',
  inputSchema: input,
  outputSchema: output,
  render: ({ total }) => `total ${total}`,
  execute: (params, context) => {
    const value = work(params);
    context.session.dispatch(Counted, value);
    return ToolResult.ok(value, 'Counted.');
  },
});
const template = promptTemplate({
  ns: 'bench',
  key: 'loop',
  sections: [
    section({
      title: 'Counting',
      key: 'counting',
      template: 'Count.',
      tools: [count],
      slices: [Counts],
      policies: [readBeforeWritePolicy(), sequentialDependencyPolicy({ dependencies: {} })],
      resources: [bind(Filesystem, () => new MemoryFilesystem())],
    }),
  ],
});

async function ours(): Promise<void> {
  const model = scriptedModel((_conversation, { turn }) =>
    turn > steps ? { text: 'done' } : { toolCalls: [{ name: 'count', arguments: argumentText }] },
  );
  const { text } = await model.evaluate(template.bind(), { maxTurns: steps + 1 });
  if (text !== 'done') throw new Error(`The run ended with "${text}".`);
}

async function floor(): Promise<void> {
  const transcript: unknown[] = [];
  const tools = new Map([['count', async (params: z.infer<typeof input>) => work(params)]]);
  const ask = async (turn: number) =>
    turn > steps ? [] : [{ id: `call-${turn}`, name: 'count', text: argumentText }];
  for (let turn = 1; ; turn += 1) {
    const calls = await ask(turn);
    transcript.push(calls);
    if (calls.length === 0) return;
    const results = await Promise.all(
      calls.map(async (call) => tools.get(call.name)?.(input.parse(JSON.parse(call.text)))),
    );
    for (const result of results) transcript.push(JSON.stringify(output.parse(result)));
  }
}

async function cpuMicrosecondsPerStep(run: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / steps;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

await ours();
await floor();
const measured: { readonly ours: number; readonly floor: number }[] = [];
for (let round = 0; round < rounds; round += 1) {
  measured.push({ floor: await cpuMicrosecondsPerStep(floor), ours: await cpuMicrosecondsPerStep(ours) });
}
const oursMedian = median(measured.map((round) => round.ours));
const floorMedian = median(measured.map((round) => round.floor));
console.log(`${steps} steps, median of ${rounds} rounds, CPU µs a step`);
console.log(`written by hand  ${floorMedian.toFixed(1)}`);
console.log(`weakincentives   ${oursMedian.toFixed(1)}   ${(oursMedian / floorMedian).toFixed(1)} times`);
