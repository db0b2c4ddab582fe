import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type AnySection,
  type AnyTool,
  ClearVisibility,
  promptTemplate,
  Session,
  SetVisibility,
  section,
  type ToolContext,
  ToolResult,
  tool,
  type Visibility,
  VisibilityExpansionRequired,
  VisibilityOverrides,
} from 'weakincentives';
import { type ScriptedToolCall, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { draws } from '../support/draws.ts';
import { type Call, flatten, type Node, type Outcome, PlainSections } from './sections/model.ts';

const runs = draws(300);

interface Shape {
  readonly isEnabled: boolean;
  readonly visibility: Visibility | undefined;
  readonly hasTool: boolean;
  readonly isDotted: boolean;
  readonly children: readonly Shape[];
}

const forestOf = (depth: number): fc.Arbitrary<readonly Shape[]> =>
  fc.array(
    fc.record({
      isEnabled: fc.integer({ min: 0, max: 9 }).map((number) => number > 0),
      visibility: fc.constantFrom<Visibility | undefined>('summary', 'summary', 'full', undefined),
      hasTool: fc.boolean(),
      isDotted: fc.boolean(),
      children: depth === 0 ? fc.constant([]) : forestOf(depth - 1),
    }),
    { minLength: depth === 2 ? 1 : 0, maxLength: 3 },
  );

function toNodes(shapes: readonly Shape[], parent?: Node): readonly Node[] {
  return shapes.map(({ isDotted, hasTool, children, ...shape }, index) => {
    // A key with dots that look like the address of a section below another one.
    const key = isDotted ? `k${index}.k0` : `k${index}${parent === undefined ? '' : 'x'}`;
    const node = {
      ...shape,
      path: parent === undefined ? key : `${parent.path}.${key}`,
      number: parent === undefined ? `${index + 1}` : `${parent.number}.${index + 1}`,
      depth: parent === undefined ? 0 : parent.depth + 1,
      parent,
      tool: undefined as string | undefined,
      children: [] as readonly Node[],
    };
    if (hasTool) node.tool = `t_${node.number.replaceAll('.', '_')}`;
    node.children = toNodes(children, node);
    return node;
  });
}

/** Calls by number: which section is meant depends on how many there are. */
const pathOf = (paths: readonly string[]) => fc.constantFrom(...paths, 'no.where');
const callOf = (paths: readonly string[], tools: readonly string[]): fc.Arbitrary<Call> => {
  const path = pathOf(paths);
  const fails = fc.boolean();
  const some = fc.array(path, { minLength: 1, maxLength: 3 });
  return fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('open' as const), paths: some }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('expand' as const), paths: some }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('read' as const), path }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('set' as const),
        path,
        visibility: fc.constantFrom<Visibility>('full', 'summary'),
        fails,
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('clear' as const), path, fails }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'clear-all' as const }) },
    ...(tools.length === 0
      ? []
      : [
          {
            weight: 2,
            arbitrary: fc.constantFrom(...tools).map((name) => ({ kind: 'use' as const, tool: name })),
          },
        ]),
  );
};

const programs = forestOf(2).chain((shapes) => {
  const forest = toNodes(shapes);
  const all = flatten(forest);
  const call = callOf(
    all.map(({ path }) => path),
    all.flatMap(({ tool: name }) => (name === undefined ? [] : [name])),
  );
  const turns = fc.array(fc.array(call, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 });
  return fc.record({
    forest: fc.constant(forest),
    // Two runs, one after the other, in one session.
    runs: fc.array(turns, { minLength: 1, maxLength: 2 }),
    concurrency: fc.constantFrom(1, 3, 8),
    maxExpansions: fc.integer({ min: 0, max: 3 }),
    /** How long what waits waits, one after the other. */
    pauses: fc.array(fc.nat({ max: 6 }), { minLength: 1, maxLength: 8 }),
  });
});

const prompt = 'test/sections';
const handlers = { expand: 'expand', set: 'set', clear: 'clear', 'clear-all': 'clear_all' } as const;

function toScripted(call: Call): ScriptedToolCall {
  if (call.kind === 'open')
    return { name: 'open_sections', arguments: { section_keys: call.paths, reason: 'r' } };
  if (call.kind === 'read') return { name: 'read_section', arguments: { section_key: call.path } };
  if (call.kind === 'use') return { name: call.tool };
  return { name: handlers[call.kind], arguments: call };
}

