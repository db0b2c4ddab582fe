import type { BenchRow } from '../harness/row.ts';
import { contend, growthRows, ours } from './contend.ts';

const sizes = [10, 100, 1_000];
const values = {
  fits: 'that fit',
  'unknown-key': 'with a key that is not known',
  'wrong-type': 'with a wrong type',
} as const;

/** What is rendered for the model, what comes back from it, and what the handler looks up. */
export const promptRows: readonly BenchRow[] = [
  {
    id: 'prompt-render',
    title: 'Prompt of 100 sections and 100 tools, rendered again: CPU',
    unit: 'µs',
    contenders: contend('prompt-render', 'each', {}, { [ours]: { sections: 100 } }),
    targets: [{ factor: 300 }],
  },
  ...sizes.map((sections): BenchRow => {
    const name = sections.toLocaleString('en-US');
    return {
      id: `prompt-section-${sections}`,
      title: `Prompt of ${name} sections and tools, rendered again: CPU a section`,
      unit: 'µs',
      contenders: contend('prompt-render', 'perSection', {}, { [ours]: { sections } }),
      targets:
        sections === 1_000
          ? [{ factor: 1.3, comparedTo: { row: 'prompt-section-100', contender: ours } }]
          : [],
    };
  }),
  {
    id: 'prompt-once',
    title: 'Prompt of 100 sections and 100 tools, built and rendered for the first time: CPU',
    unit: 'µs',
    contenders: contend('prompt-render', 'once', {}, { [ours]: { sections: 100 } }),
    targets: [],
  },
  ...(['validation', 'read'] as const).flatMap((figure) =>
    (['fits', 'unknown-key', 'wrong-type'] as const).map(
      (value): BenchRow => ({
        id: `arguments-${figure}-${value}`,
        title: `Three arguments ${values[value]}, ${figure === 'read' ? 'from the text of the call' : 'validation alone'}: CPU`,
        unit: 'µs',
        contenders: contend(
          'validation',
          figure,
          { value },
          {
            [ours]: { way: 'weakincentives-zod' },
            [`${ours}, JSON Schema`]: { way: 'weakincentives-json-schema' },
            'zod strict': { way: 'zod' },
            ajv: { way: 'ajv' },
          },
        ).map((contender) => ({
          ...contender,
          isOwn: contender.name.startsWith(`${ours},`),
          leftOutByQuick: value !== 'fits',
        })),
        targets: value === 'fits' ? [{ factor: 2, comparedTo: 'zod strict' }] : [],
      }),
    ),
  ),
  ...growthRows(
    {
      id: 'prompt-disabled',
      title: (count) => `Turn of a prompt with ${count} sections that are switched off: CPU`,
      unit: 'µs',
    },
    {
      program: 'cases/disabled-sections',
      figure: 'each',
      settings: (sections) => ({ sections }),
    },
    { small: 3, large: 300, factor: 1.2 },
  ).map((row) => ({ ...row, headline: true, leftOutByTiny: row.targets.length === 0 })),
  ...growthRows(
    { id: 'resource-get', title: (count) => `Look-up of a resource among ${count}: CPU`, unit: 'µs' },
    {
      program: 'cases/resource-get',
      figure: 'each',
      settings: (bindings) => ({ bindings }),
    },
    { small: 10, large: 10_000, factor: 1.5 },
  ),
];
