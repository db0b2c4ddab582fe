import { describe, expect, it } from 'vitest';
import {
  type AnySection,
  binding,
  CompletionVerdict,
  defineEvent,
  defineSlice,
  Filesystem,
  jsonSchema,
  MemoryFilesystem,
  PromptEvaluationError,
  PromptRenderError,
  promptTemplate,
  type SectionRenderContext,
  Session,
  type SessionView,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { runSections, sectionsPrompt } from '../../../../support/sections.ts';

const Counted = defineEvent({ name: 'test.counted', schema: jsonSchema<number>({ type: 'integer' }) });
const Logged = defineEvent({ name: 'test.logged', schema: jsonSchema<number>({ type: 'integer' }) });
const Count = defineSlice({
  name: 'test.count',
  schema: jsonSchema<number>({ type: 'integer' }),
  reducers: (on) => [on(Counted, (items, count) => items.append(count))],
});
const Log = defineSlice({
  name: 'test.log',
  schema: jsonSchema<number>({ type: 'integer' }),
  policy: 'log',
  reducers: (on) => [on(Logged, (items, count) => items.append(count))],
});

/** The session as a caller without a compiler uses it. */
const writable = (session: unknown): SessionView => session as SessionView;

const writes: readonly (readonly [string, (session: unknown) => unknown])[] = [
  ['dispatch', (session) => writable(session).dispatch(Counted, 1)],
  ['dispatch to a log', (session) => writable(session).dispatch(Logged, 1)],
  ['append', (session) => writable(session).slice(Count).append(1)],
  ['append to a log', (session) => writable(session).slice(Log).append(1)],
  ['clear', (session) => writable(session).slice(Count).clear()],
  ['restore', (session) => writable(session).restore(new Session().snapshot())],
  ['dispatcher', (session) => writable(session).dispatcher.dispatch(Counted, 1)],
];

/** A section whose function of this name does something with the session. */
function sectionThat(name: string, act: (session: unknown) => unknown): AnySection {
  const common = { title: 'Sly', key: 'sly', slices: [Count, Log] };
  switch (name) {
    case 'enabled':
      return section({ ...common, enabled: (_params, session) => act(session) === undefined });
    case 'visibility':
      return section({ ...common, summary: 's', visibility: (_params, session) => (act(session), 'full') });
    default:
      return section({ ...common, render: (_params, { session }) => String(act(session)) });
  }
}

function stateOf(session: Session): unknown {
  return session.exportState({ includeLogs: true }).slices;
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

const functions = ['enabled', 'visibility', 'render'] as const;
const cases = functions.flatMap((name) => writes.map(([write, act]) => [name, write, act] as const));

describe('a section that writes while it is rendered', () => {
  it.each(cases)(
    '%s, %s: the rendering fails, naming the section, and nothing is written',
    async (name, _write, act) => {
      const session = new Session();
      for (const slice of [Count, Log]) session.install(slice);
      session.dispatch(Counted, 7);
      const before = stateOf(session);
      const parent = section({ title: 'Parent', key: 'parent', children: [sectionThat(name, act)] });
      const prompt = promptTemplate({ ns: 'a', key: 'b', sections: [parent] }).bind();

      for (const options of [{ session }, {}]) {
        const error = await failureOf(prompt.render(options));
        expect(error).toBeInstanceOf(PromptRenderError);
        expect(error).toMatchObject({
          details: { section: 'parent.sly' },
          cause: { code: 'session-read-only' },
        });
        expect(String(error)).toContain(`The ${name} function of section "parent.sly" threw`);
      }
      expect(stateOf(session)).toEqual(before);
    },
  );

  it.each(functions.slice(0, 2))('%s: also when only the tools are asked for', (name) => {
    const session = new Session();
    session.install(Count);
    const sly = sectionThat(name, (view) => writable(view).dispatch(Counted, 1));
    expect(() => sectionsPrompt([sly]).tools({ session })).toThrow(PromptRenderError);
    expect(session.slice(Count).length).toBe(0);
  });

  it('fails an evaluation before the first request', async () => {
    const session = new Session();
    const sly = sectionThat('render', (view) => writable(view).dispatch(Counted, 1));
    const error = await failureOf(runSections(sectionsPrompt([sly]), [], { session }));
    expect(error).toBeInstanceOf(PromptEvaluationError);
    expect(error).toMatchObject({ phase: 'render', cause: { details: { section: 'sly' } } });
    expect(session.slice(Count).length).toBe(0);
  });

  it.each(['open_sections', 'read_section'])('fails a call of %s, and nothing is written', async (name) => {
    const sly = sectionThat('render', (view) => writable(view).slice(Log).append(1));
    const brought = name === 'open_sections' ? [tool({ name: 'aid', description: 'Aids.' })] : [];
    const shut = section({
      title: 'Shut',
      key: 'shut',
      summary: 'More.',
      visibility: 'summary',
      tools: brought,
      children: [sly],
    });
    const args = name === 'open_sections' ? { section_keys: ['shut'], reason: 'x' } : { section_key: 'shut' };
    const { session, texts } = await runSections(sectionsPrompt([shut]), [
      { toolCalls: [{ name, arguments: args }] },
    ]);
    expect(texts[0]).toContain('section "shut.sly" threw');
    expect(texts[0]).toContain('can only be read here');
    expect(session.slice(Log).length).toBe(0);
  });

  it('fails a nested evaluation, and the call around it is what it was', async () => {
    const sly = sectionThat('render', (view) => writable(view).dispatch(Counted, 1));
    const inner = promptTemplate({ ns: 'test', key: 'inner', sections: [sly] }).bind();
    const ask = tool({
      name: 'ask',
      description: 'Asks.',
      execute: async (_params, context) => {
        const error = await failureOf(context.adapter.evaluate(inner));
        return ToolResult.ok(null, PromptEvaluationError.isInstance(error) ? String(error.cause) : 'none');
      },
    });
    const outer = section({ title: 'Outer', key: 'outer', tools: [ask], slices: [Count] });
    const { session, texts } = await runSections(sectionsPrompt([outer]), [{ toolCalls: [{ name: 'ask' }] }]);
    expect(texts[0]).toContain('The render function of section "sly" threw');
    expect(session.slice(Count).length).toBe(0);
  });

  it('gets nothing to write with later', async () => {
    const session = new Session();
    session.install(Count);
    let kept: unknown;
    const sly = sectionThat('render', (view) => (kept = view));
    await sectionsPrompt([sly]).render({ session });
    expect(() => writable(kept).dispatch(Counted, 1)).toThrow(/can only be read here/);
    session.dispatch(Counted, 2);
    expect(writable(kept).slice(Count).all()).toEqual([2]);
  });
});

describe('the files of a section that is rendered', () => {
  const reading = (act: (files: Filesystem, context: SectionRenderContext) => Promise<string>): AnySection =>
    section({
      title: 'Files',
      key: 'files',
      render: async (_params, context) =>
        act((await context.resources?.get(Filesystem)) ?? new MemoryFilesystem(), context),
    });

  it('can be read and not changed', async () => {
    const files = new MemoryFilesystem();
    await files.write('a.txt', 'A');
    const prompt = (act: Parameters<typeof reading>[0]) =>
      promptTemplate({
        ns: 'a',
        key: 'b',
        sections: [reading(act)],
        resources: [binding(Filesystem, { instance: files })],
      }).bind();
    const adapter = scriptedAdapter([{ text: 'done' }, { text: 'done' }]);
    const response = await adapter.evaluate(prompt(async (view) => (await view.read('a.txt')).text));
    expect(response.text).toBe('done');
    const error = await failureOf(
      adapter.evaluate(prompt(async (view) => (await view.write('a.txt', 'B'), ''))),
    );
    expect(error).toMatchObject({ phase: 'render', cause: { details: { section: 'files' } } });
    expect(String(error)).toContain('may only read files');
    expect((await files.read('a.txt')).text).toBe('A');
  });

  it('are closed when the prompt is rendered, and so are all resources', async () => {
    const files = new MemoryFilesystem();
    let kept: readonly [Filesystem, SectionRenderContext] | undefined;
    const prompt = promptTemplate({
      ns: 'a',
      key: 'b',
      sections: [reading(async (view, context) => ((kept = [view, context]), ''))],
      resources: [binding(Filesystem, { instance: files })],
    }).bind();
    await scriptedAdapter([{ text: 'done' }]).evaluate(prompt);
    const [view, context] = kept ?? [];
    const resources = context?.resources;
    expect(resources?.has(Filesystem)).toBe(true);
    await expect(view?.read('a.txt')).rejects.toMatchObject({ code: 'transaction-closed' });
    await expect(resources?.get(Filesystem)).rejects.toMatchObject({ code: 'transaction-closed' });
  });
});

describe('a completion checker and a feedback provider', () => {
  it('are handed sessions that can only be read', async () => {
    const refusals: unknown[] = [];
    const attempt = (session: unknown): void => {
      for (const [, act] of writes) {
        try {
          act(session);
        } catch (error) {
          refusals.push(error);
        }
      }
    };
    const aid = tool({ name: 'aid', description: 'Aids.', execute: () => ToolResult.ok(1) });
    const part = section({ title: 'Part', key: 'part', tools: [aid], slices: [Count, Log] });
    const { session } = await runSections(sectionsPrompt([part]), [{ toolCalls: [{ name: 'aid' }] }], {
      completion: {
        name: 'checker',
        check: ({ session: view }) => (attempt(view), CompletionVerdict.complete()),
      },
      feedback: [
        {
          name: 'provider',
          triggers: { everyCalls: 1 },
          provide: ({ session: view }) => {
            attempt(view);
            return undefined;
          },
        },
      ],
    });
    expect(refusals).toHaveLength(2 * writes.length);
    for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'session-read-only' });
    expect([session.slice(Count).length, session.slice(Log).length]).toEqual([0, 0]);
  });
});