function toTemplate(forest: readonly Node[], pause: () => Promise<void>) {
  const handler = (
    name: string,
    effects: 'read' | 'state',
    work: (call: never, context: ToolContext) => unknown,
  ): AnyTool =>
    tool({
      name,
      description: 'Does what the test says.',
      effects,
      inputSchema: z.looseObject({}),
      execute: async (call, context) => {
        await pause();
        await work(call as never, context); // The test passes what the handler takes.
        await pause();
        return (call as { readonly fails?: boolean }).fails === true
          ? ToolResult.error('failed')
          : ToolResult.ok(null, 'done');
      },
    });
  type Of<Kind> = Extract<Call, { readonly kind: Kind }>;
  const tools = [
    handler('expand', 'read', ({ paths }: Of<'expand'>) => {
      throw new VisibilityExpansionRequired(paths, 'they are needed');
    }),
    handler('set', 'state', ({ path, visibility }: Of<'set'>, { session }) =>
      session.dispatch(SetVisibility, { prompt, section: path, visibility }),
    ),
    handler('clear', 'state', ({ path }: Of<'clear'>, { session }) =>
      session.dispatch(ClearVisibility, { prompt, section: path }),
    ),
    handler('clear_all', 'state', (_call: Of<'clear-all'>, { session }) =>
      session.dispatch(ClearVisibility, { prompt }),
    ),
  ];
  const toSection = (node: Node): AnySection => ({
    title: 'T',
    key: node.parent === undefined ? node.path : node.path.slice(node.parent.path.length + 1),
    ...(node.visibility === undefined
      ? {}
      : { visibility: () => node.visibility ?? 'full', summary: `short ${node.path}` }),
    enabled: () => node.isEnabled,
    render: async () => {
      await pause();
      return `full ${node.path}`;
    },
    tools:
      node.tool === undefined
        ? []
        : [
            tool({
              name: node.tool,
              description: 'D.',
              effects: 'read',
              execute: () => ToolResult.ok(null, 'done'),
            }),
          ],
    children: node.children.map(toSection),
  });
  const own = section({ title: 'Own', key: 'own', tools, slices: [VisibilityOverrides] });
  return promptTemplate({ ns: 'test', key: 'sections', sections: [...forest.map(toSection), own] });
}

function toOutcome(text: string): Outcome {
  if (text.startsWith('There is no tool')) return 'no tool';
  if (/in this run tools have already requested that/.test(text)) return 'too often';
  if (/There is no section/.test(text)) return 'unknown';
  if (/(is|are) open already/.test(text)) return 'open';
  if (/is not enabled now/.test(text)) return 'disabled';
  const shown = text.indexOf('##');
  if (shown >= 0) return { text: text.slice(shown) };
  return text === 'failed' || text === 'done' ? text : 'done';
}

test('sections are opened, read, set and cleared by parallel calls as if one after the other', async () => {
  let opened = 0;
  let reruns = 0;
  await fc.assert(
    fc.asyncProperty(programs, async ({ forest, runs: evaluations, concurrency, maxExpansions, pauses }) => {
      let paused = 0;
      const pause = async (): Promise<void> => {
        paused += 1;
        for (let round = pauses[paused % pauses.length] ?? 0; round > 0; round -= 1) await Promise.resolve();
      };
      const template = toTemplate(forest, pause);
      const plain = new PlainSections(forest, maxExpansions);
      const session = new Session();
      for (const turns of evaluations) {
        const instructions = plain.begin(['expand', 'set', 'clear', 'clear_all']);
        const own = `## ${forest.length + 1}. Own (own)`;
        const texts: string[] = [];
        const expected: Outcome[] = [];
        await scriptedAdapter((conversation, request) => {
          plain.turn();
          expect(request.instructions).toBe([instructions, own].filter((text) => text !== '').join('\n\n'));
          expect(request.tools.map(({ name }) => name)).toEqual(plain.tools);
          texts.push(
            ...conversation
              .slice(-(turns[request.turn - 2]?.length ?? 0))
              .flatMap((item) => (item.type === 'tool-result' ? [item.text] : [])),
          );
          const calls = turns[request.turn - 1];
          if (calls === undefined) return { text: 'end' };
          for (const call of calls) expected.push(plain.call(call));
          return { toolCalls: calls.map(toScripted) };
        }).evaluate(template.bind({}), {
          session,
          limits: { maxConcurrentCalls: concurrency, maxSectionOpenings: maxExpansions },
          observers: [
            {
              onEvent: (event) => {
                if (event.type === 'tool-call-retry') reruns += 1;
                if (event.type === 'tool-call-end' && event.invocation.openedSections !== undefined)
                  opened += 1;
              },
            },
          ],
        });
        expect(texts.map(toOutcome)).toEqual(expected);
        const overrides = session.slice(VisibilityOverrides).all();
        expect(new Map(overrides.map((item) => [item.section, item.visibility]))).toEqual(plain.overrides);
      }
    }),
    { numRuns: runs },
  );
  // The test must have bitten.
  expect(opened).toBeGreaterThan(runs);
  expect(reruns).toBeGreaterThan(0);
});
