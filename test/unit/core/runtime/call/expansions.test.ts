import { describe, expect, test } from 'vitest';
import {
  type AnyTool,
  defineSlice,
  isSectionOpen,
  PromptValidationError,
  section,
  type ToolEffects,
  ToolResult,
  tool,
  VisibilityExpansionRequired,
  VisibilityOverrides,
} from 'weakincentives';
import { z } from 'zod';
import { act } from '../../../../support/act.ts';
import { opening, runSections, sectionsPrompt } from '../../../../support/sections.ts';

const Notes = defineSlice({ name: 'notes', schema: z.object({ text: z.string() }) });
const Log = defineSlice({ name: 'log', schema: z.object({ text: z.string() }), policy: 'log' });

/** Writes, logs, and wants the guide to be read before it does it for real. */
const careful = (effects: ToolEffects = 'state', sections: readonly string[] = ['guide']): AnyTool =>
  act(
    'careful',
    (context) => {
      const { session } = context;
      session.slice(Log).append({ text: 'tried' });
      const isOpen = isSectionOpen(context, 'guide');
      if (effects !== 'read') session.slice(Notes).append({ text: isOpen ? 'for real' : 'too early' });
      if (!isOpen) throw new VisibilityExpansionRequired(sections, 'The guide has the rules.');
    },
    { effects },
  );

const follow = tool({
  name: 'follow',
  description: 'Follows.',
  effects: 'read',
  execute: () => ToolResult.ok(null, 'ok'),
});
const promptFor = (...tools: readonly AnyTool[]) =>
  sectionsPrompt([
    section({ title: 'Task', key: 'task', template: 'Do it.', tools, slices: [Notes, Log] }),
    section({
      title: 'Guide',
      key: 'guide',
      template: 'Rule one.',
      summary: 'Rules.',
      visibility: 'summary',
      tools: [follow],
    }),
  ]);

