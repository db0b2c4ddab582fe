import { describe, expect, test } from 'vitest';
import {
  type AnyTool,
  type Prompt,
  promptTemplate,
  Session,
  section,
  type ToolContext,
  ToolResult,
  tool,
  VisibilityExpansionRequired,
  VisibilityOverrides,
} from 'weakincentives';
import { act } from '../../../../support/act.ts';
import { calling, delegate, modelFor } from '../../../../support/nested-setup.ts';
import { opening } from '../../../../support/sections.ts';

const look = tool({
  name: 'look',
  description: 'Looks.',
  effects: 'read',
  execute: () => ToolResult.ok(null, 'Seen.'),
});

/** `This is KEY.` in full, and a summarised guide. */
const guided = (key: string, tools: readonly AnyTool[] = []): Prompt<undefined> =>
  promptTemplate({
    ns: 'test',
    key,
    sections: [
      section({ title: key, key, template: `This is ${key}.`, tools }),
      section({
        title: 'Guide',
        key: 'guide',
        template: `Rules of ${key}.`,
        summary: 'Rules.',
        visibility: 'summary',
        tools: [look],
      }),
    ],
  }).bind();

const answerOf =
  (prompt: Prompt<undefined>) =>
  async ({ adapter }: ToolContext): Promise<ToolResult<null>> => {
    const { conversation } = await adapter.evaluate(prompt);
    const texts = conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
    return ToolResult.ok(null, texts.join(' | '));
  };

async function run(prompt: Prompt<undefined>, scripts: Parameters<typeof modelFor>[0]) {
  const session = new Session();
  const { conversation } = await modelFor(scripts).evaluate(prompt, { session });
  const texts = conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
  const open = session
    .slice(VisibilityOverrides)
    .all()
    .map((item) => `${item.prompt}:${item.section}`);
  return { texts, open };
}

describe('sections of an evaluation inside a call', () => {
  test.each(['read', 'state', 'external'] as const)(
    'are opened for it, and kept with the call (effects %s)',
    async (effects) => {
      const outer = guided('outer', [delegate(effects, answerOf(guided('inner')))]);
      const { texts, open } = await run(outer, {
        inner: [{ toolCalls: [opening('guide')] }, calling('look')],
        outer: [calling('delegate', 'look')],
      });
      expect(texts[0]).toBe(
        'Opened "guide". Tools from the next turn on: look.\n\n## 2. Guide (guide)\n\nRules of inner. | Seen.',
      );
      // The same path in the outer prompt stays as it was.
      expect(texts[1]).toMatch(/no tool "look"/);
      expect(open).toEqual(['test/inner:guide']);
    },
  );

  test('are closed again when the call fails', async () => {
    const failing = delegate('state', async (context) => {
      await answerOf(guided('inner'))(context);
      return ToolResult.error('no');
    });
    const { open } = await run(guided('outer', [failing]), {
      inner: [{ toolCalls: [opening('guide')] }],
      outer: [calling('delegate')],
    });
    expect(open).toEqual([]);
  });

  test('are opened at the wish of an inner handler, without the outer call noticing', async () => {
    const careful = act('careful', ({ session }) => {
      if (session.slice(VisibilityOverrides).length === 0)
        throw new VisibilityExpansionRequired(['guide'], 'Read it.');
    });
    const { texts } = await run(guided('outer', [delegate('state', answerOf(guided('inner', [careful])))]), {
      inner: [calling('careful'), calling('careful', 'look')],
      outer: [calling('delegate')],
    });
    expect(texts[0]).toMatch(/"careful" was rolled back[^]*Rules of inner\. \| careful done \| Seen\.$/);
  });

  test('that the inner evaluation of the same prompt has opened can be opened by the outer one', async () => {
    const inside = delegate('state', (context) => answerOf(prompt)(context));
    const prompt: Prompt<undefined> = guided('same', [inside]);
    let asked = 0;
    const { texts } = await run(prompt, {
      same: [
        async () => {
          asked += 1;
          return asked === 1 ? calling('delegate') : { toolCalls: [opening('guide')] };
        },
        // Second turns: first that of the inner evaluation, then that of the outer one.
        async () => {
          asked += 1;
          return asked === 3 ? { text: 'inner done' } : { toolCalls: [opening('guide'), opening('guide')] };
        },
      ],
    });
    expect(texts[1]).toMatch(/^Opened "guide"/);
    expect(texts[2]).toMatch(/open already/);
  });
});
