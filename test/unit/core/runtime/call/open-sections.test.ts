import { describe, expect, test } from 'vitest';
import {
  type AnyTool,
  ClearVisibility,
  defineSlice,
  hostedTool,
  PolicyDecision,
  promptTemplate,
  SectionsOpened,
  Session,
  SetVisibility,
  section,
  sequentialDependencyPolicy,
  type ToolPolicy,
  ToolResult,
  tool,
  VisibilityOverrides,
} from 'weakincentives';
import { z } from 'zod';
import { act } from '../../../../support/act.ts';
import { opening, reading, runSections, sectionsPrompt } from '../../../../support/sections.ts';

const done = (name: string, text = `${name} done`): AnyTool =>
  tool({
    name,
    description: `Does ${name}.`,
    effects: 'state',
    examples: [{ description: `Just ${name}.`, input: undefined, output: text }],
    execute: () => ToolResult.ok(text),
  });

/** A guide with a part that has tools, a part without, and a part in a part. */
const guide = section({
  title: 'Deploying',
  key: 'deploy',
  template: 'Deploy with care.',
  summary: 'How to deploy.',
  visibility: 'summary',
  tools: [done('deploy')],
  children: [
    section({
      title: 'Rolling back',
      key: 'rollback.v2',
      template: 'Roll back at once.',
      summary: 'How to roll back.',
      visibility: 'summary',
      tools: [done('roll_back')],
    }),
    section({
      title: 'History',
      key: 'history',
      template: 'It began in 2019.',
      summary: 'Where it comes from.',
      visibility: 'summary',
    }),
    section({ title: 'Contacts', key: 'contacts', template: 'Ask Ada.' }),
  ],
});
const task = section({ title: 'Task', key: 'task', template: 'Do it.', tools: [done('work')] });
const prompt = sectionsPrompt([task, guide]);

const noteOnRollback =
  '[This is a summary. Call open_sections with section_keys ["deploy.rollback.v2"] to read it in full and to get its tools.]';
const noteOnHistory =
  '[This is a summary. Call read_section with section_key "deploy.history" to read it in full.]';

