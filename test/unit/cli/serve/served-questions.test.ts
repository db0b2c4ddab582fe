import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { defineAgent, PolicyDecision, promptTemplate, section, ToolResult, tool } from 'weakincentives';
import { vfsToolsSection } from 'weakincentives/tools';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';
import { openFolder } from '../../../../src/cli/folder/open-folder.ts';
import { approvalsCommand } from '../../../../src/cli/runs/approvals-command.ts';
import { MemoryJournals } from '../journal/journals.ts';
import { eventsOf, fakeEnvironment, ofAgent } from '../support.ts';
import { type ServedCommand, servedCommand } from './served-command.ts';

let root: string;
let agentFile: string;
let journals: MemoryJournals;
let stateDirectory: string;
let description: string;

/** Asks before it is published, and about what is written to the index. */
const agent = () =>
  defineAgent({
    name: 'pub',
    template: promptTemplate({
      ns: 'tests',
      key: 'publish',
      sections: [
        section({
          title: 'Task',
          key: 'task',
          template: 'Publish.',
          policies: [
            {
              name: 'ask',
              check: ({ tool: { name } }) =>
                name === 'publish' ? PolicyDecision.ask('For all to see.') : PolicyDecision.allow(),
              checkChanges: ({ tool: { name } }) =>
                name === 'index' ? PolicyDecision.ask('It is the index.') : PolicyDecision.allow(),
            },
          ],
          tools: [
            tool({
              name: 'publish',
              description,
              effects: 'state',
              execute: async (_params, { filesystem }) => {
                await filesystem.write('published.txt', 'yes');
                return ToolResult.ok(null, 'published');
              },
            }),
            tool({
              name: 'index',
              description: 'Writes the index.',
              effects: 'state',
              execute: async (_params, { filesystem }) => {
                await filesystem.write('index.txt', 'index');
                return ToolResult.ok(null, 'indexed');
              },
            }),
          ],
        }),
        vfsToolsSection(),
      ],
    }),
  });

beforeEach(() => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'wink-questions-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  root = join(folder, 'work');
  agentFile = join(folder, 'agent.ts');
  stateDirectory = join(folder, 'state');
  mkdirSync(root);
  writeFileSync(agentFile, '// the agent');
  journals = new MemoryJournals();
  description = 'Publishes.';
});

function serve(...argv: readonly string[]): Promise<ServedCommand> {
  return servedCommand([agentFile, '--workspace', root, '--durable', '--run-id', 'mine', ...argv], {
    journals,
    load: async () => ofAgent(agent()),
    open: (name, workspace, mode, options) =>
      openFolder(name, workspace, mode, { ...options, stateDirectory }),
  });
}

/** What a server says to a call, and the question that it names. */
async function callOnce(
  name: string,
  ...argv: readonly string[]
): Promise<{ readonly text: string; readonly question: string }> {
  const served = await serve(...argv);
  const text = await served.text(name);
  await served.leave();
  return { text, question: /"(mine\S*\.ask-\d+)"/.exec(text)?.[1] ?? '' };
}

async function approvals(...argv: readonly string[]): Promise<string> {
  const request = readArguments(['approvals', ...argv]);
  if (request.kind !== 'approvals') throw new Error(JSON.stringify(request));
  const environment = fakeEnvironment();
  await approvalsCommand(request, environment, { journals });
  return environment.stdout.text();
}

