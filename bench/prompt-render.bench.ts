/**
 * What rendering a prompt costs that is rendered again: with 100 sections and 100 tools, and whether it grows with their
 * number alone. Beside it, what is done once for a template: building it, its first rendering, hashing its texts, applying
 * overrides. Only the ratios of one run count; CPU time, since machines are shared.
 * `npm run bench -- prompt-render [RENDERINGS]`, default 300.
 */
import { type Prompt, promptTemplate, section, ToolResult, tool } from 'weakincentives';
import { z } from 'zod';

const renderings = Number(process.argv[2] ?? 300);
const rounds = 7;
const sizes = [10, 100, 1000] as const;

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

async function cpuMicroseconds(work: () => unknown, times: number): Promise<number> {
  const before = process.cpuUsage();
  for (let time = 0; time < times; time += 1) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}

const warm = new Map<number, number>();
for (const size of sizes) {
  const prompt = promptOf(size);
  await cpuMicroseconds(() => prompt.render(), renderings);
  const times = Math.max(10, Math.round((renderings * 100) / size));
  const measured: number[] = [];
  for (let round = 0; round < rounds; round += 1)
    measured.push(await cpuMicroseconds(() => prompt.render(), times));
  warm.set(size, median(measured));
}
const hundred = warm.get(100) ?? 0;
console.log('rendering again, CPU µs:');
for (const [size, each] of warm) {
  const perSection = each / size / (hundred / 100);
  console.log(
    `  ${String(size).padStart(5)} sections and tools  ${each.toFixed(0).padStart(7)}   each section ${perSection.toFixed(2)} times that of 100`,
  );
}

const once = {
  building: [] as number[],
  first: [] as number[],
  hashing: [] as number[],
  overriding: [] as number[],
};
for (let round = 0; round < rounds; round += 1) {
  let prompt = promptOf(1);
  once.building.push(
    await cpuMicroseconds(() => {
      prompt = promptOf(100);
    }, 1),
  );
  once.first.push(await cpuMicroseconds(() => prompt.render(), 1));
  once.hashing.push(await cpuMicroseconds(() => prompt.descriptor, 1));
  const overrides = prompt.seedOverrides();
  once.overriding.push(await cpuMicroseconds(() => prompt.checkOverrides(overrides), 1));
}
console.log('once for a template of 100 sections and tools, in renderings:');
for (const [name, values] of Object.entries(once)) {
  console.log(
    `  ${name.padEnd(12)}${(median(values) / hundred).toFixed(1).padStart(7)}   (${median(values).toFixed(0)} µs)`,
  );
}
