// An agent for `wink run` that reviews a folder and writes REVIEW.md. In a clone, offline:
//
//   npm run review -- DIR
//
// Its default model is not a language model: rules decide each turn (model/). With `--model openai:NAME` a language model does the work.
import { setImmediate } from 'node:timers/promises';
import { type Agent, defineAgent, type Filesystem } from 'weakincentives';
import type { HostFilesystem } from 'weakincentives/node';
import { scriptedAdapter } from 'weakincentives/testing';
import { modelDescription } from './model/review-notes.ts';
import { createRuleModel } from './model/rule-model.ts';
import { reportItems, reportPath } from './report-format.ts';
import { skipNotes, skippedFiles } from './skipped-files.ts';
import { Findings, PreviousItems, Publications, UnmountedFiles } from './slices.ts';
import { type ReviewParams, reviewTemplate } from './template.ts';
import { counted, printable } from './text.ts';

/** Directories of generated or installed files, at any depth. */
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

/** The review agent. Its own model needs no key and no network. */
export const agent: Agent<ReviewParams, undefined> = defineAgent({
  name: 'review',
  description: `Reviews a folder and writes ${reportPath}.`,
  template: reviewTemplate,
  params: ({ workspaceName }) => ({ folderName: workspaceName, maxLines: 400, maxLineCharacters: 200 }),
  input: `Review this folder and publish ${reportPath}.`,
  workspace: { exclude: leftOutFolders.map((name) => `**/${name}/**`) },
  limits: { maxTurns: 2000 },
  adapter: ({ params }) => {
    const decide = createRuleModel(params);
    let known = 0;
    return scriptedAdapter(
      async (conversation) => {
        if (conversation.length < known) {
          throw new Error(
            'The rules know only what the conversation holds: leave out --max-conversation-turns.',
          );
        }
        known = conversation.length;
        // Nothing else in a turn waits for the outside: signals and timers get their turn here.
        await setImmediate();
        return decide(conversation);
      },
      { name: modelDescription },
    );
  },
  /** What has to be known before the first turn: what is not reviewed, what the previous report left open. */
  prepare: async ({ session, workspace }) => {
    if (workspace === undefined) return;
    const { filesystem } = workspace;
    const skipped = isFolder(filesystem) ? filesystem.listSkipped() : [];
    session.slice(UnmountedFiles).seed([skippedFiles(skipped, leftOutFolders)]);
    const open = reportItems(await readText(filesystem, reportPath)).filter((item) => item.isOpen);
    session.slice(PreviousItems).seed(open.map((item) => ({ text: item.text })));
  },
  conclude: ({ session, text }) => {
    const isPublished = session.slice(Publications).length > 0;
    const findings = counted(session.slice(Findings).length, 'finding');
    const unmounted = session.slice(UnmountedFiles).latest();
    return {
      ...(isPublished
        ? {}
        : { failure: `the review ended without a published report. ${printable(text)}`.trimEnd() }),
      summary: `${findings} recorded, ${isPublished ? 'report published' : 'no report published'}`,
      notes: unmounted === undefined ? [] : skipNotes(unmounted),
    };
  },
});

/** Whether the files are those of a folder, which knows what of it is not shown; files in memory are all shown. */
function isFolder(files: Filesystem): files is HostFilesystem {
  return 'listSkipped' in files;
}

/** The text of a file; empty when it does not exist or is not text. */
async function readText(filesystem: Filesystem, path: string): Promise<string> {
  if ((await filesystem.stat(path))?.kind !== 'file') return '';
  try {
    return (await filesystem.read(path, { offset: 0, limit: Number.MAX_SAFE_INTEGER })).text;
  } catch {
    return '';
  }
}
