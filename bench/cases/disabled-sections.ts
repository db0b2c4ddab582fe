import { promptTemplate, section, ToolResult, tool } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { runProgram } from '../harness/program.ts';
import { takeSamples } from '../harness/samples.ts';

const turns = 500;
const tinyTurns = 4;

/** Turns with one call each, of a prompt with so many sections that are switched off: `each` in µs of CPU a turn. */
await runProgram<{ readonly sections: number }>(async ({ sections: disabled }, plan) => {
  const wanted = plan.effort === 'tiny' ? tinyTurns : turns;
  let calls = 0;
  const look = tool({
    name: 'look',
    description: 'Looks.',
    effects: 'read',
    inputSchema: z.strictObject({}),
    execute: () => {
      calls += 1;
      return ToolResult.ok(null);
    },
  });
  const prompt = promptTemplate({
    ns: 'bench',
    key: 'disabled',
    sections: [
      section({ title: 'Task', key: 'task', template: 'Look.', tools: [look] }),
      ...Array.from({ length: disabled }, (_, number) =>
        section({
          title: `Section ${number}`,
          key: `section-${number}`,
          template: `This is what section ${number} says.`,
          enabled: () => false,
          tools: [
            tool({ name: `tool-${number}`, description: 'Looks.', execute: () => ToolResult.ok(null) }),
          ],
        }),
      ),
    ],
  }).bind();
  const adapter = scriptedAdapter((_conversation, { turn }) =>
    turn > wanted ? { text: 'done' } : { toolCalls: [{ name: look.name, arguments: {} }] },
  );
  const { samples, notes } = await takeSamples(plan, {
    run: async () => {
      calls = 0;
      await adapter.evaluate(prompt, { limits: { maxTurns: wanted + 1 } });
      if (calls !== wanted) throw new Error(`The tool ran ${calls} times.`);
    },
  });
  return { samples: { each: samples.map(({ cpuMs }) => (cpuMs * 1000) / wanted) }, notes };
});
