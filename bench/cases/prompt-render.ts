import { type Prompt, promptTemplate, section, ToolResult, tool } from 'weakincentives';
import { z } from 'zod';
import { runProgram } from '../harness/program.ts';
import { measureRounds } from './repeat.ts';

/** As many tools as sections, and one parameter that all sections share. */
function promptOf(size: number): Prompt {
  const sections = Array.from({ length: size }, (_, number) =>
    section({
      title: `Section ${number}`,
      key: `section-${number}`,
      params: z.object({ name: z.string() }),
      template: (p) => `
        This is what section ${number} says to ${p.name}, in two lines,
        as long as such lines are.
      `,
      tools: [
        tool({
          name: `tool-${number}`,
          description: `Does what section ${number} is about.`,
          inputSchema: z.object({ path: z.string().describe('A path.'), limit: z.int().default(10) }),
          execute: () => ToolResult.ok(null),
        }),
      ],
    }),
  );
  return promptTemplate({ ns: 'bench', key: `size-${size}`, sections }).bind({ name: 'Ada' });
}

/** A prompt rendered again (`each`, and `perSection`), and what is done once for a template: `once`, built and rendered first. In µs. */
await runProgram<{ readonly sections: number }>(async ({ sections }, plan) => {
  const once: number[] = [];
  for (let sample = 0; sample < plan.samples; sample += 1) {
    const before = process.cpuUsage();
    await promptOf(sections).render();
    const { user, system } = process.cpuUsage(before);
    once.push(user + system);
  }
  const prompt = promptOf(sections);
  const { text, tools } = await prompt.render();
  if (!text.includes(`what section ${sections - 1} says to Ada`) || tools.length !== sections)
    throw new Error('The prompt is not what it should be.');
  const { samples, notes } = await measureRounds(plan, {
    rounds: Math.ceil(30_000 / sections),
    run: () => prompt.render(),
  });
  const each = samples['each'] ?? [];
  return {
    samples: { each, perSection: each.map((us) => us / sections), once },
    ...(notes === undefined ? {} : { notes }),
  };
});