describe('open_sections', () => {
  test('is there behind all other tools, under a note that says how to use it', async () => {
    const { asked } = await runSections(prompt, []);
    expect(asked).toEqual([
      {
        instructions: [
          '## 1. Task (task)',
          'Do it.',
          'Tools:\n- work: Does work.\n  - work examples:\n    - description: Just work.\n      input:\n        ```json\n        {}\n        ```\n      output:\n        ```\n        "work done"\n        ```',
          '## 2. Deploying (deploy)',
          'How to deploy.',
          '[This is a summary. Call open_sections with section_keys ["deploy"] to read it in full and to get its tools. Sections below it: "deploy.rollback.v2", "deploy.history", "deploy.contacts".]',
        ].join('\n\n'),
        tools: ['work', 'open_sections'],
        hosted: [],
      },
    ]);
  });

  test('answers with the text as the prompt has it, children at their own visibility, and brings tools behind all others', async () => {
    const { asked, texts, invocations } = await runSections(prompt, [
      { toolCalls: [opening('deploy')] },
      { toolCalls: [opening('deploy.rollback.v2')] },
      { toolCalls: [{ name: 'roll_back' }, { name: 'deploy' }] },
    ]);
    expect(texts[0]).toBe(
      [
        'Opened "deploy". Tools from the next turn on: deploy.',
        '## 2. Deploying (deploy)',
        'Deploy with care.',
        'Tools:\n- deploy: Does deploy.\n  - deploy examples:\n    - description: Just deploy.\n      input:\n        ```json\n        {}\n        ```\n      output:\n        ```\n        "deploy done"\n        ```',
        '### 2.1. Rolling back (deploy.rollback.v2)',
        'How to roll back.',
        noteOnRollback,
        '### 2.2. History (deploy.history)',
        'Where it comes from.',
        noteOnHistory,
        '### 2.3. Contacts (deploy.contacts)',
        'Ask Ada.',
      ].join('\n\n'),
    );
    expect(texts.slice(2)).toEqual(
      ['roll_back done', 'deploy done'].map((text) => expect.stringContaining(text)),
    );
    const order = ['work', 'open_sections', 'deploy', 'read_section', 'roll_back'];
    expect(asked.map(({ tools }) => tools)).toEqual([order.slice(0, 2), order.slice(0, 4), order, order]);
    expect(new Set(asked.map(({ instructions }) => instructions)).size).toBe(1);
    expect(invocations.map(({ outcome, openedSections }) => [outcome, openedSections])).toEqual([
      [
        'committed',
        [
          { section: 'deploy', visibility: 'full' },
          { section: 'deploy.rollback.v2', visibility: 'summary' },
          { section: 'deploy.history', visibility: 'summary' },
          { section: 'deploy.contacts', visibility: 'full' },
        ],
      ],
      ['committed', [{ section: 'deploy.rollback.v2', visibility: 'full' }]],
      ['committed', undefined],
      ['committed', undefined],
    ]);
  });

  test('opens what a section stands in, too', async () => {
    const { texts, session } = await runSections(prompt, [
      { toolCalls: [opening('deploy.rollback.v2')] },
      { toolCalls: [opening('deploy', 'deploy.rollback.v2')] },
    ]);
    expect(texts[0]).toContain('Deploy with care.');
    expect(texts[0]).toContain('Roll back at once.');
    expect(texts[0]).toContain(noteOnHistory);
    expect(texts[0]).toMatch(
      /^Opened "deploy.rollback.v2"\. Tools from the next turn on: deploy, roll_back\./,
    );
    expect(texts[1]).toBe('"deploy", "deploy.rollback.v2" are open already: you have them in full above.');
    expect(session.slice(VisibilityOverrides).all()).toMatchObject([
      { prompt: 'test/sections', section: 'deploy', visibility: 'full' },
      { prompt: 'test/sections', section: 'deploy.rollback.v2', visibility: 'full' },
    ]);
  });

  test('runs beside other calls of its turn, whose tools are those of the turn', async () => {
    const { invocations } = await runSections(prompt, [
      { toolCalls: [{ name: 'work' }, opening('deploy'), { name: 'deploy' }, { name: 'work' }] },
      { toolCalls: [{ name: 'deploy' }] },
    ]);
    expect(invocations.map(({ toolName, outcome, reason }) => [toolName, outcome, reason])).toEqual([
      ['work', 'committed', undefined],
      ['open_sections', 'committed', undefined],
      ['deploy', 'rejected', 'unknown-tool'],
      ['work', 'committed', undefined],
      ['deploy', 'committed', undefined],
    ]);
  });

  test.each([
    [
      'an unknown key',
      ['deploy', 'depoly'],
      /^There is no section "depoly"\. Nearest: "deploy"\. Use the addresses/,
    ],
    [
      'the key of a parent and a child that is none',
      ['deploy.rollback'],
      /no section "deploy\.rollback"\. Nearest: "deploy\.rollback\.v2"/,
    ],
    ['the end of an address', ['history'], /no section "history"\. Nearest: "deploy\.history"\./],
    ['what is open', ['task'], /^"task" is open already: you have it in full above\.$/],
    ['nothing', [], /^Tool validation failed: /],
  ])('refuses %s as a failed result that opens nothing', async (_what, keys, text) => {
    const { texts, invocations, session, asked } = await runSections(prompt, [
      { toolCalls: [opening(...keys)] },
    ]);
    expect(texts[0]).toMatch(text);
    expect(invocations[0]).toMatchObject({ success: false, changes: [] });
    expect(invocations[0]).not.toHaveProperty('openedSections');
    expect(session.slice(VisibilityOverrides).all()).toEqual([]);
    expect(asked[1]).toEqual(asked[0]);
  });

  test('passes over what is open, and takes addresses in any case', async () => {
    const { texts } = await runSections(prompt, [{ toolCalls: [opening('task', ' Deploy ', 'deploy')] }]);
    expect(texts[0]).toMatch(/^Opened "deploy"\. Open before: "task"\. Tools/);
  });

  test('opens several in the order of the prompt', async () => {
    const several = sectionsPrompt(
      ['a', 'b', 'c'].map((key) =>
        section({
          title: key,
          key,
          template: `All of ${key}.`,
          summary: 'S.',
          visibility: 'summary',
          tools: [done(`do_${key}`)],
        }),
      ),
    );
    const { texts, asked } = await runSections(several, [
      { toolCalls: [opening('c', 'a')] },
      { toolCalls: [opening('b')] },
    ]);
    expect(texts[0]).toMatch(/^Opened "c", "a"[^]*## 1\. a[^]*All of a\.[^]*## 3\. c[^]*All of c\./);
    expect(asked.at(-1)?.tools).toEqual(['open_sections', 'do_a', 'do_c', 'do_b']);
  });

  test('says which section is not enabled, and looks at the session of the moment', async () => {
    const flags = defineSlice({ name: 'flags', schema: z.object({ on: z.boolean() }) });
    const gated = section({
      title: 'Guide',
      key: 'guide',
      slices: [flags],
      template: 'Guide.',
      summary: 'S.',
      visibility: 'summary',
      children: [
        section({
          title: 'Late',
          key: 'late',
          enabled: (_raw, session) => session.slice(flags).length > 0,
          template: 'Late.',
          children: [section({ title: 'Deep', key: 'deep', template: 'Deep.' })],
        }),
      ],
    });
    const enable = act('enable', ({ session }) => session.slice(flags).append({ on: true }));
    const { asked, texts } = await runSections(
      sectionsPrompt([section({ title: 'T', key: 't', tools: [enable] }), gated]),
      [
        { toolCalls: [reading('guide.late.deep')] },
        // The first reader sees what the call before it has changed, as if they had run one after the other.
        { toolCalls: [{ name: 'enable' }, reading('guide.late.deep'), reading('guide')] },
      ],
    );
    expect(asked[0]?.instructions).toContain('with section_key "guide" to read it in full.]');
    expect(texts[0]).toBe('The section "guide.late.deep" is not enabled now, because "guide.late" is not.');
    expect(texts[2]).toMatch(/Deep\.$/);
    expect(texts[3]).toMatch(/Guide\.[^]*Late\.[^]*Deep\./);
  });

  test('fails without a trace when the params of what it opens are missing', async () => {
    const needy = section({
      title: 'N',
      key: 'n',
      params: z.object({ name: z.string() }),
      template: 'Hello $name.',
      summary: () => 'S.',
      children: [
        section({ title: 'M', key: 'm', params: z.object({ other: z.string() }), template: '$other' }),
      ],
      visibility: 'summary',
      tools: [done('greet')],
    });
    const { texts, session } = await runSections(sectionsPrompt([needy], { name: 'Ada' }), [
      { toolCalls: [opening('n')] },
    ]);
    expect(texts[0]).toMatch(
      /"open_sections" failed: The params of prompt "sections" do not fit:\nsection "n\.m": other/,
    );
    expect(session.slice(VisibilityOverrides).length).toBe(0);
  });

  test('brings hosted tools', async () => {
    const { asked } = await runSections(
      sectionsPrompt([
        section({
          title: 'Code',
          key: 'code',
          template: 'Write code.',
          summary: 'Code.',
          visibility: 'summary',
          hostedTools: [
            hostedTool({ kind: 'code', name: 'run_code', description: 'Runs code.', config: {} }),
          ],
        }),
      ]),
      [{ toolCalls: [opening('code')] }],
    );
    expect(asked.map(({ tools, hosted }) => [tools, hosted])).toEqual([
      [['open_sections'], []],
      [['open_sections'], ['run_code']],
    ]);
  });

  test('puts tools under the policies of what was opened', async () => {
    const closed: ToolPolicy = { name: 'closed', check: () => PolicyDecision.deny('Not today.') };
    const { invocations } = await runSections(
      sectionsPrompt([
        section({
          title: 'G',
          key: 'g',
          summary: 'S.',
          visibility: 'summary',
          policies: [closed],
          children: [section({ title: 'C', key: 'c', tools: [done('danger')] })],
        }),
      ]),
      [{ toolCalls: [opening('g')] }, { toolCalls: [{ name: 'danger' }] }],
    );
    expect(invocations.map(({ outcome, policy }) => [outcome, policy])).toEqual([
      ['committed', undefined],
      ['denied', 'closed'],
    ]);
  });

  test('is itself under the policies of the prompt', async () => {
    const seen: string[] = [];
    const watching: ToolPolicy = {
      name: 'watching',
      check: ({ tool: { name } }) =>
        name === 'open_sections' ? PolicyDecision.deny('Stay away.') : PolicyDecision.allow(),
      onResult: ({ tool: { name } }) => {
        seen.push(name);
      },
    };
    const guarded = promptTemplate({
      ns: 'test',
      key: 'guarded',
      sections: [task, guide],
      policies: [watching],
    });
    const { invocations, asked } = await runSections(guarded.bind(), [
      { toolCalls: [opening('deploy'), { name: 'work' }] },
    ]);
    expect(invocations.map(({ outcome }) => outcome)).toEqual(['denied', 'committed']);
    expect(seen).toEqual(['work']);
    expect(asked[1]?.tools).toEqual(asked[0]?.tools);
  });

  test('may be what a policy waits for', async () => {
    const first = sequentialDependencyPolicy({ dependencies: { work: ['open_sections'] } });
    const ordered = promptTemplate({
      ns: 'test',
      key: 'ordered',
      sections: [task, guide],
      policies: [first],
    });
    const { invocations } = await runSections(ordered.bind(), [
      { toolCalls: [{ name: 'work' }, opening('deploy'), { name: 'work' }] },
    ]);
    expect(invocations.map(({ outcome }) => outcome)).toEqual(['denied', 'committed', 'committed']);
  });
});

describe('two calls of one turn that open the same section', () => {
  test.each([1, 8])('come to what they would one after the other (%i at a time)', async (concurrency) => {
    const { texts, asked } = await runSections(
      prompt,
      [{ toolCalls: [opening('deploy'), opening('deploy', 'deploy.history'), opening('deploy.contacts')] }],
      { limits: { maxConcurrentCalls: concurrency } },
    );
    expect(texts[0]).toMatch(/^Opened "deploy"\./);
    expect(texts[1]).toMatch(
      /^Opened "deploy\.history"\. Open before: "deploy"\.\n\n### 2\.2\. History \(deploy\.history\)/,
    );
    expect(texts[2]).toBe('"deploy.contacts" is open already: you have it in full above.');
    expect(asked[1]?.tools).toEqual(['work', 'open_sections', 'deploy', 'read_section']);
  });
});

describe('read_section', () => {
  test('shows the text and opens nothing', async () => {
    const { asked, texts, session, invocations } = await runSections(prompt, [
      { toolCalls: [opening('deploy')] },
      { toolCalls: [reading('deploy.history'), reading('deploy.history')] },
    ]);
    const read =
      'Section "deploy.history" in full.\n\n### 2.2. History (deploy.history)\n\nIt began in 2019.';
    expect(texts.slice(1)).toEqual([read, read]);
    expect(invocations[1]).not.toHaveProperty('openedSections');
    expect(invocations[1]?.value).toEqual({
      section: 'deploy.history',
      text: '### 2.2. History (deploy.history)\n\nIt began in 2019.',
    });
    expect(asked.at(-1)?.tools).toEqual(asked.at(-2)?.tools);
    expect(
      session
        .slice(VisibilityOverrides)
        .all()
        .map((item) => item.section),
    ).toEqual(['deploy']);
  });

  test('shows no examples of tools that are not there yet, and says what brings them', async () => {
    const { texts } = await runSections(prompt, [
      { toolCalls: [opening('deploy')] },
      { toolCalls: [reading('deploy.rollback.v2'), reading('task'), reading('nowhere')] },
    ]);
    expect(texts.slice(1)).toEqual([
      'Section "deploy.rollback.v2" in full. Its tools can be called once it is opened with open_sections.\n\n### 2.1. Rolling back (deploy.rollback.v2)\n\nRoll back at once.',
      '"task" is open already: you have it in full above.',
      expect.stringMatching(
        /^There is no section "nowhere"\. There are "task", "deploy", "deploy\.rollback\.v2", /,
      ),
    ]);
  });
});

describe('what was opened', () => {
  test('stays open for the next evaluation in the session, and not in others', async () => {
    const first = await runSections(prompt, [{ toolCalls: [opening('deploy')] }]);
    const { session } = first;
    const second = await runSections(prompt, [{ toolCalls: [opening('deploy')] }], { session });
    expect(second.asked[0]?.instructions).toContain('Deploy with care.');
    expect(second.asked[0]?.tools).toEqual(['work', 'deploy', 'open_sections', 'read_section']);
    expect(second.texts).toEqual(['"deploy" is open already: you have it in full above.']);
    const elsewhere = await runSections(prompt, []);
    expect(elsewhere.asked).toEqual(first.asked.slice(0, 1));
  });

  test('does not touch a prompt with the same paths', async () => {
    const { session } = await runSections(prompt, [{ toolCalls: [opening('deploy')] }]);
    const other = await runSections(sectionsPrompt([task, guide], {}, 'other'), [], { session });
    expect(other.asked[0]?.instructions).not.toContain('Deploy with care.');
  });

  test('may be opened again when the state was cleared in between, and its tools are there once', async () => {
    const clear = act('clear', ({ session }) =>
      session.dispatch(ClearVisibility, { prompt: 'test/sections', section: 'deploy' }),
    );
    const clearing = sectionsPrompt([section({ title: 'T', key: 't', tools: [clear] }), guide]);
    const { texts, asked, session } = await runSections(clearing, [
      { toolCalls: [opening('deploy'), { name: 'clear' }, opening('deploy')] },
      { toolCalls: [{ name: 'clear' }, { name: 'deploy' }] },
    ]);
    expect(texts[2]).toBe(texts[0]);
    expect(texts[4]).toContain('deploy done');
    expect(asked.at(-1)?.tools).toEqual(['clear', 'open_sections', 'deploy', 'read_section']);
    expect(session.slice(VisibilityOverrides).length).toBe(0);
  });

  test('is not what handlers show or hide: that holds from the next rendering on', async () => {
    const show = act('show', ({ session }) =>
      session.dispatch(SetVisibility, { prompt: 'test/sections', section: 'deploy', visibility: 'full' }),
    );
    const showing = sectionsPrompt([section({ title: 'T', key: 't', tools: [show] }), guide]);
    const { texts, asked, session } = await runSections(showing, [
      { toolCalls: [{ name: 'show' }] },
      { toolCalls: [opening('deploy')] },
    ]);
    expect(asked[1]).toEqual(asked[0]);
    expect(texts[1]).toMatch(/^Opened "deploy"/);
    const next = await runSections(showing, [], { session });
    expect(next.asked[0]?.instructions).toContain('Deploy with care.');
  });

  test('is heard of when the call is committed', async () => {
    const session = new Session();
    const heard: unknown[] = [];
    session.dispatcher.subscribe(SectionsOpened, ({ value }) => heard.push(value.opened));
    await runSections(prompt, [{ toolCalls: [opening('deploy')] }], { session });
    expect(heard).toEqual([[{ section: 'deploy', shown: ['deploy', 'deploy.contacts'] }]]);
  });
});

describe('an opening that cannot be committed', () => {
  test('leaves nothing: no state, no tools', async () => {
    const failing: ToolPolicy = {
      name: 'failing',
      onResult: () => {
        throw new Error('disk full');
      },
    };
    const guarded = promptTemplate({ ns: 'test', key: 'sections', sections: [guide], policies: [failing] });
    const { invocations, asked, session } = await runSections(guarded.bind(), [
      { toolCalls: [opening('deploy')] },
    ]);
    expect(invocations[0]).toMatchObject({ outcome: 'rolled-back', reason: 'policy-failed' });
    expect(invocations[0]).not.toHaveProperty('openedSections');
    expect(session.slice(VisibilityOverrides).length).toBe(0);
    expect(asked[1]).toEqual(asked[0]);
  });
});
