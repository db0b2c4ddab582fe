import { describe, expect, test } from 'vitest';
import {
  type AnySection,
  binding,
  Deadline,
  defineSlice,
  PolicyDecision,
  PromptEvaluationError,
  promptTemplate,
  SectionsOpened,
  Session,
  SetVisibility,
  type Slice,
  section,
  type ToolPolicy,
  VisibilityExpansionRequired,
  VisibilityOverrides,
} from 'weakincentives';
import { z } from 'zod';
import { Accounts, bankOf, parallelAccounts } from '../../../../support/accounts.ts';
import { act, spend } from '../../../../support/act.ts';
import { type Gate, gate } from '../../../../support/gate.ts';
import { createManualClock } from '../../../../support/manual-clock.ts';
import { opening, runSections, sectionsPrompt } from '../../../../support/sections.ts';

const follow = act('follow', () => undefined, { effects: 'read' });
const summarised = { summary: 'Short.', visibility: 'summary' } as const;
const guide = (render: () => string | Promise<string>, children: readonly AnySection[] = []): AnySection =>
  section({ title: 'Guide', key: 'guide', render, ...summarised, tools: [follow], children });
const Log = defineSlice({ name: 'log', schema: z.object({ text: z.string() }), policy: 'log' });

describe('a section whose text cannot be made', () => {
  test('is not opened; the model reads why and may try again', async () => {
    let tries = 0;
    const flaky = guide(() => {
      tries += 1;
      if (tries === 1) throw new Error('template service is down');
      return 'Rules.';
    });
    const { texts, asked, session } = await runSections(sectionsPrompt([flaky]), [
      { toolCalls: [opening('guide')] },
      { toolCalls: [opening('guide')] },
    ]);
    expect(texts[0]).toMatch(/render function of section "guide" threw: template service is down/);
    expect(texts[1]).toContain('Rules.');
    expect(asked.map(({ tools }) => tools.length)).toEqual([1, 1, 2]);
    expect(session.slice(VisibilityOverrides).length).toBe(1);
  });

  test.each(['abort', 'deadline'] as const)(
    'by the end of the run is left behind, and opens nothing (%s)',
    async (how) => {
      const waiting = gate();
      const clock = createManualClock();
      const controller = new AbortController();
      const session = new Session({ clock });
      const slow = guide(async () => {
        await waiting.pass();
        return 'Rules.';
      });
      const run = runSections(
        sectionsPrompt([slow]),
        [{ toolCalls: [opening('guide'), { name: 'nobody' }] }],
        {
          session,
          ...(how === 'abort'
            ? { signal: controller.signal }
            : { limits: { deadline: Deadline.after(1_000, clock) } }),
        },
      ).catch((error: unknown) => error);
      await waiting.reached;
      if (how === 'abort') controller.abort(new Error('stop'));
      else clock.advance(1_000);
      const error = await run;
      if (!PromptEvaluationError.isInstance(error))
        throw new Error(`No PromptEvaluationError: ${String(error)}`);
      expect(error.conversation.filter(({ type }) => type === 'tool-result')).toHaveLength(2);
      waiting.open();
      await Promise.resolve();
      expect(session.slice(VisibilityOverrides).length).toBe(0);
    },
  );
});

describe('a change from outside while a section is opened', () => {
  /** Sets the child to full while the text of its parent is made for the first time. */
  function changing(): {
    readonly prompt: ReturnType<typeof sectionsPrompt>;
    readonly during: Gate;
    tried: number;
  } {
    const state = { during: gate(), tried: 0 };
    const careful = act(
      'careful',
      ({ session }) => {
        state.tried += 1;
        session.slice(Log).append({ text: 'tried' });
        throw new VisibilityExpansionRequired(['guide'], 'Read it.');
      },
      { effects: 'external' },
    );
    const child = section({ title: 'Child', key: 'child', template: 'Details.', ...summarised });
    const slow = guide(async () => {
      await state.during.pass();
      return 'Rules.';
    }, [child]);
    const prompt = sectionsPrompt([section({ title: 'T', key: 't', tools: [careful], slices: [Log] }), slow]);
    return Object.assign(state, { prompt });
  }

  test.each([
    ['the model', opening('guide'), /^Opened "guide"/],
    ['a handler', { name: 'careful' }, /^The call of "careful" was rolled back.*Its effects outside/],
  ])('makes the opening at the wish of %s run again on what is there then', async (_who, call, text) => {
    const during = changing();
    const session = new Session();
    const run = runSections(during.prompt, [{ toolCalls: [call] }], { session });
    await during.during.reached;
    session.dispatch(SetVisibility, { prompt: 'test/sections', section: 'guide.child', visibility: 'full' });
    during.during.open();
    const { texts, invocations } = await run;
    expect(texts[0]).toMatch(text);
    expect(texts[0]).toContain('Details.');
    expect(invocations[0]).toMatchObject({
      attempts: 2,
      openedSections: [
        { section: 'guide', visibility: 'full' },
        { section: 'guide.child', visibility: 'full' },
      ],
    });
    // A handler with effects outside is not run again, and what it logged is there once.
    const wished = call.name === 'careful' ? 1 : 0;
    expect(during.tried).toBe(wished);
    expect(session.slice(Log).length).toBe(wished);
  });
});

