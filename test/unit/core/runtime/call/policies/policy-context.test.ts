import { describe, expect, test } from 'vitest';
import {
  type AnySection,
  binding,
  type CompletionContext,
  CompletionVerdict,
  type FeedbackContext,
  Filesystem,
  MemoryFilesystem,
  openToolRuntime,
  type PolicyContext,
  PolicyDecision,
  type Prompt,
  promptTemplate,
  resumeRun,
  Session,
  section,
  type ToolContext,
  type ToolPolicy,
  ToolResult,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { act } from '../../../../../support/act.ts';
import { journalAfter, watchedJournal } from '../../../../../support/journals.ts';
import { connectionName, connections, connectServer } from '../../../../../support/mcp/clients.ts';
import { add, Count, calling, delegate, modelFor } from '../../../../../support/nested-setup.ts';
import { opening, runSections } from '../../../../../support/sections.ts';

type Rendered = ToolContext['renderedPrompt'];

/** Takes down what each of its functions gets, as `check work`. */
function watching(): { readonly seen: (readonly [string, Rendered])[]; readonly policy: ToolPolicy } {
  const seen: (readonly [string, Rendered])[] = [];
  const policy: ToolPolicy = {
    name: 'watch',
    check: ({ tool }, { renderedPrompt }) => {
      seen.push([`check ${tool.name}`, renderedPrompt]);
      return PolicyDecision.allow();
    },
    checkChanges: ({ tool }, _changes, { renderedPrompt }) => {
      seen.push([`changes ${tool.name}`, renderedPrompt]);
      return PolicyDecision.allow();
    },
    onResult: ({ tool }, _result, { renderedPrompt }) => {
      seen.push([`result ${tool.name}`, renderedPrompt]);
    },
  };
  return { seen, policy };
}

const namesOf = ({ tools }: Rendered): readonly string[] => tools.map(({ name }) => name);

const write = act('write', ({ filesystem }) => filesystem.write('a.txt', 'a').then(() => undefined));

const extra: AnySection = section({
  title: 'Extra',
  key: 'extra',
  template: 'There is more.',
  summary: 'Whether there is more.',
  visibility: 'summary',
  tools: [act('more', () => undefined)],
});

/** Its text says what the count was when it was rendered. */
const counting = (policies: readonly ToolPolicy[], sections: readonly AnySection[] = []): Prompt<undefined> =>
  promptTemplate({
    ns: 'test',
    key: 'policy-context',
    policies,
    resources: [binding(Filesystem, { instance: new MemoryFilesystem() })],
    sections: [
      section({
        title: 'Task',
        key: 'task',
        render: (_params, { session }) => `The count was ${session.slice(Count).latest()?.total ?? 0}.`,
        tools: [add, write],
        slices: [Count],
      }),
      ...sections,
    ],
  }).bind();

describe('the rendered prompt that a policy gets', () => {
  test('is the one of the request that made the call, the same before and after the handler', async () => {
    const { policy, seen } = watching();
    const { asked } = await runSections(counting([policy]), [calling('write')]);
    expect(seen.map(([at]) => at)).toEqual(['check write', 'changes write', 'result write']);
    for (const [, { text, tools }] of seen) {
      expect(text).toBe(asked[0]?.instructions);
      expect(tools).toMatchObject([
        { name: 'add', description: 'Adds one.' },
        { name: 'write', description: 'Does what the test says.' },
      ]);
    }
  });

  test('has the tools of opened sections from the next turn on, as the model has them', async () => {
    const { policy, seen } = watching();
    const { asked } = await runSections(counting([policy], [extra]), [
      { toolCalls: [opening('extra'), { name: 'add' }] },
      calling('more'),
    ]);
    const tools = new Map(seen.map(([at, rendered]) => [at, namesOf(rendered)]));
    expect(tools.get('result open_sections')).toEqual(asked[0]?.tools);
    expect(tools.get('result add')).toEqual(['add', 'write', 'open_sections']);
    expect(tools.get('check more')).toEqual(asked[1]?.tools);
    expect(tools.get('result more')).toEqual(['add', 'write', 'open_sections', 'more']);
  });

  test('cannot be changed, and holds nothing of what runs the calls', async () => {
    const { policy, seen } = watching();
    let ofHandler: Rendered | undefined;
    const look = act('look', ({ renderedPrompt }) => {
      ofHandler = renderedPrompt;
    });
    const prompt = promptTemplate({
      ns: 'test',
      key: 'read-only',
      policies: [policy],
      sections: [section({ title: 'Task', key: 'task', template: 'Look.', tools: [look] })],
    }).bind();
    await runSections(prompt, [calling('look')]);
    const [, rendered] = seen[0] ?? [];
    expect(rendered).toEqual({ text: ofHandler?.text, tools: ofHandler?.tools });
    expect(Object.isFrozen(rendered)).toBe(true);
    expect(Object.isFrozen(rendered?.tools)).toBe(true);
    expect(rendered?.tools.map((each) => Object.isFrozen(each))).toEqual([true]);
  });

  test('is that of the inner prompt for a call inside another one, also for a policy of the outer prompt', async () => {
    const { policy, seen } = watching();
    const of = (
      key: string,
      tools: Parameters<typeof section>[0]['tools'],
      policies: readonly ToolPolicy[],
    ) =>
      promptTemplate({
        ns: 'test',
        key,
        policies,
        sections: [
          section({ title: key, key, template: `This is ${key}.`, ...(tools && { tools }), slices: [Count] }),
        ],
      }).bind();
    const inner = of('inner', [add], []);
    const outer = of(
      'outer',
      [
        delegate('state', async ({ adapter }) => {
          await adapter.evaluate(inner);
          return ToolResult.ok(null);
        }),
      ],
      [policy],
    );
    await modelFor({ outer: [calling('delegate')], inner: [calling('add')] }).evaluate(outer);
    expect(seen.map(([at, { text }]) => [at, text.includes('This is inner.')])).toEqual([
      ['check delegate', false],
      ['check add', true],
      ['result add', true],
      ['result delegate', false],
    ]);
    expect(seen.map(([, rendered]) => namesOf(rendered))).toEqual([
      ['delegate'],
      ['add'],
      ['add'],
      ['delegate'],
    ]);
  });

  test('is that of the request again after a resume, although what it was rendered from has changed', async () => {
    const { policy, seen } = watching();
    const turns = [
      calling('add'),
      { toolCalls: [opening('extra')] },
      calling('more', 'write'),
      { text: 'Done.' },
    ];
    const options = { prompt: counting([policy], [extra]), runId: 'run' };
    const journal = watchedJournal();
    await scriptedAdapter(turns).evaluate(options.prompt, {
      journal,
      runId: options.runId,
      session: new Session({ id: 'session' }),
    });
    const whole = seen.splice(0);
    expect(whole.at(-1)?.[1].text).toContain('The count was 0.');
    const resumed = new Set<string>();
    for (let kept = 1; kept < journal.batches.length; kept += 1) {
      const rest = await journalAfter(journal.batches.slice(0, kept), 'session');
      await resumeRun({ ...options, journal: rest, adapter: scriptedAdapter(turns) });
      for (const [at, rendered] of seen.splice(0)) {
        resumed.add(at);
        expect(rendered).toEqual(whole.find(([name]) => name === at)?.[1]);
      }
    }
    expect([...resumed]).toEqual(expect.arrayContaining(['check add', 'check more', 'changes write']));
  });

  test('is what a tool runtime has', async () => {
    const { policy, seen } = watching();
    await using runtime = await openToolRuntime(counting([policy], [extra]));
    const call = (callId: string, name: string, params: unknown = {}) =>
      runtime.runCalls([{ callId, name, arguments: JSON.stringify(params) }]);
    await call('1', 'open_sections', opening('extra').arguments);
    await call('2', 'more');
    const [, rendered] = seen.at(-1) ?? [];
    expect(rendered?.text).toBe(runtime.instructions);
    expect(rendered && namesOf(rendered)).toEqual(runtime.tools.map(({ name }) => name));
    expect(rendered && namesOf(rendered)).toContain('more');
  });

  test.each(connections.map((connection) => [connectionName(connection), connection] as const))(
    'is there when the tools are served: %s',
    async (_name, connection) => {
      const { policy, seen } = watching();
      await using served = await connectServer(counting([policy]), connection);
      await served.call('write', {});
      expect(seen.map(([at]) => at)).toEqual(['check write', 'changes write', 'result write']);
      for (const [, rendered] of seen) {
        expect(rendered.text).toBe(served.client.getInstructions());
        expect(namesOf(rendered)).toEqual(['add', 'write']);
      }
    },
  );
});

test('whoever gets the prompt of an evaluation gets it rendered, too', async () => {
  const seen = new Map<string, CompletionContext | FeedbackContext | PolicyContext | ToolContext>();
  const look = act('look', (context) => {
    seen.set('handler', context);
  });
  const policy: ToolPolicy = {
    name: 'look',
    check: (_call, context) => {
      seen.set('policy', context);
      return PolicyDecision.allow();
    },
  };
  const prompt = promptTemplate({
    ns: 'test',
    key: 'all',
    policies: [policy],
    sections: [section({ title: 'Task', key: 'task', template: 'Look.', tools: [look] })],
  }).bind();
  const { asked } = await runSections(prompt, [calling('look')], {
    feedback: [
      {
        name: 'look',
        triggers: { everyCalls: 1 },
        provide: (context) => {
          seen.set('feedback', context);
          return undefined;
        },
      },
    ],
    completion: {
      name: 'look',
      check: (context) => {
        seen.set('completion', context);
        return CompletionVerdict.complete();
      },
    },
  });
  expect([...seen.keys()]).toEqual(['policy', 'handler', 'feedback', 'completion']);
  for (const context of seen.values()) {
    expect(context.renderedPrompt.text).toBe(asked[0]?.instructions);
    expect(namesOf(context.renderedPrompt)).toEqual(['look']);
  }
});
