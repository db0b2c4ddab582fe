import type { ProjectTemplate } from '../commands/init.ts';

/** What is special about the projects of a template. */
export interface TemplateFacts {
  /** In a question. */
  readonly summary: string;
  /** What the agent does, for the README of the project. */
  readonly about: string;
  /** Files of its own, the path in the folder of the template and in the project. */
  readonly files: readonly string[];
  /** What its own files are, for the notes of the project. */
  readonly notes: readonly string[];
  /** What `start` runs. */
  readonly start: string;
  /** What `start` does, in a few words. */
  readonly startNote: string;
  /** The folder that the agent works on; undefined: none. */
  readonly folder?: string;
  /** What to do next, for the README of the project. `{{exec}}` runs a command of its packages. */
  readonly next: string;
  /** Packages besides those of every project, by the list that they are in. */
  readonly dependencies: readonly string[];
  readonly devDependencies: readonly string[];
  /** Packages that they bring along, and that work without their installation scripts: npm asks about these otherwise. */
  readonly withoutScripts?: readonly string[];
}

/** The templates. Their files are in the folder `templates` of the package. */
export const templates: Readonly<Record<ProjectTemplate, TemplateFacts>> = {
  tools: {
    summary: 'tools, a rule, a typed answer',
    about:
      'An agent that routes support tickets, with two tools, a rule that a call breaks, and a typed answer.',
    files: ['agent.ts', 'agent.test.ts'],
    notes: [
      '`agent.ts`: the slice `Tickets`, the tools `read_ticket` and `assign_ticket`, the policy `ops-never-low`, the prompt, the agent.',
      '`agent.test.ts`: what a run commits, what the policy denies, and what a failed call leaves.',
    ],
    start: 'wink run agent.ts',
    startNote: 'one call is denied and corrected',
    next: 'Next: put your own tools into `agent.ts`, and a test for each of them into `agent.test.ts`.',
    dependencies: [],
    devDependencies: [],
  },
  files: {
    summary: 'a folder, a shell, a rule about files',
    about: 'An agent that makes the test of a folder pass, in a shell that sees nothing but this folder.',
    files: ['agent.ts', 'agent.test.ts', 'project/package.json', 'project/sum.sh', 'project/test.sh'],
    notes: [
      '`agent.ts`: tools for files, a shell, the policy `protect-package`, the prompt, the agent.',
      '`agent.test.ts`: what a run changes in a copy of `project`, and what it asks.',
      '`project/`: the folder that the agent works on; its test fails on purpose.',
    ],
    start: 'wink run agent.ts project',
    startNote: 'shows what it would change',
    folder: 'project',
    next: 'Nothing in `project` changes before you say so: `{{exec}} wink run agent.ts project --apply` writes what was shown.',
    dependencies: ['just-bash'],
    devDependencies: [],
    withoutScripts: ['node-liblzma'],
  },
  nightly: {
    summary: 'a job that continues after a crash, and waits for answers',
    about:
      'An agent that reminds customers every night. It continues where it was interrupted, and waits for a person where a rule asks.',
    files: ['agent.ts', 'agent.test.ts', 'nightly.ts'],
    notes: [
      '`agent.ts`: the tools `list_invoices` and `send_reminder`, the policy `large-amounts`, the prompt, the agent.',
      '`nightly.ts`: the job. It keeps its runs in `nightly.db`, one a day, and may be called at any time.',
      '`agent.test.ts`: what is sent without an answer, and what is sent after one, never twice.',
    ],
    start: 'jiti nightly.ts',
    startNote: 'the job; needs Node 22.13 or later',
    next: 'The job prints the line that answers its question. Answer it, and call `{{manager}} start` again. On Node 20 see the comment in `nightly.ts`.',
    dependencies: [],
    devDependencies: ['jiti'],
  },
};
