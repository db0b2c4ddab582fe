import { afterEach, describe, expect, it } from 'vitest';
import {
  binding,
  Filesystem,
  MemoryFilesystem,
  PolicyDecision,
  promptTemplate,
  Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { winkMatchers } from 'weakincentives/vitest';
import { z } from 'zod';

expect.extend(winkMatchers);

const write = tool({
  name: 'write',
  description: 'Write a file.',
  inputSchema: z.object({ path: z.string(), text: z.string() }),
  effects: 'state',
  execute: async ({ path, text }, { filesystem }) => {
    await filesystem?.write(path, text);
    return ToolResult.ok(null, 'Written.');
  },
});
const remove = tool({
  name: 'remove',
  description: 'Remove a file.',
  inputSchema: z.object({ path: z.string() }),
  effects: 'state',
  execute: async ({ path }, { filesystem }) => {
    await filesystem?.remove(path);
    return ToolResult.ok(null, 'Removed.');
  },
});
const fail = tool({
  name: 'fail',
  description: 'Write a file and fail.',
  inputSchema: z.object({ path: z.string() }),
  effects: 'state',
  execute: async ({ path }, { filesystem }) => {
    await filesystem?.write(path, 'lost');
    return ToolResult.error('It failed.');
  },
});
const inner = promptTemplate({
  ns: 'test',
  key: 'inner',
  sections: [section({ title: 'Inner', key: 'inner', template: 'Inner.', tools: [write] })],
});
const delegate = tool({
  name: 'delegate',
  description: 'Evaluate a prompt, then succeed or fail.',
  inputSchema: z.object({ fails: z.boolean() }),
  effects: 'state',
  execute: async ({ fails }, { adapter }) => {
    await adapter.evaluate(inner.bind(), { input: fails ? 'failing' : 'working' });
    return fails ? ToolResult.error('It failed.') : ToolResult.ok(null, 'Done.');
  },
});
const template = promptTemplate({
  ns: 'test',
  key: 'outer',
  sections: [
    section({ title: 'Outer', key: 'outer', template: 'Outer.', tools: [write, remove, fail, delegate] }),
  ],
  resources: [binding(Filesystem, { create: () => new MemoryFilesystem({ files: { 'old.md': 'old' } }) })],
});

const sessions: Session[] = [];
afterEach(async () => {
  for (const session of sessions.splice(0)) await session[Symbol.asyncDispose]();
});

async function run(turns: readonly ScriptedTurn[]): Promise<Session> {
  const session = new Session({ id: 'test' });
  sessions.push(session);
  const adapter = scriptedAdapter((conversation, request) => {
    const said = conversation[0];
    const text = said?.type === 'user' && said.content[0]?.type === 'text' ? said.content[0].text : '';
    if (text === 'start') return turns[request.turn - 1] ?? { text: 'Done.' };
    const path = `${text}.md`;
    return request.turn === 1
      ? { toolCalls: [{ name: 'write', arguments: { path, text } }] }
      : { text: 'Done.' };
  });
  await adapter.evaluate(template.bind(), { session, input: 'start' });
  return session;
}

const twoTurns: readonly ScriptedTurn[] = [
  {
    toolCalls: [
      { name: 'write', arguments: { path: 'src/a.ts', text: 'a' } },
      { name: 'fail', arguments: { path: 'src/b.ts' } },
    ],
    usage: { inputTokens: 100, outputTokens: 10 },
  },
  { text: 'Done.', usage: { inputTokens: 200, outputTokens: 20 } },
];

/** The message of a failing assertion. */
function messageOf(assertion: () => void): string {
  try {
    assertion();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'It did not fail.';
}

describe('toHaveCalled', () => {
  it('compares name and arguments, whatever became of the call', async () => {
    const session = await run(twoTurns);
    expect(session).toHaveCalled('write');
    expect(session).toHaveCalled('fail', { path: 'src/b.ts' });
    expect(session).toHaveCalled('write', expect.objectContaining({ path: expect.stringMatching(/^src/) }));
    expect(session).not.toHaveCalled('write', { path: 'src/a.ts' });
    expect(session).not.toHaveCalled('remove');
  });

  it('names the calls that were made', async () => {
    const session = await run(twoTurns);
    expect(messageOf(() => expect(session).toHaveCalled('remove'))).toBe(
      'Expected the run to make a call of "remove", but it never called that tool. Its calls:\n' +
        '  write({"path":"src/a.ts","text":"a"}): committed\n' +
        '  fail({"path":"src/b.ts"}): rolled-back (failed-result): It failed.',
    );
    expect(messageOf(() => expect(session).toHaveCalled('write', { path: 'x' }))).toBe(
      'Expected the run to make a call of "write" with {"path": "x"}. Its calls of "write":\n' +
        '  write({"path":"src/a.ts","text":"a"}): committed',
    );
    expect(messageOf(() => expect(session).not.toHaveCalled('fail'))).toBe(
      'Expected the run not to make a call of "fail", but it did:\n  fail({"path":"src/b.ts"}): rolled-back (failed-result): It failed.',
    );
    const silent = await run([]);
    expect(messageOf(() => expect(silent).toHaveCalled('write'))).toBe(
      'Expected the run to make a call of "write", but it made no calls.',
    );
  });

  it('refuses what is no run, and a session without one that has ended', () => {
    expect(() => expect({}).toHaveCalled('write')).toThrow(TypeError);
    const session = new Session({ id: 'test' });
    sessions.push(session);
    expect(() => expect(session).not.toHaveCalled('write')).toThrow(/no run that has ended/);
  });
});

describe('toHaveCommitted', () => {
  it('is for calls that were committed for good', async () => {
    const session = await run(twoTurns);
    expect(session).toHaveCommitted('write', expect.objectContaining({ text: 'a' }));
    expect(session).not.toHaveCommitted('fail');
    expect(messageOf(() => expect(session).toHaveCommitted('fail'))).toContain(
      'fail({"path":"src/b.ts"}): rolled-back (failed-result): It failed.',
    );
  });

  it('counts a call inside another one only when that was committed', async () => {
    const working = await run([{ toolCalls: [{ name: 'delegate', arguments: { fails: false } }] }]);
    expect(working).toHaveCommitted('write', expect.objectContaining({ path: 'working.md' }));
    const failing = await run([{ toolCalls: [{ name: 'delegate', arguments: { fails: true } }] }]);
    expect(failing).toHaveCalled('write');
    expect(messageOf(() => expect(failing).toHaveCommitted('write'))).toContain(
      'inside another call: committed into a call that was not',
    );
  });
});

describe('toHaveChangedFiles', () => {
  it('takes a path, a glob, or the whole list', async () => {
    const session = await run(twoTurns);
    expect(session).toHaveChangedFiles();
    expect(session).toHaveChangedFiles('src/a.ts');
    expect(session).toHaveChangedFiles('src/**');
    expect(session).toHaveChangedFiles(['src/*.ts']);
    expect(session).not.toHaveChangedFiles('*.md');
    expect(session).not.toHaveChangedFiles([]);
    expect(messageOf(() => expect(session).toHaveChangedFiles(['src/b.ts']))).toBe(
      'Expected the run to change exactly "src/b.ts". Not changed: "src/b.ts". Not expected: "src/a.ts". It changed:\n  src/a.ts (created)',
    );
    expect(messageOf(() => expect(session).not.toHaveChangedFiles('src/**'))).toBe(
      'Expected the run not to change a file that matches "src/**". It changed:\n  src/a.ts (created)',
    );
  });

  it('counts net changes', async () => {
    const session = await run([
      {
        toolCalls: [
          { name: 'write', arguments: { path: 'new.md', text: 'x' } },
          { name: 'remove', arguments: { path: 'old.md' } },
        ],
      },
      {
        toolCalls: [
          { name: 'remove', arguments: { path: 'new.md' } },
          { name: 'write', arguments: { path: 'old.md', text: 'x' } },
        ],
      },
    ]);
    expect(session).toHaveChangedFiles(['old.md']);
    expect(messageOf(() => expect(session).not.toHaveChangedFiles())).toContain('old.md (modified)');
  });

  it('has the changes of calls inside a call once, and none of a call that failed', async () => {
    expect(
      await run([{ toolCalls: [{ name: 'delegate', arguments: { fails: false } }] }]),
    ).toHaveChangedFiles(['working.md']);
    expect(await run([{ toolCalls: [{ name: 'delegate', arguments: { fails: true } }] }])).toHaveChangedFiles(
      [],
    );
  });
});

describe('toStayWithin', () => {
  const prices = { inputPerMillion: 10, outputPerMillion: 100 };

  it('is inclusive, and names each limit that was passed', async () => {
    const session = await run(twoTurns);
    expect(session).toStayWithin({ tokens: 330, turns: 2, cost: 0.006, prices });
    expect(session).not.toStayWithin({ tokens: 329 });
    expect(
      messageOf(() => expect(session).toStayWithin({ tokens: 300, turns: 1, cost: 0.004, prices })),
    ).toBe(
      'Expected the run to stay within its limits, but it passed tokens: 330, which is 30 over 300, turns: 2, which is 1 over 1, cost: 0.006, which is 0.002 over 0.004.',
    );
    expect(messageOf(() => expect(session).not.toStayWithin({ turns: 5 }))).toBe(
      'Expected the run to pass one of its limits, but it stayed within all of them: turns 2 of 5.',
    );
  });

  it('says which policy denied a call, and why', async () => {
    const session = new Session({ id: 'denied' });
    sessions.push(session);
    const guarded = promptTemplate({
      ns: 'test',
      key: 'guarded',
      sections: [section({ title: 'Guarded', key: 'guarded', template: 'Guarded.', tools: [write] })],
      policies: [{ name: 'office-hours', check: () => PolicyDecision.deny('It is late.') }],
      resources: [binding(Filesystem, { create: () => new MemoryFilesystem() })],
    });
    const adapter = scriptedAdapter([
      { toolCalls: [{ name: 'write', arguments: { path: 'a', text: 'a' } }] },
      { text: 'Done.' },
    ]);
    await adapter.evaluate(guarded.bind(), { session });
    expect(messageOf(() => expect(session).toHaveCommitted('write'))).toContain(
      'write({"path":"a","text":"a"}): denied (denied): The call of "write" was denied by the policy "office-hours": It is late.',
    );
  });

  it('counts turns without usage as 0, and says so', async () => {
    const uncounted = await run([]);
    expect(uncounted).toStayWithin({ tokens: 0, turns: 1 });
    expect(messageOf(() => expect(uncounted).not.toStayWithin({ tokens: 5, turns: 1 }))).toBe(
      'Expected the run to pass one of its limits, but it stayed within all of them: tokens 0 of 5 (the model reported no usage, which counts as 0; a scripted turn reports it as `usage`), turns 1 of 1.',
    );
  });

  it('refuses limits that it cannot check', async () => {
    const session = await run(twoTurns);
    expect(() => expect(session).toStayWithin({ cost: 1 })).toThrow(/needs prices/);
    expect(() => expect(session).toStayWithin({})).toThrow(/at least one limit/);
    expect(() => expect(session).toStayWithin({ turns: -1 })).toThrow(/at least 0/);
  });
});
