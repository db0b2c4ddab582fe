import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type EvaluateOptions,
  hostedTool,
  type JournalBatch,
  type Prompt,
  promptTemplate,
  type RunEvent,
  resumeRun,
  Session,
  section,
  type ToolChoice,
  ToolResult,
  tool,
} from 'weakincentives';
import { replayRun } from 'weakincentives/record';
import { type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { draws } from '../../../../support/draws.ts';
import { evaluationFailure } from '../../../../support/failure.ts';
import { journalAfter, watchedJournal } from '../../../../support/journals.ts';
import { recordOf } from '../../../../support/replays.ts';
import { opening } from '../../../../support/sections.ts';

const names = ['read', 'write', 'send'] as const;

/** A prompt with three tools that say when they run, and a section that is not open with a fourth. */
function promptOf(ran: string[] = []): Prompt {
  const make = (name: string) =>
    tool({
      name,
      description: 'Does it.',
      effects: 'state',
      execute: () => {
        ran.push(name);
        return ToolResult.ok(null, `Did ${name}.`);
      },
    });
  const more = section({
    title: 'More',
    key: 'more',
    template: 'All of it.',
    summary: 'Some.',
    visibility: 'summary',
    tools: [make('late')],
  });
  const task = section({
    title: 'Task',
    key: 'task',
    template: 'Work.',
    tools: names.map(make),
    hostedTools: [hostedTool({ kind: 'look', name: 'look', description: 'Looks.', config: {} })],
    children: [more],
  });
  return promptTemplate({ ns: 'test', key: 'allowed', sections: [task] }).bind();
}

const calling = (...called: readonly string[]): ScriptedTurn => ({
  toolCalls: called.map((name) => ({ name, arguments: {} })),
});

async function play(turns: readonly ScriptedTurn[], toolChoice: ToolChoice, more: EvaluateOptions = {}) {
  const ran: string[] = [];
  const choices: ToolChoice[] = [];
  const tools: string[][] = [];
  const events: RunEvent[] = [];
  const adapter = scriptedAdapter((_conversation, request) => {
    choices.push(request.toolChoice);
    tools.push(request.tools.map(({ name }) => name));
    return turns[request.turn - 1] ?? { text: 'done' };
  });
  const response = await adapter.evaluate(promptOf(ran), {
    toolChoice,
    observers: [{ onEvent: (event) => void events.push(event) }],
    ...more,
  });
  const reasons = events.flatMap((event) =>
    event.type === 'tool-call-end' ? [event.invocation.reason ?? event.invocation.outcome] : [],
  );
  const texts = response.conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
  return { ran, choices, tools, reasons, texts };
}

describe('a tool that is not allowed', () => {
  it('is declared all the same, and its call fails with the names of those that are', async () => {
    const { ran, reasons, texts, tools } = await play([calling('write', 'read'), calling('send')], {
      allowed: ['read'],
    });
    expect(ran).toEqual(['read']);
    expect(reasons).toEqual(['not-allowed', 'committed', 'not-allowed']);
    expect(texts[0]).toBe(
      'The tool "write" was not called: it is not allowed here. The tools that are allowed: read, open_sections. Use one of them, or continue without it.',
    );
    const all = ['open_sections', ...names].toSorted();
    expect(tools.map((each) => each.toSorted())).toEqual([all, all, all]);
  });

  it('stays so in every turn, while a call is required in the first one only', async () => {
    const { choices } = await play([calling('read'), calling('read')], { allowed: ['read'], required: true });
    const allowed = ['read', 'open_sections'];
    expect(choices).toEqual([{ allowed, required: true }, { allowed }, { allowed }]);
  });

  it('is not named to a model that calls a tool that there is not', async () => {
    const { texts } = await play([calling('reed')], { allowed: ['read'] });
    expect(texts).toEqual(['There is no tool "reed". The tools are: read, open_sections.']);
  });

  it('is one of a section that was opened, too; sections can be opened, and kept results read', async () => {
    const context = { results: { maxCharacters: 1_000 } };
    const { ran, reasons, choices } = await play(
      [{ toolCalls: [opening('task.more')] }, calling('late', 'read')],
      { allowed: ['read'] },
      { context },
    );
    expect(reasons).toEqual(['committed', 'not-allowed', 'committed']);
    expect(ran).toEqual(['read']);
    const [first] = choices;
    const sent = typeof first === 'object' && 'allowed' in first ? first.allowed : [];
    expect(sent.toSorted()).toEqual(['open_sections', 'read', 'read_result']);
  });

  it('never runs, whatever the model asks for', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 }),
        fc.array(fc.array(fc.constantFrom(...names, 'nobody'), { minLength: 1, maxLength: 4 }), {
          maxLength: 5,
        }),
        fc.boolean(),
        async (allowed, turns, required) => {
          const { ran, reasons } = await play(
            turns.map((called) => calling(...called)),
            { allowed, required },
            { limits: { maxRepeatedFailures: 100 } },
          );
          const called = turns.flat();
          const mayRun: readonly string[] = allowed;
          expect(ran).toEqual(called.filter((name) => mayRun.includes(name)));
          expect(reasons).toEqual(
            called.map((name) =>
              mayRun.includes(name) ? 'committed' : name === 'nobody' ? 'unknown-tool' : 'not-allowed',
            ),
          );
        },
      ),
      { numRuns: draws(60) },
    );
  });

  it('is refused inside a call by the choice of that evaluation alone', async () => {
    const ran: string[] = [];
    const inner = promptOf(ran);
    const ask = tool({
      name: 'ask',
      description: 'Asks another.',
      effects: 'state',
      execute: async (_params, { adapter }) => {
        const { text } = await adapter.evaluate(inner, { toolChoice: { allowed: ['write'] } });
        return ToolResult.ok(null, text);
      },
    });
    const task = section({ title: 'Outer', key: 'outer', template: 'Ask.', tools: [ask] });
    const outer = promptTemplate({ ns: 'test', key: 'outer', sections: [task] }).bind();
    const adapter = scriptedAdapter((_conversation, { turn, tools }) => {
      if (turn > 1) return { text: 'done' };
      return tools.some(({ name }) => name === 'ask') ? calling('ask') : calling('read', 'write');
    });
    const reasons: (string | undefined)[] = [];
    const onEvent = (event: RunEvent): void => {
      if (event.type === 'tool-call-end') reasons.push(event.invocation.reason);
    };
    await adapter.evaluate(outer, { toolChoice: { allowed: ['ask'] }, observers: [{ onEvent }] });
    expect(ran).toEqual(['write']);
    expect(reasons).toEqual(['not-allowed', undefined, undefined]);
  });
});

