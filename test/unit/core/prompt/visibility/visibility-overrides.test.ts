import { describe, expect, it } from 'vitest';
import {
  type AnySection,
  ClearVisibility,
  parseOverrides,
  promptTemplate,
  SchemaError,
  Session,
  SetVisibility,
  section,
  ToolResult,
  tool,
  type Visibility,
  VisibilityOverrides,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { act } from '../../../../support/act.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';
import { opening, runSections } from '../../../../support/sections.ts';

const foldable = (key: string, more: Partial<AnySection> = {}): AnySection =>
  section({ title: key, key, template: `All of ${key}.`, summary: `Some of ${key}.`, ...more } as never); // Parts of other sections fit.
const templateOf = (sections: readonly AnySection[], key = 'b') => promptTemplate({ ns: 'a', key, sections });

function sessionWith(...set: readonly (readonly [string, Visibility, prompt?: string])[]): Session {
  const session = new Session();
  session.install(VisibilityOverrides);
  for (const [path, visibility, prompt = 'a/b'] of set) {
    session.dispatch(SetVisibility, { prompt, section: path, visibility });
  }
  return session;
}

const shows = async (
  session: Session,
  ...sections: readonly AnySection[]
): Promise<readonly (string | undefined)[]> => {
  const { text } = await templateOf(sections).bind().render({ session });
  return sections.map(({ key }) => new RegExp(`(All|Some) of ${key}\\.`).exec(text)?.[1]);
};

describe('the visibility of a session', () => {
  it('wins over what a section says, be it fixed or a function', async () => {
    const sections = [
      foldable('plain'),
      foldable('fixed', { visibility: 'summary' }),
      foldable('asked', {
        visibility: () => {
          throw new Error('not asked');
        },
      }),
    ];
    const session = sessionWith(['plain', 'summary'], ['fixed', 'full'], ['asked', 'full']);
    expect(await shows(session, ...sections)).toEqual(['Some', 'All', 'All']);
    session.dispatch(SetVisibility, { prompt: 'a/b', section: 'ASKED', visibility: 'summary' });
    expect(await shows(session, ...sections)).toEqual(['Some', 'All', 'Some']);
  });

  it('takes precedence over stored overrides, and does not require text to be overridable', async () => {
    const template = templateOf([foldable('p', { acceptsOverrides: false }), foldable('q')]);
    const prompt = template.bind();
    const overrides = parseOverrides({
      version: 1,
      ns: 'a',
      key: 'b',
      tag: 'latest',
      sections: { q: { visibility: 'summary' } },
      tools: {},
    });
    expect((await prompt.render({ overrides })).text).toMatch(/All of p\.[^]*Some of q\./);
    const session = sessionWith(['p', 'summary'], ['q', 'full']);
    expect((await prompt.render({ overrides, session })).text).toMatch(/Some of p\.[^]*All of q\./);
  });

  it('decides about tools, also for tools()', () => {
    const search = tool({ name: 'search', description: 'Searches.' });
    const prompt = templateOf([foldable('p', { tools: [search] })]).bind();
    const session = sessionWith(['p', 'summary']);
    expect(prompt.tools({ session })).toEqual([]);
    session.dispatch(ClearVisibility, { prompt: 'a/b', section: 'P' });
    expect(prompt.tools({ session })).toEqual([search]);
  });

  it('is without effect on a section without a summary, and on another prompt', async () => {
    const bare = section({ title: 'x', key: 'x', template: 'All of x.' });
    expect(await shows(sessionWith(['x', 'summary']), bare)).toEqual(['All']);
    expect(await shows(sessionWith(['p', 'summary', 'a/other']), foldable('p'))).toEqual(['All']);
  });

  it('without effect is reported to the operator', async () => {
    const logger = recordingLogger();
    const session = sessionWith(
      ['p', 'summary'],
      ['bare', 'summary'],
      ['gone', 'full'],
      ['gone', 'full', 'a/c'],
    );
    const prompt = templateOf([foldable('p'), section({ title: 'x', key: 'bare' })]).bind();
    await runSections(prompt, [], { session, logger });
    expect(logger.lines.filter(({ level }) => level === 'warn')).toMatchObject([
      {
        message: expect.stringContaining('have no summary'),
        fields: { prompt: 'b', sections: ['bare', 'gone'] },
      },
    ]);
  });

  it('is cleared for one section, for one prompt, or for all', () => {
    const items = (session: Session): readonly string[] =>
      session
        .slice(VisibilityOverrides)
        .all()
        .map(({ prompt, section: path }) => `${prompt}:${path}`);
    const session = sessionWith(['p', 'full'], ['q', 'full'], ['p', 'full', 'a/c'], ['r', 'full']);
    session.dispatch(ClearVisibility, { prompt: 'a/b', section: 'q' });
    expect(items(session)).toEqual(['a/b:p', 'a/c:p', 'a/b:r']);
    session.dispatch(ClearVisibility, { prompt: 'a/b' });
    expect(items(session)).toEqual(['a/c:p']);
    session.dispatch(ClearVisibility, {});
    expect(items(session)).toEqual([]);
  });

  it('keeps addresses apart that differ only in where the dots come from', async () => {
    const session = sessionWith(['p.q', 'summary']);
    const nested = foldable('p', { children: [foldable('q')] });
    expect((await templateOf([nested]).bind().render({ session })).text).toMatch(/All of p\.[^]*Some of q\./);
    expect(await shows(session, foldable('p.q'), foldable('q'))).toEqual(['Some', 'All']);
  });

  it('takes no other payloads', () => {
    const session = sessionWith();
    const set = (payload: object) => () => session.dispatch(SetVisibility, payload as never);
    expect(set({ prompt: 'a/b', section: 'p', visibility: 'hidden' })).toThrow(SchemaError);
    expect(set({ prompt: 'a/b', visibility: 'full' })).toThrow(SchemaError);
    expect(set({ prompt: 'a/b', section: 'p', visibility: 'full', more: 1 })).toThrow(SchemaError);
    expect(() => session.dispatch(ClearVisibility, { prompt: '', section: 'p' })).toThrow(SchemaError);
    expect(session.slice(VisibilityOverrides).length).toBe(0);
  });

  it('need not be known to a session that a prompt is rendered with', async () => {
    expect(await shows(new Session(), foldable('p', { visibility: 'summary' }))).toEqual(['Some']);
  });

  it('is a slice of prompts that have summaries, and of no others', () => {
    expect(
      templateOf([foldable('p')])
        .bind()
        .slices(),
    ).toEqual([VisibilityOverrides]);
    expect(
      templateOf([section({ title: 'x', key: 'x' })])
        .bind()
        .slices(),
    ).toEqual([]);
  });

  it('survives an export, with what a model has opened', async () => {
    const sections = [
      foldable('p', { visibility: 'summary', tools: [tool({ name: 'go', description: 'Goes.' })] }),
      foldable('q'),
    ];
    const prompt = templateOf(sections).bind();
    const { session, texts } = await runSections(prompt, [{ toolCalls: [opening('p')] }]);
    expect(texts[0]).toMatch(/^Opened "p"/);
    session.dispatch(SetVisibility, { prompt: 'a/b', section: 'q', visibility: 'summary' });
    const exported = JSON.parse(JSON.stringify(session.exportState()));
    const restored = new Session();
    for (const slice of prompt.slices()) restored.install(slice);
    restored.importState(exported, { unknownSlices: 'skip' });
    expect(await shows(restored, ...sections)).toEqual(['All', 'Some']);
    // In the next evaluation the model sees it from the start.
    const { asked } = await runSections(prompt, [], { session: restored });
    expect(asked[0]?.tools).toEqual(['go', 'read_section']);
    const state = JSON.parse(JSON.stringify(exported).replace('"visibility":"full"', '"visibility":"wide"'));
    expect(() => restored.importState(state, { unknownSlices: 'skip' })).toThrow(/visibility-overrides/);
  });

  it('rolls back with the call that changed it', async () => {
    const hide = act('hide', ({ session }) => {
      session.dispatch(SetVisibility, { prompt: 'a/b', section: 'p', visibility: 'summary' });
      return ToolResult.error('no');
    });
    const prompt = templateOf([foldable('p', { tools: [hide] })]).bind();
    const { session } = await runSections(prompt, [{ toolCalls: [{ name: 'hide' }] }]);
    expect(session.slice(VisibilityOverrides).length).toBe(0);
  });
});

describe('the tools that get at summaries', () => {
  const named = (name: string) => tool({ name, description: 'Mine.' });

  it.each(['open_sections', 'read_section'])(
    'cannot be called as a tool of a prompt with summaries (%s)',
    (name) => {
      expect(() => templateOf([foldable('p', { tools: [named(name)] })])).toThrow(
        new RegExp(`Section "p" has a tool named "${name}".*rename it, or take the summaries out`),
      );
      expect(() => templateOf([section({ title: 'x', key: 'x', tools: [named(name)] })])).not.toThrow();
    },
  );

  it('do not conflict with a tool of that name in another prompt of the session', async () => {
    const own = templateOf(
      [section({ title: 'x', key: 'x', tools: [act('open_sections', () => undefined)] })],
      'c',
    );
    const { session } = await runSections(templateOf([foldable('p')]).bind(), []);
    const { texts } = await runSections(own.bind(), [{ toolCalls: [{ name: 'open_sections' }] }], {
      session,
    });
    expect(texts).toEqual(['open_sections done']);
  });

  it('are not tools of the prompt, and cannot be overridden', async () => {
    const prompt = templateOf([foldable('p', { visibility: 'summary' })]).bind();
    expect(prompt.tools()).toEqual([]);
    expect(prompt.seedOverrides().tools).toEqual({});
    expect((await prompt.render()).toolParamDescriptions).toEqual({
      read_section: { section_key: expect.objectContaining({ type: 'string' }) },
    });
    const { text } = await scriptedAdapter([{ text: 'ok' }]).evaluate(prompt);
    expect(text).toBe('ok');
  });
});
