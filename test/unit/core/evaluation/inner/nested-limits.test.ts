import { describe, expect, test } from 'vitest';
import {
  binding,
  Filesystem,
  MemoryFilesystem,
  promptTemplate,
  Session,
  section,
  ToolCallLog,
  ToolResult,
  tool,
} from 'weakincentives';
import { calling, delegate, modelFor, promptWith } from '../../../../support/nested-setup.ts';

const textsOf = (conversation: readonly { readonly type: string }[]): readonly string[] =>
  conversation.flatMap((item) => ('text' in item ? [String(item.text)] : []));

describe('the files of an inner evaluation', () => {
  const look = tool({
    name: 'look',
    description: 'Looks.',
    effects: 'read',
    execute: async (_params, context) => ToolResult.ok(null, (await context.filesystem.read('a')).text),
  });
  const run = async (
    effects: 'read' | 'state' | 'external',
    bound: (outer: Filesystem, own: Filesystem, view: Filesystem) => Filesystem | undefined,
  ): Promise<readonly string[]> => {
    const filesystem = new MemoryFilesystem({ files: { a: 'committed' } });
    const own = new MemoryFilesystem({ files: { a: 'own' } });
    const resources = (files: Filesystem | undefined) =>
      files === undefined ? [] : [binding(Filesystem, { instance: files })];
    const outer = delegate(effects, async (context) => {
      if (effects !== 'read') await context.filesystem.write('a', 'private');
      const inner = promptTemplate({
        ns: 'test',
        key: 'inner',
        resources: resources(bound(filesystem, own, context.filesystem)),
        sections: [section({ title: 'Inner', key: 'inner', template: 'This is inner.', tools: [look] })],
      }).bind();
      const { conversation } = await context.adapter.evaluate(inner);
      return ToolResult.ok(null, textsOf(conversation).join());
    });
    const prompt = promptTemplate({
      ns: 'test',
      key: 'outer',
      resources: resources(filesystem),
      sections: [section({ title: 'Outer', key: 'outer', template: 'This is outer.', tools: [outer] })],
    }).bind();
    const { conversation } = await modelFor({
      outer: [calling('delegate')],
      inner: [calling('look')],
    }).evaluate(prompt);
    return textsOf(conversation);
  };

  test('are those of the call, bound again or not', async () => {
    expect(await run('state', () => undefined)).toEqual(['private']);
    expect(await run('state', (outer) => outer)).toEqual(['private']);
    expect(await run('state', (_outer, _own, view) => view)).toEqual(['private']);
    expect(await run('read', (outer) => outer)).toEqual(['committed']);
  });

  test('may be others where nothing is to be taken back, and are refused where it is', async () => {
    expect(await run('external', (_outer, own) => own)).toEqual(['own']);
    expect(await run('read', (_outer, own) => own)).toEqual(['own']);
    const [text] = await run('state', (_outer, own) => own);
    expect(text).toContain('binds a file system of its own');
    expect(text).toContain('declare "delegate" with effects "external"');
  });
});

describe('the effects of inner calls', () => {
  const inside = (effects: 'read' | 'state' | 'external') =>
    tool({
      name: effects,
      description: 'Does it.',
      effects,
      execute: () => ToolResult.ok(null, 'ran'),
    });
  test.each([
    ['read', ['ran', 'effects "state"', 'effects "external"']],
    ['state', ['ran', 'ran', 'effects "external"']],
    ['external', ['ran', 'ran', 'ran']],
  ] as const)('inside a tool with effects %s', async (effects, expected) => {
    const session = new Session();
    const seen: string[] = [];
    const outer = delegate(effects, async (context) => {
      const tools = [inside('read'), inside('state'), inside('external')];
      const { conversation } = await context.adapter.evaluate(promptWith('inner', tools));
      seen.push(...textsOf(conversation));
      return ToolResult.ok(null);
    });
    await modelFor({ outer: [calling('delegate')], inner: [calling('read', 'state', 'external')] }).evaluate(
      promptWith('outer', [outer]),
      { session },
    );
    expect(seen).toHaveLength(3);
    for (const [index, text] of expected.entries()) expect(seen[index]).toContain(text);
    const refused = session.slice(ToolCallLog).where(({ reason }) => reason === 'effects-exceeded');
    expect(refused).toHaveLength(expected.filter((text) => text !== 'ran').length);
    for (const { outcome, message } of refused) {
      expect(outcome).toBe('rejected');
      expect(message).toContain(`inside a call of "delegate", which has effects "${effects}"`);
    }
  });
});
