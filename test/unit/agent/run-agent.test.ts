import { describe, expect, it } from 'vitest';
import {
  type AnyAgent,
  binding,
  defineAgent,
  MemoryFilesystem,
  PromptEvaluationError,
  PromptValidationError,
  promptTemplate,
  redactPatterns,
  resourceToken,
  runAgent,
  Session,
  section,
  suspendApproval,
  ToolResult,
  tool,
} from 'weakincentives';
import { memoryJournal, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { bareTemplate, eventTypes, Notes, notes, notesModel, notesTemplate } from './agents.ts';

const text = async (files: MemoryFilesystem, path: string): Promise<string> => (await files.read(path)).text;

describe('what a run is resolved from', () => {
  it('is the agent itself: its params by the name of the workspace, its input, its model', async () => {
    const filesystem = new MemoryFilesystem();
    const run = await runAgent(notes, { workspace: { name: 'bees', filesystem } });
    expect(run).toMatchObject({ finishReason: 'stop', output: { file: 'NOTES.md' }, changes: [] });
    expect(run.application).toEqual({ kind: 'kept' });
    expect(run.runId).not.toBe('');
    expect(run).not.toHaveProperty('conclusion');
    expect(await text(filesystem, 'NOTES.md')).toBe('bees\n');
    expect(run.conversation[0]).toMatchObject({ type: 'user', content: [{ text: 'Go.' }] });
  });

  it('reports what it changed of files in memory, and not what they held before', async () => {
    const workspace = new MemoryFilesystem({ files: { 'kept.md': 'kept\n' } });
    const run = await runAgent(notes, { workspace });
    expect(run.changes).toMatchObject([{ path: 'NOTES.md', kind: 'created' }]);
    const again = await runAgent(notes, { workspace });
    expect(again.changes).not.toMatchObject([{ kind: 'created' }]);
  });

  it('has the options of the run in their place: params key by key, input, adapter', async () => {
    const filesystem = new MemoryFilesystem();
    const agent = defineAgent({ ...withoutKind(notes), params: { topic: 'bees', words: 3 } });
    let instructions = '';
    const adapter = scriptedAdapter([{ text: '{"file":"x"}' }]);
    const run = await runAgent(agent, {
      adapter,
      workspace: filesystem,
      params: { topic: 'wasps' },
      input: 'Now.',
      observers: [{ onRequest: ({ instructions: given }) => void (instructions = given) }],
    });
    expect(run.conversation[0]).toMatchObject({ content: [{ text: 'Now.' }] });
    expect(instructions).toContain('about wasps in 3 words');
  });

  it('calls a function that makes the adapter with the checked params, once', async () => {
    const calls: unknown[] = [];
    const agent = defineAgent({
      template: notesTemplate,
      params: { words: 7 },
      adapter: (context) => {
        calls.push(context);
        return notesModel('x');
      },
    });
    await runAgent(agent, {
      workspace: { name: 'f', filesystem: new MemoryFilesystem() },
      params: { topic: 'a' },
    });
    expect(calls).toEqual([{ params: { topic: 'a', words: 7 }, workspaceName: 'f' }]);
  });

  it('has bindings of the run over those of the template', async () => {
    const token = resourceToken<string>('word');
    const say = tool({
      name: 'say',
      description: 'Say.',
      inputSchema: z.object({}),
      execute: async (_params, { resources }) => ToolResult.ok(null, await resources.get(token)),
    });
    const template = promptTemplate({
      ns: 'agents',
      key: 'words',
      sections: [
        section({
          title: 'T',
          key: 't',
          template: 'Go.',
          tools: [say],
          resources: [binding(token, { instance: 'own' })],
        }),
      ],
    });
    const adapter = scriptedAdapter([{ toolCalls: [{ name: 'say', arguments: {} }] }, { text: 'Done.' }]);
    const said: string[] = [];
    const observers = [
      {
        onEvent: (event: { type: string; invocation?: { message: string } }) => {
          if (event.type === 'tool-call-end') said.push(event.invocation?.message ?? '');
        },
      },
    ];
    await runAgent(defineAgent({ template }), {
      adapter,
      observers,
      resources: [binding(token, { instance: 'given' })],
    });
    expect(said).toEqual(['given']);
  });

  it('has limits key by key, and both lists of observers, feedback and completion', async () => {
    const own = eventTypes();
    const given = eventTypes();
    const checked: string[] = [];
    const checker = (name: string) => ({
      name,
      check: () => {
        checked.push(name);
        return { outcome: 'complete' } as const;
      },
    });
    const agent = defineAgent({
      template: bareTemplate,
      limits: { maxTurns: 1, maxCompletionChecks: 2 },
      observers: [own.observer],
      completion: checker('own'),
    });
    const model = () => scriptedAdapter([{ text: 'Hello.' }]);
    await runAgent(agent, {
      adapter: model(),
      limits: { maxCompletionChecks: 1 },
      observers: [given.observer],
      completion: [checker('given')],
    });
    expect(own.types).toEqual(given.types);
    expect(own.types.at(-1)).toBe('run-end');
    expect(checked).toEqual(['own', 'given']);
    // The agent's own turn limit is still there beside the other one.
    const two = scriptedAdapter([{ toolCalls: [{ name: 'none', arguments: {} }] }, { text: 'x' }]);
    await expect(runAgent(agent, { adapter: two, limits: { maxCompletionChecks: 1 } })).rejects.toMatchObject(
      {
        code: 'evaluation-turns-exceeded',
      },
    );
    const raised = scriptedAdapter([{ toolCalls: [{ name: 'none', arguments: {} }] }, { text: 'x' }]);
    expect((await runAgent(agent, { adapter: raised, limits: { maxTurns: 2 } })).text).toBe('x');
  });

  it('names the run after the agent', async () => {
    const journal = memoryJournal();
    const agent = defineAgent({ template: bareTemplate, name: 'greeter' });
    await runAgent(agent, { adapter: scriptedAdapter([{ text: 'Hello.' }]), journal });
    expect(await journal.runs()).toMatchObject([{ agent: 'greeter' }]);
  });
});

describe('what is refused before a model is asked', () => {
  const narrow = defineAgent({ template: notesTemplate, workspace: { exclude: ['secret/**'] } });
  const without = defineAgent({ template: bareTemplate, workspace: false });
  const filesystem = new MemoryFilesystem();
  const cases: readonly [string, AnyAgent, object, RegExp][] = [
    ['workspace', without, { workspace: filesystem }, /works without files/],
    ['workspace', notes, {}, /works on files.*openWorkspace\(\{ agent, folder \}\)/],
    ['workspace', narrow, { workspace: filesystem }, /a part of the files only.*openWorkspace/],
    ['workspace', without, { workspace: 'folder' }, /workspace must be an object/],
    [
      'params',
      notes,
      { workspace: filesystem, params: { colour: 'red' } },
      /params of notes are invalid.*colour/,
    ],
    ['params', notes, { workspace: filesystem, params: { topic: 7 } }, /invalid.*task.*topic/],
    ['params', throwing('params'), { workspace: filesystem }, /cannot be created: No params/],
    ['adapter', defineAgent({ template: bareTemplate }), {}, /brings no model.*openai\(\{ model \}\)/],
    ['agentName', without, { agentName: 'x' }, /no option agentName/],
    ['agent', without, { agent: 'x' }, /no option "agent"/],
    ['deadlines', without, { deadlines: 1 }, /no option "deadlines"/],
    ['strict', without, { strict: true }, /pass its journal and its runId/],
    ['answers', without, { answers: [], journal: memoryJournal() }, /pass its journal and its runId/],
    ['runId', without, { runId: 'x' }, /needs a journal/],
    ['approve', without, { approve: suspendApproval() }, /needs a journal/],
    ['limits.maxTurns', without, { limits: { maxTurns: 0 } }, /maxTurns/],
    ['observers', without, { observers: 7 }, /observers/],
  ];

  it.each(cases.map((each) => [...each, String(each[3])] as const))(
    '$0, with $4',
    async (option, agent, options, message) => {
      let asked = 0;
      const adapter = scriptedAdapter(() => {
        asked += 1;
        return { text: 'Hello.' };
      });
      const given = option === 'adapter' ? options : { adapter, ...options };
      const refused = await runAgent(agent, given).catch((error: unknown) => error);
      expect(PromptValidationError.isInstance(refused) ? refused.message : refused).toMatch(message);
      expect(refused).toMatchObject({ details: { option } });
      expect(asked).toBe(0);
    },
  );

  it('refuses what is no agent', async () => {
    // @ts-expect-error a template is no agent
    await expect(runAgent(bareTemplate)).rejects.toMatchObject({ details: { option: 'agent' } });
  });

  it('takes a Filesystem alone for an agent that sees all of it', async () => {
    const agent = defineAgent({ ...withoutKind(notes), workspace: { defaultExcludes: false } });
    expect((await runAgent(agent, { workspace: filesystem, params: { topic: 'x' } })).text).toContain(
      'NOTES',
    );
  });
});

describe('what is called around a run', () => {
  it('prepares the session before the first turn, with the slices of the template', async () => {
    const session = new Session();
    const order: string[] = [];
    const agent = defineAgent({
      ...withoutKind(notes),
      prepare: ({ params, session: given, workspace }) => {
        order.push('prepare');
        given.slice(Notes).seed([{ text: `${params.topic} in ${workspace?.name}` }]);
      },
    });
    const adapter = scriptedAdapter(() => {
      order.push('model');
      return { text: '{"file":"x"}' };
    });
    const workspace = { name: 'f', filesystem: new MemoryFilesystem() };
    await runAgent(agent, { adapter, session, workspace });
    expect(order).toEqual(['prepare', 'model']);
    expect(session.slice(Notes).all()).toEqual([{ text: 'f in f' }]);
  });

  it('concludes from the state, and then writes the changes', async () => {
    const order: string[] = [];
    const agent = defineAgent({
      ...withoutKind(notes),
      conclude: ({ output, session, text: answer }) => {
        order.push('conclude');
        return { summary: `${answer} ${JSON.stringify(output)}`, notes: [`${session.slice(Notes).length}`] };
      },
    });
    const workspace = {
      filesystem: new MemoryFilesystem(),
      changes: () => [{ path: 'a', kind: 'created', entry: 'file' } as const],
      apply: async () => {
        order.push('apply');
        return { kind: 'conflict', paths: ['a'] } as const;
      },
    };
    const run = await runAgent(agent, { workspace, params: { topic: 'x' } });
    expect(order).toEqual(['conclude', 'apply']);
    expect(run.conclusion).toEqual({ summary: '{"file":"NOTES.md"} {"file":"NOTES.md"}', notes: ['0'] });
    expect(run.application).toEqual({ kind: 'conflict', paths: ['a'] });
    expect(run.changes).toHaveLength(1);
  });

  it.each([
    [
      'returns a failure',
      () => ({ failure: 'The key k-123 is in the notes.' }),
      'The key <redacted> is in the notes.',
    ],
    [
      'throws',
      () => {
        throw new Error('No k-123.');
      },
      'The function conclude of the agent "notes" threw: No <redacted>.',
    ],
  ])('fails a run whose conclusion %s, and writes nothing', async (_how, conclude, message) => {
    let applied = 0;
    const agent = defineAgent({ ...withoutKind(notes), conclude });
    const workspace = {
      filesystem: new MemoryFilesystem(),
      apply: async () => {
        applied += 1;
        return { kind: 'applied' } as const;
      },
    };
    const redact = await redactPatterns(['k-[0-9]+']);
    const failed = await runAgent(agent, { workspace, redact, params: { topic: 'x' } }).catch(
      (error: unknown) => error,
    );
    expect(failed).toMatchObject({ code: 'evaluation-incomplete', phase: 'response' });
    expect(failed).toHaveProperty('message', message);
    expect(PromptEvaluationError.isInstance(failed) && failed.conversation.length).toBe(4);
    expect(applied).toBe(0);
  });
});

/** The options of an agent. */
function withoutKind<A extends { readonly kind: 'agent' }>({ kind: _kind, ...options }: A): Omit<A, 'kind'> {
  return options;
}

function throwing(what: string): AnyAgent {
  return defineAgent({
    template: notesTemplate,
    params: () => {
      throw new Error(`No ${what}.`);
    },
  });
}
