import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { binding, Filesystem, promptTemplate, section, ToolResult, tool } from 'weakincentives';
import { openHostFilesystem } from 'weakincentives/node';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { type ProgramPlan, runProgram } from '../harness/program.ts';
import type { Report } from '../harness/row.ts';
import { takeSamples } from '../harness/samples.ts';
import { childrenCpuMs } from './children-cpu.ts';
import { type DiskProject, makeDiskProject } from './disk-project.ts';

interface Settings extends Record<string, string | number> {
  readonly way: keyof typeof ways;
  /** How many files the project has, and how many of them a call changes. */
  readonly files: number;
  readonly changed: number;
}

interface Change {
  readonly project: DiskProject;
  readonly paths: readonly string[];
  readonly plan: ProgramPlan;
  /** How often it is done in a sample. */
  readonly rounds: number;
}

/** Changes to some of many files, committed or rolled back: `cpu` and `wall` in ms, of one change. */
const ways = {
  /** A tool call that writes, and commits to the disk. */
  commit: (change: Change) => measureCalls(change, true),
  /** A tool call that writes and fails. */
  rollback: (change: Change) => measureCalls(change, false),
  git: async ({ project: { root }, paths, plan, rounds }: Change): Promise<Report> => {
    const git = gitIn(root);
    git('add', '-A');
    let tree = git('write-tree');
    return await measureChildren(plan, rounds, (round) => {
      for (const path of paths) writeFileSync(join(root, path), contentOf(round));
      git('add', '-A');
      const next = git('write-tree');
      if (next === tree) throw new Error('git has seen no change.');
      tree = next;
    });
  },
  'git-restore': async ({ project: { root }, paths, plan, rounds }: Change): Promise<Report> => {
    const before = paths.map((path) => readFileSync(join(root, path), 'utf8'));
    const git = gitIn(root);
    git('add', '-A');
    return await measureChildren(plan, rounds, (round) => {
      for (const path of paths) writeFileSync(join(root, path), contentOf(round));
      git('checkout-index', '--all', '--force', '--quiet');
      git('clean', '-fdq');
      if (paths.some((path, index) => readFileSync(join(root, path), 'utf8') !== before[index]))
        throw new Error('git has restored nothing.');
    });
  },
} satisfies Record<string, (change: Change) => Promise<Report>>;

/** About so many files are written in a sample. */
const writesPerSample = 100;

await runProgram<Settings>(async ({ way, files, changed }, { warmUps, ...rest }) => {
  const plan = { ...rest, warmUps: Math.min(1, warmUps) };
  const isTiny = plan.effort === 'tiny';
  using project = makeDiskProject(isTiny ? 20 : files);
  const paths = project.paths.slice(0, isTiny ? 2 : changed);
  const isGit = way.startsWith('git');
  // The processes of git are counted in hundredths of a second, and take much longer.
  const rounds = isTiny ? 1 : Math.max(1, Math.ceil(writesPerSample / changed / (isGit ? 10 : 1)));
  return await ways[way]({ project, paths, plan, rounds });
});

async function measureCalls({ project, paths, plan, rounds }: Change, commits: boolean): Promise<Report> {
  const { folder, root } = project;
  await using host = await openHostFilesystem({ root, stateDirectory: join(folder, 'state') });
  const write = tool({
    name: 'write',
    description: 'Writes the files.',
    effects: 'state',
    inputSchema: z.strictObject({ round: z.number() }),
    execute: async ({ round }, { filesystem }) => {
      for (const path of paths) await filesystem.write(path, contentOf(round));
      return commits ? ToolResult.ok(null) : ToolResult.error(`Nothing of round ${round}.`);
    },
  });
  const prompt = promptTemplate({
    ns: 'bench',
    key: 'disk',
    sections: [
      section({
        title: 'Task',
        key: 'task',
        template: 'Write.',
        tools: [write],
        resources: [binding(Filesystem, { instance: host })],
      }),
    ],
  }).bind();
  let round = 0;
  const adapter = scriptedAdapter((_conversation, { turn }) => {
    if (turn > rounds) return { text: 'done' };
    round += 1;
    return { toolCalls: [{ name: write.name, arguments: { round } }] };
  });
  const before = paths.map((path) => readFileSync(join(root, path), 'utf8'));
  const { samples, notes } = await takeSamples(plan, {
    run: async () => {
      const { text } = await adapter.evaluate(prompt, {
        limits: { maxTurns: rounds + 1, maxRepeatedFailures: rounds + 1 },
      });
      if (text !== 'done') throw new Error(`The run ended with "${text}".`);
    },
  });
  for (const [index, path] of paths.entries()) {
    const expected = commits ? contentOf(round) : before[index];
    if (readFileSync(join(root, path), 'utf8') !== expected)
      throw new Error('The disk is not as it should be.');
  }
  return {
    samples: {
      cpu: samples.map(({ cpuMs }) => cpuMs / rounds),
      wall: samples.map(({ wallMs }) => wallMs / rounds),
    },
    notes,
  };
}

function contentOf(round: number): string {
  return `changed ${round}`;
}

function gitIn(root: string): (...command: readonly string[]) => string {
  const git = (...command: readonly string[]): string =>
    execFileSync('git', command, { cwd: root, encoding: 'utf8' });
  git('init', '--quiet');
  return git;
}

/** With the CPU time of the child processes, where the system reports it. */
async function measureChildren(
  plan: ProgramPlan,
  rounds: number,
  run: (round: number) => void,
): Promise<Report> {
  let round = 0;
  const cpu: number[] = [];
  const { samples, notes } = await takeSamples(plan, {
    run: () => {
      const before = childrenCpuMs();
      for (let time = 0; time < rounds; time += 1) {
        round += 1;
        run(round);
      }
      cpu.push((childrenCpuMs() - before) / rounds);
    },
  });
  return {
    samples: { cpu: cpu.slice(-samples.length), wall: samples.map(({ wallMs }) => wallMs / rounds) },
    notes,
  };
}
