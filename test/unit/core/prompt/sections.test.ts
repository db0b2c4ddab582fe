import { describe, expect, test } from 'vitest';
import {
  PolicyDecision,
  PromptRenderError,
  promptTemplate,
  Session,
  SetVisibility,
  section,
  type ToolPolicy,
  ToolResult,
  tool,
  VisibilityOverrides,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import type { SectionPort } from '../../../../src/core/tool/index.ts';

const named = (name: string) =>
  tool({ name, description: `The ${name}.`, effects: 'read', execute: () => ToolResult.ok(null) });

/** One line per section: its depth, its key, what the model sees of it, its tools. */
const drawn = (sections: readonly SectionPort[], depth = 0): readonly string[] =>
  sections.flatMap(({ key, visibility, isEnabled, tools, children }) => [
    [
      `${'  '.repeat(depth)}${key}`,
      visibility,
      ...(isEnabled ? [] : ['off']),
      ...tools.map(({ name }) => name),
    ].join(' '),
    ...drawn(children, depth + 1),
  ]);

const guide = section({
  title: ' The Guide ',
  key: 'Guide',
  template: 'Read this.',
  summary: 'There is a guide.',
  visibility: 'summary',
  tools: [named('consult')],
  children: [
    section({ title: 'Part', key: 'part', template: 'A part.', tools: [named('turn')] }),
    section({
      title: 'Appendix',
      key: 'appendix',
      template: 'More.',
      summary: 'There is more.',
      visibility: 'summary',
    }),
    section({ title: 'Draft', key: 'draft', template: 'Not yet.', enabled: () => false }),
  ],
});
const off = section({
  title: 'Off',
  key: 'off',
  template: 'Off.',
  enabled: () => false,
  children: [section({ title: 'Below', key: 'below', template: 'Below.' })],
});
const closed = [
  'task full look',
  'guide summary consult',
  '  part hidden turn',
  '  appendix hidden',
  '  draft hidden off',
  'off hidden off',
  '  below hidden off',
];

describe('the sections of a prompt', () => {
  const template = promptTemplate({
    ns: 'test',
    key: 'sections',
    sections: [
      section({ title: 'Task', key: 'task', template: 'Work.', tools: [named('look')] }),
      guide,
      off,
    ],
  });

  test('are plain frozen data with titles and paths', () => {
    const [task, shown] = template.bind().sections();
    expect(task).toEqual({
      key: 'task',
      title: 'Task',
      path: 'task',
      isEnabled: true,
      visibility: 'full',
      tools: [{ name: 'look', description: 'The look.' }],
      children: [],
    });
    expect(shown).toMatchObject({ key: 'guide', title: 'The Guide', path: 'guide' });
    expect(shown?.children.map(({ path }) => path)).toEqual(['guide.part', 'guide.appendix', 'guide.draft']);
    for (const part of [shown, shown?.tools, shown?.tools[0], shown?.children, shown?.children[0]]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
    expect(structuredClone(shown)).toEqual(shown);
  });

  test('are those of a session, or as they would be in an empty one', () => {
    const prompt = template.bind();
    expect(drawn(prompt.sections())).toEqual(closed);
    const session = new Session();
    session.install(VisibilityOverrides);
    session.dispatch(SetVisibility, { prompt: 'test/sections', section: 'guide', visibility: 'full' });
    expect(drawn(prompt.sections({ session }))).toEqual([
      'task full look',
      'guide full consult',
      '  part full turn',
      '  appendix summary',
      '  draft hidden off',
      'off hidden off',
      '  below hidden off',
    ]);
  });

  test('say what is wrong with a section', () => {
    const broken = promptTemplate({
      ns: 'test',
      key: 'broken',
      sections: [
        section({
          title: 'B',
          key: 'b',
          template: 'B.',
          enabled: () => {
            throw new Error('no idea');
          },
        }),
      ],
    });
    expect(() => broken.bind().sections()).toThrow(PromptRenderError);
  });
});

test('handlers and policies see the sections as the model has them at present', async () => {
  const seen: (readonly [string, readonly string[]])[] = [];
  const looking = tool({
    name: 'look',
    description: 'Looks at the sections.',
    effects: 'read',
    execute: (_params, { prompt }) => {
      seen.push(['handler', drawn(prompt.sections())]);
      return ToolResult.ok(null);
    },
  });
  const policy: ToolPolicy = {
    name: 'looking',
    check: ({ tool: { name } }, { prompt }) => {
      if (name === 'look') seen.push(['policy', drawn(prompt.sections())]);
      return PolicyDecision.allow();
    },
  };
  const template = promptTemplate({
    ns: 'test',
    key: 'seen',
    policies: [policy],
    sections: [section({ title: 'Task', key: 'task', template: 'Work.', tools: [looking] }), guide, off],
  });
  const look = { name: 'look' };
  const open = { name: 'open_sections', arguments: { section_keys: ['guide'], reason: 'I need it.' } };
  const session = new Session();
  await scriptedAdapter([
    { toolCalls: [look] },
    { toolCalls: [open] },
    { toolCalls: [look] },
    { text: 'Done.' },
  ]).evaluate(template.bind(), { session });
  const opened = [
    'task full look',
    'guide full consult',
    '  part full turn',
    '  appendix summary',
    '  draft hidden off',
    'off hidden off',
    '  below hidden off',
  ];
  expect(seen).toEqual([
    ['policy', closed],
    ['handler', closed],
    ['policy', opened],
    ['handler', opened],
  ]);
});

test('a call that has looked runs again when another one of the turn opens a section', async () => {
  const seen: (readonly string[])[] = [];
  const looking = tool({
    name: 'look',
    description: 'Looks at the sections.',
    effects: 'read',
    execute: (_params, { prompt }) => {
      seen.push(prompt.sections().map(({ key, visibility }) => `${key} ${visibility}`));
      return ToolResult.ok(null);
    },
  });
  const template = promptTemplate({
    ns: 'test',
    key: 'again',
    sections: [section({ title: 'Task', key: 'task', template: 'Work.', tools: [looking] }), guide],
  });
  const open = { name: 'open_sections', arguments: { section_keys: ['guide'], reason: 'I need it.' } };
  await scriptedAdapter([{ toolCalls: [open, { name: 'look' }] }, { text: 'Done.' }]).evaluate(
    template.bind(),
  );
  expect(seen).toEqual([
    ['task full', 'guide summary'],
    ['task full', 'guide full'],
  ]);
});

test('the prompt of a context is the prompt: it can be evaluated, and looked at', async () => {
  const params = z.object({ topic: z.string() });
  let evaluated = 0;
  const again = tool({
    name: 'again',
    description: 'Asks the same again.',
    effects: 'read',
    execute: async (_args, { prompt, adapter }) => {
      evaluated += 1;
      expect(prompt).toMatchObject({ ns: 'test', key: 'self', name: 'self' });
      const { text } = await adapter.evaluate(prompt);
      return ToolResult.ok(null, text);
    },
  });
  const template = promptTemplate({
    ns: 'test',
    key: 'self',
    sections: [
      section({ title: 'T', key: 't', params, template: (p) => `About ${p.topic}.`, tools: [again] }),
    ],
  });
  const { conversation } = await scriptedAdapter(({ length }, { instructions, turn }) =>
    length === 0 && evaluated === 0 && turn === 1
      ? { toolCalls: [{ name: 'again' }] }
      : { text: `I read: ${instructions.includes('About bees.')}` },
  ).evaluate(template.bind({ topic: 'bees' }));
  expect(conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []))).toEqual([
    'I read: true',
  ]);
});