describe('a run in which tools are not allowed', () => {
  const turns = [calling('write', 'read'), calling('send'), calling('read', 'write')];
  const working = (asked: Map<number, string>) =>
    scriptedAdapter((conversation, { turn, toolChoice }): ScriptedTurn => {
      asked.set(turn, JSON.stringify([toolChoice, conversation]));
      return turns[turn - 1] ?? { text: 'done' };
    });
  const toolChoice = { allowed: ['read'], required: true } as const;

  it('continues after any batch of its journal as it would have', async () => {
    const journal = watchedJournal();
    const whole = new Map<number, string>();
    const session = new Session({ id: 'session' });
    const ended = await working(whole).evaluate(promptOf(), { journal, runId: 'run', session, toolChoice });
    const answersIn = (batches: readonly JournalBatch[]): number =>
      batches.flatMap(({ rows }) => rows).filter(({ type }) => type === 'response').length;
    expect(journal.batches.length).toBeGreaterThan(5);
    for (let count = 1; count < journal.batches.length; count += 1) {
      const part = journal.batches.slice(0, count);
      const asked = new Map<number, string>();
      const ran: string[] = [];
      const end = await resumeRun({
        adapter: working(asked),
        runId: 'run',
        prompt: promptOf(ran),
        toolChoice,
        journal: await journalAfter(part, 'session'),
      });
      expect([...asked.keys()], `after ${count}`).toEqual([...whole.keys()].slice(answersIn(part)));
      for (const [turn, request] of asked)
        expect(request, `turn ${turn} after ${count}`).toBe(whole.get(turn));
      expect(end.conversation, `after ${count}`).toEqual(ended.conversation);
      expect(ran.every((name) => name === 'read')).toBe(true);
    }
  });

  it('is in its record with the reason, and is replayed from it', async () => {
    const record = await recordOf(working(new Map()), promptOf(), { toolChoice });
    expect(record.root.turns[0]?.request?.toolChoice).toEqual({
      allowed: ['read', 'open_sections'],
      required: true,
    });
    const reasons = record.calls.map(({ reason }) => reason);
    expect(reasons).toEqual(['not-allowed', undefined, 'not-allowed', undefined, 'not-allowed']);
    const report = await replayRun({ record, prompt: promptOf() });
    expect(report).toMatchObject({ isSame: true, ending: 'complete' });
  });
});

describe('an allowed tool', () => {
  const adapter = scriptedAdapter([{ text: 'done' }]);
  const refusal = (toolChoice: unknown) =>
    // What code without types may pass.
    adapter.evaluate(promptOf(), { toolChoice: toolChoice as ToolChoice });

  it.each([
    ['one that there is not', 'reed', /prompt "allowed" has no such tool. Its tools are .*"read"/],
    [
      'one of a section that is not open',
      'late',
      /"late" cannot be allowed, because its section is not open/,
    ],
  ])('must be one that the model gets, not %s', async (_what, name, message) => {
    const failure = await evaluationFailure(refusal({ allowed: ['read', name] }));
    expect(failure).toMatchObject({
      phase: 'render',
      cause: { details: { option: 'toolChoice', tool: name } },
    });
    expect(failure.message).toMatch(message);
  });

  it.each([
    [{ allowed: [] }],
    [{ allowed: 'read' }],
    [{ allowed: [1] }],
    [{ allowed: ['read'], required: 'yes' }],
    [{ allowed: ['read'], tool: 'read' }],
    [{ allowed: ['read'], mode: 'auto' }],
    [{ required: true }],
    ['any'],
  ])('is given in a form that is known, not as %j', async (toolChoice) => {
    await expect(refusal(toolChoice)).rejects.toThrow(
      /toolChoice must be 'auto', 'none', 'required', \{ tool: name \}, or \{ allowed/,
    );
  });

  it('may be a hosted one, and one of the runtime itself', async () => {
    await expect(refusal({ allowed: ['look', 'open_sections'] })).resolves.toMatchObject({ text: 'done' });
  });
});
