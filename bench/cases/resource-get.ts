import {
  type AnyResourceBinding,
  binding,
  promptTemplate,
  resourceToken,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { runProgram } from '../harness/program.ts';
import type { Report } from '../harness/row.ts';
import { measureRounds } from './repeat.ts';

/** A look-up of a resource inside a tool call, among so many bindings. */
await runProgram<{ readonly bindings: number }>(async ({ bindings }, plan) => {
  const tokens = Array.from({ length: bindings }, (_, number) => resourceToken<number>(`number ${number}`));
  const asked = tokens[1];
  if (asked === undefined) throw new Error('There are too few bindings.');
  const resources: AnyResourceBinding[] = tokens.map((token, number) =>
    binding(token, { create: () => number }),
  );
  let report: Report | undefined;
  const measure = tool({
    name: 'measure',
    description: 'Looks up.',
    effects: 'read',
    execute: async (_params, context) => {
      report = await measureRounds(plan, {
        rounds: 20_000,
        run: async () => {
          if ((await context.resources.get(asked)) !== 1) throw new Error('It is another resource.');
        },
      });
      return ToolResult.ok(null);
    },
  });
  const prompt = promptTemplate({
    ns: 'bench',
    key: 'resource',
    resources,
    sections: [section({ title: 'Task', key: 'task', template: 'Look up.', tools: [measure] })],
  }).bind();
  await scriptedAdapter([{ toolCalls: [{ name: 'measure' }] }, { text: 'done' }]).evaluate(prompt);
  if (report === undefined) throw new Error('The tool did not finish.');
  return report;
});