describe('a question of a server that has ended', () => {
  it('is listed and answered, and lets one call of the next server of the same name through', async () => {
    const { question, text } = await callOnce('publish');
    expect(question).toBe('mine.ask-1');
    expect(text).not.toMatch(/wink|approvals/);
    expect(await approvals('list', '--folder', root)).toContain('mine.ask-1: pub on ');
    expect(await approvals('answer', question, '--yes')).toContain(
      'the answer counts for one call: when the same call is made again, to this server or to a later one that is started so on the folder\n',
    );
    expect(await approvals('list')).toContain('answered yes\nthe answer counts for one call');
    expect((await callOnce('publish')).text).toContain('published');
    expect((await callOnce('publish')).question).toBe('mine-3.ask-1');
    await expect(approvals('answer', question, '--yes')).rejects.toThrow(
      'the question "mine.ask-1" has ended: its answer was used',
    );
    const names = (await journals.journal().runs({})).map(({ runId }) => runId).toSorted();
    expect(names).toEqual(['mine', 'mine-2', 'mine-3', 'mine-3.ask-1', 'mine.ask-1']);
  });

  it('denies after a no, until it is removed', async () => {
    const { question } = await callOnce('publish');
    expect(await approvals('answer', question, '--no', '--note', 'Not on a Friday.')).toContain(
      'the answer counts for each call that asks the same, to this server or to a later one that is started so on the folder; to have it asked anew: wink runs prune mine.ask-1\n',
    );
    for (let time = 1; time <= 2; time += 1) {
      expect((await callOnce('publish')).text).toContain('Not on a Friday.');
    }
  });

  it.each([
    ['an edited file of the agent', () => writeFileSync(agentFile, '// another agent')],
    ['a file of the agent that is gone', () => rmSync(agentFile)],
  ])('refuses an answer because of %s', async (_what, change) => {
    const { question } = await callOnce('publish');
    change();
    const reason = 'agent.ts" has changed since the question was asked';
    await expect(approvals('answer', question, '--yes')).rejects.toThrow(reason);
    const listed = await approvals('list');
    expect(listed).toContain(reason);
    expect(listed).not.toContain('wink approvals answer');
    expect(eventsOf(await approvals('list', '--json'))).toMatchObject([
      { questions: [{ withoutEffect: expect.stringContaining(reason) }] },
    ]);
    expect((await callOnce('publish')).question).not.toBe(question);
  });

  it('refuses an answer once a server was started with another tool of the name', async () => {
    const { question } = await callOnce('publish');
    description = 'Publishes, and sends it to all.';
    expect((await callOnce('publish')).question).not.toBe(question);
    await expect(approvals('answer', question, '--yes')).rejects.toThrow(
      'the prompt of the agent, or one of its tools, has changed since the question was asked, as the server mine-2 ',
    );
    // That one may still be answered.
    expect(await approvals('answer', 'mine-2.ask-1', '--yes')).toContain('answered yes');
  });

  it('is another one with other options', async () => {
    const { question } = await callOnce('publish');
    expect((await callOnce('publish', '--apply=never')).question).not.toBe(question);
    // The server that asked it can be started again.
    expect(await approvals('answer', question, '--yes')).toContain('answered yes');
    expect((await callOnce('publish')).text).toContain('published');
  });

  it('about changes refuses an answer when the file has changed since', async () => {
    writeFileSync(join(root, 'index.txt'), 'before');
    const { question } = await callOnce('index');
    writeFileSync(join(root, 'index.txt'), 'of another program');
    await expect(approvals('answer', question, '--yes')).rejects.toThrow(
      '"index.txt" has changed since the question was asked',
    );
    const anew = await callOnce('index');
    expect(anew.question).not.toBe(question);
    await approvals('answer', anew.question, '--yes');
    expect((await callOnce('index')).text).toContain('indexed');
    expect(readFileSync(join(root, 'index.txt'), 'utf8')).toBe('index');
  });
});

describe('a question of a server that continues', () => {
  it('is answered although the file of the agent was edited: the server has what it was', async () => {
    const served = await serve();
    const question = /"(mine\S*\.ask-\d+)"/.exec(await served.text('publish'))?.[1] ?? '';
    writeFileSync(agentFile, '// another agent');
    await approvals('answer', question, '--yes');
    expect(await served.text('publish')).toContain('published');
    await served.leave();
  });

  it('about changes in memory is answered whatever the folder has', async () => {
    const served = await serve('--apply=end');
    const question = /"(mine\S*\.ask-\d+)"/.exec(await served.text('index'))?.[1] ?? '';
    writeFileSync(join(root, 'index.txt'), 'of another program');
    expect(await approvals('answer', question, '--yes')).toContain('answered yes');
    await served.leave();
  });
});
