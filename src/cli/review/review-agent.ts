import { setImmediate } from 'node:timers/promises';
import { type Agent, defineAgent } from '../../evaluation/index.ts';
import type { Filesystem } from '../../filesystem/index.ts';
import { scriptedModel } from '../../provider/index.ts';
import { type AnyBinding, bindInstance } from '../../resource/index.ts';
import type { Session } from '../../session/index.ts';
import { Findings, PreviousItems, Publications } from './findings-slice.ts';
import { MODEL_DESCRIPTION } from './model/review-notes.ts';
import { createRuleModel } from './model/rule-model.ts';
import { REPORT_PATH, reportItems } from './report-format.ts';
import { type ReviewParams, reviewTemplate } from './review-template.ts';
import { UnmountedFiles, type UnmountedSurvey } from './unmounted.ts';

/** The folder a review works on. */
export interface ReviewWorkspace extends UnmountedSurvey {
  readonly filesystem: Filesystem;
}

/** How a review ended, by the state it left. */
export interface ReviewOutcome {
  readonly findings: number;
  readonly isPublished: boolean;
}

/** What a review needs beside its agent. */
export interface ReviewSetting {
  /** What tells the tools which files are not reviewed. */
  readonly resources: (workspace: ReviewWorkspace) => readonly AnyBinding[];
  /** Puts into the session what has to be known before the first turn: what the previous report left open. */
  readonly prepare: (session: Session, workspace: ReviewWorkspace) => Promise<void>;
  readonly outcome: (session: Session) => ReviewOutcome;
}

/** Directories that hold what tools made or installed, wherever they stand. */
const leftOutFolders = [
  '.build',
  '.cache',
  '.git',
  '.gradle',
  '.hg',
  '.mypy_cache',
  '.next',
  '.nuxt',
  '.parcel-cache',
  '.pytest_cache',
  '.ruff_cache',
  '.svelte-kit',
  '.svn',
  '.terraform',
  '.tox',
  '.turbo',
  '.venv',
  '__pycache__',
  'coverage',
  'dist',
  'node_modules',
  'venv',
];

/** The review agent: what `wink review` runs. Its own model needs no key and no network. */
export const reviewAgent: Agent<ReviewParams, undefined> = defineAgent({
  name: 'review',
  description: `Reviews a folder and writes ${REPORT_PATH}.`,
  template: reviewTemplate,
  params: ({ workspaceName }) => ({ folderName: workspaceName, maxLines: 400, maxLineCharacters: 200 }),
  input: `Review this folder and publish ${REPORT_PATH}.`,
  workspace: { exclude: leftOutFolders.map((name) => `**/${name}/**`) },
  maxTurns: 2000,
  model: ({ params }) => {
    const decide = createRuleModel(params);
    return scriptedModel(
      async (conversation) => {
        // Nothing else in a turn waits for the outside: signals and timers get their turn here.
        await setImmediate();
        return decide(conversation);
      },
      { name: MODEL_DESCRIPTION },
    );
  },
});

/** @see ReviewSetting */
export const reviewSetting: ReviewSetting = Object.freeze({
  resources: ({ unmounted }) => [bindInstance(UnmountedFiles, { unmounted })],
  prepare: async (session, { filesystem }) => {
    for (const slice of [Findings, PreviousItems, Publications]) session.install(slice);
    const previous = await readText(filesystem, REPORT_PATH);
    const open = reportItems(previous).filter((item) => item.isOpen);
    session.slice(PreviousItems).seed(open.map((item) => ({ text: item.text })));
  },
  outcome: (session) => ({
    findings: session.slice(Findings).length,
    isPublished: session.slice(Publications).length > 0,
  }),
} satisfies ReviewSetting);

/** The text of a file; empty when there is none, or when it is no text. */
async function readText(filesystem: Filesystem, path: string): Promise<string> {
  if ((await filesystem.stat(path))?.kind !== 'file') return '';
  try {
    return (await filesystem.read(path, { offset: 0, limit: Number.MAX_SAFE_INTEGER })).text;
  } catch {
    return '';
  }
}