describe('an opening that something else refuses', () => {
  test('by a reducer opens nothing', async () => {
    const Count: Slice<{ n: number }> = defineSlice({
      name: 'count',
      schema: z.object({ n: z.number() }),
      reducers: (on) => [
        on(SectionsOpened, () => {
          throw new Error('no more sections');
        }),
      ],
    });
    const { texts, asked, session } = await runSections(
      sectionsPrompt([guide(() => 'Rules.'), section({ title: 'C', key: 'c', slices: [Count] })]),
      [{ toolCalls: [opening('guide'), { name: 'nobody' }] }],
    );
    expect(texts[0]).toMatch(/no more sections/);
    expect(asked[1]).toEqual(asked[0]);
    expect(session.slice(VisibilityOverrides).length).toBe(0);
  });

  test('by a policy that asks is refused for a handler as for the model', async () => {
    const asking: ToolPolicy = {
      name: 'asking',
      check: ({ tool: { name } }) => PolicyDecision.ask(`May ${name} run?`),
    };
    const careful = act('careful', () => {
      throw new VisibilityExpansionRequired(['guide'], 'Read it.');
    });
    const prompt = promptTemplate({
      ns: 'test',
      key: 'asking',
      policies: [asking],
      sections: [section({ title: 'T', key: 't', tools: [careful] }), guide(() => 'Rules.')],
    }).bind();
    const approving = (...names: readonly string[]) =>
      runSections(prompt, [{ toolCalls: [{ name: 'careful' }] }], {
        approve: ({ toolName }) => names.includes(toolName),
      });
    const refused = await approving('careful');
    expect(refused.invocations[0]).toMatchObject({
      reason: 'sections-not-opened',
      policy: 'asking',
      approvals: [
        { reason: 'May careful run?', approved: true },
        { reason: 'May open_sections run?', approved: false },
      ],
    });
    expect(refused.asked[1]).toEqual(refused.asked[0]);
    const approved = await approving('careful', 'open_sections');
    expect(approved.invocations[0]).toMatchObject({ reason: 'sections-opened' });
  });
});

test('what a section itself throws to have sections opened is a failed opening, and nothing continues for ever', async () => {
  const more = (): never => {
    throw new VisibilityExpansionRequired(['guide'], 'More.');
  };
  const params = z.object({ name: z.string().refine(more) });
  const below = section({ title: 'Below', key: 'below', params, template: '$name' });
  const prompts = [
    sectionsPrompt([guide(more)]),
    sectionsPrompt([guide(() => 'Rules.', [below])], { name: 'Ada' }),
  ];
  for (const prompt of prompts) {
    const { texts, invocations, session } = await runSections(prompt, [{ toolCalls: [opening('guide')] }]);
    expect(texts[0]).toMatch(/^The tool "open_sections" failed: [^]*More\.$/);
    expect(invocations[0]).toMatchObject({ reason: 'threw' });
    expect(session.slice(VisibilityOverrides).length).toBe(0);
  }
});

test('a resource is as it was before a handler that wanted sections to be opened', async () => {
  const bank = bankOf({ a: 10 });
  const careful = act('careful', async (context) => {
    await spend(3)(context);
    throw new VisibilityExpansionRequired(['guide'], 'Read it.');
  });
  const prompt = promptTemplate({
    ns: 'test',
    key: 'resources',
    resources: [binding(Accounts, { instance: bank, transactional: parallelAccounts() })],
    sections: [section({ title: 'T', key: 't', tools: [careful] }), guide(() => 'Rules.')],
  }).bind();
  const { invocations } = await runSections(prompt, [{ toolCalls: [{ name: 'careful' }] }]);
  expect(invocations[0]).toMatchObject({ reason: 'sections-opened' });
  expect(bank.get('a')).toBe(10);
});
