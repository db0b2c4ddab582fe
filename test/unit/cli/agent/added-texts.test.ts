import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AnyAgent, defineAgent, promptTemplate, section } from 'weakincentives';
import { type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { skillsSection, vfsToolsSection } from 'weakincentives/tools';
import { readArguments } from '../../../../src/cli/commands/read-arguments.ts';
import { openFolder } from '../../../../src/cli/folder/open-folder.ts';
import { UsageError } from '../../../../src/cli/process/errors.ts';
import { promptCommand } from '../../../../src/cli/prompt/prompt-command.ts';
import { replayCommand } from '../../../../src/cli/replay/replay-command.ts';
import { resumeCommand } from '../../../../src/cli/resume-command.ts';
import { runCommand } from '../../../../src/cli/run-command.ts';
import { tempFolder } from '../../host/temp-folder.ts';
import { MemoryJournals } from '../journal/journals.ts';
import { eventsOf, fakeEnvironment, ofAgent, parts, request } from '../support.ts';

const skill = (name: string, body: string) =>
  `---\nname: ${name}\ndescription: How to do ${name}.\nmodel: x\n---\n${body}\n`;
const task = section({ title: 'Task', key: 'task', template: 'Do it.' });

interface Asked {
  readonly instructions: string;
  readonly tools: readonly string[];
}

/** An agent that keeps what it was asked. `files`: it works on the folder. */
function agentOf(asked: Asked[], turns: readonly ScriptedTurn[], files: boolean): AnyAgent {
  return defineAgent({
    template: promptTemplate({
      ns: 'tests',
      key: 'texts',
      name: 'texts',
      sections: files ? [task, vfsToolsSection()] : [task],
    }),
    adapter: scriptedAdapter((_conversation, { instructions, tools, turn }) => {
      asked.push({ instructions, tools: tools.map(({ name }) => name) });
      return turns[turn - 1] ?? { text: 'Done.' };
    }),
    ...(files ? {} : { workspace: false }),
  });
}

const readingSkill: ScriptedTurn = {
  toolCalls: [{ name: 'read_section', arguments: { section_key: 'skills.pdf' } }],
};

/** A run of the command on real folders. */
async function run(agent: AnyAgent, ...argv: readonly string[]) {
  const environment = fakeEnvironment();
  const code = await runCommand(request('run', 'agent.ts', ...argv, '--json'), environment, {
    ...parts(ofAgent(agent)),
    open: openFolder,
  });
  return { code, events: eventsOf(environment.stdout.text()), stderr: environment.stderr.text() };
}

async function refusal(agent: AnyAgent, ...argv: readonly string[]): Promise<string> {
  const error: unknown = await run(agent, ...argv).catch((reason: unknown) => reason);
  if (error instanceof UsageError) return error.message;
  throw new Error(`no UsageError: ${JSON.stringify(error)}`);
}

describe('wink run --skills --instructions', () => {
  it('gives them to an agent that works on a folder, after its own sections', async () => {
    const skills = tempFolder({ 'pdf/SKILL.md': skill('pdf', 'Use fill.'), 'pdf/fill.sh': 'echo' });
    const more = tempFolder({ 'csv/SKILL.md': skill('csv', 'x') });
    const workspace = tempFolder({ 'AGENTS.md': 'Run the tests.' });
    const asked: Asked[] = [];
    const { code, events } = await run(
      agentOf(asked, [readingSkill], true),
      workspace,
      ...['--skills', skills, '--skills', more, '--instructions'],
    );
    expect(code).toBe(0);
    expect(asked[0]?.instructions.match(/^#{2,3} .*\)$/gmu)).toEqual([
      '## 1. Task (task)',
      '## 2. Virtual Filesystem Tools (vfs)',
      '## 3. Skills (skills)',
      '### 3.1. csv (skills.csv)',
      '### 3.2. pdf (skills.pdf)',
      '## 4. Instructions of the Repository (project-instructions)',
    ]);
    expect(asked[0]?.instructions).toContain('Run the tests.');
    expect(asked[0]?.tools).toContain('read_skill_file');
    expect(new Set(asked.map((each) => JSON.stringify(each))).size).toBe(1);
    const [start] = events.filter(({ type }) => type === 'run-start');
    expect(Object.keys(start?.['sources'] ?? {})).toEqual([
      'skill csv',
      'skill pdf',
      'instructions AGENTS.md',
    ]);
  });

  it('gives skills to an agent without a folder, and no instructions', async () => {
    const skills = tempFolder({ 'pdf/SKILL.md': skill('pdf', 'Use fill.') });
    const asked: Asked[] = [];
    const agent = agentOf(asked, [readingSkill], false);
    expect((await run(agent, '--skills', skills)).code).toBe(0);
    expect(asked[0]?.instructions).toContain('skills.pdf');
    expect(await refusal(agent, '--instructions')).toBe(
      'texts does not use a workspace: leave out --instructions.',
    );
  });

  it('opens the folder of an agent that has no files of its own for instructions', async () => {
    const workspace = tempFolder({ 'CLAUDE.md': 'Be brief.' });
    const asked: Asked[] = [];
    const { workspace: _none, ...agent } = agentOf(asked, [], false);
    expect((await run(agent, workspace, '--instructions')).code).toBe(0);
    expect(asked[0]?.instructions).toContain('Be brief.');
  });

  it('refuses skills of the folder that is worked on, unless they are trusted', async () => {
    const workspace = tempFolder({ '.claude/skills/pdf/SKILL.md': skill('pdf', 'Use fill.') });
    const asked: Asked[] = [];
    const agent = agentOf(asked, [readingSkill], true);
    expect(await refusal(agent, workspace, '--skills', workspace)).toMatch(
      /^the skill "pdf" of --skills .* is in the folder that is worked on, where anyone may have written it\. Add --trust workspace/u,
    );
    expect(asked).toEqual([]);
    expect((await run(agent, workspace, '--skills', workspace, '--trust', 'workspace')).code).toBe(0);
    expect(asked).toHaveLength(2);
  });

  it('refuses what cannot be used', async () => {
    const agent = agentOf([], [], true);
    const workspace = tempFolder();
    expect(await refusal(agent, workspace, '--skills', tempFolder())).toContain('There are no skills in');
    expect(await refusal(agent, workspace, '--skills', 'no-such-folder')).toContain(
      '--skills no-such-folder: The folder "no-such-folder" does not exist.',
    );
    const wrong = tempFolder({ 'pdf/SKILL.md': skill('PDF', 'x') });
    expect(await refusal(agent, workspace, '--skills', wrong)).toContain(
      'The skill "pdf" cannot be used: its name "PDF"',
    );
    const skills = tempFolder({ 'pdf/SKILL.md': skill('pdf', 'x') });
    expect(await refusal(agent, workspace, '--skills', skills, '--skills', skills)).toContain(
      'The skill "pdf" cannot be used: there is a second one of this name',
    );
    const own = { name: 'own', description: 'x', body: 'x' };
    const template = promptTemplate({ ns: 't', key: 't', sections: [task, skillsSection({ from: [own] })] });
    const having = defineAgent({ template, name: 'having', workspace: false });
    expect(await refusal(having, '--skills', skills)).toMatch(/^--skills .* not go with having: /u);
    expect(() => request('run', 'agent.ts', '--trust', 'workspace')).toThrow('--trust is for --skills DIR');
  });
});

describe('a run with skills and instructions that is resumed', () => {
  it('finds them again, and says which skill has changed', async () => {
    const skills = tempFolder({ 'pdf/SKILL.md': skill('pdf', 'Before.') });
    const workspace = tempFolder({ 'AGENTS.md': 'Run the tests.' });
    const journals = new MemoryJournals();
    const asked: Asked[] = [];
    const lost = agentOf(asked, [], true);
    const breaking = { ...lost, adapter: scriptedAdapter([{ toolCalls: [{ name: 'ls', arguments: {} }] }]) };
    const own = { ...parts(ofAgent(breaking), {}, { journals }), open: openFolder };
    const argv = [
      'run',
      'agent.ts',
      workspace,
      '--skills',
      skills,
      '--instructions',
      '--durable',
      '--run-id',
      'r',
    ];
    expect(await runCommand(request(...argv), fakeEnvironment(), own)).toBe(1);

    const resumed = async (): Promise<readonly unknown[]> => {
      const environment = fakeEnvironment();
      const again = readArguments(['resume', 'r', '--json']);
      if (again.kind !== 'resume') throw new Error('no resume');
      const agent = agentOf(asked, [{ text: 'unused' }, readingSkill], true);
      await resumeCommand(again, environment, {
        ...parts(ofAgent(agent), {}, { journals }),
        open: openFolder,
      });
      return eventsOf(environment.stdout.text()).flatMap(({ type, changed }) =>
        type === 'run-resumed' ? [changed] : [],
      );
    };
    writeFileSync(join(skills, 'pdf/SKILL.md'), skill('pdf', 'After.'));
    expect(await resumed()).toEqual([['skill pdf']]);
    expect(asked.at(-1)?.instructions).toContain('Run the tests.');
    expect(asked.at(-1)?.tools).toContain('read_section');
  });

  it('is replayed with them', async () => {
    const skills = tempFolder({ 'pdf/SKILL.md': skill('pdf', 'Use fill.') });
    const workspace = tempFolder({ 'AGENTS.md': 'Run the tests.' });
    const record = join(tempFolder(), 'run.jsonl');
    const agent = agentOf([], [readingSkill], true);
    const texts = ['--skills', skills, '--instructions'];
    expect((await run(agent, workspace, ...texts, '--record', record)).code).toBe(0);
    const replayed = async (...more: readonly string[]): Promise<number> => {
      const again = readArguments(['replay', record, 'agent.ts', ...more]);
      if (again.kind !== 'replay') throw new Error('no replay');
      return replayCommand(again, fakeEnvironment(), { load: async () => ofAgent(agent) });
    };
    expect(await replayed(...texts)).toBe(0);
    expect(await replayed()).toBe(1);
  });
});

describe('wink prompt --skills --instructions', () => {
  async function shown(...argv: readonly string[]): Promise<string> {
    const environment = fakeEnvironment();
    const asked = readArguments(['prompt', 'show', 'agent.ts', '--overrides', tempFolder(), ...argv]);
    if (asked.kind !== 'prompt') throw new Error('no prompt');
    expect(await promptCommand(asked, environment, async () => ofAgent(agentOf([], [], true)))).toBe(0);
    return environment.stdout.text();
  }

  it('shows what the model receives', async () => {
    const skills = tempFolder({ 'pdf/SKILL.md': skill('pdf', 'Use fill.'), 'pdf/fill.sh': 'echo' });
    const workspace = tempFolder({ 'AGENTS.md': 'Run the tests.', 'web/AGENTS.md': 'x' });
    const text = await shown('--skills', skills, '--instructions', '--workspace', workspace);
    expect(text).toContain('### 3.1. pdf (skills.pdf)\n\nDescription: How to do pdf.');
    expect(text).toContain(
      '<project-instructions file="AGENTS.md">\nRun the tests.\n</project-instructions>',
    );
    expect(text).toContain('before you work in it: web/AGENTS.md.');
    expect(text).toContain('## read_skill_file');
    expect(await shown()).not.toContain('Skills');
  });
});
