import { PolicyDecision, promptTemplate, section, type ToolPolicy, ToolResult, tool } from 'weakincentives';
import { readRunRecord, replayRun, runRecorder } from 'weakincentives/record';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { winkModel } from '../systems/wink.ts';
import { check, pay, script } from './case.ts';

const payTool = tool({
  name: 'pay',
  description: 'Pay an amount.',
  inputSchema: z.object({ amount: z.number() }),
  effects: 'external',
  execute: ({ amount }) => ToolResult.ok(null, pay(amount)),
});
const promptWith = (policies: readonly ToolPolicy[]) =>
  promptTemplate({
    ns: 'compare',
    key: 'replay',
    sections: [section({ title: 'Task', key: 'task', template: 'Pay the bill.', tools: [payTool] })],
    policies,
  }).bind();
const limit: ToolPolicy = {
  name: 'limit',
  check: ({ params }) =>
    (params as { readonly amount: number }).amount > 200
      ? PolicyDecision.deny('Too much.')
      : PolicyDecision.allow(),
};

await cell(async () => {
  const lines: string[] = [];
  const recorder = runRecorder({ write: (line) => void lines.push(line) });
  await winkModel(script).evaluate(promptWith([]), { observers: [recorder] });
  await recorder.flush();
  const record = await readRunRecord(lines);
  const same = await replayRun({ record, prompt: promptWith([]) });
  const denied = await replayRun({ record, prompt: promptWith([limit]) });
  return check({ isSame: same.isSame, difference: denied.firstDifference?.text });
});