describe('a handler that wants sections to be opened', () => {
  test.each(['read', 'state'] as const)(
    'is rolled back, they are opened, and the model is told (effects %s)',
    async (effects) => {
      const { texts, invocations, session, asked, response } = await runSections(
        promptFor(careful(effects)),
        [{ toolCalls: [{ name: 'careful' }] }, { toolCalls: [{ name: 'careful' }, { name: 'follow' }] }],
      );
      expect(texts[0]).toBe(
        [
          'The call of "careful" was rolled back: it needs sections that were not open yet (The guide has the rules.). Opened "guide". Tools from the next turn on: follow. Read them, then call it again if it is still needed.',
          '## 2. Guide (guide)',
          'Rule one.',
        ].join('\n\n'),
      );
      expect(invocations[0]).toMatchObject({
        success: false,
        outcome: 'rolled-back',
        reason: 'sections-opened',
        openedSections: [{ section: 'guide', visibility: 'full' }],
        attempts: 1,
        changes: [],
      });
      expect(invocations.slice(1).map(({ outcome }) => outcome)).toEqual(['committed', 'committed']);
      expect(asked.map(({ tools }) => tools)).toEqual([
        ['careful', 'open_sections'],
        ['careful', 'open_sections', 'follow'],
        ['careful', 'open_sections', 'follow'],
      ]);
      expect(session.slice(Notes).all()).toEqual(effects === 'read' ? [] : [{ text: 'for real' }]);
      expect(session.slice(Log).length).toBe(2);
      expect(response.text).toBe('done');
    },
  );

  test('leaves what it did outside, and the model and the record say so', async () => {
    const { texts, invocations } = await runSections(promptFor(careful('external')), [
      { toolCalls: [{ name: 'careful' }] },
    ]);
    expect(texts[0]).toContain(
      '(The guide has the rules.). Its effects outside of session and files remain. Opened',
    );
    expect(invocations[0]?.residualEffects).toEqual(['effects outside session, files and resources']);
  });

  test('is told so when the sections cannot be opened, or are open', async () => {
    const wrong = await runSections(promptFor(careful('state', ['guid'])), [
      { toolCalls: [{ name: 'careful' }] },
    ]);
    expect(wrong.texts[0]).toMatch(
      /^The call of "careful" was rolled back: it needs sections that could not be opened \(The guide has the rules\.\)\. There is no section "guid"\. Nearest: "guide"\./,
    );
    expect(wrong.invocations[0]).toMatchObject({ reason: 'sections-not-opened' });
    const none = await runSections(promptFor(careful('state', [])), [{ toolCalls: [{ name: 'careful' }] }]);
    expect(none.texts[0]).toContain('could not be opened');
    const open = await runSections(promptFor(careful('state', ['task'])), [
      { toolCalls: [{ name: 'careful' }] },
    ]);
    expect(open.texts[0]).toContain('"task" is open already');
    for (const { session } of [wrong, none, open]) {
      expect(session.slice(Notes).length).toBe(0);
      expect(session.slice(Log).length).toBe(1);
    }
  });

  test.each([1, 8])(
    'finds open what a call before it in the turn has opened (%i at a time)',
    async (concurrency) => {
      const { texts, invocations, session } = await runSections(
        promptFor(careful()),
        [{ toolCalls: [opening('guide'), { name: 'careful' }] }],
        { limits: { maxConcurrentCalls: concurrency } },
      );
      expect(texts[1]).toBe('careful done');
      expect(invocations[1]?.outcome).toBe('committed');
      expect(session.slice(Notes).all()).toEqual([{ text: 'for real' }]);
    },
  );

  test('keeps calls of its turn as they are', async () => {
    const { invocations } = await runSections(promptFor(careful()), [
      { toolCalls: [{ name: 'careful' }, { name: 'careful' }, opening('guide')] },
    ]);
    expect(invocations.map(({ outcome, success }) => [outcome, success])).toEqual([
      ['rolled-back', false],
      // It runs again on what the first has opened.
      ['committed', true],
      ['rolled-back', false],
    ]);
    expect(invocations[1]?.attempts).toBe(2);
  });

  test('can ask whether they are open, by an address that there is', async () => {
    const ask = act('ask', (context) =>
      ToolResult.ok(null, ['task', 'Guide'].map((path) => isSectionOpen(context, path)).join()),
    );
    const lost = act('lost', (context) => isSectionOpen(context, 'gide'));
    const { texts } = await runSections(promptFor(ask, lost), [
      { toolCalls: [{ name: 'ask' }, opening('guide'), { name: 'ask' }, { name: 'lost' }] },
    ]);
    expect([texts[0], texts[2], texts[3]]).toEqual([
      'true,false',
      'true,true',
      'The tool "lost" failed: There is no section "gide" in the prompt "sections"; give its dotted path.',
    ]);
  });

  test('may do so so many times in a run', async () => {
    let asked = 0;
    const stubborn = act('stubborn', () => {
      asked += 1;
      throw new VisibilityExpansionRequired(['guide'], 'Always.');
    });
    const turns = Array.from({ length: 4 }, () => ({ toolCalls: [{ name: 'stubborn' }] }));
    const { texts, response } = await runSections(promptFor(stubborn), turns, {
      limits: { maxSectionOpenings: 2 },
    });
    expect(texts.map((text) => text.slice(0, 100))).toEqual([
      expect.stringContaining('not open yet'),
      expect.stringContaining('could not be opened'),
      expect.stringContaining('needs sections to be opened, and in this run'),
      expect.stringContaining('needs sections to be opened, and in this run'),
    ]);
    expect(texts[2]).toContain('already requested that 2 times');
    expect(asked).toBe(4);
    expect(response.text).toBe('done');
    const never = await runSections(promptFor(stubborn), turns.slice(0, 1), {
      limits: { maxSectionOpenings: 0 },
    });
    expect(never.session.slice(VisibilityOverrides).length).toBe(0);
    await expect(
      runSections(promptFor(stubborn), [], { limits: { maxSectionOpenings: -1 } }),
    ).rejects.toThrow(PromptValidationError);
  });

  test('may do so 16 times when nothing is said', async () => {
    const stubborn = act('stubborn', () => {
      throw new VisibilityExpansionRequired(['guide'], 'Always.');
    });
    const calls = Array.from({ length: 17 }, () => ({ name: 'stubborn' }));
    const { texts } = await runSections(promptFor(stubborn), [{ toolCalls: calls }]);
    expect(texts.findIndex((text) => text.includes('16 times, the limit'))).toBe(16);
  });

  test('in a prompt without summaries gets a plain answer', async () => {
    const lost = act('lost', () => {
      throw new VisibilityExpansionRequired(['task'], 'Why not.');
    });
    const { texts, asked } = await runSections(
      sectionsPrompt([section({ title: 'Task', key: 'task', tools: [lost] })]),
      [{ toolCalls: [{ name: 'lost' }] }],
    );
    expect(texts[0]).toContain('"task" is open already');
    expect(asked[1]?.tools).toEqual(['lost']);
  });
});
